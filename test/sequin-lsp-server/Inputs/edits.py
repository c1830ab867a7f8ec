# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Edits a program at random and asks at random places; then asks a server that saw only
the result: the answers are the same. The seed is printed.

usage: edits.py SEQUIN_LSP_SERVER FOLDER [SEED]
"""

import random
import sys
import time
from pathlib import Path

from session import Session

folder = Path(sys.argv[2]).resolve()
paths = [folder / name for name in ("layout.csl", "pe.csl", "parts/table.csl")]
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
print(f"seed {seed}")
choose = random.Random(seed)
# A small limit: many of these programs never end.
FLAGS = ("--step-limit=20000",)
SECONDS = 10

session = Session(sys.argv[1], *FLAGS)
texts = {path: path.read_text() for path in paths}
for path in paths:
    session.open(path)
words = sorted({word for text in texts.values() for word in text.split()})


def position(text, at):
    before = text[:at]
    return {"line": before.count("\n"), "character": at - (before.rfind("\n") + 1)}


def answers(asked, places):
    return [asked.hover(path, at["line"], at["character"]) for path, at in places]


for number in range(120):
    if number % 20 == 19:
        # Back to a program that compiles.
        for path in paths:
            texts[path] = path.read_text()
            session.change(path, [{"text": texts[path]}])
    path = choose.choice(paths)
    changes = []
    for _ in range(choose.randint(1, 2)):
        text = texts[path]
        begin = choose.randrange(len(text) + 1)
        end = min(len(text), begin + choose.choice([0, 0, 1, 4, 20]))
        new = choose.choice(["", choose.choice(words), " ", "while (true) {}", "é", "\n"])
        changes.append({"range": {"start": position(text, begin), "end": position(text, end)},
                        "text": new})
        texts[path] = text[:begin] + new + text[end:]
    start = time.monotonic()
    session.change(path, changes)
    asked = [(path, position(texts[path], choose.randrange(len(texts[path]) + 1)))
             for path in choose.choices(paths, k=4)]
    found = answers(session, asked)
    taken = time.monotonic() - start
    if taken > SECONDS:
        raise SystemExit(f"edit {number}: answers took {taken:.1f} s")
    if number % 8:
        continue
    fresh = Session(sys.argv[1], *FLAGS)
    for path in paths:
        fresh.open(path, texts[path])
    if (again := answers(fresh, asked)) != found:
        raise SystemExit(f"edit {number}: found {found}, a new server says {again}")
    for path in paths:
        # Each was last checked at its own last change, or that of a file of its program.
        if (one := fresh.problems(path)) != (two := session.problems(path)):
            raise SystemExit(f"edit {number}: {path.name}: found {two}, a new server says {one}")
    fresh.end()
sys.exit(session.end())
