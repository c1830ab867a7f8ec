# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.Mapping; the answers are those of sequin-map."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import sequin
from sequin import Mapping


@pytest.fixture
def sequin_map(build):
    def run(*arguments):
        command = [str(build / "bin" / "sequin-map"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    return run


def test_eval(sequin_map):
    mapping = Mapping("B / 64, B % 32, B / 32 % 2", axes={"A": 8, "B": 512})
    assert mapping.size == len(mapping) == 512
    positions = mapping.eval()
    assert positions[:3] == [{}, {"B": 32}, {"B": 1}]
    assert list(mapping) == positions
    _, printed, _ = sequin_map("eval", "--axes", "A=8,B=512", mapping.text, "--json")
    assert json.loads(printed) == {"size": 512, "index": positions}


def test_padding_and_several_indices():
    assert Mapping("D # 4", axes={"D": 3}).eval() == [{}, {"D": 1}, {"D": 2}, None]
    sliding = Mapping("$(N:1, F:2)", axes="N=5,F=3")
    assert sliding.eval()[2] == [{"N": 2}, {"F": 1}]


def test_skewed_axes_and_tables():
    skewed = Mapping("A, B' @ 2 = 2", axes={"A": 4, "B": 4, "B'": "B-A"})
    assert skewed.eval()[2] == {"A": 1, "B": 3}
    lookup = Mapping("A ? t", axes={"A": 8}, tables={"t": [3, 1, 4]})
    assert lookup.eval() == [{"A": 3}, {"A": 1}, {"A": 4}]


def test_equivalent(sequin_map):
    mapping = Mapping("B / 64, B % 64", axes={"B": 512})
    same = mapping.equivalent("B")
    assert same
    assert same.position is None
    assert str(same) == "equivalent"
    assert mapping.equivalent(Mapping("B", axes={"B": 512}))

    left, right = "[A, B] / 8, [A, B] % 8", "[A, B] % 8, [A, B] / 8"
    different = Mapping(left, axes={"A": 6, "B": 4}).equivalent(right)
    assert not different
    assert (different.position, different.left, different.right) == (1, {"B": 1}, {"A": 2})
    code, _, printed = sequin_map("equiv", "--axes", "A=6,B=4", left, right)
    assert code == 1
    assert printed == f"error: not equivalent: {different}\n"

    shorter = Mapping("B", axes={"B": 8}).equivalent("B = 7")
    assert (shorter.position, shorter.left, shorter.right) == (7, {"B": 7}, None)


def test_normalize():
    mapping = Mapping("B / 64, B % 64", axes={"B": 512})
    assert mapping.normalize().text == "B"
    assert repr(mapping.normalize()) == "sequin.Mapping('B', axes='B=512')"


def test_derive(sequin_map):
    stream = Mapping("W, H, C, N", axes={"N": 4, "C": 3, "H": 8, "W": 8})
    found = stream.derive(buffer="N, C, H, W", packet="1", dtype="bf16")
    assert str(found) == "[8:1, 8:8, 3:64, 4:192]:1"
    assert [(loop.size, loop.stride) for loop in found.entries] == [
        (8, 1),
        (8, 8),
        (3, 64),
        (4, 192),
    ]
    assert found.entries[0].terms == ("W",)
    assert (found.contiguous_bytes, found.access_bytes, found.cycles) == (2, 2, 768)
    _, printed, _ = sequin_map(
        *("derive", "--axes", "N=4,C=3,H=8,W=8", "--dtype", "bf16", "--json"),
        *("--buffer", "N, C, H, W", "--time", "W, H, C, N", "--packet", "1"),
    )
    assert json.loads(printed) == found.keys
    _, explained, _ = sequin_map(
        *("explain", "--axes", "N=4,C=3,H=8,W=8", "--dtype", "bf16"),
        *("--buffer", "N, C, H, W", "--time", "W, H, C, N", "--packet", "1"),
    )
    assert explained == found.explanation


def test_derive_with_mappings():
    axes = {"A": 16, "B": 8}
    written = Mapping("A", axes).derive(
        buffer=Mapping("A, B", axes), packet=Mapping("B", axes), direction="write"
    )
    assert written.access_bytes == 8
    assert written.keys["commit_in_size"] == 8
    with pytest.raises(sequin.UsageError, match="buffer is over the axes 'A=32'"):
        Mapping("A", axes).derive(buffer=Mapping("A", {"A": 32}))


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"buffer": "A % 5, A / 5", "packet": "A % 3, A / 3"}, "no common refinement"),
        ({"buffer": "A, C"}, "in --buffer: "),
        ({"buffer": "A", "dtype": "i7"}, "unknown element type 'i7'"),
        ({"buffer": "A", "direction": "up"}, "unknown direction 'up'"),
        ({"buffer": "A", "target": "rngdx"}, "unknown machine 'rngdx' in --target; known: rngd"),
    ],
)
def test_refused_derivations(arguments, text):
    with pytest.raises(sequin.MappingError, match="error: .*" + text):
        Mapping("1", axes={"A": 15}).derive(**arguments)


@pytest.mark.parametrize(
    "text, axes",
    [("B / 3", "B=8"), ("C", "B=8"), ("B /", "B=8"), ("B", "B=0"), ("B", "B=8,B=9"), ("", "B=8")],
)
def test_refused_mappings_have_the_tools_text(sequin_map, text, axes):
    code, _, printed = sequin_map("normalize", "--axes", axes, text)
    assert code == 1
    with pytest.raises(sequin.MappingError) as caught:
        Mapping(text, axes)
    assert str(caught.value) == printed.rstrip("\n")
    assert isinstance(caught.value, ValueError)


def test_draw(sequin_map):
    mapping = Mapping("H / 2, W / 2, H % 2, W % 2", axes={"H": 4, "W": 4})
    picture = mapping.draw()
    _, printed, _ = sequin_map("draw", "--axes", "H=4,W=4", mapping.text, "-o", "-")
    assert picture == printed
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert mapping._repr_svg_() == picture


def test_too_large_to_draw_or_list():
    mapping = Mapping("B", axes={"B": 1 << 25})
    assert mapping._repr_svg_() is None
    with pytest.raises(sequin.MappingError):
        mapping.draw()
    with pytest.raises(sequin.MappingError, match="33554432 positions, at most 16777216"):
        mapping.eval()
    assert mapping.equivalent("B / 2, B % 2")


def test_machines():
    assert "rngd" in sequin.machines()
    assert sequin.machine("rngd")["clock_mhz"] > 0
    with pytest.raises(sequin.UsageError, match="unknown machine 'x', known are rngd, "):
        sequin.machine("x")
