# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a guide and compares what they print with the page.

A command is a line `$ sequin-map ...` in a console block, continued by a
backslash; what follows up to the next command or the end of the block is its
output. With --write the page is brought up to date instead.
"""

import difflib
import pathlib
import re
import subprocess
import sys


def refreshed(text):
    def block(match):
        lines = match.group(1).splitlines()
        result, i = [], 0
        while i < len(lines):
            if not lines[i].startswith("$ "):
                sys.exit(f"expected a command, found '{lines[i]}'")
            command = lines[i][2:]
            result.append(lines[i])
            i += 1
            while command.endswith("\\"):
                result.append(lines[i])
                command = command[:-1] + lines[i].strip()
                i += 1
            while i < len(lines) and not lines[i].startswith("$ "):
                i += 1
            run = subprocess.run(
                command, shell=True, capture_output=True, text=True
            )
            result += (run.stdout + run.stderr).rstrip("\n").splitlines()
        return "```console\n" + "\n".join(result) + "\n```"

    return re.sub(r"```console\n(.*?)\n```", block, text, flags=re.S)


def main():
    page = pathlib.Path(sys.argv[1])
    old = page.read_text()
    new = refreshed(old)
    if "--write" in sys.argv:
        page.write_text(new)
        return 0
    if "```console" not in old:
        sys.exit("the page shows no command")
    difference = list(
        difflib.unified_diff(
            old.splitlines(), new.splitlines(), "page", "now", lineterm=""
        )
    )
    print("\n".join(difference))
    return 1 if difference else 0


sys.exit(main())
