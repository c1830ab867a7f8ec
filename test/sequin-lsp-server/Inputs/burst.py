# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that come faster than they can be evaluated: what is said is about the last one, and
few of those between are evaluated. Answers to requests among them are about the text of then.

usage: burst.py SEQUIN_LSP_SERVER FOLDER
"""

import json
import sys
import time
from pathlib import Path

from session import Session

folder = Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
path = folder / "slow.csl"
# Takes all the steps that an answer has.
slow = "layout {\n  @set_rectangle(1, 1);\n%s  var n: i32 = 0;\n  while (true) { n += 1; }\n}\n"
session = Session(sys.argv[1])
session.open(path, slow % "")
edits = 100
burst = b""
for version in range(2, edits + 2):
    text = f"const x{version} = 1;\n" + slow % f"  const y = missing_{version};\n"
    for message in [
            {"method": "textDocument/didChange", "params": {
                "textDocument": {"uri": f"file://{path}", "version": version},
                "contentChanges": [{"text": text}]}},
            {"id": 1000 + version, "method": "textDocument/documentSymbol",
             "params": {"textDocument": {"uri": f"file://{path}"}}}]:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        burst += b"Content-Length: %d\r\n\r\n" % len(body) + body
start = time.monotonic()
session.server.stdin.write(burst)
session.server.stdin.flush()
checked, named = [], []
while len(named) < edits:
    message = session._receive()
    if "id" in message:
        named.append((message["id"] - 1000, message["result"][0]["name"]))
    elif message["params"]["uri"] == f"file://{path}":
        checked.append(message["params"])
assert named == [(version, f"x{version}") for version in range(2, edits + 2)], named
versions = [params["version"] for params in checked]
assert versions == sorted(versions) and versions[-1] == edits + 1, versions
assert len(versions) <= 5, versions
problems = [problem["message"] for problem in checked[-1]["diagnostics"]]
assert any(f"missing_{edits + 1}" in problem for problem in problems), problems
# A message that comes in parts, with other headers and an empty line before it.
session.server.stdin.write(b"\r\nContent-Type: x\r\nContent-")
session.server.stdin.flush()
time.sleep(0.05)
body = json.dumps({"jsonrpc": "2.0", "id": 7000, "method": "textDocument/documentSymbol",
                   "params": {"textDocument": {"uri": f"file://{path}"}}}).encode()
session.server.stdin.write(b"length: %d\r\n\r\n" % len(body) + body[:10])
session.server.stdin.flush()
time.sleep(0.05)
session.server.stdin.write(body[10:])
session.server.stdin.flush()
assert session._receive()["id"] == 7000
print("said:", len(versions), "times")
sys.exit(session.end())
