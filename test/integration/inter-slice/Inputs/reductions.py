# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over slices, from the manual's examples to the result.

Writes a kernel that fetches a tensor, reduces it in the vector engine and stores what
all slices hold; runs it against the reference interpreter and compares the result,
the routers and the cycles.

    reductions.py FOLDER
"""

import json
import subprocess
import sys

import numpy as np

A8 = dict(axes="R = 4, A = 512", host="A, R", slices="A / 8, R", time="1", packet="A % 8")
W64 = dict(axes="W = 64, R = 4, X = 4, P = 8", host="W, R, P", slices="W, R", time="1", packet="P")
PROMOTED = dict(axes="W = 64, R = 4, T0 = 2, T2 = 4, T1 = 2, P = 8", host="W, R, T0, T2, T1, P",
                slices="W, R", time="T0, T2, T1", packet="P")
MIXED = dict(axes="W = 16, R = 16, T0 = 2, T1 = 4, X = 2, P = 8", host="W, R, T0, T1, P",
             slices="W, R", time="T0, T1", packet="P")
MOST, LEAST = 2**31 - 1, -(2**31)


def add_sat(x, axis):
    """Saturates at every step, in ascending order."""
    parts = np.moveaxis(x.astype(np.int64), axis, 0)
    total = parts[0]
    for part in parts[1:]:
        total = np.clip(total + part, LEAST, MOST)
    return total.astype(np.int32)


def add_f32(x, axis):
    """One after the other in f32."""
    parts = np.moveaxis(x, axis, 0)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


# name: form, operation, element type, (operations before, behind), slices and time of the
# result, host mapping of the result, reduction by numpy, routers' period, flits, sources.
CASES = {
    # INT-04
    "dummy": (A8, "AddSat", "i32", ("", ""), "A / 8, 1 # 4", "1", "A",
              lambda x: add_sat(x, 1), 4, 1, 4),
    # INT-05: every X has the sum.
    "broadcast": (W64, "Add", "f32", ("", ""), "W, X", "1", "X, W, P",
                  lambda x: np.broadcast_to(add_f32(x, 1), (4, 64, 8)), 4, 1, 4),
    # INT-06: T2 moves from the middle of time to the slices.
    "promotion": (PROMOTED, "Add", "f32", ("", ""), "W, T2", "T0, T1", "W, T0, T2, T1, P",
                  lambda x: add_f32(x, 1), 4, 16, 4),
    # INT-07 and INT-08
    "inter_then_intra": (A8, "AddSat", "i32", ("", "AddFxp(100 : i32)"), "A / 8, 1 # 4", "1", "A",
                         lambda x: (add_sat(x, 1).astype(np.int64) + 100).astype(np.int32), 4, 1, 4),
    "intra_then_inter": (A8, "AddSat", "i32", ("AddFxp(100 : i32)", ""), "A / 8, 1 # 4", "1", "A",
                         lambda x: add_sat((x.astype(np.int64) + 100).astype(np.int32), 1), 4, 1, 4),
    # INT-02: the other operations.
    "add": (A8, "Add", "i32", ("", ""), "A / 8, 1 # 4", "1", "A",
            lambda x: x.sum(1, dtype=np.int32), 4, 1, 4),
    "max": (A8, "Max", "i32", ("", ""), "A / 8, 1 # 4", "1", "A", lambda x: x.max(1), 4, 1, 4),
    "min": (A8, "Min", "i32", ("", ""), "A / 8, 1 # 4", "1", "A", lambda x: x.min(1), 4, 1, 4),
    "max_f32": (W64, "Max", "f32", ("", ""), "W, X", "1", "X, W, P",
                lambda x: np.broadcast_to(x.max(1), (4, 64, 8)), 4, 1, 4),
    "min_f32": (W64, "Min", "f32", ("", ""), "W, X", "1", "X, W, P",
                lambda x: np.broadcast_to(x.min(1), (4, 64, 8)), 4, 1, 4),
    "mul_f32": (W64, "Mul", "f32", ("", ""), "W, X", "1", "X, W, P",
                lambda x: np.broadcast_to(x[:, 0] * x[:, 1] * x[:, 2] * x[:, 3], (4, 64, 8)),
                4, 1, 4),
    # INT-03: part of time, a new axis and a dummy in the places of R.
    "mixed": (MIXED, "Add", "f32", ("", ""), "W, T1, X, 1 # 2", "T0", "X, W, T0, T1, P",
              lambda x: np.broadcast_to(add_f32(x, 1), (2, 16, 2, 4, 8)), 16, 8, 16),
}


def kernel(spec):
    form, op, element, (before, behind), out_slices, out_time, result, *_ = spec
    time, packet, host = form["time"], form["packet"], form["host"]

    def grid(slices):
        return f'#tcp.grid<#axes, chip "1", cluster "1 # 2", slice "{slices}">'

    def block(value, stage, name, where, steps):
        """The intra-slice block with one operation."""
        stream = f'{element}, {where}, "{steps}", "{packet}"'
        lines = (f"%b{name} = tcp.vector_intra_slice_branch {value} Unconditional : "
                 f"<main {stage} {stream}>\n    "
                 f"%x{name} = tcp.vector_fxp %b{name} {before or behind} : "
                 f"<main vector_branch {stream}>")
        return lines, f"%x{name}", "vector_fxp"

    lines, value, stage, order = "", "%v", "vector_init", "vector_inter_first"
    if before:
        lines, value, stage = block(value, stage, 0, "#in", time)
        order = "vector_intra_first"
    lines += (f'\n    %i = tcp.vector_inter_slice_reduce {value} {op} "{out_slices}", "{out_time}" '
              f': <main {stage} {element}, #in, "{time}", "{packet}">')
    value, stage = "%i", order
    if behind:
        more, value, stage = block(value, stage, 1, "#out", out_time)
        lines += "\n    " + more
    stored = result
    dm = f"{time}, {packet}" if time != "1" else packet
    kept = f"{out_time}, {packet}" if out_time != "1" else packet
    return f"""
#axes = #stream.axes<{form["axes"]}>
#in = {grid(form["slices"])}
#out = {grid(out_slices)}
module attributes {{tcp.target = #tcp.target<"rngd", chips = 1>}} {{
  func.func @main(%0: !tcp.host<{element}, #axes, "{host}">) -> !tcp.host<{element}, #axes, "{stored}"> {{
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<{element}, #axes, "{host}"> -> !tcp.hbm<{element}, #axes, "1", "{form["slices"]}, {dm}">
    %2 = tcp.launch @kernel(%1) : (!tcp.hbm<{element}, #axes, "1", "{form["slices"]}, {dm}">) -> !tcp.hbm<{element}, #axes, "1", "{stored}">
    %3 = tcp.to_host %2 : !tcp.hbm<{element}, #axes, "1", "{stored}"> -> !tcp.host<{element}, #axes, "{stored}">
    return %3 : !tcp.host<{element}, #axes, "{stored}">
  }}
  func.func @kernel(%0: !tcp.hbm<{element}, #axes, "1", "{form["slices"]}, {dm}">) -> !tcp.hbm<{element}, #axes, "1", "{stored}"> {{
    %dm = tcp.to_dm %0 at 0 : !tcp.hbm<{element}, #axes, "1", "{form["slices"]}, {dm}"> -> !tcp.dm<{element}, #in, "{dm}">
    %b = tcp.begin main %dm : !tcp.dm<{element}, #in, "{dm}">
    %f = tcp.fetch %b {element} "{time}", "{packet}" : <main begin {element}, #in, "1", "{dm}">
    %c = tcp.collect %f "{time}", "{packet}" : <main fetch {element}, #in, "{time}", "{packet}">
    %v = tcp.vector_init %c : <main collect {element}, #in, "{time}", "{packet}">
    {lines}
    %o = tcp.vector_final {value} : <main {stage} {element}, #out, "{out_time}", "{packet}">
    %r = tcp.commit %o at 131072 "{kept}" : <main vector_final {element}, #out, "{out_time}", "{packet}">
    %h = tcp.to_hbm %r at 268435456 : !tcp.dm<{element}, #out, "{kept}"> -> !tcp.hbm<{element}, #axes, "1", "{stored}">
    return %h : !tcp.hbm<{element}, #axes, "1", "{stored}">
  }}
}}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def check(folder, name, spec):
    form, _, element, _, _, _, _, reduce, period, flits, sources = spec
    path = f"{folder}/{name}"
    with open(path + ".mlir", "w") as file:
        file.write(kernel(spec))
    run("sequin-opt", path + ".mlir", "--tcp-to-config", "-o", path + ".config.mlir")
    program = json.loads(run("sequin-translate", "--tcp-to-json", path + ".config.mlir"))
    pass_, = [c for c in program["commands"] if c["kind"] == "exec"]
    stage = pass_["vector"]["inter_slice"]
    rows = []
    for setting in stage["routers"]:
        rows += [int(setting["sources"], 16)] * setting["slices"]
    if "period" in stage:
        assert len(rows) == stage["period"], stage
        rows *= stage["ring_size"] // stage["period"]
    assert len(rows) == stage["ring_size"] == period, stage
    assert {bin(row).count("1") for row in rows} <= {0, sources}, rows

    sizes = {n.split()[0]: int(n.split()[2]) for n in form["axes"].split(", ")}
    shape = [sizes[n] for n in form["host"].split(", ")]
    random = np.random.default_rng(11)
    if element == "i32":
        # Large enough that sums of four wrap and saturate.
        given = random.integers(LEAST, MOST + 1, shape).astype(np.int32)
    else:
        given = (random.standard_normal(shape) * 10.0 ** random.integers(-3, 4, shape)).astype(
            np.float32)
    np.save(path + ".npy", given)
    cycles = []
    for timing in ([], ["--timing-only"]):
        data = ["--input", path + ".npy", "--output", path + ".out.npy", "--verify"]
        run("sequin-run", path + ".mlir", "--report", path + ".json", *(timing or data))
        report = json.load(open(path + ".json"))
        found, = [c for c in report["commands"] if "inter_slice" in c["stages"]]
        stages = found["stages"]
        tail = found["end"] - found["start"] - max(stages.values())
        cycles.append((stages["inter_slice"], tail))
    result, want = np.load(path + ".out.npy"), reduce(given)
    assert result.shape == want.shape, (result.shape, want.shape)
    assert np.array_equal(result, want), f"{name}: {np.argwhere(result != want)[:3]}"
    # INT-10: the stream, then one traversal of the group.
    assert cycles == [(flits, sources)] * 2, cycles
    print(f"{name}: {sum(cycles[0])} cycles, result as expected")


if __name__ == "__main__":
    for name, spec in CASES.items():
        check(sys.argv[1], name, spec)
