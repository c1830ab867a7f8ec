#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stack of code regions between an input and an output stream, placed by hstack."""

import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import (
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_platform,
)

parser = argparse.ArgumentParser()
parser.add_argument("--cmaddr", help="IP:port of a system; none is the simulator")
parser.add_argument("--arch", choices=["wse2", "wse3"], default="wse3")
args = parser.parse_args()

STAGES, SIZE, BLOCKS = 4, 6, 3
target = SdkTarget.WSE2 if args.arch == "wse2" else SdkTarget.WSE3
platform = get_platform(args.cmaddr, SimfabConfig(suppress_trace=True), target)
assert platform.is_simulation() or args.cmaddr
layout = SdkLayout(platform)
tables = np.arange(STAGES * SIZE, dtype=np.float32).reshape(STAGES, SIZE)

ports = []
for k in range(STAGES):
    region = layout.create_code_region("./stage.csl", f"stage{k}", 1, 1)
    rx, tx = region.color("rx"), region.color("tx")
    region.set_param_all(rx)
    region.set_param_all(tx)
    region.set_param_all("block_size", SIZE)
    region.set_symbol_all("table", tables[k : k + 1], SIZE, 1)
    region.place(3 + 3 * k, 3 + k % 2)
    to_ramp = RoutingPosition().set_output([Route.RAMP])
    from_ramp = RoutingPosition().set_input([Route.RAMP])
    ports.append(
        (
            region.create_input_port(rx, Edge.LEFT, [to_ramp], SIZE),
            region.create_output_port(tx, Edge.RIGHT, [from_ramp], SIZE),
        )
    )
for (_, out), (into, _) in zip(ports, ports[1:]):
    layout.connect(out, into)
first = layout.create_input_stream(ports[0][0])
last = layout.create_output_stream(ports[-1][1])
artifacts = layout.compile(f"out_{args.arch}")

runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()
runtime.report_port_infos()
x = np.random.default_rng(3).integers(0, 99, BLOCKS * SIZE).astype(np.float32)
y = np.zeros_like(x)
task = runtime.receive(last, y, y.size, nonblock=True)
for k in range(BLOCKS):
    runtime.send(first, x[k * SIZE : (k + 1) * SIZE], nonblock=True)
runtime.task_wait(task)
runtime.stop()
np.testing.assert_array_equal(y.reshape(BLOCKS, SIZE), x.reshape(BLOCKS, SIZE) + tables.sum(0))
for k in range(STAGES):
    assert runtime.read_symbol(3 + 3 * k, 3 + k % 2, "blocks", dtype="uint32")[0] == BLOCKS
print("SUCCESS")
