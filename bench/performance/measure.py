# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program in timing mode, and holds its report against its configuration."""

import collections
import dataclasses
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import retime
import utilisation


class Failure(Exception):
    """A program did not compile or run, or its report disagrees with its configuration or with the
    manual's cycles for it."""


@dataclasses.dataclass(frozen=True)
class Measured:
    report: dict[str, Any]
    counts: utilisation.Counts
    mappings: list[dict[str, Any]]  # what the compiler chose, none for a program in tcp
    seconds: float  # compiler and simulator together
    retimed: int  # cycles by the manual's formulas

    @property
    def cycles(self) -> int:
        return self.report["cycles"]

    def shares(self) -> list[tuple[str, str, float]]:
        """(context, stage, share of all cycles of all chips) of the commands whose longest
        stage it is, the context that is busy longest first."""
        busy: collections.Counter[str] = collections.Counter()
        longest: collections.Counter[tuple[str, str]] = collections.Counter()
        chips = self.report["chips"]
        for command in self.report["commands"]:
            cycles = (command["end"] - command["start"]) * len(command["chips"])
            if not cycles:
                continue
            stages = command["stages"]
            stage = max(sorted(stages), key=lambda name: stages[name])
            busy[command["context"]] += cycles
            longest[command["context"], stage] += cycles
        order = sorted(longest, key=lambda key: (-busy[key[0]], key[0], -longest[key], key[1]))
        return [(context, stage, longest[context, stage] / self.cycles / chips)
                for context, stage in order]


class Tools:
    """The programs in a folder, and a folder for their files."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries, self.folder = binaries, folder

    def run(self, name: str, *arguments: str | Path) -> None:
        path = self.binaries / name
        try:
            done = subprocess.run([str(path), *map(str, arguments)], capture_output=True,
                                  text=True, errors="replace")
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}; build Sequin first") from error
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["(nothing on stderr)"]
            raise Failure(f"{name}: exit status {done.returncode}: {said[0]}")

    def machine(self, name: str) -> dict[str, Any]:
        path = self.folder / f"{name}.json"
        self.run("sequin-translate", f"--dump-machine={name}", "-o", path)
        return json.loads(path.read_text())

    def measure(self, text: str, machine: dict[str, Any], chips: int = 1,
                layout: str = "") -> Measured:
        """Of a program in linalg, or in tcp for that machine and one chip. `layout` is that of its
        arguments, or empty for what is usual on the machine."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            program, lowered, config, report, mappings = (folder / part for part in (
                "program.mlir", "config.mlir", "config.json", "report.json", "mappings.json"))
            program.write_text(text)
            flags: list[str | Path] = ["--report", report]
            pipelines = ["--tcp-to-config"]
            if "tcp." in text:
                mappings.write_text("[]")
            else:
                flags += ["--report-mapping", mappings]
                flags += ["--chips", str(chips)]
                lowering = f"--linalg-to-tcp=target={machine['name']} chips={chips}"
                if layout:
                    flags.append(f"--argument-layout={layout}")
                    lowering += f" argument-layout={layout}"
                pipelines.insert(0, lowering)
            begin = time.monotonic()
            self.run("sequin-run", program, "--target", machine["name"], "--timing-only", *flags)
            seconds = time.monotonic() - begin
            self.run("sequin-opt", program, *pipelines, "-o", lowered)
            self.run("sequin-translate", "--tcp-to-json", lowered, "-o", config)
            found, emitted, chosen = (json.loads(path.read_text())
                                      for path in (report, config, mappings))
        counts = utilisation.count(emitted, machine)
        wrong = utilisation.differences(
            utilisation.utilisation(emitted, machine, found["cycles"]), found)
        if wrong:
            raise Failure(f"report and configuration disagree: {wrong[0]}")
        again = retime.retime(emitted, machine)
        wrong = retime.differences(again, found)
        if wrong:
            raise Failure(f"report and manual disagree: {wrong[0]}")
        return Measured(found, counts, chosen, seconds, again.cycles)
