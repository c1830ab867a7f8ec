# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a routed layout as CSL, and has cslc compile it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sequin
from sequin._boundary import run_program, write_file
from sequin.errors import HostError, HostTypeError

from .former import warn_former
from .regions import CodeRegion
from .router import Fabric, Place, Position
from .routes import Color, Route

__all__ = ["compile_layout", "generated_layout", "layout_text", "split_warnings"]

PASSING = "// A PE that only passes wavelets on.\n"
#: x, y, width, height
Block = tuple[int, int, int, int]


def blocks(places: Iterable[Place]) -> list[Block]:
    """Few rectangles that together are the places."""
    rows: dict[int, list[int]] = {}
    for x, y in places:
        rows.setdefault(y, []).append(x)
    done: list[Block] = []
    # Runs of a row that go on in the next one.
    growing: dict[tuple[int, int], int] = {}
    last = None
    for y in sorted(rows):
        runs = []
        for x in sorted(rows[y]):
            if runs and runs[-1][1] == x:
                runs[-1][1] = x + 1
            else:
                runs.append([x, x + 1])
        now = {(a, b) for a, b in runs}
        for (a, b), top in list(growing.items()):
            if (a, b) not in now or last != y - 1:
                assert last is not None
                done.append((a, top, b - a, last + 1 - top))
                del growing[a, b]
        for run in now:
            growing.setdefault(run, y)
        last = y
    for (a, b), top in growing.items():
        assert last is not None
        done.append((a, top, b - a, last + 1 - top))
    return sorted(done, key=lambda block: (block[1], block[0]))


def for_block(block: Block, call: str) -> list[str]:
    """Lines that do `call`, which has {x} and {y}, for the PEs of a rectangle."""
    x, y, width, height = block
    if width == height == 1:
        return ["  " + call.replace("{x}", str(x)).replace("{y}", str(y))]
    return [
        f"  for (@range(i16, {x}, {x + width}, 1)) |x| {{",
        f"    for (@range(i16, {y}, {y + height}, 1)) |y| {{",
        "      " + call.replace("{x}", "x").replace("{y}", "y"),
        "    }",
        "  }",
    ]


def literal(name: str, value: Any, program: str = "") -> str:
    """A parameter's value as CSL. A color is its number, or where `program` declares the
    parameter as `color`, as up to release 1.4, the color."""
    if isinstance(value, Color):
        number = str(value.get_value())
        is_color = re.search(rf"(?m)^\s*param\s+{re.escape(name)}\s*:\s*color\b", program)
        if is_color:
            warn_former(
                f"parameter '{name}' of type 'color' in a layout made in Python", "1.4", "2.10",
                "it is the color's number, of type 'u16'",
            )
        return f"@get_color({number})" if is_color else number
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number != number or number in (float("inf"), float("-inf")):
            raise HostError(f"parameter '{name}' is {number}, expected a finite number")
        text = np.format_float_positional(number, trim="0")
        return text
    raise HostTypeError(
        f"parameter '{name}' is a {type(value).__name__}, expected a number, a bool or a Color"
    )


def _links(links: set[Route]) -> str:
    names = [route.name for route in Route if route in links]
    return ".{ " + ", ".join(names) + " }" if names else ".{}"


def color_config(positions: Sequence[Position]) -> str:
    """The struct that @set_color_config takes. A side that a position does not give is
    that of the position before it."""
    first = positions[0]
    rx, tx = first.rx, first.tx
    text = f".routes = .{{ .rx = {_links(first.rx)}, .tx = {_links(first.tx)} }}"
    switches = []
    for number, position in enumerate(positions[1:], 1):
        parts = []
        if position.rx and position.rx != rx:
            (only,) = position.rx if len(position.rx) == 1 else (None,)
            parts.append(f".rx = {only.name if only else _links(position.rx)}")
        if (position.tx and position.tx != tx) or not parts:
            links = position.tx or tx
            (only,) = links if len(links) == 1 else (None,)
            parts.append(f".tx = {only.name if only else _links(links)}")
        rx, tx = position.rx or rx, position.tx or tx
        switches.append(f".pos{number} = .{{ {', '.join(parts)} }}")
    if switches:
        text += f", .switches = .{{ {', '.join(switches)} }}"
    return f".{{ {text} }}"


def _quoted(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comment(region: CodeRegion) -> str:
    return f"  // region '{region.name}'"


def layout_text(fabric: Fabric, regions: Sequence[CodeRegion], passing: Path) -> str:
    """The layout block; `passing` is the program of PEs outside of all regions."""
    lines = ["// Written by SdkLayout.compile().", "layout {",
             f"  @set_rectangle({fabric.width}, {fabric.height});"]

    def add(groups: dict[Any, list[Place]], call: Any) -> None:
        for key, places in groups.items():
            for block in blocks(places):
                lines.extend(for_block(block, call(key)))

    for region in regions:
        assert region.origin is not None
        program = region.source.read_text(encoding="utf-8", errors="replace")
        by_params: dict[Hashable, list[Place]] = {}
        for y in range(region.height):
            for x in range(region.width):
                values = region.params.get((x, y), {})
                text = ", ".join(
                    f".{name} = {literal(name, value, program)}"
                    for name, value in values.items()
                )
                by_params.setdefault(text, []).append((region.origin.x + x, region.origin.y + y))
        source = _quoted(region.source)
        lines.append(_comment(region))
        add(by_params, lambda text, s=source: f"@set_tile_code({{x}}, {{y}}, {s}, .{{ {text} }});")
    others = [
        (x, y)
        for y in range(fabric.height)
        for x in range(fabric.width)
        if (x, y) not in fabric.regions
    ]
    lines.append("  // PEs outside of regions, and routes")
    add({"": others} if others else {},
        lambda _: f"@set_tile_code({{x}}, {{y}}, {_quoted(passing)}, .{{}});")
    by_config: dict[Hashable, list[Place]] = {}
    for place, colors in fabric.cells.items():
        for color, positions in colors.items():
            by_config.setdefault((color, color_config(positions)), []).append(place)
    add(dict(sorted(by_config.items(), key=str)),
        lambda key: f"@set_color_config({{x}}, {{y}}, @get_color({key[0]}), {key[1]});")
    return "\n".join([*lines, "}", ""])


def find_cslc(prefix: str) -> str:
    """The compiler: below `prefix`, beside this package, or on PATH."""
    package = Path(sequin.__file__).resolve()
    candidates = [
        *((Path(prefix) / "cslc", Path(prefix + "cslc")) if prefix else ()),
        *(parent / "bin" / "compat" / "cslc" for parent in package.parents[2:7]),
    ]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("cslc")
    if found is None:
        raise HostError("cslc is not there: neither beside this package nor on PATH")
    return found


def compile_layout(
    directory: Path,
    fabric: Fabric,
    regions: Sequence[CodeRegion],
    arch: str,
    fp16: str,
    libs: Sequence[str],
    cslc_prefix: str,
) -> str:
    """Writes the layout's source into the directory, and compiles it there. What the
    compiler said."""
    layout = generated_layout(directory)
    layout.parent.mkdir(parents=True, exist_ok=True)
    passing = (layout.parent / "passing.csl").resolve()
    write_file(passing, PASSING)
    write_file(layout, layout_text(fabric, regions, passing))
    command = [
        find_cslc(cslc_prefix),
        str(layout),
        f"--arch={arch}",
        f"--fp16-format={fp16}",
        f"--fabric-dims={fabric.width},{fabric.height}",
        "--fabric-offsets=0,0",
        *(f"--import-path={lib}" for lib in libs),
        "-o",
        str(directory),
    ]
    code, text = run_program(command)
    if code != 0:
        raise HostError(f"the layout does not compile:\n{text.rstrip()}")
    return text


def generated_layout(directory: Path) -> Path:
    """The layout's source in a directory of cslc."""
    return directory / "generated" / "layout.csl"


# ===--- What the compiler says -------------------------------------------=== #

#: The first line of a warning: its place, and the text.
WARNING = re.compile(r"(?:(.+?):(\d+):(\d+): )?warning: (.*)")
NO_PARAMETER = re.compile(r"module '.*' has no parameter '(.*)'")
NO_SENDER = re.compile(r"@\w+ waits for color (\d+), on which no program sends")
OFF_THE_FABRIC = re.compile(r"@\w+ sends color (\d+) (\w+), off the rectangle .*")
#: The first of the PEs that a warning is about, and how many others there are.
FIRST_PE = re.compile(r".* \(PE (\d+), (\d+)(?: and (\d+) more)?\)")
#: How many regions a warning names.
MOST_NAMES = 4


class CompilerWarning:
    """A warning of cslc with its notes and excerpts of the source."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        head = WARNING.fullmatch(lines[0])
        file, line, column, text = head.groups() if head else (None, 0, 0, lines[0])
        self.file = Path(file).resolve() if file else None
        self.line, self.column, self.text = int(line or 0), int(column or 0), text

    def is_about_streams(self, sent: set[int], ends: Sequence[tuple[int, str, Place]]) -> bool:
        """Whether it misses streams of the host, which the compiler does not know: the
        colors that they send, and the (color, link, PE) where they receive."""
        if found := NO_SENDER.fullmatch(self.text):
            return int(found[1]) in sent
        found, first = OFF_THE_FABRIC.fullmatch(self.text), FIRST_PE.fullmatch(self.text)
        if not found or not first:
            return False
        places = [p for color, link, p in ends if (color, link) == (int(found[1]), found[2])]
        x, y, others = (int(number or 0) for number in first.groups())
        return (x, y) in places and others < len(places)

    def regions(
        self, regions: Sequence[CodeRegion], fabric: Fabric, layout: Path
    ) -> tuple[str, ...]:
        """The names of the regions that it is about, as far as it says."""
        if first := FIRST_PE.fullmatch(self.text):
            region = fabric.regions.get((int(first[1]), int(first[2])))
            return (region.name,) if isinstance(region, CodeRegion) else ()
        source = self.file
        if source == layout.resolve():
            comments = [
                line for line in layout.read_text(encoding="utf-8").split("\n")[: self.line]
                if line.startswith("  // ")
            ]
            here = [region for region in regions if comments[-1:] == [_comment(region)]]
            found = NO_PARAMETER.fullmatch(self.text)
            if not here or not found:
                return tuple(region.name for region in here)
            # It is said for the first of those that have the program.
            return tuple(
                region.name
                for region in regions
                if region.source == here[0].source
                and any(found[1] in values for values in region.params.values())
            )
        return tuple(region.name for region in regions if region.source == source)

    def key(self, layout: Path, names: tuple[str, ...]) -> Hashable:
        """What is the same for the same warning: of the layout's source, which has a line
        for each choice of parameters, also at another line."""
        here = () if self.file == layout.resolve() else (self.file, self.line, self.column)
        return here, self.text, names

    def named(self, names: Sequence[str]) -> str:
        """The whole text with the names of regions."""
        listed = ", ".join(f"'{name}'" for name in names[:MOST_NAMES])
        if len(names) > MOST_NAMES:
            listed += f" and {len(names) - MOST_NAMES} more"
        regions = f" (region{'s' if len(names) > 1 else ''} {listed})" if names else ""
        return "\n".join([self.lines[0] + regions, *self.lines[1:]])


def split_warnings(text: str) -> list[CompilerWarning]:
    """The warnings in what the compiler said."""
    parts: list[list[str]] = []
    for line in text.rstrip().splitlines():
        if not parts or WARNING.fullmatch(line):
            parts.append([])
        parts[-1].append(line)
    return [CompilerWarning(lines) for lines in parts]
