# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.einsum against numpy.einsum and sequin-run."""

import numpy as np
import pytest

import sequin
from conftest import integers
from sequin.program import _match


@pytest.mark.parametrize(
    "text, shapes",
    [
        ("mk,kn->mn", [(64, 128), (128, 32)]),
        ("mk,nk->mn", [(48, 64), (40, 64)]),
        ("bmk,bkn->bmn", [(4, 16, 32), (4, 32, 24)]),
        ("mk,k->m", [(64, 96), (96,)]),
        ("i,j->ij", [(16,), (24,)]),
        ("ij->ji", [(17, 13)]),
    ],
)
def test_equals_numpy(random, text, shapes):
    operands = [integers(random, *shape) for shape in shapes]
    result = sequin.einsum(text, *operands, dtype="bf16")
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, np.einsum(text, *operands))


def test_integers_accumulate_in_i32(random):
    a = random.integers(-128, 128, (32, 64), dtype=np.int8)
    b = random.integers(-128, 128, (64, 16), dtype=np.int8)
    result = sequin.einsum("mk,kn->mn", a, b)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, a.astype(np.int32) @ b.astype(np.int32))


def test_same_bits_and_cycles_as_sequin_run(random, sequin_run, tmp_path):
    a, b = random.standard_normal((40, 72)), random.standard_normal((72, 24))
    code, _, (expected,) = sequin_run(
        *("--einsum", "mk,kn->mn", "--size", "m=40,k=72,n=24", "--dtype", "bf16"),
        *("--target", "rngd", "--report", tmp_path / "report.json"),
        inputs=[a, b],
        outputs=1,
    )
    assert code == 0
    result, report = sequin.einsum("mk,kn->mn", a, b, dtype="bf16", return_report=True)
    assert result.tobytes() == expected.tobytes()
    written = sequin.Report.load(tmp_path / "report.json")
    assert written.cycles == report.cycles > 0
    assert written.commands == report.commands
    assert report.macs == 40 * 72 * 24


def test_rounds_operands_to_nearest_even():
    # 257 lies between the bf16 values 256 and 258, 259 between 258 and 260.
    values = np.array([[257.0, 259.0, 258.0]], np.float32)
    result = sequin.einsum("ij->ij", values, dtype="bf16", output_dtype="f32")
    np.testing.assert_array_equal(result, [[256, 260, 258]])


def test_raw_operands_and_results():
    one_and_a_half = np.full((8, 8), 0x3FC0, np.uint16)
    result = sequin.einsum(
        "ij->ji", one_and_a_half, dtype="bf16", output_dtype="bf16", raw=True
    )
    assert result.dtype == np.uint16
    np.testing.assert_array_equal(result, one_and_a_half)


def test_operands_of_any_layout(random):
    a = integers(random, 24, 16)
    b = np.asfortranarray(integers(random, 24, 8))
    big_endian = a.T.astype(">f4")
    result = sequin.einsum("mk,kn->mn", big_endian, b, dtype="bf16")
    np.testing.assert_array_equal(result, a.T @ b)
    nested = sequin.einsum("mk,k->m", [[1, 2], [3, 4]], [5, 6], dtype="i8")
    np.testing.assert_array_equal(nested, [17, 39])


@pytest.mark.parametrize(
    "text, shapes",
    [
        ("ij,ij->ij", [(16, 1), (16, 8)]),
        ("bmk,bkn->bmn", [(1, 16, 32), (4, 32, 8)]),
        ("mk,kn->mn", [(16, 32), (32, 1)]),
    ],
)
def test_size_one_goes_with_any_size(random, text, shapes):
    operands = [integers(random, *shape) for shape in shapes]
    result = sequin.einsum(text, *operands, dtype="bf16")
    np.testing.assert_array_equal(result, np.einsum(text, *operands))


def test_a_dimension_of_size_one_is_dropped():
    a, b = np.ones((16, 1)), np.ones((32, 8))
    text, arrays, sizes = _match("mk,kn->mn", [("a", a), ("b", b)])
    assert text == "m,kn->mn"
    assert [array.shape for _, array in arrays] == [(16,), (32, 8)]
    assert sizes == {"m": 16, "k": 32, "n": 8}
    # Nothing to drop: the notation stays as it was written.
    text, arrays, sizes = _match("ij , jk", [("a", np.ones((2, 1))), ("b", np.ones((1, 3)))])
    assert text == "ij , jk"
    assert [array.shape for _, array in arrays] == [(2, 1), (1, 3)]


def test_verify(random):
    a, b = integers(random, 16, 32), integers(random, 32, 8)
    sequin.einsum("mk,kn->mn", a, b, dtype="bf16", verify=True)


def test_numpy_types_are_types(random):
    a = integers(random, 8, 16)
    by_type = sequin.einsum("ij->ji", a, dtype=np.int8, output_dtype=np.dtype("i4"))
    np.testing.assert_array_equal(by_type, a.T.astype(np.int32))


@pytest.mark.parametrize(
    "operands, text",
    [
        ([np.ones((4, 8)), np.ones((7, 2))], "'operands[1]': index 'k' has size 7, in "
         "'operands[0]' it has size 8"),
        ([np.ones((4, 8)), np.ones(8)], "'operands[1]': shape is [8], 'kn' has 2 indices"),
        ([np.ones((4, 8))], "'mk,kn->mn' has 2 operands, found 1"),
    ],
)
def test_shapes_that_do_not_fit(operands, text):
    with pytest.raises(sequin.InputError) as caught:
        sequin.einsum("mk,kn->mn", *operands, dtype="bf16")
    assert str(caught.value) == "error: " + text
    assert isinstance(caught.value, ValueError)


def test_a_type_is_needed_where_the_machine_has_none():
    with pytest.raises(sequin.InputError, match="'operands.0.' is of float64"):
        sequin.einsum("ij->ji", np.ones((4, 8)))
    with pytest.raises(sequin.CompileError, match="'bf17' is no element type"):
        sequin.einsum("ij->ji", np.ones((4, 8)), dtype="bf17")
    with pytest.raises(sequin.UsageError):
        sequin.einsum("ij->ji", np.ones((4, 8)), dtype=3.5)


def test_refused_notation_has_the_tools_text(sequin_run):
    code, printed, _ = sequin_run(
        *("--einsum", "mk;kn->mn", "--size", "m=4,k=4,n=4", "--dtype", "bf16"),
        *("--target", "rngd"),
    )
    assert code == 1
    with pytest.raises(sequin.CompileError) as caught:
        sequin.compile_einsum("mk;kn->mn", "m=4,k=4,n=4", dtype="bf16")
    assert str(caught.value) == printed.rstrip("\n")
    with pytest.raises(sequin.CompileError) as caught:
        sequin.einsum("mk;kn->mn", np.ones((4, 4)), np.ones((4, 4)), dtype="bf16")
    assert str(caught.value) == printed.rstrip("\n")


def test_values_out_of_range():
    with pytest.raises(sequin.InputError, match=r"'operands\[0\]': element \[0, 3\] is 128"):
        sequin.einsum("ij->ji", [[0, 1, 2, 128]], dtype="i8")


def test_wide_intermediates_are_exact_or_rounded(random):
    a, b = (random.integers(-100, 100, shape, dtype=np.int8) for shape in ((8, 64), (64, 64)))
    c = random.integers(-100, 100, (64, 16), dtype=np.int8)
    wide = [x.astype(np.int64) for x in (a, b, c)]
    exact, report = sequin.einsum("mk,kn,np->mp", a, b, c, verify=True, return_report=True)
    np.testing.assert_array_equal(exact, wide[0] @ wide[1] @ wide[2])
    assert report.digit_products == 2
    assert "digits   2 contractions added" in report.summary()
    narrow, report = sequin.einsum(
        "mk,kn,np->mp", a, b, c, allow_narrow=True, verify=True, return_report=True
    )
    np.testing.assert_array_equal(narrow, np.clip(wide[0] @ wide[1], -128, 127) @ wide[2])
    assert report.digit_products == 0
    assert "digits" not in report.summary()
