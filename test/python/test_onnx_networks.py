# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks by the nodes that torch exports, at reduced size, against NumPy in float64."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

import onnx_numpy  # noqa: E402
import sequin  # noqa: E402
from onnx_exported import NETWORKS, Exporter, gpt2  # noqa: E402

#: Of the greatest output: products are in digits that keep f32's 24 bits, sums in f32.
TOLERANCE = 3e-6


def inputs_of(model: sequin.Model) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    arrays = {}
    for value in model.inputs:
        if value.dtype == "int64":
            high = 2 if value.name in ("attention_mask", "token_type_ids") else 60
            array = random.integers(0, high, value.shape)
            array[..., 0] = 1  # somebody is attended to
            arrays[value.name] = array
        else:
            arrays[value.name] = random.standard_normal(value.shape).astype(np.float32)
    return arrays


#: Rows that no tile of the chip divides.
ODD_SIZES = {"gpt2": {"batch": 2, "seq": 7}, "bert": {"batch": 2, "seq": 9}}


@pytest.mark.parametrize("name", ODD_SIZES)
def test_odd_sizes(name):
    build, _ = NETWORKS[name]
    compare(build(Exporter(13)), ODD_SIZES[name])


@pytest.mark.parametrize("opset", [13, 17])
@pytest.mark.parametrize("name", NETWORKS)
def test_network(name, opset):
    build, sizes = NETWORKS[name]
    if name in ("llama", "mixtral") and opset < 14:
        pytest.skip("Trilu is an operator since version 14")
    compare(build(Exporter(opset)), sizes)


def compare(graph, sizes):
    model = sequin.import_onnx(graph.bytes(), sizes)
    arrays = inputs_of(model)
    run = model.compile("rngd").run(arrays)
    wanted = onnx_numpy.evaluate(graph.proto(), arrays)
    for output, found in run.outputs.items():
        assert found.shape == wanted[output].shape
        scale = np.abs(wanted[output]).max()
        np.testing.assert_allclose(found, wanted[output], rtol=0, atol=TOLERANCE * scale)


def test_weights_are_no_text():
    graph = gpt2(Exporter(17))
    model = sequin.import_onnx(graph.bytes(), {"batch": 1, "seq": 4})
    large = {name for name,
             array in graph.weights.items() if array.size > 1 and array.dtype.kind == "f"}
    assert len(model.weights) >= len(large)
    assert len(model.mlir) < 200_000
    assert "dense<[" not in model.mlir


def test_operations_have_the_names_of_nodes():
    model = sequin.import_onnx(gpt2(Exporter(17)).bytes(), {"batch": 1, "seq": 4})
    assert 'loc("/LayerNormalization_' in model.mlir
    report = model.compile("rngd").run(timing_only=True).report
    assert any(command.name.startswith("/MatMul_") for command in report.commands)
