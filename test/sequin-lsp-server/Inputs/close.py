# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file that is closed without being saved counts again as it is on disk, also in what is
said of the files around it; values that share their parts are answered at once.

usage: close.py SEQUIN_LSP_SERVER FOLDER
"""

import sys
import time
from pathlib import Path

from session import Session

folder = Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
layout, pe = folder / "layout.csl", folder / "pe.csl"
layout.write_text('layout {\n  @set_rectangle(1, 1);\n'
                  '  @set_tile_code(0, 0, "pe.csl", .{ .n = 3 });\n'
                  '  @export_name("f", fn() void);\n}\n')
text = "param n: i16;\nfn f() void {}\ncomptime { @export_symbol(f); }\n"
pe.write_text(text)
session = Session(sys.argv[1])
session.open(layout)
session.open(pe)
print("opened:", len(session.problems(layout)))
session.change(pe, [{"text": text.replace("param n", "param m")}])
print("edited:", [problem["message"] for problem in session.problems(layout)])
session.notify("textDocument/didClose", {"textDocument": {"uri": f"file://{pe}"}})
print("closed:", len(session.problems(layout)))
doubled = "".join(f"const a{i + 1} = .{{ a{i}, a{i} }};\n" for i in range(20))
start = time.monotonic()
session.change(layout, [{"text": "const a0 = .{ 1, 2 };\n" + doubled + layout.read_text()}])
session.problems(layout)
print("at once" if time.monotonic() - start < 10 else "late")
sys.exit(session.end())
