#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/validation.md: published numbers beside ours, and what is modelled how.

Every one of our numbers is measured when this runs, on the programs of a build. --check
compares with the page and writes nothing.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "validation.md"
MANUAL_DMA = ROOT / "test/integration/cycles/Inputs/manual_dma.py"
#: The totals of the manual's DMA chapter, by our file: what it is, cycles, where it stands.
MANUAL = {
    "example1": ("HBM to HBM, 64 rows", 500 + 128, "L2608-2636"),
    "example2": ("HBM to DM, 16 MiB", 66036, "L2637-2658"),
    "example3": ("DM to DM, 16 MiB", 500 + 131072, "L2659-2680"),
    "example4": ("HBM to DM, every access another row; an eighth", 500 + 655360 // 8,
                 "L2682-2716"),
    "example5": ("HBM to DM, half of the channels", 1857, "L2717-2751"),
    "example6": ("four chips, unequal segments", 1192, "L2752-2808"),
}

HEAD = """\
# Validation

What others published, beside what Sequin's simulators say. Written by `bench/validation/make_page.py`; `--check` says whether it still holds.
The error is ours against theirs. A number that a constant of a machine was taken from is no test of the simulator, and is marked *taken*.
"""

MODELLED = """\
## What is modelled how

*Exact*: what the hardware does is written down, and the simulator does it step by step. *Formula*: cycles follow a published formula. *Parameter*:
nobody says; a number of the machine's row stands for it ([Machines.md](Machines.md)). *Absent*: takes no time, or does not exist.

| RNGD | how | source |
| --- | --- | --- |
| results of every engine, to the bit | exact | Virtual ISA manual; where it is silent the vendor's executable model, a switch of the row each |
| sequencers, switch routes, addresses | exact, from the derived configuration alone | manual |
| cycles of fetch, switch, collect, contraction, vector, transpose, commit | formula, per pass and stage; the slowest decides | manual |
| start-up of DMA: {dma_startup_cycles} cycles a descriptor | formula | manual, L2467 |
| HBM: channels, banks, rows ({row_switch} cycles for another), writes of a part of a unit | formula, request by request | manual, L2979-3007 |
| refresh of HBM, requests outstanding, links of a reduction | parameter; charged on `rngd-strict` | none |
| fixed cost of a pass | parameter; 265 on `rngd-static` | two published static counts |
| what contention and synchronisation cost on the device | parameter; `rngd-measured` | a public competition, 2026 |
| the host, clocks that throttle, other programs | absent | |

| WSE | how | source |
| --- | --- | --- |
| results of every operation, to the bit | exact | CSL's language guide, published traces |
| routers, colors, switches, queues, filters | exact, hop by hop | the SDK's documentation, arXiv 2404.15888 |
| hop: {wse2_hop} cycle on WSE-2, {wse3_hop} on WSE-3 | formula | published reduces, the SDK |
| elements per cycle of DSD operations | formula | the SDK's appendix |
| descriptors, tasks, scalar code | parameter, fitted to every other row of published programs | two public repositories |
| the host's links | absent: copies take no cycles | |
| the binary code of a PE | absent: the simulator runs its own bytecode | not published |
"""


@dataclass
class Row:
    """A published number and ours, in cycles."""

    what: str
    published: int
    ours: int
    source: str

    def cells(self) -> list[str]:
        error = (self.ours - self.published) / self.published
        return [self.what, f"{self.published:,}", f"{self.ours:,}", f"{error:+.1%}", self.source]


def table(header: list[str], rows: list[list[str]]) -> str:
    marks = ["--:" if re.match(r"^[-+\d]", rows[0][i]) and i else "---"
             for i in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, marks, *rows])


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))} ended with {done.returncode}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def machine(build: Path, name: str) -> dict:
    return json.loads(run(build / "bin/sequin-translate", f"--dump-machine={name}"))


def collectives(build: Path, folder: Path) -> Iterator[Row]:
    """What the unit tests of the wafer's simulator have measured."""
    results = folder / "unit.json"
    run(build / "test/unit/SequinWaferSimTests", "--gtest_filter=Reduce.*",
        f"--gtest_output=json:{results}")
    for suite in json.loads(results.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            for key, value in test.items():
                if key.startswith("published: "):
                    published, ours = map(int, value.split())
                    yield Row(key.removeprefix("published: "), published, ours,
                              "the vendor's simulator, results of SpMM_Cerebras")


def manual(build: Path, folder: Path) -> Iterator[Row]:
    """The worked examples of the manual's DMA chapter, from its own sequencers."""
    row = folder / "machine.json"
    row.write_text(json.dumps(machine(build, "rngd")))
    run("/usr/bin/python3", MANUAL_DMA, row, folder)
    for name, (what, published, where) in MANUAL.items():
        report = folder / f"{name}.report.json"
        run(build / "bin/sequin-run", folder / f"{name}.json", "--target", "rngd",
            "--timing-only", "--report", report)
        yield Row(f"Example {name[-1]}: {what}", published, json.loads(report.read_text())["cycles"],
                  f"manual, {where}")


def cycles_of(build: Path, folder: Path, program: str, target: str) -> int:
    """Of a program in linalg, HBM to HBM."""
    source, report = folder / "program.mlir", folder / "program.json"
    source.write_text(program)
    run(build / "bin/sequin-run", source, "--target", target, "--timing-only", "--report", report)
    return json.loads(report.read_text())["cycles"]


def kernels(build: Path, folder: Path) -> list[list[str]]:
    """Kernels that were timed on the device; the best program there and ours differ."""
    sys.path.insert(0, str(ROOT / "bench/performance"))
    tables = importlib.import_module("make_tables")
    rows = []
    for kernel in tables.published_rows():
        ours = [cycles_of(build, folder, kernel.row.text, name)
                for name in ("rngd", "rngd-measured")]
        rows.append([kernel.name, f"{kernel.estimate:,}", f"{kernel.baseline:,}", f"{kernel.best:,}",
                     *(f"{cycles:,}" for cycles in ours), f"{ours[1] / kernel.best:.2f}"])
    return rows


def page(build: Path) -> str:
    header = ["what", "published, cycles", "ours, cycles", "error", "source"]
    with tempfile.TemporaryDirectory() as folder:
        wafer = [row.cells() for row in collectives(build, Path(folder))]
        totals = [row.cells() for row in manual(build, Path(folder))]
        timed = kernels(build, Path(folder))
    rngd, wse2, wse3 = (machine(build, name) for name in ("rngd", "wse2", "wse3"))
    device = table(["kernel", "vendor's estimate", "device, baseline", "device, best",
                    "ours, `rngd`", "ours, `rngd-measured`", "ours measured / best"], timed)
    return "\n".join([
        HEAD, "## Collectives on the wafer", "",
        "From the first word that is sent until the last is in memory; the broadcast on its sender. The cycle of a hop on WSE-2 was *taken* from "
        "these reduces.", "", table(header, wafer), "",
        "`bench/published/cycles.py` compares whole programs with counts that others published, given clones of their repositories.", "",
        "## Totals of the RNGD manual", "",
        "The manual's own sequencers and formulas; `rngd` must meet them.", "",
        table(header, totals), "", "## Kernels timed on RNGD", "",
        "Decode kernels of a 12B model, one token on one chip, as a public competition of 2026 timed them; cycles. Theirs are programs of their own, "
        "ours what the compiler makes of the same einsum, so that a ratio is no error of the simulator. The constants of `rngd-measured` "
        "were *taken* from calibrations that came with these timings, not from the timings.", "",
        device, "",
        MODELLED.format(dma_startup_cycles=rngd["dma_startup_cycles"],
                        row_switch=rngd["hbm"]["row_switch_cycles"],
                        wse2_hop=wse2["hop_cycles"], wse3_hop=wse3["hop_cycles"]).rstrip(),
        ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--check", action="store_true", help="compare with the page alone")
    arguments = parser.parse_args()
    text = page(arguments.build.resolve())
    if not arguments.check:
        PAGE.write_text(text)
        print(f"wrote {PAGE.relative_to(ROOT)}")
        return 0
    if PAGE.read_text() != text:
        print(f"error: {PAGE.relative_to(ROOT)} is not what is measured now; write it by "
              f"{Path(__file__).relative_to(ROOT)}", file=sys.stderr)
        return 1
    print("validation: the page holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
