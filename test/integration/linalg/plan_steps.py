# ===- plan_steps.py - A plan pass by pass, with files in between ---------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Lowers a program in one run, and one pass at a time: every pass reads a file, is run
twice, and writes a file. Going on from each of these files must give the same bytes.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

STEPS = ("form-groups", "fuse-groups", "widen-elements", "choose-layouts",
         "divide-over-chips", "fuse-rows", "choose-mappings", "assign-memory",
         "record-mappings", "emit-kernels")
#: Options of the passes that share them with the pipeline.
OPTIONS = {"argument-layout": ("widen-elements", "choose-layouts")}


def run(program: Path | str, *flags: str) -> str:
    tool = shutil.which("sequin-opt")
    assert tool, "sequin-opt is not in PATH"
    done = subprocess.run([tool, str(program), *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"sequin-opt {program} {' '.join(flags)}:\n{done.stderr}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, help="for the files, <number>-<pass>.mlir")
    parser.add_argument("--chips", type=int, default=1)
    parser.add_argument("--argument-layout", default="of-machine")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    target = f"target=rngd chips={options.chips}"
    # Locations are in the files, so that mappings name the same places.
    normalized = options.folder / "0-normalize.mlir"
    normalized.write_text(run(options.program, "--normalize-linalg", "--mlir-print-debuginfo"))
    layout = f"argument-layout={options.argument_layout}"
    whole = run(normalized, f"--convert-linalg-to-tcp={target} {layout} record-mappings")
    flags = []
    for step in STEPS:
        given = target if step == "form-groups" else layout if step in OPTIONS[
            "argument-layout"] else ""
        flags.append(f"--tcp-plan-{step}" + (f"={given}" if given else ""))
    before = normalized
    for i, (step, flag) in enumerate(zip(STEPS, flags)):
        after = options.folder / f"{i + 1}-{step}.mlir"
        text = run(before, flag, "--mlir-print-debuginfo", "--verify-roundtrip")
        if text != run(before, flag, "--mlir-print-debuginfo"):
            sys.exit(f"{flag} has two results for {before}")
        after.write_text(text)
        if run(after, *flags[i + 1:]) != whole:
            sys.exit(f"going on after {flag} from {after} gives another program")
        before = after
    print(f"{len(STEPS)} passes with files in between give the pipeline's bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
