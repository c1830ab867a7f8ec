# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""round_trip.py BUILD EXAMPLES SCRATCH [PART/PARTS | NAME...]: examples to the dialect, to source and back.

The source comes to rest after a few trips. What cslc makes of the first and of the last one satisfies
the host script as the original does, in as many cycles but for 2 %. Without names all examples that have a layout
block, or every so many of them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TRIPS = 5
build, examples, scratch = map(Path, sys.argv[1:4])
TOOLS = {**os.environ, "PATH": f"{build}/bin/compat:{build}/bin:{os.environ['PATH']}"}


class Failed(Exception):
    """A tool refused, or two results differ."""


def run(folder, *command):
    """Runs a tool in the example's folder."""
    done = subprocess.run(command, cwd=folder, env=TOOLS, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{command[0]}: {done.stdout[-500:]}{done.stderr[-500:]}")


def cycles(folder, output):
    """Those of the host script on what cslc wrote."""
    run(folder, "cs_python", "run.py", "--name", output)
    return json.loads((folder / output / "simfab_traces" / "report.json").read_text())["cycles"]


def check(folder, layout, flags, arch):
    """Fails if the program does not come back."""
    run(folder, "cslc", layout, *flags, "-o", "out")
    bindings = [flag for flag in flags if flag.startswith(("--params", "--import-path", "--fp16-format"))]
    run(folder, "sequin-translate", "--import-csl", layout, f"--arch={arch}", *bindings, "-o", "0.mlir")
    before = None
    formats = [flag for flag in flags if flag.startswith("--fp16-format")]
    for trip in range(TRIPS):
        source = folder / f"source{trip}"
        run(folder, "sequin-translate", "--csl-to-source", f"{trip}.mlir", "--output-directory", source)
        texts = {file.name: file.read_text() for file in sorted(source.glob("*.csl"))}
        if texts == before:
            break
        before = texts
        run(folder, "sequin-translate", "--import-csl", source / "layout.csl", f"--arch={arch}",
            *formats, "-o", f"{trip + 1}.mlir")
    else:
        raise Failed("the source goes on changing")
    rest = [flag for flag in flags if flag not in bindings or flag in formats]
    first = cycles(folder, "out")
    # A variable of a module has no dot in its name any more.
    script = folder / "run.py"
    script.write_text(script.read_text().replace("tally.local_tally", "tally_local_tally"))
    for number in sorted({0, trip}):
        back = f"back{number}"
        run(folder, "cslc", folder / f"source{number}" / "layout.csl", *rest, "-o", back)
        # The script reads the parameters of the layout there.
        written = json.loads((folder / back / "out.json").read_text())
        written["params"] = json.loads((folder / "out" / "out.json").read_text())["params"]
        (folder / back / "out.json").write_text(json.dumps(written))
        again = cycles(folder, back)
        if abs(first - again) * 50 > first:
            raise Failed(f"{first} cycles, {again} after round trip {number + 1}")


def main():
    """Returns the exit code."""
    shutil.rmtree(scratch, ignore_errors=True)
    names = sys.argv[4:] or sorted(path.name for path in examples.iterdir() if path.is_dir())
    part = re.fullmatch(r"(\d+)/(\d+)", names[0])
    if part:
        every = sorted(path.name for path in examples.iterdir() if path.is_dir())
        names = every[int(part[1]) - 1 :: int(part[2])]
    count = failures = 0
    for commands in (file for name in names for file in sorted((examples / name).glob("commands_*.sh"))):
        text = commands.read_text().replace("\\\n", " ")
        # Of a loop over formats the last one.
        for loop in re.finditer(r"^for (\w+) in .*?(\w+); do$", text, re.MULTILINE):
            text = text.replace(f"_${loop[1]}", "").replace(f"${loop[1]}", loop[2])
        call = re.search(r"^ *cslc (\S+) (.*) -o out$", text, re.MULTILINE)
        if not call:
            continue  # a layout in Python
        name, arch = commands.parent.name, commands.stem.removeprefix("commands_")
        folder = scratch / f"{name}-{arch}"
        shutil.copytree(commands.parent, folder)
        count += 1
        try:
            check(folder, call[1], call[2].split(), arch)
        except Failed as error:
            failures += 1
            print(f"{name}, {arch}: {error}")
    print(f"{count} programs, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
