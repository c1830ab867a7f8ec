# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colors, routes and the edges of regions."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from enum import Enum

from sequin._boundary import host_call, host_class
from sequin.errors import HostError, HostTypeError

__all__ = [
    "Color",
    "Edge",
    "EdgeRouteInfo",
    "Route",
    "RoutingPosition",
    "get_edge_routing",
]

#: Colors that routers have are 0 to this.
LAST_COLOR = 23


class Route(Enum):
    """A link of a router."""

    RAMP = 0
    EAST = 1
    WEST = 2
    NORTH = 3
    SOUTH = 4

    @property
    def step(self) -> tuple[int, int]:
        """Where the link leads, as a difference of places."""
        return _STEPS[self]

    @property
    def opposite(self) -> Route:
        """The link of the neighbour that this one is connected to."""
        return _OPPOSITES[self]


_STEPS = {
    Route.RAMP: (0, 0),
    Route.EAST: (1, 0),
    Route.WEST: (-1, 0),
    Route.NORTH: (0, -1),
    Route.SOUTH: (0, 1),
}
_OPPOSITES = {
    Route.RAMP: Route.RAMP,
    Route.EAST: Route.WEST,
    Route.WEST: Route.EAST,
    Route.NORTH: Route.SOUTH,
    Route.SOUTH: Route.NORTH,
}


class Edge(Enum):
    """A side of a region."""

    TOP = 0
    BOTTOM = 1
    LEFT = 2
    RIGHT = 3

    @property
    def route(self) -> Route:
        """The link that leads out of the region on this side."""
        return {
            Edge.TOP: Route.NORTH,
            Edge.BOTTOM: Route.SOUTH,
            Edge.LEFT: Route.WEST,
            Edge.RIGHT: Route.EAST,
        }[self]


def _routes(what: str, routes: Iterable[Route] | Route) -> list[Route]:
    listed = [routes] if isinstance(routes, Route) else list(routes)
    for route in listed:
        if not isinstance(route, Route):
            raise HostTypeError(f"{what} is {route!r}, expected a Route")
    if len(set(listed)) != len(listed):
        raise HostError(f"{what} names a route twice: {', '.join(r.name for r in listed)}")
    return listed


@host_class
class RoutingPosition:
    """Where wavelets of a color come from and go to, at one position of the switch."""

    def __init__(self) -> None:
        self._input: list[Route] = []
        self._output: list[Route] = []

    def set_input(self, routes: Iterable[Route] | Route) -> RoutingPosition:
        """Replaces the links that wavelets come from; returns the position."""
        self._input = _routes("an input", routes)
        return self

    def set_output(self, routes: Iterable[Route] | Route) -> RoutingPosition:
        """Replaces the links that they go to; returns the position."""
        self._output = _routes("an output", routes)
        return self

    def add_input(self, route: Route) -> RoutingPosition:
        """One more link that they come from."""
        self._input = _routes("an input", [*self._input, route])
        return self

    def add_output(self, route: Route) -> RoutingPosition:
        """One more link that they go to."""
        self._output = _routes("an output", [*self._output, route])
        return self

    def get_input(self) -> list[Route]:
        """The links that they come from."""
        return list(self._input)

    def get_output(self) -> list[Route]:
        """The links that they go to."""
        return list(self._output)

    def __repr__(self) -> str:
        def names(routes: list[Route]) -> str:
            return ", ".join(route.name for route in routes)

        return f"<{names(self._input)} -> {names(self._output)}>"


MOST_POSITIONS = 4


def check_positions(what: str, routes: object) -> list[RoutingPosition]:
    """A list of positions of one switch, or a single one."""
    positions = [routes] if isinstance(routes, RoutingPosition) else routes
    if not isinstance(positions, Sequence) or not all(
        isinstance(position, RoutingPosition) for position in positions
    ):
        raise HostTypeError(f"{what}: routes is {routes!r}, expected a list of RoutingPosition")
    if not 1 <= len(positions) <= MOST_POSITIONS:
        raise HostError(
            f"{what}: {len(positions)} routing positions, a switch has 1 to {MOST_POSITIONS}"
        )
    # As they are now: the caller may go on with the same objects.
    return copy.deepcopy(list(positions))


class EdgeRouteInfo:
    """The routes of the PEs of one edge."""

    def __init__(self, edge: Edge, positions: list[RoutingPosition]) -> None:
        self.edge = edge
        self.positions = positions


@host_call
def get_edge_routing(edge: Edge, routes: list[RoutingPosition]) -> EdgeRouteInfo:
    """Routes for one edge, which CodeRegion.paint_all() takes."""
    if not isinstance(edge, Edge):
        raise HostTypeError(f"edge is {edge!r}, expected an Edge")
    return EdgeRouteInfo(edge, check_positions("get_edge_routing", routes))


@host_class
class Color:
    """A color; without a value the compiler chooses one."""

    def __init__(self, name: str, value: int | None = None) -> None:
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LAST_COLOR
        ):
            raise HostError(f"color '{name}' has value {value!r}, colors are 0 to {LAST_COLOR}")
        self._name = name
        self._value = value
        self._chosen: int | None = None
        self._region = ""

    def get_global_name(self) -> str:
        """The name that is its own in the whole layout."""
        return f"{self._region}_{self._name}" if self._region else self._name

    def get_local_param_name(self) -> str:
        """The name of the parameter that set_param_all() binds."""
        return self._name

    def get_value(self) -> int | None:
        """The number, if it was given or has been chosen by compile()."""
        return self._chosen if self._value is None else self._value

    def __repr__(self) -> str:
        value = "" if self.get_value() is None else f", {self.get_value()}"
        return f"Color('{self.get_global_name()}'{value})"
