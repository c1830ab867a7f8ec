# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours every CSL file of the tree by the TextMate grammar and compares with the lexer.

usage: check-grammar-on-files.py ROOT SEQUIN_CSL
"""

import json
import re
import subprocess
import sys
from pathlib import Path

root, tool = Path(sys.argv[1]), sys.argv[2]
grammar = json.loads((root / "tools/editors/csl.tmLanguage.json").read_text())


def flatten(patterns):
    for pattern in patterns:
        if "include" in pattern:
            entry = grammar["repository"][pattern["include"][1:]]
            yield from [entry] if "begin" in entry else flatten(entry.get("patterns", [entry]))
        else:
            yield pattern


def compile_rules(patterns):
    return [(re.compile(rule.get("begin", rule.get("match"))), rule)
            for rule in flatten(patterns)]


RULES = compile_rules(grammar["patterns"])


def colour(line):
    """The scope of each byte of a line, as an editor finds it: of the rules the one that
    matches first, then what is left of the line. No rule of CSL goes past a line."""
    scopes = [""] * (len(line) + 1)
    at = 0
    while at < len(line):
        matches = [(match.start(), order, match, rule)
                   for order, (pattern, rule) in enumerate(RULES)
                   if (match := pattern.search(line, at))]
        if not matches:
            break
        start, _, match, rule = min(matches, key=lambda found: found[:2])
        end = match.end()
        if "begin" in rule:
            inner = compile_rules(rule["patterns"])
            stop = re.compile(rule["end"])
            while True:
                closing = stop.search(line, end)
                skip = [found for pattern, _ in inner if (found := pattern.search(line, end))
                        and found.start() < closing.start()]
                if not skip:
                    end = closing.end()
                    break
                end = min(skip, key=lambda found: found.start()).end()
        for i in range(start, end):
            scopes[i] = rule.get("name", "")
        for group, captured in rule.get("captures", {}).items():
            for i in range(*match.span(int(group))):
                scopes[i] = captured["name"]
        at = max(end, start + 1)
    return scopes


ALLOWED = {
    "keyword": ("keyword", "constant.language"),
    "number": ("constant.numeric",),
    "string": ("string",),
    "character": ("string",),
    "builtin": ("support.function",),
    "name": ("", "entity", "support.type", "support.constant"),
}
failures = []
files = words = 0
for path in sorted(root.rglob("*.csl")):
    inside = path.relative_to(root)
    if inside.parts[0].startswith("build"):
        continue
    run = subprocess.run([tool, "--tokens", path], capture_output=True, text=True)
    if run.returncode:
        # A test of wrong tokens.
        continue
    files += 1
    lines = path.read_bytes().decode("latin-1").split("\n")
    coloured = [colour(line) for line in lines]
    wrong = []
    for token in run.stdout.splitlines():
        place, kind = token.split(" ")[:2]
        line, column = (int(part) - 1 for part in place.split(":"))
        scope = coloured[line][column] if line < len(lines) else ""
        words += 1
        if kind in ALLOWED:
            good = any(scope == wanted or wanted and scope.startswith(wanted)
                       for wanted in ALLOWED[kind])
        else:
            good = not scope.startswith(("string", "comment", "constant", "invalid"))
        if not good:
            wrong.append(f"{inside}:{place}: {kind} has scope '{scope}'")
    # Of a file that is no CSL the colours may be any.
    if wrong and subprocess.run([tool, "--syntax-only", path], capture_output=True).returncode == 0:
        failures += wrong
print("\n".join(failures[:20]))
print(f"{files} files, {words} tokens, {len(failures)} wrong")
sys.exit(bool(failures) or files < 100)
