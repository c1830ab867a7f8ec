# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own node tests, with the outputs that they expect, on a simulated machine.

The package `onnx` has them as code that makes a model, inputs and outputs. By hand:

    PYTHONPATH=build/python /usr/bin/python3 test/python/onnx_node_tests.py [--write] [NAME ...]

`--write` writes docs/onnx-coverage.md from what happened, `--check` compares with it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sequin
import sequin.onnx
from sequin.onnx.types import BY_CODE, widened

SOURCE = Path(__file__).resolve().parents[2]
COVERAGE = SOURCE / "docs" / "onnx-coverage.md"

#: What exported models are made of. Whatever else is supported is wanted, not counted.
FIRST_TIER = frozenset(
    """
    Abs Add And ArgMax ArgMin Attention AveragePool BatchNormalization Cast CastLike Ceil Celu Clip
    Concat Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos DepthToSpace DequantizeLinear
    Div Dropout DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand Flatten Floor GRU Gather Gelu
    Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GroupNormalization HardSigmoid
    HardSwish Identity InstanceNormalization LSTM LayerNormalization LeakyRelu Less LessOrEqual Log
    LogSoftmax LpPool MatMul MatMulInteger Max MaxPool Mean Min Mod Mul Neg Not Or PRelu Pad Pow
    QLinearConv QLinearMatMul QuantizeLinear RMSNormalization Range Reciprocal ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
    Relu Reshape Resize RotaryEmbedding Round ScatterND Selu Shape Sigmoid Sin Size Slice Softmax
    Softplus Softsign Split Sqrt Squeeze Sub Sum Tanh ThresholdedRelu Tile TopK Transpose Trilu
    Unsqueeze Where Xor
    """.split()
)


@dataclass
class Result:
    """What became of a test."""

    name: str
    operators: tuple[str, ...]
    first_tier: bool
    outcome: str
    """``"pass"``, ``"refused"``, ``"wrong"``, ``"crash"``, or ``"left out"``."""
    reason: str = ""
    bound: tuple[str, ...] = ()
    """Inputs whose values were given at import, since shapes depend on them."""
    seconds: float = 0.0


def cases() -> list[Any]:
    """All node tests, the same ones every time."""
    from onnx.backend.test.case import node as package

    # Names that NumPy had when the tests were written.
    for name, value in {"float": float, "int": int, "bool": bool, "object": object}.items():
        if name not in np.__dict__:
            setattr(np, name, value)
    np.random.seed(0)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return list(package.collect_testcases())
        except TypeError:
            return list(package.collect_testcases(None))


def operators_of(case: Any) -> tuple[str, ...]:
    return tuple(sorted({node.op_type for node in case.model.graph.node}))


def left_out(case: Any) -> str:
    """Why a test is about what the machine has not; empty if it is not."""
    graph = case.model.graph
    for entry in [*graph.input, *graph.output]:
        if not entry.type.HasField("tensor_type"):
            return "sequences and optional values"
        kind = BY_CODE.get(entry.type.tensor_type.elem_type)
        if kind is None or kind.kind == "other":
            return "strings and complex numbers"
        if kind.name == "float64":
            return "float64"
    return ""


def expected_numbers(array: Any, entry: Any) -> np.ndarray:
    kind = BY_CODE[entry.type.tensor_type.elem_type]
    return widened(np.asarray(array), kind)


def run(case: Any) -> Result:
    """A test by way of import, compilation and simulation."""
    operators = operators_of(case)
    result = Result(case.name, operators, set(operators) <= FIRST_TIER, "pass")
    reason = left_out(case)
    if reason:
        result.outcome, result.reason = "left out", reason
        return result
    start = time.monotonic()
    try:
        for inputs, outputs in case.data_sets or []:
            message = run_once(case, inputs, outputs, result)
            if message:
                result.outcome, result.reason = "wrong", message
    except sequin.Error as error:
        result.outcome, result.reason = "refused", str(error).splitlines()[0].removeprefix("error: ")
    except Exception as error:  # noqa: BLE001  a bug of ours, to be listed as such
        result.outcome, result.reason = "crash", f"{type(error).__name__}: {error}"
    result.seconds = time.monotonic() - start
    return result


def run_once(case: Any, inputs: list[Any], outputs: list[Any], result: Result) -> str:
    """What is wrong with the outputs; empty if nothing."""
    model = type(case.model)()
    model.CopyFrom(case.model)
    graph = model.graph
    given = {entry.name: np.asarray(array) for entry, array in zip(graph.input, inputs)}
    for entry in graph.input:  # some declare another shape than their array has
        if entry.name in given:
            shape = entry.type.tensor_type.shape
            del shape.dim[:]
            for size in given[entry.name].shape:
                shape.dim.add().dim_value = size
    for entry in model.opset_import:
        # Tests of what has not changed since versions that are not read: as of the first that is.
        if entry.domain in ("", "ai.onnx"):
            entry.version = max(entry.version, sequin.onnx.OPSETS[0])
    data = model.SerializeToString()
    values: dict[str, np.ndarray] = {}
    while True:
        try:
            imported = sequin.onnx.import_onnx(data, values=values)
            break
        except sequin.ModelError as error:
            # The input it names, or the single integers that lead to what it names.
            names = [error.value] if error.value in given else [
                name for name, array in given.items() if array.size == 1 and array.dtype.kind in "iub"
            ]
            if not error.value or not names:
                raise
            values |= {name: given.pop(name) for name in names}
    result.bound = tuple(values)
    made, _ = imported.compile("rngd").run(given)
    for entry, expected in zip(graph.output, outputs):
        wanted = expected_numbers(expected, entry)
        found = made[entry.name]
        if found.dtype != wanted.dtype or found.shape != wanted.shape:
            return f"{found.dtype} {list(found.shape)}, expected {wanted.dtype} {list(wanted.shape)}"
        if wanted.dtype.kind != "f":
            if not np.array_equal(found, wanted):
                return f"{int((found != wanted).sum())} of {found.size} elements differ"
        elif not np.allclose(found, wanted, tolerance(case, entry), case.atol, equal_nan=True):
            with np.errstate(all="ignore"):
                off = np.nanmax(np.abs(found.astype(np.float64) - wanted))
            return f"the greatest difference is {off:.3g}"
    return ""


def tolerance(case: Any, entry: Any) -> float:
    """A unit in the last place of bf16, to which the tests do not round but cut."""
    bfloat16 = BY_CODE[entry.type.tensor_type.elem_type].name == "bfloat16"
    return max(case.rtol, 2.0**-7) if bfloat16 else case.rtol


# ===--- The page ----------------------------------------------------------=== #


def page(results: list[Result]) -> str:
    counted = [r for r in results if r.first_tier and r.outcome != "left out"]
    passed = [r for r in counted if r.outcome == "pass"]
    others = [r for r in results if not r.first_tier and r.outcome != "left out"]
    lines = [
        "# ONNX operators",
        "",
        "ONNX's own node tests, as the package `onnx` has them: each is imported, compiled for `rngd`, "
        "run by the simulator and compared with the outputs it expects, within its tolerances. Generated by",
        "`test/python/onnx_node_tests.py --write`; do not edit.",
        "",
        f"Of the {len(counted)} tests of what exported models are made of, {len(passed)} pass "
        f"({100 * len(passed) / max(1, len(counted)):.1f} %). "
        f"Of {len(others)} others {sum(r.outcome == 'pass' for r in others)} pass. "
        f"{sum(r.outcome == 'left out' for r in results)} are left out: they are about "
        "types that the machine has not (float64, strings, complex numbers, sequences and optional values).",
        "",
        f"In {sum(bool(r.bound) for r in counted)} of them an input decides a shape. A machine without dynamic "
        "shapes must know it when the model is imported, and there it is given (`values`); in exported models such inputs are constants. "
        f"Tests of operators that are the same since a version before {sequin.onnx.OPSETS[0]} are read as of that one; "
        "results in bf16 may differ by a unit in the last place, since the tests cut where a cast rounds.",
        "",
        "## By operator",
        "",
        "| Operator | Tests | Pass |",
        "|---|---|---|",
    ]
    total: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for r in counted:
        name = r.operators[0] if len(r.operators) == 1 else "functions, expanded"
        total[name] += 1
        good[name] += r.outcome == "pass"
    lines += [f"| {name} | {total[name]} | {good[name]} |" for name in sorted(total)]
    lines += ["", "## What does not pass", "", "| Test | Operators | Outcome |", "|---|---|---|"]
    for r in counted:
        if r.outcome != "pass":
            lines.append(
                f"| `{r.name}` | {', '.join(r.operators)} | {r.outcome}: {_cell(r.reason)} "
                "|"
            )
    lines += ["", "## Other operators", "", "| Operators | Tests | Pass | Else |",
              "|---|---|---|---|"]
    groups: dict[str, list[Result]] = {}
    for r in others:
        rest = [op for op in r.operators if op not in FIRST_TIER]
        groups.setdefault(", ".join(rest), []).append(r)
    for name in sorted(groups):
        rows = groups[name]
        reasons = sorted({_cell(r.reason) for r in rows if r.outcome != "pass"})
        lines.append(
            f"| {name} | {len(rows)} | {sum(r.outcome == 'pass' for r in rows)} | "
            f"{'; '.join(reasons[:2])} |"
        )
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    text = text.removeprefix("'<bytes>': ")
    return text.replace("|", "\\|")[:200]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only tests whose name contains one of these")
    parser.add_argument("--write", action="store_true", help="write docs/onnx-coverage.md")
    parser.add_argument("--check", action="store_true", help="compare docs/onnx-coverage.md")
    parser.add_argument("--first-tier", action="store_true", help="only what is counted")
    parser.add_argument("--quiet", action="store_true", help="no line for what passes")
    arguments = parser.parse_args()
    results = []
    for case in cases():
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        if arguments.first_tier and not set(operators_of(case)) <= FIRST_TIER:
            continue
        result = run(case)
        results.append(result)
        if result.outcome not in ("pass", "left out") or not arguments.quiet:
            print(f"{result.outcome:8} {result.seconds:6.2f} s  {result.name}  {result.reason}",
                  flush=True)
    counted = [r for r in results if r.first_tier and r.outcome != "left out"]
    passed = sum(r.outcome == "pass" for r in counted)
    print(f"{passed} of {len(counted)} tests of the first tier pass")
    if arguments.write:
        COVERAGE.write_text(page(results))
    if arguments.check and COVERAGE.read_text() != page(results):
        print("error: docs/onnx-coverage.md is not what the tests show", file=sys.stderr)
        return 1
    return 1 if any(r.outcome in ("wrong", "crash") for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
