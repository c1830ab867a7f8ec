# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hunter of sessions with the language server, by message.

A session is written as one message per line. A line that is no JSON is put into the stream as
it is, JSON's escapes resolved: what an editor should never send.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from .forked import Programs, Run
from .kinds import Input, Kind, csl_programs
from .mutation import JsonMutator, TextMutator, lines_of

ASKED = ["hover", "definition", "references", "documentSymbol", "completion", "formatting",
         "signatureHelp", "prepareRename", "rename"]
NAMES = ["x", "y", "main", "", "a b", "é", "fn", "u16", "x" * 5000, "@as", "0"]
#: Lines that are no messages.
DAMAGE = ["!Content-Length: 5\r\n\r\nnull!", "!Content-Length: -1\r\n\r\n", "!\r\n\r\n",
          "!Content-Length: 18446744073709551616\r\n\r\n{}", "!Content-Length: 4\r\n\r\nnull",
          "!Content-Length: 2\r\n\r\n[]", "!Content-Length: 3\r\n\r\n{}x", "!{}",
          "!Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", "!Content-Length: 99999\r\n\r\n{",
          "!" + "[" * 3000, "!Content-Length: 60000\r\n\r\n" + "[" * 60000]


def encode(text: str) -> bytes:
    """A session as the server reads it."""
    stream = b""
    for line in text.splitlines():
        if line.startswith("!"):
            stream += line[1:].encode().decode("unicode_escape").encode("utf-8", "replace")
        elif line:
            body = line.encode("utf-8", "replace")
            stream += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    return stream


def answers_in(stream: bytes) -> list[Any] | None:
    """The messages of the server; None if the stream is not made of messages."""
    found = []
    while stream:
        head, _, rest = stream.partition(b"\r\n\r\n")
        size = head.removeprefix(b"Content-Length: ")
        if size == head or not size.isdigit() or len(rest) < int(size):
            return None
        try:
            found.append(json.loads(rest[:int(size)]))
        except ValueError:
            return None
        stream = rest[int(size):]
    return found


def key_of(number: Any) -> str:
    """A question's number as it comes back: beyond 64 bits as a double, halves of characters as
    none, as JSON's readers may."""
    if isinstance(number, int) and not -2**63 <= number < 2**63:
        number = float(number)
    if isinstance(number, str):
        number = re.sub("[\ud800-\udfff]", "\ufffd", number)
    return json.dumps(number)


class LspKind(Kind):
    """Sessions with sequin-lsp-server."""

    name = "lsp"
    #: Longer files are left out: each change is evaluated anew.
    MOST = 12000

    def __init__(self, programs: Programs):
        super().__init__(programs)
        self.corpus: list[dict[str, str]] = []
        for _, files in csl_programs():
            if sum(map(len, files.values())) < self.MOST:
                self.corpus.append(files)
        self.texts = [text for files in self.corpus for text in files.values()]

    def make(self, random: Random) -> Input:
        files = dict(random.choice(self.corpus))
        lines = [self.message(0, "initialize", {"processId": 1, "rootUri": None,
                                                "capabilities": {}}),
                 self.message(None, "initialized", {})]
        names = list(files)
        for name in random.sample(names, random.randint(1, min(3, len(names)))):
            lines.append(self.message(None, "textDocument/didOpen", {
                "textDocument": {"uri": self.uri(name), "languageId": "csl", "version": 1,
                                 "text": files[name]}}))
        for number in range(1, random.randint(3, 12)):
            lines.append(self.something(random, number, names, files))
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            self.damage(random, lines)
        if random.random() < 0.9:
            lines.append(self.message(1000, "shutdown", None))
        if random.random() < 0.9:
            lines.append(self.message(None, "exit", None))
        return Input("sequin-lsp-server", ("--step-limit", random.choice(["1000", "20000"])),
                     "\n".join(lines) + "\n", encode=encode, check=self.look, output=True,
                     cuts=(lines_of,))

    def uri(self, name: str) -> str:
        """The address of a file."""
        return f"file://{self.directory}/{name}"

    @staticmethod
    def message(number: int | None, method: str, params: Any) -> str:
        """One line."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if number is not None:
            message["id"] = number
        if params is not None:
            message["params"] = params
        return json.dumps(message)

    def something(self, random: Random, number: int, names: list[str],
                  files: dict[str, str]) -> str:
        """A question, a change or what else an editor does."""
        name = random.choice(names)
        document: dict[str, Any] = {"uri": self.uri(name)}
        way = random.randrange(10)
        if way < 5:
            lines = files[name].split("\n")
            line = random.randrange(len(lines))
            place = random.choice([
                {"line": line, "character": random.randrange(len(lines[line]) + 2)},
                {"line": random.choice([-1, 0, 2**31 - 1, len(lines)]), "character": -1},
                {"line": line, "character": random.choice([2**31 - 1, 2**40, 0.5])}])
            params = {"textDocument": document, "position": place,
                      "context": {"includeDeclaration": True, "triggerKind": 1},
                      "options": {"tabSize": 2, "insertSpaces": True},
                      "newName": random.choice(NAMES)}
            return self.message(number, "textDocument/" + random.choice(ASKED), params)
        if way < 8:
            document["version"] = random.choice([number, number, 0, -1, 2**31])
            changes: list[dict[str, Any]] = []
            for _ in range(random.choice([1, 1, 2, 5])):
                if random.random() < 0.3:
                    files[name] = TextMutator(self.texts, random).mutate(files[name])
                    changes.append({"text": files[name]})
                else:
                    line = random.randrange(files[name].count("\n") + 2)
                    end = random.choice([line, line, line + 1, 0, 2**31 - 1])
                    changes.append({
                        "range": {"start": {"line": line, "character": random.randrange(30)},
                                  "end": {"line": end, "character": random.randrange(60)}},
                        "text": random.choice(["", "(", "}", "x", "\n", "é𝄞", "\r", "/*", "@as(",
                                               random.choice(self.texts)[:200]])})
            return self.message(None, "textDocument/didChange",
                                {"textDocument": document, "contentChanges": changes})
        return self.message(None, random.choice([
            "textDocument/didClose", "textDocument/didSave", "textDocument/didOpen",
            "$/cancelRequest", "initialize", "unknown/method", "shutdown"]),
            {"textDocument": {**document, "languageId": "csl", "version": number,
                              "text": files[name]}, "id": number - 1})

    def damage(self, random: Random, lines: list[str]) -> None:
        """Something that no editor should send."""
        i = random.randrange(len(lines))
        way = random.randrange(6)
        if way < 3:
            if lines[i].startswith("{"):
                lines[i] = JsonMutator(lines[:1], random).mutate(lines[i]).replace("\n", " ")
        elif way == 3:
            lines.insert(i, lines.pop(random.randrange(len(lines))))
        elif way == 4:
            lines.insert(i, lines[i])
        else:
            lines.insert(i, random.choice(DAMAGE).replace("\r", "\\r").replace("\n", "\\n"))

    @staticmethod
    def look(subject: Input, run: Run) -> str:
        """Whether each question had one answer."""
        if run.code not in (0, 1):
            return f"exit code {run.code}"
        messages = answers_in(run.output)
        if messages is None:
            return "the answers are no messages"
        if any(line[0] != "{" for line in subject.text.splitlines() if line):
            # Where the next message begins is in doubt.
            return ""
        asked: dict[str, int] = {}
        for line in subject.text.splitlines():
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(message, dict):
                continue
            if message.get("method") == "exit":
                break
            if isinstance(message.get("method"), str) and isinstance(
                    message.get("id"), (int, str)) and not isinstance(message["id"], bool):
                key = key_of(message["id"])
                asked[key] = asked.get(key, 0) + 1
        answered: dict[str, int] = {}
        for message in messages:
            if "id" in message and "method" not in message:
                key = key_of(message["id"])
                answered[key] = answered.get(key, 0) + 1
        missing = sum(max(0, count - answered.get(key, 0)) for key, count in asked.items())
        # What is no message of the protocol is refused without a number.
        return "a question has no answer" if missing > answered.get("null", 0) else ""

    def check(self, subject: Input, run: Run) -> str:
        # A session that ends without `shutdown` ends with 1, and is not told why.
        return self.look(subject, run)
