# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.compile and Program."""

import json

import numpy as np
import pytest

import sequin
from conftest import integers

MATMUL = """
func.func @main(%a: tensor<16x32xbf16>, %b: tensor<32x8xbf16>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xbf16>, tensor<32x8xbf16>)
      outs(%filled : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}
"""


def test_text_runs(random):
    program = sequin.compile(MATMUL, target="rngd")
    assert program.target == "rngd"
    assert program.chips == 1
    assert [(a.dtype, a.shape) for a in program.inputs] == [
        ("bf16", (16, 32)),
        ("bf16", (32, 8)),
    ]
    assert [(a.dtype, a.shape) for a in program.outputs] == [("f32", (16, 8))]
    assert repr(program) == (
        "<sequin.Program for rngd: (bf16 [16, 32], bf16 [32, 8]) -> (f32 [16, 8])>"
    )
    a, b = integers(random, 16, 32), integers(random, 32, 8)
    outputs, report = program.run(a, b)
    np.testing.assert_array_equal(outputs[0], a @ b)
    assert report.macs == 16 * 32 * 8
    again = program.run(2 * a, b)
    np.testing.assert_array_equal(again.output, 2 * a @ b)
    assert again.verified is None


def test_path_and_str_are_the_same_program(examples):
    path = examples / "tcp" / "constant_add.mlir"
    values = np.arange(2048, dtype=np.int32)
    for source in (path, str(path), path.read_text()):
        (result,), report = sequin.compile(source).run(values)
        np.testing.assert_array_equal(result, values + 1)
        assert result.dtype == np.int32
        assert report.target == "rngd"


@pytest.mark.parametrize("name", ["gemv", "dot_product", "weighted_sum", "temporal_max"])
def test_kernels_verify(random, examples, name):
    program = sequin.compile(examples / "tcp" / f"{name}.mlir")
    arrays = [random.integers(-4, 5, argument.shape) for argument in program.inputs]
    result = program.run(*arrays, verify=True)
    assert "equal the reference interpreter's bit for bit" in result.verified
    assert len(result.outputs) == len(program.outputs)


def test_digits_network_equals_sequin_run(random, examples, sequin_run):
    path = examples / "digits" / "mlp.mlir"
    program = sequin.compile(path, target="rngd")
    arrays = [random.standard_normal(a.shape).astype("f4") for a in program.inputs]
    code, _, (expected,) = sequin_run(path, "--target", "rngd", inputs=arrays, outputs=1)
    assert code == 0
    assert program.run(*arrays).output.tobytes() == expected.tobytes()


def test_levels(random):
    program = sequin.compile(MATMUL, target="rngd")
    assert "linalg.matmul" in program.mlir()
    assert program.mlir("given") == program.mlir()
    assert "tcp.contract" in program.mlir("tcp")
    assert "linalg." not in program.mlir("tcp")
    assert "tcp.config" in program.mlir("config")
    assert program.config() == json.loads(program.json())
    with pytest.raises(sequin.UsageError, match="level is 'llvm', known are given, tcp and"):
        program.mlir("llvm")

    # Every level runs and gives the same bits and cycles.
    a, b = random.standard_normal((16, 32)), random.standard_normal((32, 8))
    expected = program.run(a, b)
    for text in (program.mlir("tcp"), program.mlir("config"), program.json()):
        lowered = sequin.compile(text)
        inputs = [x.reshape(i.shape) for x, i in zip((a, b), lowered.inputs)]
        result = lowered.run(*inputs)
        assert result.output.tobytes() == expected.output.tobytes()
        assert result.report.cycles == expected.report.cycles


def test_configurations(tmp_path):
    program = sequin.compile(MATMUL, target="rngd")
    path = tmp_path / "matmul.json"
    path.write_text(program.json())
    lowered = sequin.compile(path)
    assert lowered.config() == program.config()
    assert "tcp.config" in lowered.mlir()
    with pytest.raises(sequin.InputError, match="there is no tcp program"):
        lowered.mlir("tcp")
    inputs = [np.zeros(a.shape) for a in lowered.inputs]
    with pytest.raises(sequin.InputError, match="--verify needs the program before"):
        lowered.run(*inputs, verify=True)


def test_timing_only_needs_no_arrays():
    program = sequin.compile(MATMUL, target="rngd")
    outputs, report = program.run(timing_only=True)
    assert outputs == ()
    assert report.cycles == program.run(np.ones((16, 32)), np.ones((32, 8))).report.cycles
    with pytest.raises(sequin.UsageError, match="timing_only computes no values"):
        program.run(timing_only=True, verify=True)


def test_verify_compares_with_linalg(random):
    program = sequin.compile(MATMUL, target="rngd")
    a, b = random.standard_normal((16, 32)), random.standard_normal((32, 8))
    verified = program.run(a, b, verify=True).verified
    assert "the linalg program's within its rounding" in verified


def test_verify_of_infinities_on_the_way():
    program = sequin.compile(MATMUL, target="rngd")
    a, b = np.zeros((16, 32), np.float32), np.zeros((32, 8), np.float32)
    # inf - inf on the machine, and in f64 inf - 1e39.
    a[3, :2], b[:2, 5] = (np.inf, -1e30), (1, 1e9)
    assert program.run(a, b, verify=True).verified


ENDS = {
    "sinh": "%v = math.sinh %e : f32",
    "cosh": "%v = math.cosh %e : f32",
    "asinh": "%v = math.asinh %e : f32",
    "acosh": "%v = math.acosh %e : f32",
    "a power": "%c = arith.constant 2.5 : f32\n%v = math.powf %e, %c : f32",
    "a root": "%c = arith.constant 0.5 : f32\n%v = math.powf %e, %c : f32",
    "a power of itself": "%v = math.powf %e, %e : f32",
}


@pytest.mark.parametrize("name", ENDS)
def test_functions_to_the_ends_of_f32(name):
    values = np.array([-np.inf, np.inf, 88, 89.2, -89.2, 1e19, 1e20, 3.4028235e38, -3.4028235e38,
                       1, 1.0000001, 0, -0.5, 1e-30, np.nan, 2.5], np.float32)
    program = sequin.compile(f"""
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {{
  %empty = tensor.empty() : tensor<16xf32>
  %r = linalg.map ins(%x : tensor<16xf32>) outs(%empty : tensor<16xf32>) (%e: f32, %o: f32) {{
    {ENDS[name]}
    linalg.yield %v : f32
  }}
  return %r : tensor<16xf32>
}}""", target="rngd")
    assert program.run(values, verify=True).verified


def test_entry(examples):
    two = MATMUL + MATMUL.replace("@main", "@other").replace("16x", "24x")
    program = sequin.compile(two, target="rngd", entry="other")
    assert program.inputs[0].shape == (24, 32)


def test_outputs_are_arrays_of_their_own():
    program = sequin.compile(MATMUL, target="rngd")
    a, b = np.ones((16, 32), np.float32), np.ones((32, 8), np.float32)
    first = program.run(a, b).output
    first += 1  # writable
    assert (program.run(a, b).output == 32).all()
    assert (a == 1).all()


def test_what_is_no_source():
    with pytest.raises(TypeError, match="source is a path or a text, found int"):
        sequin.compile(3)
    with pytest.raises(sequin.CompileError, match="cannot read"):
        sequin.compile("\udcff.mlir", target="rngd")  # a name that is no UTF-8
    with pytest.raises(TypeError):
        sequin.compile(MATMUL, target="rngd", chips="two")


def test_a_program_is_made_by_compile():
    with pytest.raises(sequin.UsageError):
        sequin.Program()


def test_f32_is_exact_or_rounded(random):
    text = MATMUL.replace("bf16", "f32")
    a, b = (random.standard_normal(s).astype(np.float32) for s in ((16, 32), (32, 8)))
    exact = sequin.compile(text, target="rngd").run(a, b, verify=True)
    np.testing.assert_allclose(exact.output, a.astype(np.float64) @ b, rtol=0, atol=1e-5)
    assert exact.report.digit_products == 5
    rounded = sequin.compile(text, target="rngd", allow_bf16=True).run(a, b, verify=True)
    assert rounded.report.digit_products == 0
    assert rounded.report.cycles < exact.report.cycles
    assert np.abs(rounded.output - exact.output).max() > 1e-4
    assert "operands rounded as allowed" in rounded.verified


def test_argument_layouts():
    with pytest.raises(sequin.CompileError, match="'diagonal' is no layout"):
        sequin.compile(MATMUL, target="rngd", argument_layout="diagonal")
