# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of texts, JSON documents and syntax trees, and making texts smaller.

Everything follows from the `random.Random` that it is given.
"""

from __future__ import annotations

import functools
import json
import re
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%#!^@][A-Za-z0-9_.$-]*|->|[A-Za-z_][A-Za-z0-9_.$]*|\d+(?:\.\d+)?|\s+|.',
    re.DOTALL)
#: Numbers that are no part of a name or of a type but its sizes.
NUMBER = re.compile(r"(?<![A-WYZa-wyz_%#@$.\d])\d+")
TYPE = re.compile(r"tensor<[^<>]*>|memref<[^<>]*>|!\w+\.\w+(?:<[^<>]*>)?|\b[bfi]f?\d+\b")
#: Numbers at the edges of types and of what programs can be large.
NUMBERS = ["0", "1", "-1", "2", "3", "7", "16", "31", "32", "33", "63", "64", "127", "128", "255",
           "256", "4095", "4096", "32767", "32768", "65535", "65536", "1048576", "16777216",
           "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
           "9223372036854775808", "18446744073709551615"]
#: What names of values, functions, aliases, types and blocks begin with.
NAMED = "%@#!^"
#: Element types, as they stand alone and in shapes.
ELEMENT = re.compile(r"(?<![A-WYZa-wyz_%#@$.\d])(?:bf16|f(?:8E4M3FN|8E5M2|16|32|64)|i\d+|index)\b")
ELEMENTS = ["i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN",
            "f8E5M2", "f4E2M1FN", "index", "i17", "complex<f32>", "vector<2xf32>"]
PIECES = ["<", ">", "[", "]", "(", ")", "{", "}", ",", ":", "=", "->", "*", "/", "%"]


def how_many(random: Random) -> int:
    """How many changes an input gets: few, so that much of it stays right."""
    return random.choice([1, 1, 1, 1, 1, 2, 2, 3, 5])


@functools.lru_cache(4096)
def tokens_of(text: str) -> tuple[str, ...]:
    """All of a text, in tokens and the space between them."""
    return tuple(TOKEN.findall(text))


@functools.lru_cache(4096)
def types_of(text: str) -> tuple[str, ...]:
    """The types that MLIR text names."""
    return tuple(TYPE.findall(text))


# ===--- Text -------------------------------------------------------------=== #


class TextMutator:
    """Changes programs by token, number, type and line; a line of MLIR is an operation."""

    def __init__(self, corpus: Sequence[str], random: Random):
        self.corpus, self.random = corpus, random

    def mutate(self, text: str) -> str:
        """The text after a few changes."""
        for _ in range(how_many(self.random)):
            text = self.random.choice([self.token, self.number, self.number,
                                       self.number, self.element, self.element, self.type,
                                       self.operation])(text)
        return text

    def token(self, text: str) -> str:
        """Leaves a token out, doubles it, or puts another one of its kind there."""
        tokens = list(tokens_of(text))
        places = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not places:
            return text
        i = self.random.choice(places)
        way = self.random.randrange(12)
        if way == 0:
            tokens[i] = ""
        elif way == 1:
            tokens[i] += " " + tokens[i]
        elif way == 2:
            tokens[i] = self.random.choice(PIECES)
        else:
            self.replace(tokens, self.random.choice([j for j in places if tokens[j][0] in NAMED
                                                     or tokens[j][0].isalpha()] or places))
        return "".join(tokens)

    def replace(self, tokens: list[str], i: int) -> None:
        """Puts another token there: a name of this program for a name, an operation of the same
        dialect for an operation, a word for a word."""
        old = tokens[i]
        dialect, dot, _ = old.partition(".")
        begin = dialect + dot if dot and dialect.isidentifier() else old[0]
        other: Sequence[str] = tokens
        if old[0] not in NAMED and self.random.random() < 0.7:
            other = tokens_of(self.random.choice(self.corpus))
        alike = [token for token in other if token != old and (
            token.startswith(begin) if dot or old[0] in NAMED
            else token[0].isalpha() and "." not in token)]
        if alike:
            tokens[i] = self.random.choice(alike)

    def number(self, text: str) -> str:
        """Puts another number in the place of one, or of all that are the same."""
        found = list(NUMBER.finditer(text))
        if not found:
            return text
        match = self.random.choice(found)
        new = self.random.choice(NUMBERS)
        if self.random.random() < 0.2:
            new = str(max(0, int(match[0][:18]) + self.random.choice([-1, 1])))
        if self.random.random() < 0.75:
            # As a shape or an axis has it, everywhere.
            return NUMBER.sub(lambda other: new if other[0] == match[0] else other[0], text)
        return text[:match.start()] + new + text[match.end():]

    def element(self, text: str) -> str:
        """Puts another element type in the place of one, everywhere or at one place."""
        found = list(ELEMENT.finditer(text))
        if not found:
            return text
        match, new = self.random.choice(found), self.random.choice(ELEMENTS)
        if self.random.random() < 0.75:
            return ELEMENT.sub(lambda other: new if other[0] == match[0] else other[0], text)
        return text[:match.start()] + new + text[match.end():]

    def type(self, text: str) -> str:
        """Puts another type in the place of one, or of all that are the same."""
        found = list(TYPE.finditer(text))
        if not found:
            return text
        match = self.random.choice(found)
        types = [m[0] for m in found] + list(types_of(self.random.choice(self.corpus)))
        kind = re.split(r"[<\d]", match[0])[0]
        other = self.random.choice(
            [t for t in types if t != match[0] and (self.random.random() < 0.1
                                                    or re.split(r"[<\d]", t)[0] == kind)]
            or types)
        if self.random.random() < 0.75:
            return text.replace(match[0], other)
        return text[:match.start()] + other + text[match.end():]

    def operation(self, text: str) -> str:
        """Leaves a line out, doubles or moves it, or takes one of another program."""
        lines = text.split("\n")
        i, j = self.random.randrange(len(lines)), self.random.randrange(len(lines))
        way = self.random.randrange(4)
        if way == 0:
            del lines[i]
        elif way == 1:
            lines.insert(j, lines[i])
        elif way == 2:
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines.insert(i, self.random.choice(self.random.choice(self.corpus).split("\n")))
        return "\n".join(lines)


# ===--- JSON -------------------------------------------------------------=== #

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 255, 65535, 65536, 2**31 - 1, 2**31, -2**31, 2**32, 2**53 + 1,
    2**63 - 1, 2**63, 2**64, -2**63, 10**30, 0.5, -0.0, 1e308, 1e-310, "", "0", "-1", "\0", "a" * 300,
    "\ud800", "é𝄞", "main", "bf16", "f32", "rngd", "wse3", [], [[]], {}, [0], [None], {"": 0},
]


class JsonMutator:
    """Changes documents by field."""

    def __init__(self, corpus: Sequence[str], random: Random):
        self.corpus, self.random = corpus, random

    def mutate(self, text: str) -> str:
        """The text of a document after a few changes."""
        try:
            document = [json.loads(text)]
        except (ValueError, RecursionError):
            # Damaged before.
            return TextMutator(self.corpus, self.random).token(text)
        for _ in range(how_many(self.random)):
            self.change(document)
        text = json.dumps(document[0])
        if self.random.random() < 0.05:
            # What no tree can say: damage, a name given twice.
            text = TextMutator(self.corpus, self.random).token(text)
        return text

    def change(self, document: list[Any]) -> None:
        """One change, in place, of what the list of one element holds."""
        places: list[tuple[Any, Any]] = []
        walk(document, places)
        box, key = self.random.choice(places)
        way = self.random.randrange(10)
        if way < 4:
            box[key] = copied(self.value(box[key]))
        elif way == 4 and box is not document:
            del box[key]
        elif way == 5 and isinstance(box, list) and box is not document:
            box.insert(self.random.randrange(len(box) + 1), copied(box[key]))
        elif way == 6 and isinstance(box, dict):
            # The same value by another name.
            box[self.random.choice([k for _, k in places if isinstance(k, str)])] = (
                copied(box[key]))
        elif way == 7:
            # Another field of this document, of the same name if there is one.
            same = [(b, k) for b, k in places if k == key and b is not box]
            other, name = self.random.choice(same or places)
            box[key] = copied(other[name])
        elif way == 8:
            other, name = self.random.choice(places)
            if not isinstance(other[name], (list, dict)) and not isinstance(box[key], (list, dict)):
                other[name], box[key] = box[key], other[name]
        else:
            nested: Any = box[key]
            for _ in range(self.random.choice([1, 1, 1, 1, 2, 2, 62, 66])):
                nested = [nested]
            box[key] = nested

    def value(self, old: Any) -> Any:
        """Another value, mostly of the same type."""
        choose = self.random
        if isinstance(old, bool) or choose.random() < 0.25:
            return choose.choice(VALUES)
        if isinstance(old, (int, float)):
            numbers = [v for v in VALUES if isinstance(v, (int, float))]
            return choose.choice([old + 1, old - 1, -old, old * 2, *numbers])
        if isinstance(old, str):
            return choose.choice([old + "x", old[:-1], old.upper(), "", "\0" + old,
                                  TextMutator([old], choose).number(old)])
        if isinstance(old, list):
            return choose.choice([old[:-1], old * 2, old[::-1], old * 1000 if len(old) < 3 else []])
        return choose.choice(VALUES)


def copied(value: Any) -> Any:
    """The same value with no part in common: a document is a tree, and VALUES stay as they are."""
    return json.loads(json.dumps(value))


def walk(box: Any, places: list[tuple[Any, Any]], depth: int = 0) -> None:
    """All fields and elements below, but what is very deep: what holds them, and where."""
    keys = list(box) if isinstance(box, dict) else range(len(box))
    for key in keys:
        places.append((box, key))
        if isinstance(box[key], (dict, list)) and depth < 100:
            walk(box[key], places, depth + 1)


# ===--- Trees ------------------------------------------------------------=== #


class Tree:
    """A text and the nodes of its syntax tree, as spans of one group each."""

    def __init__(self, text: str, spans: Sequence[tuple[str, int, int]]):
        self.text = text
        self.spans = [span for span in spans if span[1] < span[2] <= len(text)]
        self.groups: dict[str, list[tuple[int, int]]] = {}
        for group, begin, end in self.spans:
            self.groups.setdefault(group, []).append((begin, end))


#: What a piece is put into; `$` is the piece.
WRAPPED = {
    "expression": ["($)", "-$", "~$", "!$", "$ + $", "$ * $", "$ << $", "$ / 0", "@as(u16, $)",
                   "@as(i32, $)", "@as(f32, $)", "@bitcast(u16, $)", "&$", "$.*", "$[0]", "$[$]",
                   ".{$, $}", "@range(u16, $)", "if ($) $ else $", "@type_of($)", "$($)"],
    "statement": ["{ $ }", "if (true) { $ }", "while (true) { $ }", "for (@range(u16, 3)) |i| { $ }",
                  "comptime { $ }", "inline for (@range(u16, 4)) |i| { $ }", "$ $", "return; $"],
    "declaration": ["$ $", "comptime { $ }", "export $", "fn wrapped() void { $ }"],
}


class TreeMutator:
    """Changes programs by the nodes of their trees. Places move while a program is changed, so
    all changes of one input are of nodes that do not overlap."""

    def __init__(self, corpus: Sequence[Tree], random: Random):
        self.corpus, self.random = corpus, random

    def mutate(self, tree: Tree) -> str:
        """The program's text after a few changes."""
        changes: list[tuple[int, int, str]] = []
        for _ in range(how_many(self.random)):
            if not tree.spans:
                break
            group, begin, end = self.random.choice(tree.spans)
            if any(begin < e and b < end for b, e, _ in changes):
                continue
            changes.append((begin, end, self.replacement(tree, group, begin, end)))
        text = tree.text
        for begin, end, new in sorted(changes, reverse=True):
            text = text[:begin] + new + text[end:]
        if self.random.random() < 0.2:
            texts = TextMutator([other.text for other in self.random.sample(
                list(self.corpus), min(4, len(self.corpus)))], self.random)
            text = self.random.choice([texts.token, texts.number])(text)
        return text

    def replacement(self, tree: Tree, group: str, begin: int, end: int) -> str:
        """What stands in the place of a node afterwards."""
        old = tree.text[begin:end]
        way = self.random.randrange(8)
        if way == 0:
            return ""
        if way == 1:
            return old + " " + old
        if way == 2:
            kind = group.split()[0]
            return self.random.choice(WRAPPED.get(kind, ["$"])).replace("$", old)
        if way == 3 and old.strip().isalnum():
            return self.random.choice(NUMBERS)
        donor = tree if way < 6 else self.random.choice(self.corpus)
        spans = donor.groups.get(group) or tree.groups[group]
        b, e = self.random.choice(spans)
        return (donor if group in donor.groups else tree).text[b:e]


# ===--- Smaller ----------------------------------------------------------=== #


def shrink(text: str, is_same: Callable[[str], bool], cuts: Sequence[Callable[[str], Sequence[str]]],
           seconds: float = 30) -> str:
    """A smaller text that still is_same(), by parts as each of `cuts` makes them: first half
    of them at once, in the end one after the other."""
    stop = time.monotonic() + seconds
    for cut in cuts:
        parts = list(cut(text))
        size = max(1, len(parts) // 2)
        while size and time.monotonic() < stop:
            i = 0
            while i < len(parts) and time.monotonic() < stop:
                rest = parts[:i] + parts[i + size:]
                if is_same("".join(rest)):
                    parts = rest
                else:
                    i += size
            size //= 2
        text = "".join(parts)
    return text


def shrink_json(text: str, is_same: Callable[[str], bool], seconds: float = 30) -> str:
    """The same for a document: fields and elements are left out, the largest first."""
    stop = time.monotonic() + seconds
    try:
        document = [json.loads(text)]
    except ValueError:
        return shrink(text, is_same, [tokens_of], seconds)
    if not is_same(json.dumps(document[0])):
        return shrink(text, is_same, [tokens_of], seconds)
    changed = True
    while changed and time.monotonic() < stop:
        changed = False
        places: list[tuple[Any, Any]] = []
        walk(document, places)
        places.sort(key=lambda place: -len(json.dumps(place[0][place[1]])))
        gone: set[int] = set()
        for box, key in places:
            if time.monotonic() > stop:
                break
            if box is document or id(box) in gone or (
                    key not in box if isinstance(box, dict) else key >= len(box)):
                continue
            old = box[key]
            del box[key]
            if is_same(json.dumps(document[0])):
                changed = True
                below: list[tuple[Any, Any]] = []
                walk([old], below)
                gone.update(id(part[name]) for part, name in below)
            elif isinstance(box, dict):
                box[key] = old
            else:
                box.insert(key, old)
    return json.dumps(document[0])


def lines_of(text: str) -> list[str]:
    """Its lines, each with its end."""
    return text.splitlines(keepends=True)
