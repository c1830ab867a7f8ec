#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The digit network as an ONNX file, on a simulated chip.

    examples/digits/from_onnx.py [FILE.onnx]

writes the file if it is named, imports it, runs the test images in f32, and fails if a prediction
differs from NumPy's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import reference

try:
    import sequin
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
    import sequin

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

#: Of the greatest score: sums are f32's in another order.
TOLERANCE = 3e-6


def make_model(network: reference.Network) -> bytes:
    """Three Gemms with Relu between them, from images [batch, 64] to scores [batch, 10]."""
    nodes, value = [], "image"
    for i in (1, 2, 3):
        made = "scores" if i == 3 else f"h{i}"
        nodes.append(helper.make_node("Gemm", [value, f"w{i}", f"b{i}"], [made],
                                      name=f"/layer.{i}/Gemm"))
        if i < 3:
            nodes.append(helper.make_node("Relu", [made], [f"{made}.relu"],
                                          name=f"/layer.{i}/Relu"))
        value = f"{made}.relu"
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", size])
              for name, size in (("image", 64), ("scores", 10))]
    weights = [numpy_helper.from_array(array, name)
               for name, array in network._asdict().items()]
    graph = helper.make_graph(nodes, "digits", values[:1], values[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    data: bytes = model.SerializeToString()
    return data


def main() -> int:
    network, (images, labels) = reference.load_network(), reference.load_test_set()
    data = make_model(network)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_bytes(data)
    model = sequin.import_onnx(data, {"batch": len(images)})
    result = model.compile("rngd").run(image=images)
    found = result.outputs["scores"]
    h = images.astype(np.float64)
    for i in (1, 2, 3):
        h = h @ getattr(network, f"w{i}") + getattr(network, f"b{i}")
        h = np.maximum(h, 0) if i < 3 else h
    right = int((found.argmax(1) == labels).sum())
    equal = int((found.argmax(1) == h.argmax(1)).sum())
    worst = float(np.abs(found - h).max() / np.abs(h).max())
    print(result.costs)
    print()
    print(f"accuracy    {right}/{len(labels)} = {right / len(labels):.2%}")
    print(f"predictions equal NumPy's: {equal}/{len(labels)}, scores within {worst:.1e} of the "
          "greatest")
    return 0 if equal == len(labels) and worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
