# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds tools/editors/csl.tmLanguage.json to the words of lib/CslSource."""

import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
grammar = json.loads((root / "tools/editors/csl.tmLanguage.json").read_text())


def rules(entry):
    if "begin" in entry:
        yield entry
        return
    for pattern in entry.get("patterns", [entry]):
        if "include" in pattern:
            yield from rules(grammar["repository"][pattern["include"][1:]])
        else:
            yield pattern


def scope(text, at=0):
    """The scope of the rule that matches first at a place of a line."""
    for rule in rules(grammar):
        match = re.compile(rule.get("match", rule.get("begin"))).match(text, at)
        if match:
            return rule.get("name", "captures")
    return None


words = (root / "include/sequin/CslSource/Tokens.def").read_text()
names = (root / "lib/CslSource/Names.cpp").read_text()
types = re.search(r"kTypeNames\[\] = \{(.*?)\};", names, re.S)[1]
failures = []


def expect(text, wanted):
    found = scope(text)
    if found is None or not found.startswith(wanted):
        failures.append(f"'{text}' has scope {found}, expected {wanted}")


for word in re.findall(r'^CSL_KEYWORD\(\w+, "([^"]+)"', words, re.M):
    expect(word + " ", "constant" if word in ("true", "false") else "keyword")
for word in re.findall(r'"([^"]+)"', types) + ["i16", "u7", "u16777215"]:
    expect(word, "support.type")
for operator in re.findall(r'^CSL_PUNCTUATION\(\w+, "([^"]+)"', words, re.M):
    if not set(operator) & set("(){}[],;:."):
        expect(operator, "keyword.operator")
for text, wanted in [("// x", "comment.line.double"), ("/// x", "comment.line.doc"),
                     ("//// x", "comment.line.double"), ("//! x", "comment.line.doc"),
                     ('"a', "string"), ("'a'", "string"), ("0x1.8p3", "constant.numeric.float"),
                     ("1e5", "constant.numeric.float"), ("0b10_1", "constant.numeric.integer"),
                     ("@get_dsd", "support.function"), ("fn f(", "captures"), ("f(x)", "entity"),
                     ("break :l", "captures"), ("l: {", "entity.name.label"),
                     ("RAMP", "support.constant"), ("while (", "keyword.control")]:
    expect(text, wanted)
print("\n".join(failures))
sys.exit(bool(failures))
