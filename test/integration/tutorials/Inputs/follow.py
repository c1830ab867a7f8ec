# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""follow.py PAGE FOLDER: does what a tutorial says, in an empty folder.

A fence "```language name" is the file of that name. In one of "```console" each line that
begins with "$ " is a command, with the lines that follow a backslash or begin with "> ", and
the lines after it are what it prints. There "..." stands for any text, and on a line alone for any lines.
"""

import re
import subprocess
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]), Path(sys.argv[2])
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pattern(lines):
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part.rstrip() if i else part)
                                   for i, part in enumerate(line.rstrip().split("..."))) + r"\s*\n")
    return "".join(parts)


def commands(text):
    """(command, lines it prints) of a session."""
    lines = text.splitlines()
    while lines:
        assert lines[0].startswith("$ "), lines[0]
        command = lines.pop(0)[2:]
        while lines and (command.endswith("\\") or lines[0].startswith("> ")):
            command += "\n" + lines.pop(0).removeprefix("> ")
        printed = []
        while lines and not lines[0].startswith("$ "):
            printed.append(lines.pop(0))
        yield command, printed


count = 0
text = page.read_text()
for match in FENCE.finditer(text):
    language, name, body = match.groups()
    line = text.count("\n", 0, match.start()) + 1
    if name:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body)
    elif language == "console":
        for command, wanted in commands(body):
            done = subprocess.run(["sh", "-c", command], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            count += 1
            if not re.fullmatch(pattern(wanted), done.stdout):
                sys.exit(f"{page.name}:{line}: '{command}' ended with {done.returncode} and "
                         f"printed\n{done.stdout}\ninstead of\n" + "\n".join(wanted))
print(f"{page.name}: {count} commands print what is shown")
