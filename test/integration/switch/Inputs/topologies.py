# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every topology of the switch engine, from the manual's example to the result.

Writes a kernel that loads a tensor, switches it and stores what all slices hold,
derives its configuration and runs it against the reference interpreter. Checks the
snoop bitmaps, the ring, the cycles and every element of the result.

    topologies.py FOLDER [NAME...]
"""

import json
import subprocess
import sys

import numpy as np


def case(axes, packet, slices, time, switch, out_slices, out_time, result, ring, cycles,
         sources, flits=2, dtype="i8", mode="kernel", cluster="1 # 2", fetch=None, dual=""):
    return dict(locals())


# The manual's C = 63 # 64; DMA moves whole rows of 64 bytes.
A256 = dict(axes="A = 256, B = 64, C = 64, X = 4", packet="C", slices="A", time="B")
GRID = dict(axes="A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2, Z = 4", packet="D, E",
            slices="A, B", time="C")
CASES = {
    # SWI-03: no switch at all.
    "forwarding": case(
        axes="A = 256, B = 64, C = 32", packet="C", slices="A", time="B", switch=None,
        out_slices="A", out_time="B", result="A, B, C", ring=1, cycles=256, sources=None,
        flits=4, dtype="f32"),
    # SWI-05
    "broadcast01": case(
        **A256, switch="Broadcast01 slice1 = 2 slice0 = 2 time0 = 4", out_slices="A / 4, X",
        out_time="B / 4, A / 2 % 2, B % 4, A % 2", result="X, A, B, C", ring=4, cycles=512,
        sources=lambda d: [d // 4 * 4 + i for i in range(4)]),
    # The same with the channels of both contexts: two flits per cycle.
    "dual_channel": case(
        **A256, switch="Broadcast01 slice1 = 2 slice0 = 2 time0 = 4", out_slices="A / 4, X",
        out_time="B / 4, A / 2 % 2, B % 4, A % 2", result="X, A, B, C", ring=4, cycles=256,
        sources=lambda d: [d // 4 * 4 + i for i in range(4)], dual="dual_channel"),
    # SWI-06: 64 slices in one ring; packets of two bytes are padded to eight.
    "broadcast01_one_ring": case(
        axes="A = 64, B = 64, X = 64", packet="B % 2 # 8", slices="A", time="B / 2",
        switch="Broadcast01 slice1 = 8 slice0 = 8 time0 = 2", out_slices="A / 64, X",
        out_time="B / 4, A / 8 % 8, B / 2 % 2, A % 8", result="X, A, B", ring=64, cycles=2048,
        sources=lambda d: list(range(64)), flits=1, mode="unit", cluster="1",
        fetch=("B / 2, B % 2 # 8", "A, B / 2, B % 2 # 8")),
    # SWI-08; SIL-35: the ring is slice1 * slice0.
    "broadcast1": case(
        **A256, switch="Broadcast1 slice1 = 4 slice0 = 8", out_slices="A / 32, X, A % 8",
        out_time="B, A / 8 % 4", result="X, A, B, C", ring=32, cycles=32 * 64 * 2,
        sources=lambda d: [d // 32 * 32 + 8 * i + d % 8 for i in range(4)]),
    # SWI-09
    "transpose": case(
        **A256, switch="Transpose slice1 = 32 slice0 = 2", out_slices="A / 64, A % 2, A / 2 % 32",
        out_time="B", result="A, B, C", ring=64, cycles=64 * 64 * 2,
        sources=lambda d: [d // 64 * 64 + d % 32 * 2 + d // 32 % 2]),
    # SWI-10
    "inter_transpose": case(
        axes="A = 8, B = 32, C = 256", packet="B", slices="C", time="A",
        switch="InterTranspose slice1 = 2 slice0 = 16 time0 = 2",
        out_slices="C / 32, A / 2 % 2, C % 16", out_time="A / 4, A % 2, C / 16 % 2",
        result="A, B, C", ring=32, cycles=32 * 8,
        sources=lambda d: [d // 32 * 32 + d % 16, d // 32 * 32 + 16 + d % 16], flits=1),
    # SWI-12: an arbitrary permutation.
    "permutation": case(
        **GRID, switch="CustomBroadcast ring_size = 256", out_slices="B % 4, B / 4, A % 4, A / 4",
        out_time="C", result="A, B, C, D, E", ring=256, cycles=4096,
        sources=lambda d: [16 * (d // 4 % 4 + 4 * (d % 4)) + d // 64 + 4 * (d // 16 % 4)]),
    # SWI-13
    "two_axes": case(
        **GRID, switch="CustomBroadcast ring_size = 32", out_slices="A / 2, X, B / 2, Y",
        out_time="C, A % 2, B % 2", result="X, Y, A, B, C, D, E", ring=32, cycles=512,
        sources=lambda d: [d // 32 * 32 + d % 16 // 2 * 2 + i for i in (0, 1, 16, 17)]),
    # SWI-14
    "part_of_an_axis": case(
        **GRID, switch="CustomBroadcast ring_size = 4", out_slices="A, B / 4, Z",
        out_time="C, B % 4 = 3", result="Z, A, B / 4, B % 4 = 3, C, D, E", ring=4, cycles=64,
        sources=lambda d: [d // 4 * 4 + i for i in range(3)]),
    # SWI-15, SWI-16: the legal twins of the rejected orders.
    "kept_order": case(
        **GRID, switch="CustomBroadcast ring_size = 4", out_slices="A, B / 4, Z",
        out_time="C, B / 2 % 2, B % 2", result="Z, A, B, C, D, E", ring=4, cycles=64,
        sources=lambda d: [d // 4 * 4 + i for i in range(4)]),
}
# Entries of the manual's tables, as ruled (ERR-52).
PRINTED = {
    "broadcast01": {0: [0, 1, 2, 3], 3: [0, 1, 2, 3], 4: [4, 5, 6, 7], 255: [252, 253, 254, 255]},
    "permutation": {0: [0], 1: [64], 2: [128], 3: [192], 4: [16], 5: [80], 255: [255]},
    "two_axes": {0: [0, 1, 16, 17], 1: [0, 1, 16, 17], 2: [2, 3, 18, 19], 3: [2, 3, 18, 19],
                 255: [238, 239, 254, 255]},
    "part_of_an_axis": {0: [0, 1, 2], 1: [0, 1, 2], 2: [0, 1, 2], 3: [0, 1, 2], 4: [4, 5, 6],
                        255: [252, 253, 254]},
}
LANES = {"i8": 32, "f32": 8}


def kernel(spec):
    """The program as tcp: host -> HBM -> DM -> fetch, switch, collect, commit -> host."""
    def grid(slices):
        return f'#tcp.grid<#axes, chip "1", cluster "{spec["cluster"]}", slice "{slices}">'

    element, packet, lanes = spec["dtype"], spec["packet"], LANES[spec["dtype"]]
    dm, hbm = spec["fetch"] or (f'{spec["time"]}, {packet}',
                                f'{spec["slices"]}, {spec["time"]}, {packet}')
    host = ", ".join(name.split()[0] for name in spec["axes"].split(", ")
                     if name.split()[0] not in "XYZ")
    out_slices, out_time = spec["out_slices"], spec["out_time"]
    if spec["flits"] == 1:
        collected = out_time, packet if packet == "B" else "B % 2 # 32"
    else:
        collected = f"{out_time}, [{packet}] / {lanes}", f"[{packet}] % {lanes}"
    switched, before = "", "fetch"
    if spec["switch"]:
        switched = (f'%s = tcp.switch %f {spec["switch"]} "{out_slices}", "{out_time}" : '
                    f'<main fetch {element}, #in, "{spec["time"]}", "{packet}">')
        before = "switch"
    result = spec["result"]
    stored = result
    if spec["mode"] == "unit":
        stored = "X, A, B / 2, B % 2 # 8"
    return f"""
#axes = #stream.axes<{spec["axes"]}>
#in = {grid(spec["slices"])}
#out = {grid(out_slices)}
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1, mode = {spec["mode"]}>}} {{
  func.func @main(%0: !tcp.host<{element}, #axes, "{host}">) -> !tcp.host<{element}, #axes, "{result}"> {{
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<{element}, #axes, "{host}"> -> !tcp.hbm<{element}, #axes, "1", "{hbm}">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<{element}, #axes, "1", "{hbm}">) -> !tcp.hbm<{element}, #axes, "1", "{stored}">
    %3 = tcp.to_host %2 : !tcp.hbm<{element}, #axes, "1", "{stored}"> -> !tcp.host<{element}, #axes, "{result}">
    return %3 : !tcp.host<{element}, #axes, "{result}">
  }}
  func.func @kernel(%0: !tcp.hbm<{element}, #axes, "1", "{hbm}">) -> !tcp.hbm<{element}, #axes, "1", "{stored}"> {{
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<{element}, #axes, "1", "{hbm}"> -> !tcp.dm<{element}, #in, "{dm}">
    %b = tcp.begin main %dm : !tcp.dm<{element}, #in, "{dm}">
    %f = tcp.fetch %b {element} "{spec["time"]}", "{packet}" {spec["dual"]} : <main begin {element}, #in, "1", "{dm}">
    {switched}
    %c = tcp.collect %{before[0]} "{collected[0]}", "{collected[1]}" : <main {before} {element}, #out, "{out_time}", "{packet}">
    %r = tcp.commit %c at 131072 "{out_time}, {packet}" : <main collect {element}, #out, "{collected[0]}", "{collected[1]}">
    %h = tcp.to_hbm %r at 268435456 : !tcp.dm<{element}, #out, "{out_time}, {packet}"> -> !tcp.hbm<{element}, #axes, "1", "{stored}">
    return %h : !tcp.hbm<{element}, #axes, "1", "{stored}">
  }}
}}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def bitmaps(stage):
    """The sources of all 256 slices, from the settings that repeat."""
    rows = []
    for setting in stage["routers"]:
        bits = int(setting["sources"], 16)
        rows += [bits] * setting["slices"]
    if "period" in stage:
        assert len(rows) == stage["period"], stage
        rows *= stage["ring_size"] // stage["period"]
    period = len(rows)
    return [[b + d // period * period for b in range(256) if rows[d % period] >> b & 1]
            for d in range(256)]


def expected(spec, given):
    """The result by numpy: the input in the order of the result, repeated."""
    names = [n.split()[0] for n in spec["axes"].split(", ")]
    sizes = {n.split()[0]: int(n.split()[2]) for n in spec["axes"].split(", ")}
    order = [n for n in names if n not in "XYZ"]
    repeated = [t for t in spec["result"].split(", ") if t in "XYZ"]
    wanted = [t.split()[0] for t in spec["result"].split(", ") if t not in "XYZ"]
    if "B / 4" in spec["result"]:  # A, B / 4, B % 4 = 3, C, D, E
        data = given.reshape(16, 4, 4, 8, 8, 8)[:, :, :3]
    else:
        data = given.transpose([order.index(n) for n in wanted])
    return np.broadcast_to(data, [sizes[n] for n in repeated] + list(data.shape))


def check(folder, name):
    spec, path = CASES[name], f"{folder}/{name}"
    with open(path + ".mlir", "w") as file:
        file.write(kernel(spec))
    run("sequin-opt", path + ".mlir", "--tcp-to-config", "-o", path + ".config.mlir")
    program = json.loads(run("sequin-translate", "--tcp-to-json", path + ".config.mlir"))
    pass_, = [c for c in program["commands"] if c["kind"] == "exec"]
    stage = pass_.get("switch")
    if spec["sources"] is None:
        assert stage is None, stage
    else:
        # No axis and no topology is left: the routers say it all.
        assert stage["ring_size"] == spec["ring"], stage["ring_size"]
        # Bitmaps of custom topologies are written before the pass (SWI-11).
        assert stage.get("writes_bitmaps", False) == ("Custom" in spec["switch"]), stage
        found = bitmaps(stage)
        used = 64 if spec["mode"] == "unit" else 256
        for d in range(used):
            assert found[d] == spec["sources"](d), (name, d, found[d])
        for d, row in PRINTED.get(name, {}).items():
            assert found[d] == row, (name, d, found[d])

    shape = [int(n.split()[2]) for n in spec["axes"].split(", ") if n.split()[0] not in "XYZ"]
    random = np.random.default_rng(7)
    if spec["dtype"] == "i8":
        given = random.integers(-128, 128, shape, dtype=np.int8)
    else:
        given = random.integers(-999, 999, shape).astype(np.float32)
    np.save(path + ".npy", given)
    run("sequin-run", path + ".mlir", "--input", path + ".npy", "--output", path + ".out.npy",
        "--report", path + ".json", "--verify")
    result = np.load(path + ".out.npy")
    want = expected(spec, given)
    assert result.shape == want.shape, (result.shape, want.shape)
    assert np.array_equal(result, want), f"{name}: {np.argwhere(result != want)[:3]}"

    cycles = {}
    for timing in (False, True):
        if timing:
            run("sequin-run", path + ".mlir", "--report", path + ".json", "--timing-only")
        report = json.load(open(path + ".json"))
        cycles[timing], = [c["stages"] for c in report["commands"] if "collect" in c["stages"]]
    assert cycles[False] == cycles[True], cycles
    engine = "switch" if spec["switch"] else "collect"
    if spec["dual"]:
        # 64 packets are fetched in 64 cycles; 256 packets of two flits are collected.
        assert (cycles[False]["fetch"], cycles[False]["collect"]) == (64, 256), cycles
    assert cycles[False][engine] == spec["cycles"], cycles
    print(f"{name}: ring {spec['ring']}, {engine} {spec['cycles']} cycles, result as expected")


if __name__ == "__main__":
    for wanted in sys.argv[2:] or CASES:
        check(sys.argv[1], wanted)
