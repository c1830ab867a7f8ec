# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of a pass of the tensor unit by the formulas of the manual's engines."""

import math

import numpy as np

from sequencer import BITS, walk

# Operations of the vector engine that occupy no ALU (Intra-Slice Block, stage table).
NO_ALU = {"FxpToFp", "FpToFxp", "Split", "TrimWay4", "Concat", "PadWay8", "FpDiv", "Filter",
          "Stash"}


class Pass:
    """Stage cycles of one pass (`stages`), and how long it takes (`cycles`).

    A pass takes as long as its slowest stage (SIL-42). Two things come on top. `fill`: the
    last packet is that much behind, by the conversion of the fetch adapter and the levels of
    the tree. `late`: what stands behind a sum along time starts when the first is complete.
    """

    def __init__(self, command, machine):
        self.command, self.machine = command, machine
        self.stages, self.bounds = {}, {}
        self.fill, self.late, self.end = 0, 0, 0
        self.fetch()
        self.switch()
        self.contract()
        self.vector()
        self.sink()
        cycles = max(max(self.stages.values()) + self.fill, self.end)
        cycles += machine["engine_fill_cycles"]
        self.cycles = -(-cycles * machine["pass_scale_percent"] // 100)

    def stage(self, name, cycles):
        self.stages[name] = cycles
        if self.late:
            self.end = max(self.end, self.late + self.fill + cycles)

    def fetch(self):
        """Time x ceil(packet / fetch_size) (Fetch Adapter, batching)."""
        fetch, machine = self.command["fetch"], self.machine
        entries = fetch["sequencer"]["entries"]
        time = entries[:len(entries) - fetch["sequencer"]["packet_entries"]]
        self.packets = math.prod(size for size, _ in time)
        source = BITS[fetch["from"]]
        accesses = -(-fetch["packet_elements"] * source // (8 * fetch["access_bytes"]))
        self.dual = fetch.get("dual_channel", False)
        if self.dual:
            accesses = -(-accesses // machine["dual_channel_accesses"])
        self.stage("fetch", self.packets * accesses)
        if fetch["to"] != fetch["from"]:
            self.fill += machine["fetch_cast_fill_cycles"]

    def switch(self):
        """ring_size x input time x flits of a packet (Switch Engine, Cycle Estimation)."""
        switch, flits = self.command.get("switch"), self.command["collect"]["flits_per_packet"]
        # Dual channel mode has flits of twice the size; a packet begins with one.
        wide = -(-flits // self.machine["dual_channel_accesses"]) if self.dual else flits
        if switch:
            self.stage("switch", switch["ring_size"] * self.packets * wide)
            sources = bin(int(switch["routers"][0]["sources"], 16)).count("1")
            self.packets = sources * math.prod(size for size, _ in switch["packets"])
        self.flits = self.packets * flits
        self.stage("collect", self.packets * wide)

    def contract(self):
        """A computation packet per cycle; then results leave 8 at a time (Reducer)."""
        contract = self.command.get("contract")
        if not contract:
            return
        packets = -(-self.flits // contract["collect_flits"]) * (contract.get("shifts", 0) + 1)
        self.stage("contract", packets * contract["time_broadcast"])
        self.stages["tree"] = contract["depth"] * self.machine["tree_level_cycles"]
        self.fill += self.stages["tree"]
        if "shifts" in contract:
            self.fill += self.machine["shift_reuse_fill_cycles"]
        self.late = reduced(contract["loops"])
        results = math.prod(l["size"] for l in contract["loops"] if not l["reduced"])
        lanes = self.machine["output_lanes"]
        if contract["kind"] == "interleaved":
            self.flits = results * contract["columns"]
        else:
            self.flits = results * contract["rows"] * -(-contract["columns"] // lanes)
        self.stage("accumulate", self.flits)

    def vector(self):
        """A packet per cycle at the narrowest place, a cycle for each ALU (Throughput)."""
        vector = self.command.get("vector")
        if not vector:
            return
        inter, reduce = vector.get("inter_slice"), vector.get("intra_slice_reduce")
        inter_first = inter and not vector["ops"] and not reduce
        if inter_first:
            self.inter_slice(inter)
        ops = [*vector["ops"], *vector.get("ops_after", [])]
        most, flits, late = self.flits, self.flits, self.late
        for place, op in enumerate(ops):
            if op["opcode"] == "Split":
                flits *= 2
            elif op["opcode"] == "Concat":
                flits = -(-flits // 2)
            elif op["opcode"] == "Filter" and "elements" in op:
                flits = -(-op["elements"] // self.machine["output_lanes"])
            most = max(most, flits)
            # The reduction stands before the first operation behind the float cluster.
            following = ops[place + 1]["opcode"] if place + 1 < len(ops) else "PadWay8"
            if reduce and following in ("FpDiv", "Concat", "PadWay8"):
                self.stage("intra_slice_reduce", flits)
                late += reduced(reduce["loops"])
                flits = math.prod(l["size"] for l in reduce["loops"] if not l["reduced"])
                reduce = None
        if ops:
            alus = {op["opcode"] for op in ops} - NO_ALU
            self.stage("vector", most + len(alus) * self.machine["vector_alu_cycles"])
        self.flits = flits // 2 if vector.get("unzip") else flits
        self.late = late
        if inter and not inter_first:
            self.inter_slice(inter)

    def inter_slice(self, inter):
        """The stream, and behind it one traversal of the slices that are folded
        (Inter-Slice)."""
        group = max(bin(int(r["sources"], 16)).count("1") for r in inter["routers"])
        self.stage("inter_slice", self.flits)
        self.fill += group
        self.flits = math.prod(size for size, _ in inter["packets"])

    def sink(self):
        """Cast and transpose pass flits on; a commit, or a register file, per access."""
        command, machine = self.command, self.machine
        if "cast" in command:
            self.stage("cast", self.flits)
        if "transpose" in command:
            self.transpose(command["transpose"])
        if "commit" in command:
            commit = command["commit"]
            elements = math.prod(size for size, _ in commit["sequencer"]["entries"])
            size = elements * BITS[commit["type"]] // 8
            self.stage("commit", -(-size // commit["access_bytes"]))
        elif "to_trf" in command:
            trf = command["to_trf"]
            self.stage("to_trf", trf["rows"] * trf["bytes_per_row"] // machine["flit_bytes"])
            if not trf.get("short_command"):
                self.fill += machine["trf_full_path_cycles"]
        elif "to_vrf" in command:
            self.stage("to_vrf", -(-command["to_vrf"]["bytes"] // machine["flit_bytes"]))

    def transpose(self, stage):
        """Transpose Engine, Cycle Calculation."""
        bits = BITS[stage["type"]]
        row = next(r for r in self.machine["transpose_formats"] if r["bits"] == bits)
        packets = stage["in_columns"] // row["elements_per_packet"]
        taken, given = stage["in_rows"] * packets, stage["out_rows"]
        count = self.flits // taken
        if stage["in_columns"] <= self.machine["transpose_buffer_columns"]:
            cycles = taken + (count - 1) * max(taken, given) + given
        else:
            cycles = count * (taken + given)
        self.stage("transpose", cycles)
        self.flits = count * given


def reduced(loops):
    """Packets until the first sum is complete, when the stages that follow start."""
    last, inner = 0, 1
    for loop in reversed(loops):
        last += loop["reduced"] * (loop["size"] - 1) * inner
        inner *= loop["size"]
    return last + 1 if any(loop["reduced"] for loop in loops) else 0


def longest_bank_run(command, machine):
    """Accesses in a row to one bank: fetch and commit, and both channels, together (Bank Starvation)."""
    banks, width, total = machine["dm_banks"], machine["dm_bank_bytes"], 0
    for name, kind in (("fetch", "from"), ("commit", "type")):
        if name not in command:
            continue
        stage, bits = command[name], BITS[command[name][kind]]
        starts = stage["sequencer"]["base"] + walk(stage["sequencer"]["entries"], bits) // 8
        starts = starts[::max(1, stage["access_bytes"] * 8 // bits)]
        channels = [starts]
        if stage.get("dual_channel"):
            packets = starts.reshape(-1, stage["fetches_per_packet"])
            count = machine["dual_channel_accesses"]
            channels = [packets[:, channel::count].ravel() for channel in range(count)]
        for accesses in channels:
            first, last = accesses // width, (accesses + stage["access_bytes"] - 1) // width
            hit = (np.arange(banks)[:, None] - first) % banks <= last - first
            edges = np.diff(np.pad(hit.astype(np.int8), ((0, 0), (1, 1))), axis=1)
            runs = [(np.flatnonzero(row == -1) - np.flatnonzero(row == 1)).max(initial=0)
                    for row in edges]
            total = total + np.array(runs)
    return int(total.max())
