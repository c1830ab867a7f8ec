# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks at the `^` of texts, most of them of calls that are not written to their end.

usage: signature.py SEQUIN_LSP_SERVER MODULE
"""

import sys
from pathlib import Path

from session import Session

module = Path(sys.argv[2]).resolve()
path = module.parent / "unsaved.csl"
HEAD = """const m = @import_module("module.csl");
/// Adds them up.
fn add(first: i16, comptime second: [2]i16, third: *const fn(i16, i16) void) i16 { return first; }
const again = add;
fn main(x: i16) void {
"""
CASES = [
    ("  _ = add(^", "fn add", 0),
    ("  _ = add(1, ^\n}", "fn add", 1),
    ("  _ = add(1, [2]i16 { 1, ^", "fn add", 1),
    ("  _ = add(main(1, 2), x, ^);", "fn add", 2),
    ("  _ = add(main(^", "fn main", 0),
    ("  _ = add(1, 2, 3, 4, ^", "fn add", 2),
    ("  _ = again(1, ^", "fn add", 1),
    ("  _ = m.area(^", "fn area", 0),
    ("  _ = add((1 + ^", "fn add", 0),
    ("  _ = add(\"a, b(\", ^", "fn add", 1),
    ("  _ = add(1, // 2, (\n  3, ^", "fn add", 2),
    ("  for (@range(i16, ^", "@range", 1),
    ("  @fmovs(x, .{ .a = 1, ^", "@fmovs", 1),
    ("  _ = add(1); ^", None, 0),
    ("  _ = add(1, ;\n  x^", None, 0),
    ("  if (x == ^", None, 0),
    ("  const f = missing(^", None, 0),
    ("  _ = x(^", None, 0),
    ("}\nfn other(a: i16, ^", None, 0),
    ("  _ = @nothing(^", None, 0),
    ("  _ = add(1, l: { @activate(^", "@activate", 0),
    ("  _ = add(1, l: { x = ^", None, 0),
]
session = Session(sys.argv[1])
session.open(path, "")
for text, name, active in CASES:
    whole = HEAD + text
    at = whole.index("^")
    line, column = whole.count("\n", 0, at), at - whole.rfind("\n", 0, at) - 1
    session.change(path, [{"text": whole.replace("^", "")}])
    answer = session.at("signatureHelp", path, line, column)
    if name is None:
        assert answer is None, (text, answer)
        continue
    assert answer, text
    (signature,) = answer["signatures"]
    assert signature["label"].startswith(name), (text, answer)
    assert answer["activeParameter"] == active, (text, answer)
    if name == "fn add":
        assert signature["documentation"] == "Adds them up.\n", signature
        parts = [signature["label"][slice(*p["label"])] for p in signature["parameters"]]
        assert parts == ["first: i16", "comptime second: [2]i16",
                         "third: *const fn(i16, i16) void"], parts
sys.exit(session.end())
