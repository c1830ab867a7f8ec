# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix times vectors: a row of PEs as a code region, one row of the matrix on each PE."""
from cerebras.geometry.geometry import IntRectangle, IntVector  # pylint: disable=no-name-in-module
from cerebras.sdk.runtime.sdkruntimepybind import (  # pylint: disable=no-name-in-module
    Color, Edge, Route, RoutingPosition, get_edge_routing,
)


def make_matvec(layout, name, weights):
  width, K = weights.shape
  code = layout.create_code_region('worker.csl', name, width, 1)
  bus = Color('bus')
  ping, pong = code.color('east'), Color('west')
  code.set_param_all('K', K)
  code.set_param_all(bus)

  # bus: WEST -> RAMP + EAST, the right edge only to RAMP
  core = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP, Route.EAST])
  stop = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
  code.paint_all(bus, [core], [get_edge_routing(Edge.RIGHT, [stop])])
  bus_port = code.create_input_port(bus, Edge.LEFT, [RoutingPosition().set_output([Route.RAMP, Route.EAST])], K)

  send = RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])
  recv = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
  east, west = ping, pong
  for i in range(width):
    rect = IntRectangle(IntVector(i, 0), IntVector(i + 1, 1))
    if i > 0:
      code.paint_range(rect, west, [recv])
    if i < width - 1:
      code.paint_range(rect, east, [send])
    code.set_param_range(rect, 'east', east)
    code.set_param_range(rect, 'west', west)
    code.set_param(IntVector(i, 0), 'before', i)
    last = east
    east, west = west, east
  out_port = code.create_output_port(last, Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], width, 'y_')
  # one row of weights per PE: the flat array covers the whole region, 1 row of width*K columns
  code.set_symbol_all('weights', weights.ravel(), width * K, 1)
  return bus_port, out_port, code
