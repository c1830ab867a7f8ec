# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir.py SERVER FILE: a session on a kernel, as an editor holds it with --mlir."""

import sys
from pathlib import Path

from session import Session

server = Session(sys.argv[1], "--mlir")
path = Path(sys.argv[2]).resolve()
text = path.read_text()
server.open(path, text)
print("problems:", server.problems(path))

lines = text.splitlines()
row = next(i for i, line in enumerate(lines) if "= tcp.commit" in line)
column = lines[row].index("tcp.commit")
print("hover:", server.hover(path, row, column))
operand = lines[row].index("%", column)
place = server.at("definition", path, row, operand)[0]["range"]["start"]
print("definition:", lines[place["line"]].strip())

# An operand that is not there, and text that is no operation.
wrong = text.replace("tcp.commit %", "tcp.commit %no_such_", 1)
server.change(path, [{"text": wrong}])
for problem in server.problems(path):
    print("wrong:", problem["range"]["start"]["line"] == row, problem["message"])
assert server.end() == 0
