#!/usr/bin/env python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of wafer programs against counts that others published from the vendor's simulator.

    bench/published/cycles.py --bin build/bin/compat --matmul DIR --stencil DIR

DIR are clones of the two public repositories whose programs and counts these are:
`da-luce/cs5220_hw4` (a matrix product on WSE-2; its leaderboard_output.txt has cycles per PE)
and `Elia-Belli/stencil-cerebras` (stencils on WSE-3; its .csv files have seconds at 875 MHz).
Prints a table: published and simulated cycles, their ratio, and whether the row was one of
those that the machine's constants were fitted to (every other one). Ends with 1 if the
median ratio of the others is off by more than 10 %, or any row by more than 35 %.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MEDIAN_LIMIT = 0.10
ROW_LIMIT = 0.35


@dataclass
class Row:
    """A program with its published cycles: the mean of all PEs, or those of the slowest."""

    name: str
    source: Path
    machine: str
    fabric: str
    params: str
    published: float
    script: list[str]
    pattern: str
    scale: float = 1.0


def matmul_rows(clone: Path) -> Iterator[Row]:
    """Rows of the leaderboard: sizes, then the cycles of the PEs."""
    text = (clone / "leaderboard_output.txt").read_text()
    found = re.finditer(
        r"sizeX=(\d+), sizeY=(\d+), M=(\d+), H=(\d+), N=(\d+)\ncompile.*?Mean: ([\d.]+)", text, re.S
    )
    for match in found:
        x, y, m, h, n = (int(number) for number in match.groups()[:5])
        params = (
            f"kernel_x_dim:{x},kernel_y_dim:{y},M:{m},N:{n},H:{h},MEMCPYH2D_DATA_1_ID:2,"
            "MEMCPYH2D_DATA_2_ID:3,MEMCPYD2H_DATA_1_ID:4"
        )
        yield Row(
            f"matmul {m}x{h}x{n} on {x}x{y}", clone, "wse2", f"{8 + x},{2 + y}", params,
            float(match[6]), [], r"Mean: ([\d.]+)",
        )


def stencil_rows(clone: Path) -> Iterator[Row]:
    """Rows of the tables, each once: program, radius, size, iterations, seconds."""
    seen = set()
    for table in sorted((clone / "src/wse").glob("*/*.csv")):
        folder = table.parent
        radius = re.search(r"-(\d+)r", table.name)
        for line in table.read_text().splitlines():
            fields = line.split(",")
            if not fields[0].isdigit():
                continue
            x, y, m, n, iterations = fields[:5]
            key = (table.name, *fields[:5])
            if key in seen:
                continue
            seen.add(key)
            params = f"kernel_dim_x:{x},kernel_dim_y:{y},M:{m},N:{n},iterations:{iterations}"
            if radius and not folder.name.startswith("1r"):
                params += f",radius:{radius[1]}"
            # The oldest rows have the seconds in the column of the launch.
            seconds = float(fields[10] if len(fields) > 10 else fields[6])
            yield Row(
                f"{table.stem} {m}x{n} on {x}x{y}, {iterations} iterations", folder, "wse3",
                f"{7 + int(x)},{2 + int(y)}", params, seconds * 875e6,
                ["--arch=wse3", "--verify"], r"Time \(device\): ([\d.e+-]+)", 875e6,
            )


def simulate(row: Row, programs: Path) -> float:
    """Compiles and runs a row's program in a copy of its folder."""
    env = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "program"
        shutil.copytree(row.source, folder, ignore=shutil.ignore_patterns(".git"))
        commands = [
            ["cslc", f"--arch={row.machine}", "layout.csl", f"--fabric-dims={row.fabric}",
             "--fabric-offsets=4,1", f"--params={row.params}", "-o", "out", "--memcpy",
             "--channels=1"],
            ["cs_python", "run.py", "--name", "out", *row.script],
        ]
        for command in commands:
            done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{row.name}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    found = re.search(row.pattern, done.stdout)
    if not found:
        sys.exit(f"{row.name}: the script prints no '{row.pattern}'\n{done.stdout}")
    return float(found[1]) * row.scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True, help="folder of cslc and cs_python")
    parser.add_argument("--matmul", type=Path, help="clone of da-luce/cs5220_hw4")
    parser.add_argument("--stencil", type=Path, help="clone of Elia-Belli/stencil-cerebras")
    options = parser.parse_args()
    rows = []
    if options.matmul:
        rows += matmul_rows(options.matmul)
    if options.stencil:
        rows += stencil_rows(options.stencil)
    if not rows:
        parser.error("nothing to compare with: give --matmul or --stencil")
    ratios = []
    print("| program | machine | published | simulated | ratio | fitted |")
    print("| --- | --- | --: | --: | --: | --- |")
    for number, row in enumerate(rows):
        cycles = simulate(row, options.bin.resolve())
        ratios.append(cycles / row.published)
        print(
            f"| {row.name} | {row.machine} | {row.published:,.0f} | {cycles:,.0f} | "
            f"{ratios[-1]:.2f} | {'yes' if number % 2 == 0 else 'no'} |",
            flush=True,
        )
    others = ratios[1::2] or ratios
    median = statistics.median(others)
    print(
        f"\nmedian of the rows that were not fitted {median:.3f}, "
        f"of all {statistics.median(ratios):.3f}; worst {min(ratios):.2f} and {max(ratios):.2f}"
    )
    off = [ratio for ratio in ratios if abs(ratio - 1) > ROW_LIMIT]
    return 1 if abs(median - 1) > MEDIAN_LIMIT or off else 0


if __name__ == "__main__":
    sys.exit(main())
