#!/usr/bin/python3
# ===- random_programs.py - Random linalg against upstream's lowering -----=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Runs random linalg programs with sequin-run and by way of LLVM; compares all bits.

The programs have 2 to 20 operations and integer data (see programs.py). Exit
status: 0 if all agree, 1 if not. --self-check runs no sequin-run: it compares
upstream's result with that of the same program in f64 for f32, which shows that
the results do not depend on the order of additions.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import simulate
import upstream
from programs import Program, draw_program
from simulate import Outcome


def self_check(text: str, inputs: list[np.ndarray], expected: list[np.ndarray]) -> Outcome:
    outcome = Outcome("pass")
    doubled = (text.replace("f32", "f64").replace("0xFF800000", "0xFFF0000000000000")
               .replace("0x7F800000", "0x7FF0000000000000"))
    # f64 to bf16 has no expansion; by way of f32 is the same for these integers.
    lines = []
    for line in doubled.splitlines():
        if "arith.truncf" in line and "f64 to bf16" in line:
            name, value = line.split("=")[0].strip(), line.split("truncf ")[1].split(" :")[0]
            lines += [f"    {name}n = arith.truncf {value} : f64 to f32",
                      f"    {name} = arith.truncf {name}n : f32 to bf16"]
        else:
            lines.append(line)
    try:
        outcome.results = upstream.run("\n".join(lines) + "\n", inputs)
    except upstream.UpstreamError as error:
        outcome.status, outcome.reason = "failed", f"upstream, f64: {error}"
    return simulate.judge(outcome, expected)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10, help="programs to run (default: 10)")
    parser.add_argument("--seed", type=int, help="of the draw; printed if not given")
    parser.add_argument("--only", type=int, metavar="N", help="run only number N of the draw")
    parser.add_argument("--print", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--self-check", action="store_true", help="check the programs alone")
    parser.add_argument("--verify", action="store_true", help="pass --verify to sequin-run")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="keep program and arrays in FOLDER/N")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(2**31)
    print(f"seed {seed}, count {arguments.count}", flush=True)

    outcomes, operations = [], Counter()
    with tempfile.TemporaryDirectory(prefix="sequin-programs-") as scratch:
        for number in range(arguments.count):
            if arguments.only not in (None, number):
                continue
            program: Program = draw_program(random.Random(f"{seed}/{number}"))
            text, inputs = program.text(), program.inputs([seed, number])
            if arguments.print:
                print(text)
                continue
            operations.update(name.split(" of ")[0] for name in program.operations)
            folder = Path(scratch)
            if arguments.keep:
                folder = arguments.keep / str(number)
                folder.mkdir(parents=True, exist_ok=True)
            path = folder / "program.mlir"
            path.write_text(text)
            name = f"{number} ({', '.join(program.operations)})"
            try:
                expected = upstream.run(text, inputs)
            except upstream.UpstreamError as error:
                outcome = Outcome("failed", f"upstream: {error}")
            else:
                if arguments.self_check:
                    outcome = self_check(text, inputs, expected)
                else:
                    outcome = simulate.run([str(path)], inputs, len(expected), folder,
                                           ["--verify"] if arguments.verify else [])
                    simulate.judge(outcome, expected)
            if outcome.status != "pass":
                outcome.show(name)
                print(f"  repeat: {Path(__file__).name} --seed {seed} "
                      f"--count {number + 1} --only {number} --keep FOLDER")
            outcome.results = []
            outcomes.append(outcome)
    if not arguments.print:
        print("operations: " + ", ".join(f"{n} {name}" for name, n in operations.most_common()))
        print(simulate.summary(outcomes))
    return 0 if all(outcome.status == "pass" for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
