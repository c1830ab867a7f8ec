#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""y = A x + b on a region of 3 x 4 PEs, with streams into and out of whole edges: each PE of
an edge has its part of the stream."""

import argparse

import numpy as np
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
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

WIDTH, HEIGHT, ROWS, COLUMNS = 3, 4, 2, 5  # PEs, and the block of each
target = SdkTarget.WSE2 if args.arch == "wse2" else SdkTarget.WSE3
platform = get_platform(args.cmaddr, SimfabConfig(), target)
layout = SdkLayout(platform)
region = layout.create_code_region("./block.csl", "matrix", WIDTH, HEIGHT)
down, even, odd = (region.color(name) for name in ("down", "even", "odd"))
region.set_param_all("x_in", down)
region.set_param_all("rows", ROWS)
region.set_param_all("columns", COLUMNS)


def route(rx, tx):
    return [RoutingPosition().set_input(rx).set_output(tx)]


# x goes down the columns; its PEs in the bottom row keep it.
region.paint_all(
    down,
    route([Route.NORTH], [Route.RAMP, Route.SOUTH]),
    [get_edge_routing(Edge.BOTTOM, route([Route.NORTH], [Route.RAMP]))],
)
# Sums go from column to column on two colors in turn.
for x in range(WIDTH):
    column = IntRectangle(IntVector(x, 0), IntVector(x + 1, HEIGHT))
    comes, goes = (even, odd) if x % 2 == 0 else (odd, even)
    region.set_param_range(column, "sums_in", comes)
    region.set_param_range(column, "sums_out", goes)
    region.paint_range(column, comes, route([Route.WEST], [Route.RAMP]))
    region.paint_range(column, goes, route([Route.RAMP], [Route.EAST]))
x_port = region.create_input_port(
    down, Edge.TOP, [RoutingPosition().set_output([Route.RAMP, Route.SOUTH])], COLUMNS
)
b_port = region.create_input_port(even, Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], ROWS)
y_port = region.create_output_port(
    odd if WIDTH % 2 else even, Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], ROWS
)
random = np.random.default_rng(4)
A = random.integers(-8, 9, (HEIGHT * ROWS, WIDTH * COLUMNS)).astype(np.float32)
region.set_symbol_all("A", A, WIDTH * COLUMNS, HEIGHT * ROWS)
region.place(3, 4)
x_name = layout.create_input_stream(x_port)
b_name = layout.create_input_stream(b_port)
y_name = layout.create_output_stream(y_port)
artifacts = layout.compile(f"out_{args.arch}")

runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()
x = random.integers(-8, 9, WIDTH * COLUMNS).astype(np.float32)
b = random.integers(-8, 9, HEIGHT * ROWS).astype(np.float32)
y = np.zeros(HEIGHT * ROWS, np.float32)
runtime.send(x_name, x, nonblock=True)
runtime.send(b_name, b, b.size, nonblock=True)
runtime.receive(y_name, y, y.size, nonblock=False)
runtime.stop()
np.testing.assert_array_equal(y, A @ x + b)
print("SUCCESS")
