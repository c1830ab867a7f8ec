# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are damaged, hostile or not supported: one error each, with the node."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs python3-onnx")

from onnx import TensorProto, helper  # noqa: E402

import onnx_mutations  # noqa: E402
import sequin  # noqa: E402
from onnx_models import Graph  # noqa: E402


def refusal(source, sizes=None, **options) -> sequin.ModelError:
    with pytest.raises(sequin.ModelError) as caught:
        sequin.import_onnx(source, sizes, **options)
    text = str(caught.value)
    assert text.startswith("error: ") and "\n" not in text and text.count("error: ") == 1
    return caught.value


def chain(*ops: str, dtype: str = "float32", opset: int = 17) -> Graph:
    """x -> ops -> y, on four elements."""
    g = Graph(opset)
    value = g.input("x", [4], dtype)
    for op in ops[:-1]:
        value = g.node(op, value)
    g.node(ops[-1], value, outputs=[g.output("y", dtype)])
    return g


# ===--- Files -------------------------------------------------------------=== #


def test_no_file(tmp_path):
    assert "No such file" in str(refusal(tmp_path / "none.onnx"))
    assert "is no file" in str(refusal(tmp_path))


@pytest.mark.parametrize("data", [b"", b"not a model", b"\x00" * 100, b"\x08"])
def test_no_model(data):
    refusal(data)


def test_every_truncation_is_refused_or_a_model():
    data = onnx_mutations.image_model()
    for size in range(0, len(data), 7):
        try:
            sequin.import_onnx(data[:size], "batch=1")
        except sequin.ModelError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("version", [0, 2, 12, 2**40])
def test_ir_version(version):
    model = chain("Relu").proto()
    model.ir_version = version
    assert f"IR version {version}, versions 3 to 11 are read" in str(refusal(model.SerializeToString()))


@pytest.mark.parametrize("opset", [1, 6, 24])
def test_opset(opset):
    found = refusal(chain("Relu", opset=opset).bytes())
    assert f"version {opset} of ONNX's operators, versions 7 to 23 are known" in str(found)


# ===--- Graphs ------------------------------------------------------------=== #


def test_cycle():
    g = Graph()
    g.input("x", [4])
    g.node("Add", "x", "b", outputs=["a"], name="first")
    g.node("Relu", "a", outputs=["b"], name="second")
    g.node("Neg", "b", outputs=[g.output("y")], name="third")
    assert "has a cycle" in str(refusal(g.bytes()))


def test_order_of_nodes_does_not_matter():
    model = chain("Relu", "Neg", "Exp").proto()
    turned = list(reversed(model.graph.node))
    del model.graph.node[:]
    model.graph.node.extend(turned)
    assert sequin.import_onnx(model.SerializeToString()).outputs[0].shape == (4,)


def test_missing_initializer():
    g = Graph()
    x = g.input("x", [4, 4])
    g.node("MatMul", x, "w", outputs=[g.output("y")], name="/fc")
    found = refusal(g.bytes())
    assert "node '/fc' (MatMul) reads 'w', which no node, input or initializer makes" in str(found)


def test_value_made_twice():
    g = Graph()
    x = g.input("x", [4])
    g.node("Relu", x, outputs=["y"])
    g.node("Neg", x, outputs=[g.output("y")], name="again")
    assert "'y' is made twice, again by node 'again'" in str(refusal(g.bytes()))


def test_output_of_nothing():
    g = chain("Relu")
    g.output("z")
    assert "output 'z' is made by no node" in str(refusal(g.bytes()))


def test_unknown_domain():
    g = Graph()
    x = g.input("x", [4])
    g.node("FusedGelu", x, outputs=[g.output("y")], name="/gelu", domain="com.example")
    found = refusal(g.bytes())
    assert "'/gelu' (com.example.FusedGelu) is of domain 'com.example'" in str(found)
    assert found.node == "/gelu" and found.operator == "com.example.FusedGelu"


def test_function_that_calls_itself():
    model = chain("Relu").proto()
    model.graph.node[0].CopyFrom(helper.make_node("F", ["x"], ["y"], domain="own"))
    model.opset_import.append(helper.make_opsetid("own", 1))
    model.functions.append(helper.make_function(
        "own", "F", ["a"], ["b"], [helper.make_node("F", ["a"], ["b"], domain="own")],
        [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]))
    assert "may call itself" in str(refusal(model.SerializeToString()))


# ===--- Types and sizes ---------------------------------------------------=== #


@pytest.mark.parametrize("dtype, says", [
    ("float64", "input 'x' is of float64, the machine's widest float is float32"),
    ("complex64", "input 'x' is of complex64, for which the machine has no type"),
    ("string", "input 'x' is of string, for which the machine has no type"),
])
def test_types_that_the_machine_lacks(dtype, says):
    assert says in str(refusal(chain("Identity", dtype=dtype).bytes()))


def test_cast_to_float64():
    g = Graph()
    g.node("Cast", g.input("x", [4]), to=TensorProto.DOUBLE, outputs=[g.output("y", "float64")],
           name="/up")
    found = refusal(g.bytes())
    assert found.node == "/up" and "casts to float64" in str(found)


def test_int64_that_may_not_fit():
    g = Graph()
    x = g.input("x", [4], "int64")
    g.node("Mul", x, x, outputs=[g.output("y", "int64")], name="/square")
    found = refusal(g.bytes())
    assert found.node == "/square" and "may not fit in i32" in str(found) and found.remedy


def test_promised_range():
    g = Graph()
    mask = g.input("mask", [2, 8], "int64")
    total = g.node("CumSum", mask, g.constant(np.int64(1)), name="/sum")
    g.node("Mul", total, mask, outputs=[g.output("y", "int64")])
    found = refusal(g.bytes())
    assert found.node == "/sum" and "ranges=" in found.remedy
    compiled = sequin.import_onnx(g.bytes(), ranges={"mask": (0, 1)}).compile("rngd")
    array = np.random.default_rng(0).integers(0, 2, (2, 8))
    outputs, _ = compiled.run(mask=array)
    np.testing.assert_array_equal(outputs["y"], np.cumsum(array, 1) * array)
    with pytest.raises(sequin.InputError, match="'mask': holds 2, allowed are 0 to 1"):
        compiled.run(mask=array + 1)
    assert "no input 'x' to give a range" in str(refusal(g.bytes(), ranges={"x": (0, 1)}))
    assert "allowed are" in str(refusal(g.bytes(), ranges={"mask": (1, 0)}))


def test_int64_input_that_does_not_fit():
    g = Graph()
    x = g.input("x", [2], "int64")
    g.node("Gather", g.weight("w", 5), x, outputs=[g.output("y")])
    compiled = sequin.import_onnx(g.bytes()).compile("rngd")
    with pytest.raises(sequin.InputError, match="'x': holds 4294967296, allowed are"):
        compiled.run(x=np.int64([0, 2**32]))


def test_dynamic_dimension_is_named():
    g = Graph()
    g.node("Relu", g.input("x", ["batch", 4]), outputs=[g.output("y")])
    assert "no size in dimension 0, 'batch': give one" in str(refusal(g.bytes()))
    assert "has no dimension 'seq' to give a size, its inputs have 'batch'" in str(
        refusal(g.bytes(), {"batch": 1, "seq": 2}))
    assert "size 0, a size is at least 1" in str(refusal(g.bytes(), "batch=0"))
    with pytest.raises(sequin.UsageError):
        sequin.import_onnx(g.bytes(), "batch")


def test_dimension_without_a_name():
    g = Graph()
    g.input("x", [None, 4])
    g.node("Relu", "x", outputs=[g.output("y")])
    assert "'x:0': give one" in str(refusal(g.bytes()))
    assert sequin.import_onnx(g.bytes(), {"x:0": 3}).outputs[0].shape == (3, 4)


def test_shape_that_the_data_decides():
    g = Graph()
    x = g.input("x", [6])
    shape = g.input("shape", [2], "int64")
    g.node("Reshape", x, shape, outputs=[g.output("y")], name="/view")
    found = refusal(g.bytes())
    assert found.node == "/view" and found.value == "shape"
    model = sequin.import_onnx(g.bytes(), values={"shape": np.int64([2, 3])})
    assert model.outputs[0].shape == (2, 3) and len(model.inputs) == 1


def test_sizes_that_lie():
    model = chain("Relu").proto()
    model.graph.node[0].CopyFrom(helper.make_node("Add", ["x", "w"], ["y"]))
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, raw_data=b"\0" * 12)
    tensor.dims.append(4)
    assert "'w' has 12 bytes, its shape [4] of float32 takes 16" in str(refusal(model.SerializeToString()))
    tensor.dims[0] = 2**62
    refusal(model.SerializeToString())
    tensor.dims[0] = -1
    assert "a size is at least 0" in str(refusal(model.SerializeToString()))


def test_result_that_no_machine_holds():
    g = Graph()
    g.node("Expand", g.input("x", [1]), g.constant(np.int64([2**40])), outputs=[g.output("y")],
           name="/big")
    found = refusal(g.bytes())
    assert found.node == "/big" and "too many" in str(found)


# ===--- External data -----------------------------------------------------=== #


def external(folder, location: str, **keys) -> sequin.ModelError | sequin.Model:
    model = chain("Relu").proto()
    model.graph.node[0].CopyFrom(helper.make_node("Add", ["x", "w"], ["y"]))
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT)
    tensor.dims.append(4)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **keys}.items():
        tensor.external_data.add(key=key, value=str(value))
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_external_data(tmp_path):
    weights = np.arange(6, dtype=np.float32)
    (tmp_path / "w.bin").write_bytes(weights.tobytes())
    model = sequin.import_onnx(external(tmp_path, "w.bin", offset=8, length=16))
    assert isinstance(model.weights["w"], np.memmap)
    outputs, _ = model.compile("rngd").run(x=np.ones(4))
    np.testing.assert_array_equal(outputs["y"], weights[2:] + 1)


@pytest.mark.parametrize("location",
                         ["../w.bin", "/etc/passwd", "a/../../w.bin", "", "..\\w.bin", "C:\\w.bin"])
def test_external_data_elsewhere(tmp_path, location):
    assert "must be a file in its folder" in str(refusal(external(tmp_path, location)))


def test_external_data_by_a_link(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_bytes(b"\0" * 16)
    (tmp_path / "inside" / "w.bin").symlink_to(tmp_path / "secret")
    assert "a link out of the model's folder" in str(refusal(external(tmp_path / "inside",
                                                                      "w.bin")))


@pytest.mark.parametrize("keys, says", [
    ({}, "bytes 0 to 16 of 'w.bin', which has 12"),
    ({"offset": 4}, "bytes 4 to 20"),
    ({"offset": -4}, "bytes -4 to 12"),
    ({"length": 8}, "has 8 bytes in 'w.bin', its shape [4] of float32 takes 16"),
    ({"offset": "x"}, "expected numbers"),
])
def test_external_data_too_short(tmp_path, keys, says):
    (tmp_path / "w.bin").write_bytes(b"\0" * 12)
    assert says in str(refusal(external(tmp_path, "w.bin", **keys)))


def test_external_data_that_is_no_file(tmp_path):
    (tmp_path / "w.bin").mkdir()
    assert "which is no file" in str(refusal(external(tmp_path, "w.bin")))


# ===--- The whole list ----------------------------------------------------=== #


def test_check_lists_everything():
    g = Graph()
    x = g.input("x", [4, 4])
    a = g.node("Det", x, name="/det")
    b = g.node("Mystery", x, name="/mystery.1")
    c = g.node("Mystery", x, name="/mystery.2")
    d = g.node("Cast", x, to=TensorProto.DOUBLE, name="/up")
    g.node("Sum", a, b, c, d, outputs=[g.output("y")])
    found = sequin.onnx.check(g.bytes())
    assert not found.ok
    assert [u.node for u in found.unsupported] == ["/det", "/mystery.1", "/mystery.2", "/up"]
    assert all(u.reason and u.remedy for u in found.unsupported)
    text = str(found)
    assert "4 of 5 nodes are not supported" in text and "/mystery.1, /mystery.2" in text
    assert "3 more: check() or --check-only lists all" in str(refusal(g.bytes()))


def test_check_goes_on_by_declared_shapes():
    """What follows an operator that is not there is looked at by the shapes of the file."""
    model = chain("Mystery", "Relu").proto()
    model.graph.node[1].CopyFrom(helper.make_node("Gemm", [model.graph.node[0].output[0]], ["y"],
                                                  name="/late"))
    model.graph.value_info.append(
        helper.make_tensor_value_info(model.graph.node[0].output[0], TensorProto.FLOAT, [4]))
    found = sequin.onnx.check(model.SerializeToString())
    assert [u.node for u in found.unsupported] == ["/Mystery_0", "/late"]


def test_check_of_a_good_model():
    found = sequin.onnx.check(onnx_mutations.image_model(), "batch=1")
    assert found.ok and found.operators["Conv"] == 1
    assert "are supported" in str(found)


def test_mutations():
    _, failures = onnx_mutations.run(150, seed=7)
    assert failures == []
