# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin-model: an ONNX file on a simulated machine, from the command line.

    sequin-model model.onnx --size batch=1,seq=128 --target rngd --input ids.npy --output logits.npy

The exit codes are those of every program (docs/Guides/ExitCodes.md): 1 for a model or an
array that is refused, 2 for wrong usage, 3 for a trap, 130 and 143 for signals.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import types
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from . import Model, ModelResult, check, import_onnx
from .. import ProgressLine, _core, machines
from .._boundary import ScratchFolder, run_program, write_file
from ..errors import Error, InputError, UsageError
from .lowering import find_program, is_wafer

__all__ = ["main"]


class Parser(argparse.ArgumentParser):
    """Errors are one line, and 2."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"error: {message}; --help lists the options\n")
        raise SystemExit(2)


def _parser() -> Parser:
    parser = Parser(
        prog="sequin-model",
        description="Imports an ONNX model, compiles it for a machine and simulates it.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("model", metavar="MODEL.onnx")
    add("--version", action="version", version=_core.version_text.rstrip(),
        help="print the versions of Sequin and LLVM, and the commit")
    add("--size", action="append", default=[], metavar="NAME=N,...",
        help="sizes of dynamic dimensions, by their names or INPUT:AXIS")
    add("--target", default="", help=f"the machine to compile for: {', '.join(machines())}")
    add("--chips", type=int, default=None, metavar="N", help="number of chips (default: 1)")
    add("--grid", default="", metavar="W,H", help="PEs along x and y, of a wafer")
    add("--check-only", action="store_true",
        help="run nothing; list every node that is not supported, with --target by that machine, "
             "with reasons")
    add("--timing-only", action="store_true", help="count cycles without data")
    add("--verify", action="store_true", help="compare with the reference interpreter")
    add("--allow-bf16", action="store_true",
        help="round f32 and f16 operands of contractions to bf16 instead of cutting them into "
             "digits")
    add("--input", action="append", default=[], metavar="[NAME=]F.npy",
        help="an input, in the model's order or by its name")
    add("--value", action="append", default=[], metavar="NAME=F.npy",
        help="the value of an input for good, on which shapes may depend")
    add("--range", action="append", default=[], metavar="NAME=LOW:HIGH",
        help="the least and the greatest number of an integer input, to which arrays are held")
    add("--output", action="append", default=[], metavar="[NAME=]F.npy",
        help="where to write an output, in the model's order or by its name")
    add("--report", default="", metavar="F", help="write cycles and utilization as JSON")
    add("--timeline", default="", metavar="F", help="write a Chrome trace (for Perfetto)")
    add("--page", default="", metavar="F.html", help="write the run as a page to look at")
    add("--emit-mlir", default="", metavar="F.mlir", help="write the model as linalg")
    add("--progress", choices=("always", "never", "auto"), default="auto",
        help="show on stderr how far the work is (default: auto, if it is a terminal)")
    add("--max-steps", type=int, default=None, metavar="N", help="a bound on the simulator's work")
    return parser


def _load(path: str) -> NDArray[Any]:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        text = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"error: '{path}': {text}") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"error: '{path}': is no .npy file")
    return array


def _named(items: Sequence[str], names: Sequence[str], what: str) -> dict[str, str]:
    """Files by name: ``NAME=FILE``, the others in order."""
    files: dict[str, str] = {}
    for item in items:
        name, equals, path = item.partition("=")
        if not (equals and name in names):
            rest = [n for n in names if n not in files]
            if not rest:
                raise UsageError(f"more {what}s are given than the model has, {len(names)}")
            name, path = rest[0], item
        if name in files:
            raise UsageError(f"{what} '{name}' is given twice")
        files[name] = path
    return files


def _ranges(items: Sequence[str]) -> dict[str, tuple[int, int]]:
    ranges = {}
    for item in items:
        name, _, ends = item.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            ranges[name] = (int(low), int(high))
        except ValueError:
            raise UsageError(f"range '{item}' is no NAME=LOW:HIGH") from None
    return ranges


def _save(path: str, array: NDArray[Any]) -> None:
    data = BytesIO()
    np.save(data, array)
    try:
        write_file(path, data.getvalue())
    except OSError as error:
        raise InputError(f"error: '{path}': {error}") from error


def _check(arguments: argparse.Namespace, values: dict[str, Any]) -> int:
    found = check(arguments.model, ",".join(arguments.size), values=values,
                  ranges=_ranges(arguments.range), target=arguments.target,
                  grid=arguments.grid)
    print(found)
    if found.ok:
        return 0
    total = sum(found.operators.values())
    count = f"{len(found.unsupported)} of {total} nodes are not supported"
    print(f"error: '{arguments.model}': {count}", file=sys.stderr)
    return 1


def _write_outputs(files: dict[str, str], result: ModelResult) -> None:
    for name, path in files.items():
        _save(path, result.outputs[name])


def _run(arguments: argparse.Namespace, model: Model, line: ProgressLine) -> int:
    inputs = _named(arguments.input, [v.name for v in model.inputs], "input")
    outputs = _named(arguments.output, [v.name for v in model.outputs], "output")
    if arguments.timing_only and (inputs or outputs or arguments.verify):
        raise UsageError(
            "--timing-only moves no data: --input, --output and --verify make no sense with "
            "it"
        )
    arrays = {name: _load(path) for name, path in inputs.items()}
    compiled = model.compile(
        arguments.target, chips=arguments.chips, allow_bf16=arguments.allow_bf16,
        progress=line,
    )
    if compiled.runs:
        for warning in compiled.program.warnings:
            print(warning, file=sys.stderr)
    result = compiled.run(
        arrays, verify=arguments.verify, timing_only=arguments.timing_only,
        max_steps=arguments.max_steps, progress=line,
    )
    _write_outputs(outputs, result)
    report = result.report
    if report is None:
        print("all outputs are known when the model is imported, nothing ran")
        return 0
    if arguments.report:
        report.save(arguments.report)
    if arguments.timeline:
        report.save_timeline(arguments.timeline)
    if arguments.page:
        report.page(Path(arguments.model).name).save(arguments.page)
    print(report.summary())
    print()
    print(result.costs)
    if result.verified:
        print(result.verified)
    return 0


def _run_on_wafer(arguments: argparse.Namespace, model: Model) -> int:
    """By sequin-run, as far as --linalg-to-csl takes the model."""
    if not arguments.grid:
        raise UsageError("a wafer needs a grid of PEs, --grid W,H")
    for option in ("verify", "timing_only", "allow_bf16", "chips"):
        if getattr(arguments, option):
            raise UsageError(f"--{option.replace('_', '-')} means nothing to a wafer")
    inputs = _named(arguments.input, [v.name for v in model.inputs], "input")
    outputs = _named(arguments.output, [v.name for v in model.outputs], "output")
    arrays = model.arguments({name: _load(path) for name, path in inputs.items()})
    with ScratchFolder() as folder:
        (folder / "model.mlir").write_text(model.mlir, encoding="utf-8")
        command = [find_program("sequin-run"), str(folder / "model.mlir"), "--target", arguments.target,
                   "--grid", arguments.grid, "--raw"]
        for i, array in enumerate(arrays):
            np.save(folder / f"in{i}.npy", array)
            command += ["--input", str(folder / f"in{i}.npy")]
        results = [folder / f"out{i}.npy" for i in range(model.returned)]
        for path in results:
            command += ["--output", str(path)]
        for option in ("report", "timeline", "page"):
            if getattr(arguments, option):
                command += [f"--{option}", getattr(arguments, option)]
        if arguments.max_steps is not None:
            command += ["--max-steps", str(arguments.max_steps)]
        code, text = run_program(command)
        (sys.stdout if code == 0 else sys.stderr).write(text)
        if code == 0:
            made = model.results(tuple(np.load(path) for path in results))
            for name, place in outputs.items():
                _save(place, made[name])
    return code


def _main(arguments: argparse.Namespace) -> int:
    if not arguments.target and not arguments.check_only:
        raise UsageError(f"no target is given, known are {', '.join(machines())}")
    if arguments.target and arguments.target not in machines():
        raise UsageError(f"unknown target '{arguments.target}', known are {', '.join(machines())}")
    values = {}
    for item in arguments.value:
        name, equals, path = item.partition("=")
        if not equals:
            raise UsageError(f"value '{item}' is no NAME=F.npy")
        values[name] = _load(path)
    if arguments.check_only:
        return _check(arguments, values)
    line = ProgressLine(arguments.progress)
    try:
        model = import_onnx(arguments.model, ",".join(arguments.size), values=values,
                            ranges=_ranges(arguments.range), progress=line)
    finally:
        line.clear()
    if arguments.emit_mlir:
        try:
            write_file(arguments.emit_mlir, model.mlir)
        except OSError as error:
            raise InputError(f"error: '{arguments.emit_mlir}': {error}") from error
    if is_wafer(arguments.target):
        return _run_on_wafer(arguments, model)
    return _run(arguments, model, line)


def _ended(number: int, frame: types.FrameType | None) -> None:
    raise SystemExit(128 + number)


def _interrupted(number: int, frame: types.FrameType | None) -> None:
    if not _core.end_search():
        raise KeyboardInterrupt


def main(argv: Sequence[str] | None = None) -> int:
    """The program; gives its exit code.

    On a terminal the first Ctrl-C during a search over mappings ends that with the best so far.
    """
    if sys.stderr.isatty() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _ended)
    arguments = _parser().parse_args(argv)
    try:
        code = _main(arguments)
        sys.stdout.flush()
        return code
    except Error as error:
        print(str(error) if "error:" in str(error) or error.exit_code == 3 else f"error: {error}",
              file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("error: cannot write to stdout: Broken pipe", file=sys.stderr)
        return 1
    except MemoryError:
        print("error: there is not enough memory", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
