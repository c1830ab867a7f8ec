# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives over chips: what their configurations move, and what comes of it.

collectives.py trace PROGRAM DIR
    derives the configuration of PROGRAM, follows every element (a, b) of the input through
    it, and prints what is where after every move and every sum
collectives.py run PROGRAM DIR TYPE
    runs PROGRAM with --verify on a matrix, and compares with NumPy; runs it again without
    data and compares the cycles
collectives.py returns VALUE TYPE PROGRAM DIR
    the same program, but VALUE, of type alias !TYPE, is what the kernel returns; prints it
collectives.py write CHIPS TYPE
    writes an AllReduce over CHIPS chips to stdout: one rotation less than chips, added one
    after the other
"""

import itertools
import json
import pathlib
import subprocess
import sys

import numpy as np

Memory = dict[tuple[str, int, int], str]  # (memory, chip, byte) -> what is there


def tool(*command: str | pathlib.Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def configuration(program: pathlib.Path, folder: pathlib.Path) -> dict:
    lowered = folder / "lowered.mlir"
    tool("sequin-opt", "--tcp-to-config", program, "-o", lowered)
    return json.loads(tool("sequin-translate", "--tcp-to-json", lowered))


def offsets(entries: list[list[int]], which: int) -> list[int]:
    """Sums of index times stride number `which`, in the order of the loops."""
    ranges = [range(entry[0]) for entry in entries]
    return [sum(i * e[which] for i, e in zip(index, entries)) for index in itertools.product(*ranges)]


def size_of(element: str) -> int:
    return {"i8": 1, "i32": 4, "f32": 4}[element]


def transfer(command: dict, memory: Memory, width: int) -> None:
    size = size_of(command["type"])
    host = offsets(command["entries"], 1)
    device = offsets(command["entries"], 2)
    for source, destination in zip(host, device):
        a, b = divmod(command["host_base"] + source, width)
        memory["hbm", command["chip"], command["device_address"] + size * destination] = f"({a},{b})"


def move(command: dict, memory: Memory) -> None:
    """Descriptors of one command read before any of them writes."""
    writes: Memory = {}
    for one in command["descriptors"]:
        starts = zip(offsets(one["entries"], 1), offsets(one["entries"], 2))
        for (source, destination), byte in itertools.product(starts, range(one["packet_bytes"])):
            found = memory.get((command["source"], one["source_chip"], one["source_address"] + source + byte))
            if found:
                writes[command["destination"], one["destination_chip"],
                       one["destination_address"] + destination + byte] = found
    memory.update(writes)


def run_pass(command: dict, memory: Memory) -> None:
    """A copy, or the sum of two interleaved tensors."""
    fetch, commit = command["fetch"], command["commit"]
    size = size_of(fetch["from"])
    places = [fetch["sequencer"]["base"] + size * o for o in offsets(fetch["sequencer"]["entries"], 1)]
    stream = [memory.get(("dm", command["chip"], place)) for place in places]
    if "vector" in command:
        ops = command["vector"]["ops"]
        assert command["vector"]["unzip"] and len(ops) == 1 and ops[0]["zip"], ops
        assert ops[0]["opcode"] in ("ClipAdd", "ClipAddFxp"), ops
        lanes = fetch["packet_elements"]
        pairs = [(i, i + lanes) for first in range(0, len(stream), 2 * lanes) for i in range(first, first + lanes)]
        stream = [f"[{stream[i]} + {stream[j]}]" if stream[i] and stream[j] else None for i, j in pairs]
    size = size_of(commit["type"])
    base = commit["sequencer"]["base"]
    for offset, found in zip(offsets(commit["sequencer"]["entries"], 1), stream, strict=True):
        if found:
            memory["dm", command["chip"], base + size * offset] = found


def held(memory: Memory, place: str, chip: int, base: int, end: int) -> str:
    labels = [text for (m, c, byte), text in sorted(memory.items()) if (m, c) == (place, chip) and base <= byte < end]
    return " ".join(label.replace("[", "").replace("]", "") for label in labels)


def trace(program: pathlib.Path, folder: pathlib.Path) -> None:
    config = configuration(program, folder)
    chips, width = config["chips"], config["inputs"][0]["shape"][1]
    memory: Memory = {}
    group: list[dict] = []  # one pass on every chip
    for command in config["commands"]:
        kind, name = command["kind"], command["name"]
        if kind == "transfer" and command["direction"] == "to_device":
            transfer(command, memory, width)
        elif kind == "dma":
            move(command, memory)
            pairs = {(one["destination_chip"], one["source_chip"]) for one in command["descriptors"]}
            assert len(pairs) == len(command["descriptors"]) == chips, "one descriptor per chip"
            sources = [source for _, source in sorted(pairs)]
            first = command["descriptors"][0]
            assert len({one["destination_address"] for one in command["descriptors"]}) == 1
            if sources != list(range(chips)):
                print("shuffle", *sources, "from", command["source"], "to", command["destination"])
                start = first["destination_address"]
                for chip in range(chips):
                    print(f"  chip {chip}:", held(memory, "hbm", chip, start, start + 64))
        elif kind == "exec":
            run_pass(command, memory)
            group.append(command)
            if len(group) < chips:
                continue
            assert [one["chip"] for one in group] == list(range(chips))
            start = command["commit"]["sequencer"]["base"]
            end = start + 32
            if "vector" in command:
                fetch = command["fetch"]["sequencer"]
                jump = next(stride for size, stride in fetch["entries"] if size == 2)
                size = size_of(command["fetch"]["from"])
                print("add in", command["context"], "at", fetch["base"], "and", fetch["base"] + size * jump)
            else:
                bases = [one["fetch"]["sequencer"]["base"] for one in group]
                print("slice", *bases, "in", command["context"])
                end = start + 1  # what is behind is read along, and means nothing
            for chip in range(chips):
                print(f"  chip {chip}:", held(memory, "dm", chip, start, end))
            group = []


def matrix(config: dict, element: str) -> np.ndarray:
    shape = tuple(config["inputs"][0]["shape"])
    rng = np.random.default_rng(17)
    if element == "f32":
        # Magnitudes so far apart that the order of a sum shows.
        return (rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(np.float32)
    return rng.integers(-128, 128, shape).astype(np.int8)


def times(report: pathlib.Path) -> list:
    content = json.loads(report.read_text())
    return [content["cycles"]] + [[c["name"], c["start"], c["end"], c["stages"]] for c in content["commands"]]


def run(program: pathlib.Path, folder: pathlib.Path, element: str) -> None:
    config = configuration(program, folder)
    chips = config["chips"]
    x = matrix(config, element)
    np.save(folder / "in.npy", x)
    options = ["--target", "rngd", "--chips", str(chips)]
    # sequin-run says on stderr what it compared; a difference is exit code 1.
    tool("sequin-run", program, *options, "--input", folder / "in.npy", "--output", folder / "out.npy",
         "--report", folder / "report.json", "--verify")
    tool("sequin-run", program, *options, "--timing-only", "--report", folder / "timing.json")
    out = np.load(folder / "out.npy")
    if element == "i8":
        total = x.sum(0, dtype=np.int32)
        same = np.array_equal(out, total) if out.ndim == 1 else np.array_equal(out, np.tile(total, (chips, 1)))
        print("sums over A", "scattered" if out.ndim == 1 else "on all chips", "equal NumPy's:", same)
    else:
        # Chip c adds c, c + 1, ...
        expected = x.copy()
        for step in range(1, chips):
            expected += np.roll(x, -step, axis=0)
        print("sums in each chip's order equal NumPy's:", np.array_equal(out, expected))
        close = np.allclose(out, x.astype(np.float64).sum(0), rtol=1e-5, atol=1e-4 * np.abs(x).max())
        print("chips agree to the last bit:", bool((out == out[0]).all()), "up to rounding:", bool(close))
    commands = json.loads((folder / "report.json").read_text())["commands"]
    copies = [c for c in commands if c["context"] == "sub"]
    if copies:
        moves = [c for c in commands if c["context"] == "dma"]
        beside = any(move["start"] < copy["end"] and copy["start"] < move["end"] for copy in copies for move in moves)
        print("slices run beside shuffles:", beside)
    timed, alone = times(folder / "report.json"), times(folder / "timing.json")
    print("cycles", timed[0], "the same without data:", timed == alone)


def returns(value: str, alias: str, program: pathlib.Path, folder: pathlib.Path) -> None:
    text = program.read_text()
    assert value in text and "return %out : !HbmSums" in text
    text = text.replace("return %out : !HbmSums", f"return {value} : !{alias}")
    text = text.replace("(%in: !Hbm) -> !HbmSums", f"(%in: !Hbm) -> !{alias}")
    text = text.replace("(!Hbm) -> !HbmSums", f"(!Hbm) -> !{alias}")
    text = text.replace("%out = tcp.to_host %r : !HbmSums", f"%out = tcp.to_host %r : !{alias}")
    text = text.replace("!Sums = !tcp.host<i32", "!Sums = !tcp.host<i8")
    changed = folder / "returns.mlir"
    changed.write_text(text)
    # Row a holds 10 a + b, so that a value says where it comes from.
    np.save(folder / "digits.npy", (10 * np.arange(4)[:, None] + np.arange(4)).astype(np.int8))
    tool("sequin-run", changed, "--target", "rngd", "--input", folder / "digits.npy",
         "--output", folder / "part.npy", "--verify")
    print(value, *(f"{v:02}" for v in np.load(folder / "part.npy").reshape(-1)))


def write(chips: int, element: str) -> str:
    total = "f32" if element == "f32" else "i32"
    add = "Add" if element == "f32" else "AddFxp"
    dm = {t: f'!tcp.dm<{t}, #grid, "B # 8">' for t in (element, total)}
    hbm = f'!tcp.hbm<{element}, #axes, "A", "B # 8">'
    sums = f'!tcp.hbm<{total}, #axes, "A", "B # 8">'
    lines = [f"%t0 = tcp.to_dm %in at 0 : {hbm} -> {dm[element]}"]
    for step in range(1, chips):
        sources = [(chip + step) % chips for chip in range(chips)]
        lines.append(f"%h{step} = tcp.chip_shuffle %in {sources} at {4096 * step} : {hbm}")
        lines.append(f"%t{step} = tcp.to_dm %h{step} at {64 * step} : {hbm} -> {dm[element]}")
    # Both tensors of an interleaved fetch have one type, so integers widen first.
    if element != total:
        for step in range(chips):
            at = 4096 + 64 * step
            lines += [
                f"%w{step}a = tcp.begin main %t{step} : {dm[element]}",
                f'%w{step}b = tcp.fetch %w{step}a {total} "1", "B # 8" : <main begin {element}, #grid, "1", "B # 8">',
                f'%w{step}c = tcp.collect %w{step}b "1", "B # 8" : <main fetch {total}, #grid, "1", "B # 8">',
                f'%w{step} = tcp.commit %w{step}c at {at} "B # 8" : <main collect {total}, #grid, "1", "B # 8">',
            ]
    part = "%t" if element == total else "%w"
    before = f"{part}0"
    for step in range(1, chips):
        stream = f'{total}, #grid, "I", "B # 8"'
        joined = f'{total}, #grid, "1", "B # 8"'
        lines += [
            f'%s{step}a = tcp.begin_interleaved main "I" {before}, {part}{step} : {dm[total]}',
            f'%s{step}b = tcp.fetch %s{step}a {total} "I", "B # 8" : <main begin {stream}>',
            f'%s{step}c = tcp.collect %s{step}b "I", "B # 8" : <main fetch {stream}>',
            f'%s{step}d = tcp.vector_init %s{step}c : <main collect {stream}>',
            f'%s{step}e = tcp.vector_intra_slice_unzip %s{step}d "I", "1 # 2", "1" : <main vector_init {stream}>',
            f'%s{step}f = tcp.vector_clip_zip %s{step}e {add} : <main vector_branch {joined}>',
            f'%s{step}g = tcp.vector_final %s{step}f : <main vector_clip {joined}>',
            f'%s{step} = tcp.commit %s{step}g at {8192 + 64 * step} "B # 8" : <main vector_final {joined}>',
        ]
        before = f"%s{step}"
    lines.append(f"%out = tcp.to_hbm {before} at 268435456 : {dm[total]} -> {sums}")
    body = "\n    ".join(lines)
    return f"""\
#axes = #stream.axes<A = {chips}, B = 4, I = 2>
#grid = #tcp.grid<#axes, chip "A", cluster "1 # 2", slice "1 # 256">
module attributes {{tcp.target = #tcp.target<"rngd", chips = {chips}>}} {{
  func.func @main(%0: !tcp.host<{element}, #axes, "A, B">) -> !tcp.host<{total}, #axes, "A, B"> {{
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<{element}, #axes, "A, B"> -> {hbm}
    %2 = tcp.launch @kernel(%1) : ({hbm}) -> {sums}
    %3 = tcp.to_host %2 : {sums} -> !tcp.host<{total}, #axes, "A, B">
    return %3 : !tcp.host<{total}, #axes, "A, B">
  }}
  func.func @kernel(%in: {hbm}) -> {sums} {{
    {body}
    return %out : {sums}
  }}
}}
"""


def main(command: str, *rest: str) -> None:
    if command == "write":
        print(write(int(rest[0]), rest[1]), end="")
    elif command == "returns":
        returns(rest[0], rest[1], pathlib.Path(rest[2]), pathlib.Path(rest[3]))
    elif command == "trace":
        trace(pathlib.Path(rest[0]), pathlib.Path(rest[1]))
    else:
        run(pathlib.Path(rest[0]), pathlib.Path(rest[1]), rest[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
