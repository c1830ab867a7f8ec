# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, values and errors of a program, as the editor shows them.

usage: values.py SEQUIN_LSP_SERVER FOLDER
"""

import sys
from pathlib import Path

from session import Session

folder = Path(sys.argv[2]).resolve()
layout, pe, table = (folder / name for name in ("layout.csl", "pe.csl", "parts/table.csl"))
session = Session(sys.argv[1])


def place(path, text, nth=0):
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines):
        if text in line:
            if nth == 0:
                return number, line.index(text)
            nth -= 1
    raise SystemExit(f"no '{text}' in {path}")


def hover(path, text, nth=0, shift=0):
    line, character = place(path, text, nth)
    shown = session.hover(path, line, character + shift)
    return shown.split("```\n")[-1].strip() if shown else None


def expect(found, wanted):
    if found != wanted:
        raise SystemExit(f"found\n{found}\nexpected\n{wanted}")


# The code of PEs is seen through the layout next to it, with the flags of the script.
session.open(pe)
expect(session.problems(pe), [])
expect(hover(pe, "size: u16"), "`u16` = `5 at PE (0, 0), 10 at PE (2, 0)`")
expect(hover(pe, "place: u16"), "`u16` = `0 at PE (0, 0), 1 at PE (1, 0), 2 at PE (2, 0)`")
expect(hover(pe, "data:"), "- `[5]f32` (PE (0, 0))\n- `[10]f32` (PE (2, 0))")
# A parameter of a function, by call.
expect(hover(pe, "k: u16"),
       "- `u16` = `1` (PE (0, 0), called at line 14)\n"
       "- `u16` = `4` (PE (0, 0), called at line 15)\n"
       "- `u16` = `9` (PE (2, 0), called at line 15)")
expect(hover(pe, "data[k]"), "- `[5]f32` (PE (0, 0), called at line 14)\n"
       "- `[10]f32` (PE (2, 0), called at line 14)")
# Computed by running code: a type alone. Of an operator it is the whole expression.
expect(hover(pe, "total:"), "`f32`")
expect(hover(pe, "first = pick"), "`f32`")
expect(hover(pe, "+ pick"), "`f32`")
expect(hover(pe, "- 1)"), "`u16` = `4 at PE (0, 0), 9 at PE (2, 0)`")
expect(hover(pe, "table.factor", shift=6),
       "- `f32` = `2.5` (PE (0, 0))\n- `f32` = `5` (PE (2, 0))\n\nfrom `table.csl`")
expect(hover(pe, "@get_local_task_id"), "`local_task_id` = `local_task_id 8`")
# A library's function has its declaration.
line, character = place(pe, "sqrt")
assert "fn sqrt" in session.hover(pe, line, character)
where = session.at("definition", pe, line, character)
assert where and where[0]["uri"].endswith("/csl/math.csl"), where
where = session.at("definition", pe, *place(pe, "table.factor")[:1], place(pe, "factor")[1])
expect([where[0]["uri"].split("/")[-1], where[0]["range"]["start"]],
       ["table.csl", {"line": 3, "character": 6}])

# A module that is imported three times, also by the layout.
session.open(layout)
session.open(table)
expect(hover(table, "factor:"),
       "- `f32` = `1.5` (the layout, module 'table')\n"
       "- `f32` = `2.5` (PE (0, 0), module 'table')\n"
       "- `f32` = `5` (PE (2, 0), module 'table')")
expect(hover(table, "entries"),
       "- `[2]u16` = `{ 3, 4 }` (the layout, module 'table')\n"
       "- `[2]u16` = `{ 5, 6 } at PE (0, 0), { 10, 11 } at PE (2, 0)` (PE (0, 0), module 'table')")
expect(hover(layout, "x / 2"),
       "- `u16` = `0` (the layout)\n- `u16` = `1` (the layout)\n- `u16` = `2` (the layout)")

# All uses of a name, from any of them.
def uses(path, text, nth=0, shift=0):
    line, character = place(path, text, nth)
    found = session.request("textDocument/references", {
        "textDocument": {"uri": f"file://{path}"},
        "position": {"line": line, "character": character + shift},
        "context": {"includeDeclaration": True}})
    return [(spot["uri"].split("/")[-1], spot["range"]["start"]["line"]) for spot in found]


expect(uses(pe, "table.factor", shift=6), [("table.csl", 3), ("pe.csl", 16)])
expect(uses(table, "factor:"), [("table.csl", 3), ("pe.csl", 16)])
expect(uses(pe, "data:"), [("pe.csl", 6), ("pe.csl", 9), ("pe.csl", 16)])
expect(uses(pe, "total", 1), [("pe.csl", n) for n in (14, 15, 15, 16)])

# An edit of the module: an error in the code of the PE, which is open too, and back.
text = table.read_text()
session.change(table, [{"text": text.replace("factor: f32", "factor: bool")}])
problems = session.problems(table)
expect([d["severity"] for d in problems], [1])
assert "'bool'" in problems[0]["message"], problems
related = [note["location"]["uri"].split("/")[-1] + ": " + note["message"]
           for note in problems[0]["relatedInformation"]]
assert any(note.endswith("module imported here") for note in related), related
session.change(table, [{"text": text.replace("factor", "factors")}])
expect(session.problems(table), [])
problems = session.problems(pe)
expect([d["message"].split("'")[-2] for d in problems], ["factor"])
session.change(table, [{"text": text.replace("/ 2.0", "/ 4.0")}])
expect(session.problems(pe), [])
expect(hover(pe, "table.factor", shift=6),
       "- `f32` = `1.25` (PE (0, 0))\n- `f32` = `2.5` (PE (2, 0))\n\nfrom `table.csl`")
# A loop that never ends costs the limit, and says so.
session.change(table, [{"text": text + "fn f() u16 { var n: u16 = 0;\n"
                        "  while (true) { n = n & 1; }\n  return n; }\nconst endless = f();\n"}])
problems = session.problems(table)
expect([d["severity"] for d in problems], [3])
assert "steps of evaluation" in problems[0]["message"], problems
session.change(table, [{"text": text}])
expect(session.problems(table), [])
# What is said about a file ends when it is closed.
session.notify("textDocument/didClose", {"textDocument": {"uri": f"file://{table}"}})
expect(hover(pe, "table.factor", shift=6),
       "- `f32` = `2.5` (PE (0, 0))\n- `f32` = `5` (PE (2, 0))\n\nfrom `table.csl`")

# A file that no layout leads to: what needs no parameter has its value, and no
# parameter that is missing is an error.
alone = folder.parent / "alone.csl"
session.open(alone, "param n: u16;\nconst m: u16 = 3;\nvar a = @zeros([m * 2]f32);\n"
             "fn f() u16 { return n + m; }\n")
expect(session.problems(alone), [])
expect(session.hover(alone, 0, 6).split("```\n")[-1], "`u16`\n")
expect(session.hover(alone, 2, 4).split("```\n")[-1], "`[6]f32`\n")
# A layout whose parameter has no value anywhere: a remark, no error.
other = folder.parent / "other.csl"
session.open(other, "param n: u16;\nlayout { @set_rectangle(n, 1); }\n")
expect([(d["severity"], d["range"]["start"]["line"]) for d in session.problems(other)], [(3, 0)])
expect(session.end(), 0)
