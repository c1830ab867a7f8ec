# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagnostics as exceptions, with the text that sequin-run prints."""

import json
import pickle

import numpy as np
import pytest

import sequin

EXIT_CODES = {
    sequin.CompileError: 1,
    sequin.InputError: 1,
    sequin.VerificationError: 1,
    sequin.MappingError: 1,
    sequin.UsageError: 2,
    sequin.SimulationTrap: 3,
}


def test_classes_and_exit_codes():
    for error, code in EXIT_CODES.items():
        assert issubclass(error, sequin.Error)
        assert error.exit_code == code


def test_place_of_a_parse_error(tmp_path, sequin_run):
    path = tmp_path / "cut.mlir"
    path.write_text("func.func @main() {\n  return %x : i32\n}\n")
    code, printed, _ = sequin_run(path, "--target", "rngd")
    assert code == 1
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(path, target="rngd")
    error = caught.value
    assert str(error) == printed.rstrip("\n")
    assert (error.file, error.line, error.column) == (str(path), 2, 10)
    assert error.text == error.diagnostics[0].text
    assert str(error.diagnostics[0]).startswith(f"{path}:2:10: error: ")


def test_text_has_a_name():
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile("module {\n  what\n}", target="rngd", name="cell 7")
    assert caught.value.file == "cell 7"
    assert caught.value.line == 2
    assert str(caught.value).startswith("cell 7:2:")


def test_text_that_the_parser_must_not_be_given():
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile("module {\n" * 400 + "}\n" * 400, target="rngd", name="deep")
    error = caught.value
    assert str(error).startswith("deep:257:8: error: nested in more than 256 brackets")
    assert (error.file, error.line, error.column) == ("deep", 257, 8)
    assert error.text == "nested in more than 256 brackets"


def test_truth_values():
    program = sequin.compile(
        "func.func @main(%m: tensor<3xi1>) -> tensor<3xi1> {\n"
        "  %0 = arith.andi %m, %m : tensor<3xi1>\n"
        "  return %0 : tensor<3xi1>\n}",
        target="rngd",
    )
    assert list(program.run(np.array([True, False, True])).output) == [1, 0, 1]
    for bad in (2, -1, 0.5):
        with pytest.raises(sequin.InputError, match="holds truth values, 0 and 1"):
            program.run(np.array([0, 1, bad]))


def test_place_of_a_broken_rule(examples, tmp_path):
    text = (examples / "tcp" / "constant_add.mlir").read_text()
    broken = text.replace('tcp.fetch %0 i32 "1", "A % 8"', 'tcp.fetch %0 i32 "1", "A % 7"')
    assert broken != text
    line = 1 + broken[: broken.index('"A % 7"')].count("\n")
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(broken)
    assert caught.value.line == line
    assert all(d.severity == "error" for d in caught.value.diagnostics)


def test_notes_are_kept():
    text = """
func.func @main() { return }
func.func @main() { return }
"""
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(text, target="rngd")
    error = caught.value
    assert "redefinition of symbol named 'main'" in error.text
    assert error.line == 3
    (note,) = error.notes
    assert (note.severity, note.line) == ("note", 2)
    assert "note: " in str(error.diagnostics[0])


def test_no_machine(sequin_run, tmp_path):
    path = tmp_path / "empty.mlir"
    path.write_text("func.func @main() { return }\n")
    code, printed, _ = sequin_run(path)
    assert code == 1
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(path)
    assert str(caught.value) == printed.rstrip("\n")
    assert caught.value.file is None
    assert caught.value.line is None
    with pytest.raises(sequin.CompileError, match="'rngdx' is no machine, known are rngd"):
        sequin.compile(path, target="rngdx")
    with pytest.raises(sequin.CompileError, match="--chips is 0, must be at least 1"):
        sequin.compile(path, target="rngd", chips=0)


def test_missing_file():
    with pytest.raises(sequin.CompileError, match="cannot read 'none.mlir'"):
        sequin.compile("none.mlir", target="rngd")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "binary.mlir"
    path.write_bytes(b"func.func @\xff\xfe\x00 {\n")
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile(path, target="rngd")
    assert caught.value.line == 1


@pytest.fixture
def constant_add(examples):
    return sequin.compile(examples / "tcp" / "constant_add.mlir")


def test_arrays_that_do_not_fit(constant_add):
    name = constant_add.inputs[0].name
    for arrays, text in (
        ([], f"the program takes 1 input ('{name}' i32 [2048]), found 0"),
        ([1, 2], f"the program takes 1 input ('{name}' i32 [2048]), found 2"),
        (
            [np.zeros((64, 32))],
            f"'arrays[0]': shape is [64, 32], argument '{name}' has shape [2048]",
        ),
        (
            [np.full(2048, 2**31)],
            "'arrays[0]': element [0] is 2147483648, i32 holds -2147483648 to 2147483647",
        ),
        (
            [np.zeros(2048, complex)],
            "'arrays[0]': dtype '<c16' is not supported, allowed are f2, f4, f8, i1, i2, "
            "i4, i8, u1, u2, u4, u8, b1",
        ),
    ):
        with pytest.raises(sequin.InputError) as caught:
            constant_add.run(*arrays)
        assert str(caught.value) == "error: " + text
        assert caught.value.text == text


def test_objects_are_no_numbers(constant_add):
    with pytest.raises(sequin.InputError, match="dtype '.*' is not supported"):
        constant_add.run(np.array(["a"] * 2048))


def test_most_steps(constant_add):
    with pytest.raises(sequin.InputError, match="--max-steps is 0, must be at least 1"):
        constant_add.run(np.zeros(2048), max_steps=0)
    with pytest.raises(sequin.SimulationTrap):
        constant_add.run(np.zeros(2048), max_steps=1)


def out_of_memory(program: sequin.Program) -> str:
    """The configuration with its commit moved past the end of data memory."""
    config = program.config()
    for command in config["commands"]:
        if "commit" in command:
            command["commit"]["sequencer"]["base"] = 1 << 30
    return json.dumps(config)


def test_trap(constant_add, sequin_run, tmp_path):
    path = tmp_path / "trap.json"
    path.write_text(out_of_memory(constant_add))
    values = np.zeros(2048, np.int32)
    code, printed, _ = sequin_run(path, inputs=[values])
    assert code == 3
    with pytest.raises(sequin.SimulationTrap) as caught:
        sequin.compile(path).run(values)
    trap = caught.value
    assert str(trap) == trap.report == printed.rstrip("\n")
    assert trap.stage == "commit"
    assert trap.command and trap.command in trap.report
    assert trap.what and trap.what in trap.report
    copy = pickle.loads(pickle.dumps(trap))
    assert (str(copy), copy.stage) == (str(trap), "commit")


def test_verification(sequin_run, tmp_path):
    """The machine's Max returns the operand that is no NaN, arith.maximumf the NaN."""
    path = tmp_path / "relu.mlir"
    path.write_text(
        """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %zero = arith.constant 0.0 : f32
  %y = linalg.map ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>)
    (%in: f32, %out: f32) {
      %positive = arith.maximumf %in, %zero : f32
      linalg.yield %positive : f32
    }
  return %y : tensor<64xf32>
}
"""
    )
    values = np.full(64, np.nan)
    code, printed, _ = sequin_run(path, "--target", "rngd", "--verify", inputs=[values])
    assert code == 1
    program = sequin.compile(path, target="rngd")
    with pytest.raises(sequin.VerificationError) as caught:
        program.run(values, verify=True)
    assert str(caught.value) == printed.rstrip("\n")
    assert caught.value.text.startswith("verification failed against the linalg program: ")
    program.run(np.zeros(64), verify=True)


def test_other_errors_can_be_pickled():
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile("module {\n  what\n}", target="rngd")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.line == 2


def test_after_an_error_the_program_still_runs(constant_add):
    values = np.arange(2048)
    for _ in range(3):
        with pytest.raises(sequin.InputError):
            constant_add.run(values[1:])
        np.testing.assert_array_equal(constant_add.run(values).output, values + 1)
