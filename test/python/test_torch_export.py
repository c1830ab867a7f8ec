# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that torch exports to ONNX, on the simulated machine, against torch in float64."""

import copy
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs python3-torch: tools/dev/deps --torch")
pytest.importorskip("onnx", reason="needs python3-onnx")

import sequin  # noqa: E402
from test_torch import TOLERANCE, Attention, Rotary, image_network  # noqa: E402
from torch import nn  # noqa: E402


class Bottleneck(nn.Module):
    """Of ResNet-50, with its downsampling."""

    def __init__(self, inputs=8, width=4, stride=2):
        super().__init__()
        made = 4 * width
        self.inside = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, made, 1, bias=False), nn.BatchNorm2d(made))
        self.beside = nn.Sequential(nn.Conv2d(inputs, made, 1, stride, bias=False),
                                    nn.BatchNorm2d(made))

    def forward(self, x):
        return torch.relu(self.inside(x) + self.beside(x))


class Squeezed(nn.Module):
    """EfficientNet's block: depthwise, squeeze and excitation, a residual."""

    def __init__(self, channels=4, wide=16):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(channels, wide, 1), nn.BatchNorm2d(wide), nn.SiLU(),
                                    nn.Conv2d(wide, wide, 5, padding=2, groups=wide), nn.SiLU())
        self.excite = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 4, 1), nn.SiLU(),
                                    nn.Conv2d(4, wide, 1), nn.Sigmoid())
        self.project = nn.Conv2d(wide, channels, 1)

    def forward(self, x):
        y = self.expand(x)
        return x + self.project(y * self.excite(y))


class Patches(nn.Module):
    """ViT's beginning and head around one of torch's own encoder layers."""

    def __init__(self, width=16):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.place = nn.Parameter(torch.randn(1, 5, width))
        self.layer = nn.TransformerEncoderLayer(width, 2, 32, activation="gelu", batch_first=True,
                                                norm_first=True)
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        h = self.patch(x).flatten(2).transpose(1, 2)
        h = torch.cat([self.token.expand(x.shape[0], -1, -1), h], 1) + self.place
        return self.head(self.layer(h)[:, 0])


class Up(nn.Module):
    """U-Net's way up."""

    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 1, 3, padding=1)

    def forward(self, x):
        a = torch.relu(self.down(x))
        b = torch.relu(self.middle(nn.functional.max_pool2d(a, 2)))
        return torch.sigmoid(self.out(torch.cat([self.up(b), a], 1)))


CASES = {
    "attention": (Attention, lambda: torch.randint(0, 20, (2, 6)), {0: "batch", 1: "seq"}),
    "rotary": (Rotary, lambda: torch.randn(1, 6, 16), {}),
    "encoder": (lambda: nn.TransformerEncoderLayer(32, 4, 64, batch_first=True),
                lambda: torch.randn(2, 5, 32), {}),
    "image": (image_network, lambda: torch.randn(1, 3, 8, 8), {0: "batch"}),
    "bottleneck": (Bottleneck, lambda: torch.randn(1, 8, 8, 8), {0: "batch"}),
    "squeezed": (Squeezed, lambda: torch.randn(1, 4, 6, 6), {}),
    "patches": (Patches, lambda: torch.randn(2, 3, 8, 8), {0: "batch"}),
    "up": (Up, lambda: torch.randn(1, 1, 8, 8), {0: "batch", 2: "height", 3: "width"}),
    "lstm": (lambda: nn.LSTM(6, 8, 2), lambda: torch.randn(4, 2, 6), {}),
    "gru": (lambda: nn.GRU(6, 8), lambda: torch.randn(4, 2, 6), {}),
}


@pytest.mark.filterwarnings("ignore")  # of torch, about its own tracer
@pytest.mark.parametrize("opset", [13, 17])
@pytest.mark.parametrize("name", CASES)
def test_exported(name, opset):
    torch.manual_seed(0)
    build, example, dynamic = CASES[name]
    module, x = build().eval(), example()
    file = io.BytesIO()
    torch.onnx.export(module, (x,), file, opset_version=opset, input_names=["x"],
                      dynamic_axes={"x": dynamic} if dynamic else None)
    sizes = {title: x.shape[axis] for axis, title in dynamic.items()}
    model = sequin.import_onnx(file.getvalue(), sizes)
    found = model.compile("rngd").run(x=x.numpy()).outputs
    with torch.no_grad():
        wanted = copy.deepcopy(module).double()(x.double() if x.is_floating_point() else x)
    flat, _ = torch.utils._pytree.tree_flatten(wanted)
    assert len(found) == len(flat)
    for made, right in zip(found.values(), flat):
        scale = float(right.abs().max())
        np.testing.assert_allclose(made, right.numpy(), rtol=0, atol=TOLERANCE * scale)
