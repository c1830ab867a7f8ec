#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A region of two columns whose inner routes are painted, with ports of one PE on its edges."""

import argparse

import numpy as np
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    Color,
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_edge_routing,
    get_platform,
)

parser = argparse.ArgumentParser()
parser.add_argument("--cmaddr", help="IP:port of a system; none is the simulator")
parser.add_argument("--arch", choices=["wse2", "wse3"], default="wse3")
args = parser.parse_args()

SIZE, WIDTH = 7, 3
target = SdkTarget.WSE2 if args.arch == "wse2" else SdkTarget.WSE3
platform = get_platform(args.cmaddr, SimfabConfig(), target)
layout = SdkLayout(platform)
region = layout.create_code_region("./worker.csl", "row", WIDTH, 1)
# Words go on the two colors in turn: out of an even PE on the second.
colors = [Color("even", 4), Color("odd", 5)]
assert colors[0].get_value() == 4 and colors[1].get_local_param_name() == "odd"
for x in range(WIDTH):
    region.set_param(IntVector(x, 0), "west", colors[x % 2].get_value())
    region.set_param(IntVector(x, 0), "east", colors[(x + 1) % 2].get_value())
    region.set_param(IntVector(x, 0), "place", 10 * x)
region.set_param_all("size", SIZE)
region.set_param_range(IntRectangle(IntVector(1, 0), IntVector(2, 1)), "scale", 3)

take = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
give = RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])
assert give.get_output() == [Route.EAST]
for x in range(WIDTH):
    if x > 0:
        region.paint(IntVector(x, 0), colors[x % 2], [take])
    if x + 1 < WIDTH:
        region.paint(IntVector(x, 0), colors[(x + 1) % 2], [give])
into = region.create_input_port(colors[0], Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], SIZE)
out = region.create_output_port(
    colors[WIDTH % 2], Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], SIZE
)
region.place(4, 2)
first = layout.create_input_stream(into)
last = layout.create_output_stream(out)
artifacts = layout.compile(f"out_{args.arch}")

runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()
x = np.arange(SIZE, dtype=np.uint32)
y = np.zeros(SIZE, np.uint32)
runtime.send(first, x, nonblock=True)
runtime.receive(last, y, SIZE, nonblock=False)
runtime.stop()
np.testing.assert_array_equal(y, (x + 0) * 3 + 10 + 20)
assert [int(runtime.read_symbol(4 + k, 2, "seen", dtype="uint32")[0]) for k in range(WIDTH)] == [SIZE] * WIDTH
print("SUCCESS")
