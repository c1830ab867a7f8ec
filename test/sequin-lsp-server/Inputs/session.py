# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of a language server: messages with their lengths, as editors send them."""

import json
import subprocess


class Session:
    def __init__(self, program, *flags):
        # What @comptime_print says is no message.
        self.server = subprocess.Popen([program, *flags], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ids = 0
        self.versions = {}
        self.diagnostics = {}
        self.published = []
        self.request("initialize", {"processId": None, "capabilities": {}})

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def _receive(self):
        length = 0
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise SystemExit(f"the server ended with {self.server.wait()}")
        return json.loads(self.server.stdout.read(length))

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def call(self, method, params):
        """The whole answer, which may be an error."""
        self.ids += 1
        self._send({"id": self.ids, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.ids:
                return message
            params = message["params"]
            self.published.append((params["uri"], params.get("version")))
            self.diagnostics[params["uri"]] = params["diagnostics"]

    def request(self, method, params):
        message = self.call(method, params)
        assert "result" in message, message
        return message["result"]

    @staticmethod
    def _name(path):
        return {"uri": f"file://{path}"}

    def open(self, path, text=None):
        text = path.read_text() if text is None else text
        self.versions[path] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            **self._name(path), "languageId": "csl", "version": 1, "text": text}})

    def change(self, path, changes):
        self.versions[path] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {**self._name(path), "version": self.versions[path]},
            "contentChanges": changes})

    def at(self, method, path, line, character):
        return self.request(f"textDocument/{method}", {
            "textDocument": self._name(path),
            "position": {"line": line, "character": character}})

    def hover(self, path, line, character):
        found = self.at("hover", path, line, character)
        return found and found["contents"]["value"]

    def problems(self, path):
        """The diagnostics of a file, after all that was sent."""
        self.request("textDocument/documentSymbol", {"textDocument": self._name(path)})
        return self.diagnostics.get(f"file://{path}", [])

    def end(self):
        self.request("shutdown", {})
        self.notify("exit", {})
        return self.server.wait()
