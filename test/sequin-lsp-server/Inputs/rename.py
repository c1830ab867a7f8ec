# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Renames every name of a program, one after another; what cslc compiles afterwards is the
same program with other names, and what cannot be renamed says why.

usage: rename.py SEQUIN_LSP_SERVER SEQUIN_TRANSLATE FOLDER
"""

import re
import subprocess
import sys
from pathlib import Path

from session import Session

folder = Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
FILES = {
    "layout.csl": """param W: u16 = 2;
const helper = @import_module("helper.csl", .{ .scale = 3 });
layout {
  @set_rectangle(W, 1);
  for (@range(u16, W)) |x| {
    @set_tile_code(x, 0, "pe.csl", .{ .column = x, .size = helper.twice(2) });
  }
  @export_name("out", [*]i16, true);
  @export_name("main", fn(i16) void);
}
""",
    "helper.csl": """param scale: u16;
const Pair = struct { first: i16, second: i16 };
fn twice(n: u16) u16 { return n * 2 + scale - 3; }
fn sum(p: Pair) i16 { return p.first + p.second; }
""",
    "pe.csl": """param column: u16;
param size: u16;
const other = @import_module("helper.csl", .{ .scale = 1 });
var out = @zeros([size]i16);
var pointer: [*]i16 = &out;
var kept: i16 = 4;
const done = @get_local_task_id(9);
fn main(start: i16) void {
  var total: i16 = start;
  outer: for (@range(i16, 4)) |i, at| {
    const pair = other.Pair { .first = i, .second = kept };
    if (i == 3) break :outer;
    total += other.sum(pair);
    out[at] = total + @as(i16, other.twice(column));
  }
  @activate(done);
}
task finish() void { kept += 1; }
comptime {
  @bind_local_task(finish, done);
  @export_symbol(pointer, "out");
  @export_symbol(main);
}
""",
}
for name, text in FILES.items():
    (folder / name).write_text(text)


renamed = {}


def compiled():
    """The program with the names of the beginning."""
    text = subprocess.run([sys.argv[2], "--import-csl", "--arch=wse3", folder / "layout.csl"],
                          check=True, capture_output=True, text=True).stdout
    text = re.sub(r"new_\d+", lambda m: renamed[m[0]], text)
    return re.sub(r'@(\w+) as "\1"', r"@\1", text)


def apply(edits):
    for uri, list_ in edits["changes"].items():
        path = Path(uri.removeprefix("file://"))
        lines = path.read_text().split("\n")
        for edit in sorted(list_, key=lambda e: (e["range"]["start"]["line"],
                                                 e["range"]["start"]["character"]), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            assert start["line"] == end["line"]
            line = lines[start["line"]]
            lines[start["line"]] = line[:start["character"]] + edit["newText"] + line[end["character"]:]
        path.write_text("\n".join(lines))


before = compiled()
session = Session(sys.argv[1])
# Only one file is open: the others are found beside it.
session.open(folder / "pe.csl")


def place(file, text, nth=0):
    content = (folder / file).read_text()
    at = -1
    for _ in range(nth + 1):
        at = content.index(text, at + 1)
    return content.count("\n", 0, at), at - (content.rfind("\n", 0, at) + 1)


def rename(file, text, new, nth=0):
    line, character = place(file, text, nth)
    return session.call("textDocument/rename", {
        "textDocument": {"uri": f"file://{folder / file}"},
        "position": {"line": line, "character": character}, "newName": new})


count = 0
for file, text, nth in [("pe.csl", "column", 0), ("pe.csl", "size", 0), ("pe.csl", "other", 0),
                        ("pe.csl", "out = ", 0), ("pe.csl", "pointer", 0), ("pe.csl", "kept", 2),
                        ("pe.csl", "done", 1), ("pe.csl", "main", 0), ("pe.csl", "start", 1),
                        ("pe.csl", "total", 2), ("pe.csl", "i, at", 0), ("pe.csl", "at|", 0),
                        ("pe.csl", "pair", 1), ("pe.csl", "finish", 1), ("pe.csl", "sum(", 0),
                        ("pe.csl", "twice", 0), ("helper.csl", "scale", 1), ("helper.csl", "n:", 0),
                        ("helper.csl", "Pair", 1), ("layout.csl", "helper.new", 0),
                        ("layout.csl", "x|", 0)]:
    new = f"new_{count}"
    answer = rename(file, text, new, nth)
    assert "result" in answer, (file, text, answer)
    renamed[new] = re.search(r"\w+", text)[0]
    apply(answer["result"])
    session.change(folder / "pe.csl", [{"text": (folder / "pe.csl").read_text()}])
    after = compiled()
    assert after == before, (file, text, before, after)
    content = "".join((folder / name).read_text() for name in FILES)
    assert new in content
    count += 1
assert '@export_symbol(new_7, "main");' in (folder / "pe.csl").read_text()
print(f"renamed {count}")

for name, text in FILES.items():
    (folder / name).write_text(text)
session.change(folder / "pe.csl", [{"text": FILES["pe.csl"]}])
for file, text, new, why in [
        ("layout.csl", "W", "V", "is a parameter of a layout, which --params of cslc names"),
        ("helper.csl", "first", "one", "is a field"),
        ("pe.csl", "kept", "out", "is declared already at pe.csl:4"),
        ("pe.csl", "total", "kept", "means something else"),
        ("pe.csl", "kept", "total", "means something else"),
        ("pe.csl", "i, at", "pair", "is declared already at pe.csl:11"),
        ("pe.csl", "kept", "var", "is a name of the language"),
        ("pe.csl", "kept", "a b", "is no name"),
        ("pe.csl", "@zeros", "ones", "is a name of the language"),
        ("pe.csl", "4;", "five", "there is no name here")]:
    answer = rename(file, text, new)
    assert why in answer.get("error", {}).get("message", ""), (text, new, answer)
    print("refused:", answer["error"]["message"])
sys.exit(session.end())
