# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a pass of the tensor unit takes, from its part of the configuration.

The stages work at the same time, so a pass takes as long as the longest of them, those behind a
reduction starting late, and the latencies of what the stream passes besides (SIL-42).
"""

import dataclasses
from collections.abc import Mapping, Sequence

from .nests import BITS, Json, ceil_div, rounds

#: The operations of each ALU of the vector engine (Intra-Slice Block, Stages and the tables of
#: its clusters). Conversions, moves between 8 and 4 lanes, FpDiv and Filter have none.
ALUS: Mapping[str, Sequence[str]] = {
    "LogicAnd": ("BitAndI", "BitAndF"),
    "LogicOr": ("BitOrI", "BitOrF"),
    "LogicXor": ("BitXorI", "BitXorF"),
    "LogicLshift": ("BitLeftShift",),
    "LogicRshift": ("BitLogicRightShift", "BitArithRightShift"),
    "FxpAdd": ("AddFxp", "AddFxpSat", "SubFxp", "SubFxpSat"),
    "FxpLshift": ("LeftShift", "LeftShiftSat"),
    "FxpMul": ("MulFxp", "MulInt"),
    "FxpRshift": ("LogicRightShift", "ArithRightShift", "ArithRightShiftRound"),
    "FpExp": ("Exp", "NegExp"),
    "FpFpu": ("Sqrt", "Tanh", "Sigmoid", "Erf", "Log", "Sin", "Cos", "DivF"),
    "FpFma": ("AddF", "SubF", "FmaF", "MaskFmaF"),
    "FpMul0": ("MulF0", "MaskMulF0"),
    "FpMul1": ("MulF1", "MaskMulF1"),
    "ClipMin": ("MinI", "AbsMinI", "MinF", "AbsMinF"),
    "ClipMax": ("MaxI", "AbsMaxI", "MaxF", "AbsMaxF"),
    "ClipAdd": ("ClipAddFxp", "ClipAddFxpSat", "ClipAdd"),
}
ALU = {operation: alu for alu, operations in ALUS.items() for operation in operations}

#: Operations that stand behind the intra-slice reduction (Intra-Slice Block, Stage Order).
BEHIND_REDUCTION = frozenset({
    "FpDiv", "Concat", "PadWay8", "FpToFxp", "Filter", *ALUS["ClipMin"],
    *ALUS["ClipMax"], *ALUS["ClipAdd"]})


@dataclasses.dataclass
class Pass:
    """Cycles of every stage, in the order of the stream; when each of them starts; and the
    latencies on the way."""

    stages: dict[str, int] = dataclasses.field(default_factory=dict)
    latest: int = 0  # end of the stage that ends last, all counted from the start
    late: int = 0    # how long the next stage waits for the first sum
    latency: int = 0

    def stage(self, name: str, cycles: int) -> None:
        self.stages[name] = cycles
        self.latest = max(self.latest, self.late + cycles)

    def wait(self, cycles: int) -> None:
        """Of all that is behind."""
        self.late += cycles

    def fill(self, cycles: int) -> None:
        self.latency += cycles

    @property
    def cycles(self) -> int:
        return self.latest + self.latency


def sources_of(routing: Json) -> int:
    """How many slices a slice listens to, which is the same for all that take part."""
    return max(int(router["sources"], 16).bit_count() for router in routing["routers"])


def first_sum(loops: Sequence[Json]) -> int:
    """Packets until the first sum is complete, those of other sums in between included
    (Reducer, Temporal latency; Intra-Slice Reduce, Latency)."""
    packets, inside = 1, 1
    for loop in reversed(loops):
        if loop["reduced"]:
            packets += (loop["size"] - 1) * inside
        inside *= loop["size"]
    return packets


def sums(loops: Sequence[Json]) -> int:
    """How many results leave."""
    return rounds([(1 if loop["reduced"] else loop["size"], 0) for loop in loops])


def is_reduced(loops: Sequence[Json]) -> bool:
    return any(loop["reduced"] and loop["size"] > 1 for loop in loops)


# --------------------------------------------------------------------------------------
# Into the slice: fetch, switch, collect
# --------------------------------------------------------------------------------------


def accesses_per_cycle(command: Json, machine: Json) -> int:
    """Two in dual-channel mode (Fetch Engine, Dual Channel Mode Benefits)."""
    return machine["dual_channel_accesses"] if command["fetch"].get("dual_channel") else 1


def collected_flits(command: Json, machine: Json, found: Pass) -> int:
    """Notes the stages up to the collect engine, and says how many flits come out of it.

    fetch    packets x accesses of a packet, by its bytes in memory (Fetch Engine, Batching)
    switch   ring size x packets x flits of a packet (Switch Engine, Cycle Estimation)
    collect  one flit per cycle (Fetch Engine and Switch Engine Interaction)
    """
    fetch, flits = command["fetch"], command["collect"]["flits_per_packet"]
    width = accesses_per_cycle(command, machine)
    packets = rounds(fetch["sequencer"]["entries"]) // fetch["packet_elements"]
    size = ceil_div(fetch["packet_elements"] * BITS[fetch["from"]], 8)
    found.stage("fetch", packets * ceil_div(ceil_div(size, fetch["access_bytes"]), width))
    if fetch["to"] != (fetch["table"]["type"] if "table" in fetch else fetch["from"]):
        found.fill(machine["fetch_cast_fill_cycles"])
    switch = command.get("switch")
    if switch:
        found.stage("switch", ceil_div(switch["ring_size"] * packets * flits, width))
        packets = sources_of(switch) * rounds(switch["packets"])
    found.stage("collect", ceil_div(packets * flits, width))
    return packets * flits


# --------------------------------------------------------------------------------------
# Contraction engine
# --------------------------------------------------------------------------------------


def contracted_flits(contract: Json, machine: Json, found: Pass) -> int:
    """Notes the contraction, and says how many flits of results come out.

    A computation packet per cycle; the tree takes a cycle per level, and sums over time leave
    when their last packet is in (Reducer, Performance). Interleaved, the rows are the packet and
    the columns are in time; sequential, the other way round (Reducer, Temporal Reduction).
    """
    loops = contract["loops"]
    found.stage("contract", rounds([(loop["size"], 0) for loop in loops]))
    found.fill(contract["depth"] * machine["tree_level_cycles"])
    if contract.get("shifts"):
        found.fill(machine["shift_reuse_fill_cycles"])
    if is_reduced(loops):
        found.wait(first_sum(loops))
    lanes = machine["output_lanes"]
    if contract["kind"] == "interleaved":
        return sums(loops) * contract["columns"] * ceil_div(contract["rows"], lanes)
    return sums(loops) * contract["rows"] * ceil_div(contract["columns"], lanes)


# --------------------------------------------------------------------------------------
# Vector engine
# --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Lanes:
    """Packets on their way through the vector engine, and the most that passed one place."""

    packets: int
    most: int = 0

    def __post_init__(self) -> None:
        self.most = self.packets

    def become(self, packets: int) -> None:
        self.packets = packets
        self.most = max(self.most, packets)


def through_operations(ops: Sequence[Json], lanes: Lanes, reduce: Json | None,
                       machine: Json) -> int:
    """Follows the packets through a list of operations; cycles until the first sum of an
    intra-slice reduction is there, 0 without one.

    Splitting 8 lanes to twice 4 doubles the packets (Intra-Slice Block, Narrow), joining halves
    them; so does the zip of two groups whose packets alternate.
    """
    waiting = 0

    def reduced() -> int:
        assert reduce is not None
        lanes.become(sums(reduce["loops"]))
        return first_sum(reduce["loops"]) if is_reduced(reduce["loops"]) else 0

    for op in ops:
        if reduce is not None and op["opcode"] in BEHIND_REDUCTION:
            waiting, reduce = reduced(), None
        if op["opcode"] == "Split":
            lanes.become(lanes.packets * 2)
        elif op["opcode"] == "Concat":
            lanes.become(lanes.packets // 2)
        elif op["opcode"] == "Filter" and "elements" in op:
            lanes.become(ceil_div(op["elements"], machine["output_lanes"]))
        if op.get("zip"):
            lanes.become(lanes.packets // 2)
    return reduced() if reduce is not None else waiting


def vectored_flits(vector: Json, flits: int, machine: Json, found: Pass) -> int:
    """Notes the vector engine, and says how many flits come out.

    One packet per cycle at the narrowest place and a cycle of latency for each ALU (Vector
    Engine, Performance). A reduction over slices takes its stream and then one cycle for each
    slice that is folded (Inter-Slice Block, Performance).
    """
    lanes, across = Lanes(flits), vector.get("inter_slice")
    waiting = through_operations(vector.get("ops", []), lanes,
                                 vector.get("intra_slice_reduce"), machine)
    if across:
        lanes.become(rounds(across["packets"]))
    through_operations(vector.get("ops_after", []), lanes, None, machine)
    found.stage("vector", lanes.most)
    used = {ALU[op["opcode"]] for op in [*vector.get("ops", []), *vector.get("ops_after", [])]
            if op["opcode"] in ALU}
    found.fill(len(used) * machine["vector_alu_cycles"])
    found.wait(waiting)
    if across:
        found.fill(sources_of(across))
    return lanes.packets


# --------------------------------------------------------------------------------------
# Out of the slice
# --------------------------------------------------------------------------------------


def transposed_flits(transpose: Json, flits: int, machine: Json, found: Pass) -> int:
    """Notes the transpose engine (its chapter, Cycle Calculation), and says how many flits
    come out."""
    bits = BITS[transpose["type"]]
    packed = next(format_["elements_per_packet"] for format_ in machine["transpose_formats"]
                  if format_["bits"] == bits)
    into = transpose["in_rows"] * transpose["in_columns"] // packed
    out = transpose["out_rows"]
    times = flits // into
    if transpose["in_columns"] <= machine["transpose_buffer_columns"]:
        found.stage("transpose", into + (times - 1) * max(into, out) + out)
    else:
        found.stage("transpose", times * (into + out))
    return times * out


def leave(command: Json, flits: int, machine: Json, found: Pass) -> None:
    """A commit writes each flit in pieces of commit_size (Commit Engine, Commit Sequencer);
    a register file takes a flit per cycle."""
    if "commit" in command:
        commit = command["commit"]
        found.stage("commit", flits * ceil_div(commit["commit_in_bytes"],
                                               commit["access_bytes"]))
    elif "to_trf" in command:
        found.stage("to_trf", flits)
        if not command["to_trf"].get("short_command"):
            found.fill(machine["trf_full_path_cycles"])
    else:
        found.stage("to_vrf", flits)


def time_pass(command: Json, machine: Json) -> Pass:
    """Of one `exec` command that runs alone."""
    found = Pass(latency=machine["engine_fill_cycles"])
    flits = collected_flits(command, machine, found)
    if "contract" in command:
        flits = contracted_flits(command["contract"], machine, found)
    if "vector" in command:
        flits = vectored_flits(command["vector"], flits, machine, found)
    if "transpose" in command:
        flits = transposed_flits(command["transpose"], flits, machine, found)
    leave(command, flits, machine, found)
    return found


def pass_cycles(found: Pass, machine: Json) -> int:
    """On a machine whose passes take longer than the formulas say (docs/Machines.md)."""
    return ceil_div(found.cycles * machine["pass_scale_percent"], 100)
