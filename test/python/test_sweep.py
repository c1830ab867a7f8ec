# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.sweep."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import sequin
from conftest import integers

SIZES = ({"m": 16, "k": 32, "n": 8}, {"m": 64, "k": 16, "n": 32}, {"m": 8, "k": 8, "n": 8})


def points(**more):
    return [{"subscripts": "mk,kn->mn", "sizes": sizes, "dtype": "bf16", **more}
            for sizes in SIZES]


@pytest.fixture(params=["process", "thread", "own"])
def executor(request):
    if request.param == "own":
        yield None
        return
    kind = ProcessPoolExecutor if request.param == "process" else ThreadPoolExecutor
    with kind(2) as pool:
        yield pool


def test_results_are_those_of_one_run_each(random, executor):
    arrays = [(integers(random, s["m"], s["k"]), integers(random, s["k"], s["n"]))
              for s in SIZES]
    given = [{**point, "arrays": pair, "verify": True}
             for point, pair in zip(points(), arrays, strict=True)]
    results = sequin.sweep(given, executor=executor)
    assert len(results) == len(SIZES)
    for (a, b), point, result in zip(arrays, points(), results, strict=True):
        np.testing.assert_array_equal(result.output, a @ b)
        alone = sequin.compile_einsum(**point).run(a, b)
        assert result.report.cycles == alone.report.cycles
        assert result.verified


def test_without_arrays_nothing_is_computed(executor):
    results = sequin.sweep(points(), executor=executor)
    assert [result.report.macs for result in results] == [
        s["m"] * s["k"] * s["n"] for s in SIZES]
    assert all(result.outputs == () for result in results)


def test_source_is_a_text_or_a_path(examples, executor):
    path = examples / "tcp" / "constant_add.mlir"
    values = np.arange(2048, dtype=np.int32)
    by_path, by_text = sequin.sweep(
        [{"source": path, "arrays": [values]}, {"source": path.read_text(), "arrays": [values]}],
        executor=executor)
    np.testing.assert_array_equal(by_path.output, values + 1)
    np.testing.assert_array_equal(by_text.output, values + 1)


def test_error_of_a_point_is_raised_or_kept(executor):
    given = points()
    given[1] = {"source": "func.func @main() {\n  return %x : i32\n}", "target": "rngd",
                "name": "cell"}
    with pytest.raises(sequin.CompileError) as caught:
        sequin.sweep(given, executor=executor)
    assert (caught.value.line, caught.value.column) == (2, 10)
    kept = sequin.sweep(given, executor=executor, errors="keep")
    assert isinstance(kept[1], sequin.CompileError)
    assert str(kept[1]) == str(caught.value)
    assert kept[0].report.cycles > 0 and kept[2].report.cycles > 0


@pytest.mark.parametrize(("point", "what"), [
    ({"dtype": "bf16"}, "point 1 has 'source' or 'subscripts', found neither"),
    ({"source": "", "subscripts": ""}, "found 'source' and 'subscripts'"),
    ({"source": "", "sizes": {}}, "point 1 with 'source' has no 'sizes'"),
    ({"subscripts": "a->a", "color": 1}, "point 1 with 'subscripts' has no 'color'"),
])
def test_what_is_no_point_is_refused(point, what):
    with pytest.raises(sequin.UsageError, match=what):
        sequin.sweep([points()[0], point])
    with pytest.raises(sequin.UsageError, match="'raise' or 'keep'"):
        sequin.sweep([], errors="drop")
    assert sequin.sweep([]) == []
