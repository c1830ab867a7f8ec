# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends what is no message, and prints the answers.

usage: refused.py SEQUIN_LSP_SERVER
"""

import sys

from session import Session

DEEP = 50_000
session = Session(sys.argv[1])
for body in [
    "null",
    "[]",
    '"text"',
    "{",
    "[" * DEEP,
    "[" * DEEP + "]" * DEEP,
    '{"jsonrpc":"2.0","method":"textDocument/didChange","params":' + '{"a":' * DEEP + "1" + "}" * DEEP + "}",
    '{"id":7,"method":"initialize"}',
    '{"jsonrpc":"2.0","params":{}}',
    '{"jsonrpc":"2.0","id":8,"method":"no/such"}',
]:
    data = body.encode()
    session.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    session.server.stdin.flush()
    answer = session._receive()
    print(answer["id"], answer["error"]["code"], answer["error"]["message"])
print("ended with", session.end())
