#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of SdkLayout: a switch deals a stream in batches to the PEs below (control wavelets advance it)."""
import argparse
import numpy as np
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    Color, Edge, Route, RoutingPosition, SdkLayout, SdkTarget, SdkRuntime, SimfabConfig, get_platform, get_edge_routing)

ap = argparse.ArgumentParser()
ap.add_argument('--cmaddr'); ap.add_argument('--arch', choices=['wse2', 'wse3'], default='wse3')
args = ap.parse_args()
platform = get_platform(args.cmaddr, SimfabConfig(dump_core=True), SdkTarget.WSE3 if args.arch == 'wse3' else SdkTarget.WSE2)
lay = SdkLayout(platform)
parts, batch, entry = 4, 6, 41

feeder = lay.create_code_region('feeder.csl', 'feeder', 1, 1)
hin, dealt = feeder.color('host_in'), feeder.color('dealt')
for k, v in (('batch', batch), ('parts', parts), ('entry', entry)):
  feeder.set_param_all(k, v)
feeder.set_param_all(hin); feeder.set_param_all(dealt)
f_in = feeder.create_input_port(hin, Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], parts * batch)
f_out = feeder.create_output_port(dealt, Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], parts * batch)
feeder.place(1, 1)

dealer = lay.create_code_region('dealer.csl', 'dealer', parts, 1)
deck = Color('deck')
# position 0: down, position 1: on to the east; the last one only down
down = RoutingPosition().set_input([Route.WEST]).set_output([Route.SOUTH])
on = RoutingPosition().set_input([Route.WEST]).set_output([Route.EAST])
dealer.paint_all(deck, [down, on], [get_edge_routing(Edge.RIGHT, [down])])
d_in = dealer.create_input_port(deck, Edge.LEFT, [RoutingPosition().set_output([Route.SOUTH]), RoutingPosition().set_output([Route.EAST])], parts * batch)
dealer.place(3, 1)

work = lay.create_code_region('worker.csl', 'work', parts, 1)
ping, pong = work.color('a'), work.color('b')
work.set_param_all('entry', entry)
work.set_param_all('deal', deck)
recv = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
send = RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])
work.paint_all(deck, [RoutingPosition().set_input([Route.NORTH]).set_output([Route.RAMP])])
east, west = ping, pong
for i in range(parts):
  rect = IntRectangle(IntVector(i, 0), IntVector(i + 1, 1))
  if i: work.paint_range(rect, west, [recv])
  if i < parts - 1: work.paint_range(rect, east, [send])
  work.set_param_range(rect, 'east', east); work.set_param_range(rect, 'west', west)
  work.set_param(IntVector(i, 0), 'before', i)
  last, east, west = east, west, east
w_out = work.create_output_port(last, Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], 2 * parts)
work.place(3, 2)          # directly below: the dealer's SOUTH is the worker's NORTH

lay.connect(f_out, d_in)
sin, sout = lay.create_input_stream(f_in), lay.create_output_stream(w_out)
art = lay.compile(out_prefix='out')
rt = SdkRuntime(art, platform, memcpy_required=False)
rt.load(); rt.run()
x = np.random.default_rng(3).integers(0, 1000, parts * batch).astype(np.uint32)
y = np.zeros(2 * parts, np.uint32)
rt.send(sin, x, nonblock=True)
rt.receive(sout, y, 2 * parts, nonblock=True)
rt.stop()
g = x.reshape(parts, batch)
np.testing.assert_array_equal(y.reshape(parts, 2), np.stack([g.sum(axis=1), g.max(axis=1)], axis=1))
for i in range(parts):
  assert rt.read_symbol(3 + i, 2, 'count', dtype='uint16') == [batch]
assert rt.read_symbol(1, 1, 'dealt_parts', dtype='uint16') == [parts]
print('SUCCESS!')
