# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules on the simulated machine, against PyTorch in float64."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs python3-torch: tools/dev/deps --torch")

import sequin  # noqa: E402
import sequin.torch  # noqa: E402
from torch import nn  # noqa: E402

#: Of the greatest output: products are in digits that keep f32's 24 bits, sums in f32.
TOLERANCE = 4e-6


class Attention(nn.Module):
    """A pre-norm block with a causal mask, as GPT-2's."""

    def __init__(self, width=32, heads=4, vocabulary=20, context=16):
        super().__init__()
        self.heads = heads
        self.embed, self.place = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, ids):
        batch, length = ids.shape
        h = self.embed(ids) + self.place(torch.arange(length))
        x = self.qkv(self.norm1(h)).view(batch, length, 3, self.heads, -1)
        q, k, v = x.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        at = torch.arange(length)
        mask = at[:, None] >= at[None]
        shares = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        h = h + self.out((shares @ v).transpose(1, 2).reshape(batch, length, -1))
        h = h + self.down(nn.functional.gelu(self.up(self.norm2(h))))
        return h @ self.embed.weight.t()


class Rotary(nn.Module):
    """Rotary positions, RMS normalization and a gated layer, as Llama's."""

    def __init__(self, width=16, hidden=32):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(width) + 0.5)
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        half = x.shape[-1] // 2
        at = torch.arange(x.shape[1], dtype=torch.float32)[:, None]
        angles = at * 10000 ** (-torch.arange(half) / half)
        angles = torch.cat([angles, angles], -1)
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        x = x * angles.cos() + turned * angles.sin()
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


def image_network():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.GroupNorm(2, 8), nn.Hardswish(),
        nn.ConvTranspose2d(8, 4, 2, 2), nn.Upsample(scale_factor=2), nn.ReLU6(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(), nn.Linear(4, 5), nn.LogSoftmax(-1))


class Pieces(nn.Module):
    """What is left: indices, parts of tensors, reductions, truth values."""

    def forward(self, x, y):
        best, at = x.max(-1)
        first, second = x.chunk(2, -1)
        spread = torch.where(x > 0, x, x * 0.1).clamp(-1, 1)
        return {
            "best": best, "at": at, "sum": (first + 2 * second).sum((0, 1)),
            "parts": torch.stack([y[0], y[-1]]), "spread": spread.flip(1),
            "any": (x > 3).any(-1), "var": x.var(-1), "pad": nn.functional.pad(y, (1, 2)),
            "picked": y[:, torch.tensor([2, 0, 1])], "square": (y / 3) ** 2,
            "order": y.topk(2, -1)[0], "counted": torch.cumsum(y, 0), "tile": y.repeat(2, 1),
            "lower": torch.tril(torch.ones(3, 3)).bool() & (x[0, :, :3] > 0),
        }


CASES = {
    "linear": (lambda: nn.Sequential(nn.Linear(16, 24), nn.Tanh(), nn.Linear(24, 4)),
               lambda: (torch.randn(3, 16),)),
    "attention": (Attention, lambda: (torch.randint(0, 20, (2, 6)),)),
    "encoder": (lambda: nn.TransformerEncoderLayer(32, 4, 64, activation="gelu",
                                                   batch_first=True),
                lambda: (torch.randn(2, 5, 32),)),
    "rotary": (Rotary, lambda: (torch.randn(1, 6, 16),)),
    "image": (image_network, lambda: (torch.randn(1, 3, 8, 8),)),
    "lstm": (lambda: nn.LSTM(6, 8, 2), lambda: (torch.randn(4, 2, 6),)),
    "gru": (lambda: nn.GRU(6, 8), lambda: (torch.randn(4, 2, 6),)),
    "pieces": (Pieces, lambda: (torch.randn(2, 3, 8), torch.randn(4, 3))),
}


def double(value):
    return value.double() if value.is_floating_point() else value


@pytest.mark.parametrize("name", CASES)
def test_module(name):
    torch.manual_seed(0)
    build, inputs = CASES[name]
    module, given = build().eval(), inputs()
    compiled = sequin.torch.compile(module, given)
    found = compiled(*given)
    with torch.no_grad():
        wanted = copy.deepcopy(module).double()(*map(double, given))
    flat = torch.utils._pytree.tree_flatten
    assert flat(found)[1] == flat(wanted)[1]
    for made, right in zip(flat(found)[0], flat(wanted)[0]):
        assert made.shape == right.shape
        scale = max(1e-30, float(right.double().abs().max()))
        np.testing.assert_allclose(made.numpy(), right.numpy(), rtol=0, atol=TOLERANCE * scale)


def test_other_inputs_and_costs():
    module = nn.Linear(8, 4).eval()
    compiled = sequin.torch.compile(module, (torch.zeros(2, 8),), allow_bf16=True)
    assert compiled.costs.total.macs == 2 * 8 * 4
    x = torch.full((2, 8), 0.5)
    torch.testing.assert_close(compiled(x), module(x).detach(), rtol=1e-2, atol=1e-2)
    assert compiled.result.report.target == "rngd"
    with pytest.raises(sequin.InputError, match="shape is \\[3, 8\\]"):
        compiled(torch.zeros(3, 8))


def test_names_and_weights():
    module = nn.Sequential(nn.Linear(8, 4)).eval()
    model = sequin.torch.import_module(module, (torch.zeros(2, 8),))
    assert [value.name for value in model.inputs] == ["input"]
    assert set(model.weights) == {"_0.weight", "_0.bias"}
    # The memory is the module's.
    assert np.shares_memory(model.weights["_0.bias"], module[0].bias.detach().numpy())
    named = sequin.torch.import_module(module, (torch.zeros(2, 8),), names=["x"])
    assert [value.name for value in named.inputs] == ["x"]


def test_all_refusals_are_listed():
    def both(x):
        return torch.linalg.det(x) + torch.linalg.det(x.sinh()) + torch.bucketize(x, x[0])[0]

    found = sequin.torch.check(both, (torch.eye(3),))
    assert not found.ok and len(found.unsupported) == 3
    assert "aten.bucketize" in str(found)
    with pytest.raises(sequin.ModelError, match="2 more: sequin.torch.check lists all"):
        sequin.torch.compile(both, (torch.eye(3),))


def test_in_place():
    def alone(x):
        y = x * 2
        y.add_(1).relu_()
        return y - 1

    x = torch.randn(2, 3)
    torch.testing.assert_close(sequin.torch.compile(alone, (x,))(x), alone(x))

    def shared(x):
        y = x * 2
        y[0].add_(1)
        return y

    with pytest.raises(sequin.ModelError, match="writes into a part of a tensor"):
        sequin.torch.compile(shared, (x,))


@pytest.mark.parametrize("module, inputs, text", [
    (nn.Dropout(), (torch.zeros(2),), "call module.eval()"),
    (nn.Identity().eval(), ("x",), "expected tensors"),
    (nn.Identity().eval(), (torch.zeros(2, dtype=torch.complex64),), "has no type"),
])
def test_refused_before_tracing(module, inputs, text):
    with pytest.raises(sequin.ModelError, match=text):
        sequin.torch.compile(module, inputs)


def test_types():
    def mixed(x, n):
        return x.half().float() + n.float(), n // 2, x.to(torch.bfloat16).float()

    x, n = torch.randn(2, 3), torch.arange(3, dtype=torch.int32)
    found = sequin.torch.compile(mixed, (x, n))(x, n)
    for made, right in zip(found, mixed(x, n)):
        torch.testing.assert_close(made.to(right.dtype), right, rtol=0, atol=0)
