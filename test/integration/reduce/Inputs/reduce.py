# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Intra-slice reductions with padded axes: as programs, run, and compared.

reduce.py SEQUIN_RUN SEQUIN_OPT SEQUIN_TRANSLATE DIR

Each case is a kernel that reads a stream of flits, narrows it, reduces R and writes the
result. It is run with --verify, and the result is compared with a reduction in plain
Python over what the mappings say of every position. Padding is zero in HBM and anything in
DM, which the operations of these cases would not survive.
"""

import dataclasses
import itertools
import json
import pathlib
import subprocess
import sys

import numpy as np


@dataclasses.dataclass
class Case:
    name: str
    host_out: str
    axes: dict[str, int]
    slice: str
    time: str
    packet: str
    narrow: str  # "trim PACKET", or "split TIME | PACKET"
    op: str
    out_time: str
    out_packet: str
    dtype: str = "i32"
    mode: str = "kernel"
    host_in: str = ""  # the axes in their order
    memory: str = ""  # of a slice; the stream
    hbm: str = ""  # slices, then memory


# Where the manual's packet is `1 # 8`, two elements D take the place of the one: DMA moves
# multiples of eight bytes. For the same reason D or another axis is innermost in memory
# where R is in the packet.
CASES = [
    Case("ISR-04", "A", {"A": 8, "R": 16}, "A / 2", "R", "A % 2 # 8", "trim A % 2 # 4", "AddSat",
         "1", "A % 2 # 4", mode="unit"),
    Case("ISR-05", "A", {"A": 8, "R": 4}, "A / 2", "A % 2", "R # 8", "trim R", "Add",
         "A % 2", "1 # 4", "f32", mode="unit"),
    Case("ISR-06", "A / 2", {"A": 8, "R": 16}, "A / 2", "R / 4", "R % 4 # 8", "trim R % 4", "Max",
         "1", "1 # 4", "f32", mode="unit", host_in="A / 2, R"),
    Case("ISR-08", "A, D", {"A": 8, "R": 4, "D": 2}, "A / 2", "R / 2, A % 2, R % 2", "D # 8",
         "trim D # 4", "Min", "A % 2", "D # 4", mode="unit"),
    Case("ISR-09", "A, B, D", {"A": 4, "B": 8, "R": 6, "D": 2}, "A / 2, B / 4",
         "R # 8, A % 2, B % 4", "D # 8", "trim D # 4", "Min", "A % 2, B % 4", "D # 4", mode="unit"),
    Case("VCG-05", "R # 18 / 3, X, A", {"A": 4, "R": 17, "X": 32}, "X, R # 24 / 3", "R # 24 % 3",
         "A # 8", "trim A", "Min", "1", "A"),
    Case("VCG-07", "R = 4, X, D", {"R": 5, "X": 64, "D": 2}, "X, R # 8 % 4", "R # 8 / 4", "D # 8",
         "trim D # 4", "Min", "1", "D # 4", hbm="R # 8, X, D"),
    Case("VCG-08", "R = 4, X, D", {"R": 14, "X": 64, "D": 2}, "X, R # 16 % 4", "R # 16 / 4",
         "D # 8", "trim D # 4", "Min", "1", "D # 4", hbm="R # 16, X, D"),
    Case("VCG-09", "A, X", {"A": 8, "R": 12, "X": 64}, "X, A / 2", "R # 16", "A % 2 # 8",
         "trim A % 2 # 4", "Min", "1", "A % 2 # 4"),
    Case("VCG-11", "R # 16 / 4, X, D", {"R": 13, "X": 64, "D": 2}, "X, R # 16 / 4", "R # 16 % 4",
         "D # 8", "trim D # 4", "Min", "1", "D # 4"),
    Case("VCG-12", "X, Y", {"R": 45, "X": 2, "Y": 256}, "Y",
         "R # 48 / 8 % 2, X, R # 48 / 8 / 2", "R # 48 % 8",
         "split R # 48 / 8 % 2, X, R # 48 / 8 / 2, R # 48 / 4 % 2 | R # 48 % 4",
         "Min", "X", "1 # 4", "f32", memory="R # 48, X", hbm="Y, R # 48, X"),
    Case("VCG-13", "A, X", {"A": 8, "R": 3, "X": 64}, "X, A / 2", "A % 2", "R # 8", "trim R # 4",
         "Min", "A % 2", "1 # 4", "f32", memory="R # 8, A % 2"),
    Case("VCG-14", "A / 2, X, D", {"A": 8, "R": 19, "X": 64, "D": 2}, "X, A / 2", "D, R # 24 / 8",
         "R # 24 % 8", "split D, R # 24 / 8, R # 24 / 4 % 2 | R # 24 % 4", "Min", "D", "1 # 4",
         "f32", memory="R # 24, D", host_in="A / 2, R, X, D"),
    Case("VCG-16", "A / 2, X, D", {"A": 8, "R": 7, "X": 64, "D": 2}, "X, A / 2", "D, R # 8 / 4",
         "R # 8 % 4 # 8", "trim R # 8 % 4", "Min", "D", "1 # 4", "f32", memory="R # 8, D",
         host_in="A / 2, R, X, D"),
    Case("VCG-18", "A / 2, X", {"A": 8, "R": 24, "X": 64}, "X, A / 2", "R / 8", "R % 8",
         "split R / 8, R / 4 % 2 | R % 4", "Add", "1", "1 # 4", "f32", host_in="A / 2, R, X"),
    Case("VCG-19", "R # 2048 / 8, A", {"A": 4, "R": 2045}, "R # 2048 / 8", "R # 2048 % 8", "A # 8",
         "trim A", "Min", "1", "A"),
    Case("VCG-33", "R / 8, X", {"R": 24, "X": 64}, "X, R # 32 / 8", "1", "R # 32 % 8",
         "split R # 32 / 4 % 2 | R # 32 % 4", "Min", "1", "1 # 4"),
    Case("VCG-34", "R # 16 / 8, X", {"R": 12, "X": 64}, "X, R # 32 / 8", "R # 32 / 4 % 2",
         "R # 32 % 4 # 8", "trim R # 32 % 4", "Min", "1", "1 # 4"),
]


class Term:
    """AXIS, or a number, followed by # / % = with numbers."""

    def __init__(self, text: str, axes: dict[str, int]):
        words = text.split()
        self.axis = words[0] if words[0] in axes else None
        self.extent = axes.get(words[0], 1)
        self.stride, self.valid, cut = 1, self.extent, False
        for operator, number in zip(words[1::2], map(int, words[2::2])):
            if operator == "/":
                self.stride *= number
                self.extent //= number
                self.valid = -(-self.valid // number)
            elif operator == "%":
                cut |= number < self.extent
                self.extent = number
                self.valid = min(self.valid, number)
            elif operator == "=":
                self.extent, self.valid, cut = number, min(self.valid, number), True
            else:
                self.extent = number
                # The end of the axis is where its data ends, if nothing was cut off.
                if self.axis and not cut:
                    self.valid = number


def terms(text: str, axes: dict[str, int]) -> list[Term]:
    return [Term(part, axes) for part in text.split(", ")]


def positions(parts: list[Term]):
    """The digits of every position, and the coordinates they add; None for padding."""
    for digits in itertools.product(*(range(part.extent) for part in parts)):
        coordinates: dict[str, int] | None = {}
        for digit, part in zip(digits, parts):
            if digit >= part.valid:
                coordinates = None
                break
            if part.axis:
                coordinates[part.axis] = coordinates.get(part.axis, 0) + digit * part.stride
        yield digits, coordinates


def joined(axes: dict[str, int], *parts: dict[str, int] | None) -> tuple[int, ...] | None:
    """The index of summed coordinates in an array over all axes, or None."""
    if any(part is None for part in parts):
        return None
    index = tuple(sum(part.get(axis, 0) for part in parts) for axis in axes)
    return index if all(i < size for i, size in zip(index, axes.values())) else None


def kernel(case: Case) -> str:
    axes = ", ".join(f"{name} = {size}" for name, size in case.axes.items())
    unit = case.mode == "unit"
    cluster = "1" if unit else "1 # 2"
    size = np.prod([term.extent for term in terms(case.slice, case.axes)])
    slices = case.slice if unit or size == 256 else f"[{case.slice}] # 256"
    host = case.host_in or ", ".join(case.axes)
    dm = case.memory or f"{case.time}, {case.packet}"
    hbm = case.hbm or f"{case.slice}, {dm}"
    wide = case.out_packet
    wide = wide[:-3] + "# 8" if wide.endswith("# 4") else wide + " # 8"
    out = f"{case.slice}, {case.out_time}, {wide}"
    out_dm = f"{case.out_time}, {wide}"
    e = case.dtype
    narrowing, rest = case.narrow.split(" ", 1)
    if narrowing == "trim":
        narrow_time, narrow_packet = case.time, rest
        narrow = f'tcp.vector_trim_way4 %5 "{rest}"'
    else:
        narrow_time, narrow_packet = rest.split(" | ")
        narrow = f'tcp.vector_split %5 "{narrow_time}", "{narrow_packet}"'
    result = f'!tcp.host<{e}, #axes, "{case.host_out}">'
    return f"""\
#axes = #stream.axes<{axes}>
#grid = #tcp.grid<#axes, chip "1", cluster "{cluster}", slice "{slices}">
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1{', mode = unit' if unit else ''}>}} {{
  func.func @main(%0: !tcp.host<{e}, #axes, "{host}">) -> {result} {{
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<{e}, #axes, "{host}"> -> !tcp.hbm<{e}, #axes, "1", "{hbm}">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<{e}, #axes, "1", "{hbm}">) -> !tcp.hbm<{e}, #axes, "1", "{out}">
    %3 = tcp.to_host %2 : !tcp.hbm<{e}, #axes, "1", "{out}"> -> {result}
    return %3 : {result}
  }}
  func.func @kernel(%0: !tcp.hbm<{e}, #axes, "1", "{hbm}">) -> !tcp.hbm<{e}, #axes, "1", "{out}"> {{
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<{e}, #axes, "1", "{hbm}"> -> !tcp.dm<{e}, #grid, "{dm}">
    %1 = tcp.begin main %dm : !tcp.dm<{e}, #grid, "{dm}">
    %2 = tcp.fetch %1 {e} "{case.time}", "{case.packet}" : <main begin {e}, #grid, "1", "{dm}">
    %3 = tcp.collect %2 "{case.time}", "{case.packet}" : <main fetch {e}, #grid, "{case.time}", "{case.packet}">
    %4 = tcp.vector_init %3 : <main collect {e}, #grid, "{case.time}", "{case.packet}">
    %5 = tcp.vector_intra_slice_branch %4 Unconditional : <main vector_init {e}, #grid, "{case.time}", "{case.packet}">
    %6 = {narrow} : <main vector_branch {e}, #grid, "{case.time}", "{case.packet}">
    %7 = tcp.vector_intra_slice_reduce %6 {case.op} "R" "{case.out_time}", "{case.out_packet}" : <main vector_narrow {e}, #grid, "{narrow_time}", "{narrow_packet}">
    %8 = tcp.vector_pad_way8 %7 "{wide}" : <main vector_intra_slice_reduce {e}, #grid, "{case.out_time}", "{case.out_packet}">
    %9 = tcp.vector_final %8 : <main vector_widen {e}, #grid, "{case.out_time}", "{wide}">
    %r = tcp.commit %9 at 131072 "{out_dm}" : <main vector_final {e}, #grid, "{case.out_time}", "{wide}">
    %out = tcp.to_hbm %r at 268435456 : !tcp.dm<{e}, #grid, "{out_dm}"> -> !tcp.hbm<{e}, #axes, "1", "{out}">
    return %out : !tcp.hbm<{e}, #axes, "1", "{out}">
  }}
}}
"""


REDUCE = {
    "AddSat": lambda values: max(-2**31, min(2**31 - 1, sum(values))),
    "Add": sum,
    "Max": max,
    "Min": min,
}


def expected(case: Case, data: np.ndarray) -> dict[tuple, float]:
    """By the coordinates that a result's slice, kept time and kept lane add up to."""
    groups: dict[tuple, list] = {}
    time, packet = terms(case.time, case.axes), terms(case.packet, case.axes)
    in_packet = any(term.axis == "R" for term in packet)
    for _, in_slice in positions(terms(case.slice, case.axes)):
        for digits, at_time in positions(time):
            kept: dict[str, int] = {}
            for digit, term in zip(digits, time):
                if term.axis not in ("R", None):
                    kept[term.axis] = kept.get(term.axis, 0) + digit * term.stride
            for _, at_lane in positions(packet):
                index = joined(case.axes, in_slice, at_time, at_lane)
                if index is not None:
                    key = joined(case.axes, in_slice, kept, {} if in_packet else at_lane)
                    groups.setdefault(key, []).append(data[index].item())
    return {key: REDUCE[case.op](values) for key, values in groups.items()}


def check(case: Case, run: str, opt: str, translate: str, folder: pathlib.Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "kernel.mlir"
    program.write_text(kernel(case))
    rng = np.random.default_rng(7)
    # Positive for Min, negative for Max: a zero from the padding would win.
    low, high = {"Min": (1, 1000), "Max": (-1000, 0)}.get(case.op, (-1000, 1000))
    data = rng.integers(low, high, tuple(case.axes.values()))
    data = data.astype(np.int32 if case.dtype == "i32" else np.float32)
    parts = terms(case.host_in or ", ".join(case.axes), case.axes)
    given = [data[joined(case.axes, place)] for _, place in positions(parts)]
    np.save(folder / "in.npy",
            np.array(given, data.dtype).reshape([part.extent for part in parts]))
    subprocess.run([run, program, "--input", folder / "in.npy", "--output", folder / "out.npy",
                    "--verify"], check=True,
                   stdout=subprocess.DEVNULL)
    wanted = expected(case, data)
    found = np.load(folder / "out.npy").reshape(-1)
    at = [joined(case.axes, place) for _, place in positions(terms(case.host_out, case.axes))]
    assert sorted(at) == sorted(wanted), case.name
    for place, value in zip(at, found):
        assert value == wanted[place], (case.name, place, value, wanted[place])

    lowered = folder / "lowered.mlir"
    subprocess.run([opt, "--tcp-to-config", program, "-o", lowered], check=True)
    text = subprocess.run([translate, "--tcp-to-json", lowered], check=True, capture_output=True)
    [vector] = [command["vector"] for command in json.loads(text.stdout)["commands"]
                if "vector" in command]
    stage = vector["intra_slice_reduce"]
    loops = " ".join(f"{loop['size']}{'r' if loop['reduced'] else '@' + str(loop['slot_stride'])}"
                     for loop in stage["loops"]) or "none"
    result = f"{len(wanted)} results, {'tree' if stage['tree'] else 'lanes'}, loops {loops}"
    counted = vector.get("valid_count")
    if counted is None:
        return f"{result}, not counted"
    gates = " ".join(f"mask {g['mask']:#b} match {g['match']} V {g['valid']}"
                     f"{' transposed' if g['transposed'] else ''}" for g in counted["gates"])
    return (f"{result}, counters {counted['counters']} V {counted['packet_valid']}"
            f"{' ' if gates else ''}{gates}")


def main() -> int:
    run, opt, translate, folder = sys.argv[1:]
    for case in CASES:
        result = check(case, run, opt, translate, pathlib.Path(folder) / case.name)
        print(f"{case.name}: {result}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
