# ===- listings.py - The listings of a guide, made anew -------------------=== #
#
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------=== #
"""Checks the listings of a page, or makes them anew with --write.

A listing is a fenced block behind a comment that says what makes it:

  <!-- program -->                  the block is the input of the next command
  <!-- run: FLAGS; show: A | B -->  sequin-opt FLAGS, whose output is the next input; of
                                    it the lines in which A or B matches
  <!-- shell: COMMAND -->           what COMMAND prints, with the first program as
                                    {program}, the last output as {last}, and a {folder}
"""

import argparse
import difflib
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LISTING = re.compile(r"<!-- (program|run: .*?|shell: .*?) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
WIDTH = 100


def wrap(line: str) -> str:
    """Breaks behind commas and in front of attributes, with the rest indented."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    result = ""
    while len(line) > WIDTH:
        at = max(line.rfind(", ", 0, WIDTH) + 1, line.rfind(" tiling <", 0, WIDTH),
                 line.rfind(" ring <", 0, WIDTH), line.rfind(" layout <", 0, WIDTH))
        if at <= len(indent):
            at = line.rfind(" ", 0, WIDTH)
        if at <= len(indent):
            break
        result += line[:at] + "\n"
        line = indent + line[at:].lstrip()
    return result + line


def shorten(text: str, patterns: list[str]) -> str:
    result: list[str] = []
    for line in text.splitlines():
        # How a mapping was found is words for people.
        line = re.sub(r' record <(?:[^">]|"[^"]*")*>', "", line)
        if any(re.search(pattern, line) for pattern in patterns):
            result.append(wrap(line))
        elif result and result[-1].strip() != "...":
            result.append("  ...")
    while result and result[-1].strip() == "...":
        result.pop()
    return "\n".join(result) + "\n"


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}:\n{done.stderr}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        program, last = Path(temporary) / "program.mlir", Path(temporary) / "last.mlir"

        def remake(match: re.Match[str]) -> str:
            nonlocal count
            count += 1
            head, language, body = match.groups()
            kind, _, rest = head.partition(": ")
            if kind == "program":
                program.write_text(body)
                last.write_text(body)
            elif kind == "run":
                flags, _, show = rest.partition("; show: ")
                text = run(["sequin-opt", str(last), *shlex.split(flags)])
                last.write_text(text)
                body = shorten(text, show.split(" | "))
            else:
                body = run(["sh", "-c", rest.format(
                    program=program, last=last, folder=temporary, python=sys.executable)])
            return f"<!-- {head} -->\n```{language}\n{body}```\n"

        before = options.page.read_text()
        after = LISTING.sub(remake, before)
    if options.write:
        options.page.write_text(after)
    elif after != before:
        sys.stdout.writelines(difflib.unified_diff(
            before.splitlines(True), after.splitlines(True), "page", "made anew"))
        sys.exit("the page is out of date; run this with --write")
    print(f"{count} listings are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
