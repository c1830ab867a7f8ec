# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin-visa-test: the tests of kernels, in Rust, on a simulated machine.

    sequin-visa-test tests/matmul.rs

The exit codes are those of every program (docs/Guides/ExitCodes.md): 1 if a test failed or
the file is refused, 2 for wrong usage, 130 and 143 for signals.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import types
from collections.abc import Sequence
from dataclasses import asdict
from typing import NoReturn

from .. import _core, machines
from .._boundary import write_file
from ..errors import Error, UsageError
from .runner import Outcome, Tests
from .tensors import Context

__all__ = ["main"]


class Parser(argparse.ArgumentParser):
    """Errors are one line, and 2."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"error: {message}; --help lists the options\n")
        raise SystemExit(2)


def _parser() -> Parser:
    parser = Parser(
        prog="sequin-visa-test",
        description="Runs the tests of Virtual ISA kernels: functions with #[test] or "
                    "#[tokio::test] in Rust. What the tests expect is computed with NumPy, what "
                    "the kernels do by the simulator.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE.rs")
    add("filters", metavar="NAME", nargs="*", help="run tests whose names have this in them")
    add("--version", action="version", version=_core.version_text.rstrip(),
        help="print the versions of Sequin and LLVM, and the commit")
    add("--library", action="append", default=[], metavar="NAME=FILE",
        help="a crate that the tests name, by the file of its root (default: src/lib.rs beside "
             "the nearest Cargo.toml)")
    add("--target", default="rngd", help="the machine (default: rngd)")
    add("--addresses", choices=("allocate", "given"), default="allocate",
        help="assign memory, or keep the addresses of the source (default: allocate)")
    add("--verify", action="store_true",
        help="compare every run with the reference interpreter as well")
    add("--ignored", action="store_true", help="run ignored tests too")
    add("--list", action="store_true", help="list the tests and run none")
    add("--report", default="", metavar="F", help="write names, outcomes and cycles as JSON")
    return parser


def _libraries(items: Sequence[str]) -> dict[str, str]:
    made = {}
    for item in items:
        name, equals, path = item.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"library '{item}' is no NAME=FILE")
        made[name] = path
    return made


def _line(outcome: Outcome) -> str:
    text = f"test {outcome.name} ... {outcome.status}"
    if outcome.status == "ignored":
        return f"{text}: {outcome.message}" if outcome.message else text
    if outcome.status == "ok" and outcome.message:
        return f"{text}, refused: {outcome.message}"
    return f"{text}, {outcome.cycles:,} cycles" if outcome.status == "ok" and outcome.kernels else text


def _main(arguments: argparse.Namespace) -> int:
    if arguments.target not in machines() or arguments.target.startswith("wse"):
        known = ", ".join(name for name in machines() if not name.startswith("wse"))
        raise UsageError(f"unknown target '{arguments.target}', known are {known}")
    tests = Tests.read(arguments.file, _libraries(arguments.library))
    chosen = tests.named(arguments.filters)
    if arguments.list:
        for test in chosen:
            print(test.name)
        return 0
    if not chosen:
        what = "has no test" if not tests.tests else "has no test of these names"
        print(f"error: '{arguments.file}' {what}", file=sys.stderr)
        return 1
    print(f"running {len(chosen)} test{'s' if len(chosen) != 1 else ''}", flush=True)
    outcomes = []

    def context() -> Context:
        return Context(arguments.target, arguments.addresses, arguments.verify)

    for outcome in tests.run(arguments.filters, with_ignored=arguments.ignored,
                             make_context=context):
        outcomes.append(outcome)
        print(_line(outcome), flush=True)
    return _finish(outcomes, arguments.report)


def _finish(outcomes: list[Outcome], report: str) -> int:
    if report:
        try:
            write_file(report, json.dumps([asdict(o) for o in outcomes], indent=1) + "\n")
        except OSError as error:
            raise UsageError(f"'{report}': {error}") from error
    counts = {status: sum(o.status == status for o in outcomes)
              for status in ("ok", "failed", "ignored")}
    failed = [o for o in outcomes if o.status == "failed"]
    for outcome in failed:
        where = f"{outcome.place}: " if outcome.place else ""
        print(f"{where}error: test '{outcome.name}' failed: {outcome.message}", file=sys.stderr)
    print(f"test result: {'FAILED' if failed else 'ok'}. {counts['ok']} passed; "
          f"{counts['failed']} failed; {counts['ignored']} ignored")
    return 1 if failed else 0


def _ended(number: int, frame: types.FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(argv: Sequence[str] | None = None) -> int:
    """The program; gives its exit code."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _ended)
    arguments = _parser().parse_args(argv)
    try:
        code = _main(arguments)
        sys.stdout.flush()
        return code
    except Error as error:
        print(str(error) if "error:" in str(error) else f"error: {error}", file=sys.stderr)
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
