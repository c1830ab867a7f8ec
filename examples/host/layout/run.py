#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three regions in a row, connected by ways that compile() finds, between two streams."""

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

target = SdkTarget.WSE2 if args.arch == "wse2" else SdkTarget.WSE3
platform = get_platform(args.cmaddr, SimfabConfig(dump_core=True), target)
layout = SdkLayout(platform)
TABLES = np.float32([[1, 2], [-3, 1], [0, 4]])
SIZE = 16


def stage(number: int, x: int, y: int):
    """A region of one PE, with a port on each side."""
    region = layout.create_code_region("./polynomial.csl", f"stage{number}", 1, 1)
    rx, tx = region.color("rx"), region.color("tx")
    region.set_param_all(rx)
    region.set_param_all(tx)
    region.set_symbol_all("table", TABLES[number : number + 1], 2, 1)
    region.place(x, y)
    to_ramp = RoutingPosition().set_output([Route.RAMP])
    from_ramp = RoutingPosition().set_input([Route.RAMP])
    return (
        region.create_input_port(rx, Edge.LEFT, [to_ramp], SIZE),
        region.create_output_port(tx, Edge.RIGHT, [from_ramp], SIZE),
    )


stages = [stage(0, 3, 4), stage(1, 6, 2), stage(2, 8, 4)]
for before, after in zip(stages, stages[1:]):
    layout.connect(before[1], after[0])
into = layout.create_input_stream(stages[0][0])
out = layout.create_output_stream(stages[-1][1])
artifacts = layout.compile(f"out_{args.arch}")

runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()
x = np.arange(SIZE, dtype=np.float32)
y = np.zeros(SIZE, np.float32)
runtime.send(into, x, nonblock=True)
runtime.receive(out, y, SIZE, nonblock=True)
runtime.stop()

expected = x
for constant, factor in TABLES:
    expected = constant + factor * expected
np.testing.assert_array_equal(y, expected)
assert runtime.read_symbol(6, 2, "words", dtype="uint32") == [SIZE]
print("SUCCESS")
