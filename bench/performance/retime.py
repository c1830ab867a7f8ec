#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a configuration once more, from the manual, and holds a report against it.

    sequin-translate --tcp-to-json config.mlir -o config.json
    sequin-translate --dump-machine=rngd -o machine.json
    sequin-run config.json --timing-only --report report.json
    retime.py config.json machine.json --report report.json

Every command and the schedule of all of them are computed from the configuration and the
machine's row alone (see the package retimer, which shares no code with the simulator). Exit
status 1 if the whole program, or a command that matters for it, takes another time by more than
1 %. --commands lists both times of every command.
"""

import argparse
import dataclasses
import sys
from collections.abc import Sequence

import run_files
from retimer.schedule import Timed, schedule
from run_files import Json

#: The share by which a report may be off.
LIMIT = 0.01


@dataclasses.dataclass(frozen=True)
class Retimed:
    commands: list[Timed]

    @property
    def cycles(self) -> int:
        return max((one.end for one in self.commands), default=0)


def retime(program: Json, machine: Json) -> Retimed:
    return Retimed(schedule(program, machine))


def off_by(found: int, reported: int) -> float:
    """As a share of what is reported."""
    return abs(found - reported) / max(reported, 1)


def command_differences(found: Sequence[Timed], report: Json) -> list[str]:
    """Single commands may be off by the limit too, or by a thousandth of the program, in which
    a request or two may go another way round. All together may be off by the limit."""
    wrong, together, busy = [], 0, 0
    for mine, reported in zip(found, report["commands"]):
        cycles = reported["end"] - reported["start"]
        apart = abs(mine.end - mine.start - cycles)
        together, busy = together + apart, busy + cycles
        if apart > max(cycles * LIMIT, report["cycles"] * LIMIT / 10):
            wrong.append(f"{reported['name']}: {cycles} cycles in the report, "
                         f"{mine.end - mine.start} by the manual")
    if together > busy * LIMIT:
        wrong.append(f"commands are {together} cycles off in all, of {busy}")
    return wrong


def differences(found: Retimed, report: Json) -> list[str]:
    """What is off by more than the limit."""
    if len(found.commands) != len(report["commands"]):
        return [f"the report has {len(report['commands'])} commands, the configuration runs "
                f"{len(found.commands)}"]
    wrong = []
    if off_by(found.cycles, report["cycles"]) > LIMIT:
        wrong.append(f"{report['cycles']} cycles in the report, {found.cycles} by the manual")
    return wrong + command_differences(found.commands, report)


def listing(found: Retimed, report: Json) -> str:
    """Both times of every command."""
    lines = [f"{'command':32} {'start':>12} {'report':>12} {'cycles':>10} {'report':>10}  stages"]
    for mine, reported in zip(found.commands, report["commands"]):
        stages = ", ".join(
            f"{name} {cycles}" + ("" if reported["stages"].get(name) == cycles
                                  else f" (report {reported['stages'].get(name)})")
            for name, cycles in mine.stages.items())
        lines.append(f"{reported['name']:32} {mine.start:12,} {reported['start']:12,} "
                     f"{mine.end - mine.start:10,} {reported['end'] - reported['start']:10,}  "
                     f"{stages}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Times a configuration by the manual.")
    run_files.add_arguments(parser)
    parser.add_argument("--commands", action="store_true", help="list every command")
    options = parser.parse_args()
    program, machine, report = run_files.load(parser, options)
    found = retime(program, machine)
    if options.commands:
        print(listing(found, report))
    wrong = differences(found, report)
    for text in wrong:
        print(f"error: {text}", file=sys.stderr)
    print(f"{found.cycles:,} cycles by the manual, {report['cycles']:,} in the report: "
          f"{off_by(found.cycles, report['cycles']):.2%} apart, {len(found.commands)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
