# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of PEs with one program."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sequin._boundary import host_class
from sequin.errors import HostError, HostTypeError

from .checks import own_order, whole
from .geometry import IntRectangle, IntVector
from .routes import Color, Edge, EdgeRouteInfo, RoutingPosition, check_positions

__all__ = ["CodeRegion", "PortHandle"]

#: Element types of data that set_symbol_all() takes.
DATA_TYPES = ("int32", "uint32", "float32", "int16", "uint16")


@dataclass(eq=False)
class PortHandle:
    """The edge of a region where a color comes in or goes out."""

    region: CodeRegion
    color: Color
    edge: Edge
    positions: list[RoutingPosition]
    data_size: int
    prefix: str
    is_input: bool

    @property
    def name(self) -> str:
        """As messages and streams call it."""
        way = "in" if self.is_input else "out"
        return f"{self.prefix}{self.color.get_global_name()}_{self.edge.name.lower()}_{way}"

    def places(self) -> list[tuple[int, int]]:
        """Its PEs, from the north or from the west; local to the region."""
        return edge_places(self.region, self.edge)

    def __repr__(self) -> str:
        return f"<port '{self.name}'>"


@dataclass
class _Data:
    symbol: str
    array: NDArray[Any]


@host_class
@dataclass(eq=False)
class CodeRegion:
    """`width` x `height` PEs that run the CSL program of a file."""

    source: Path
    name: str
    width: int
    height: int
    origin: IntVector | None = None
    colors: dict[str, Color] = field(default_factory=dict)
    ports: list[PortHandle] = field(default_factory=list)
    #: By place, then by color.
    painted: dict[tuple[int, int], dict[Color, list[RoutingPosition]]] = field(
        default_factory=dict
    )
    params: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)
    data: list[_Data] = field(default_factory=list)

    # ===--- Colors and routes --------------------------------------------=== #

    def color(self, name: str, value: int | None = None) -> Color:
        """A new color of the region."""
        if name in self.colors:
            raise HostError(f"region '{self.name}' already has a color '{name}'")
        color = Color(name, value)
        color._region = self.name
        self.colors[name] = color
        return color

    def paint(self, coord: IntVector, color: Color, routes: list[RoutingPosition]) -> None:
        """Routes of one PE, by its place in the region."""
        self._paint([self._place("paint", coord)], color, routes)

    def paint_range(
        self, rect: IntRectangle, color: Color, routes: list[RoutingPosition]
    ) -> None:
        """Routes of the PEs of a rectangle."""
        self._paint(self._places("paint_range", rect), color, routes)

    def paint_all(
        self,
        color: Color,
        routes: list[RoutingPosition],
        edge_routes: list[EdgeRouteInfo] | None = None,
    ) -> None:
        """Routes of all PEs, with others for the PEs of edges."""
        if not isinstance(edge_routes, (list, tuple, type(None))):
            raise HostTypeError(
                f"paint_all: edge_routes is {edge_routes!r}, expected a list of what "
                "get_edge_routing() returns"
            )
        for info in edge_routes or []:
            if not isinstance(info, EdgeRouteInfo):
                raise HostTypeError(
                    f"paint_all: an edge route is {info!r}, expected what "
                    "get_edge_routing() returns"
                )
        self._paint(list(self._all()), color, routes)
        for info in edge_routes or []:
            self._paint(edge_places(self, info.edge), color, info.positions)

    def create_input_port(
        self,
        color: Color,
        edge: Edge,
        routes: list[RoutingPosition],
        data_size: int,
        prefix: str = "",
    ) -> PortHandle:
        """A port that wavelets come in by; `routes` say where they go from its PEs."""
        return self._port(color, edge, routes, data_size, prefix, True)

    def create_output_port(
        self,
        color: Color,
        edge: Edge,
        routes: list[RoutingPosition],
        data_size: int,
        prefix: str = "",
    ) -> PortHandle:
        """A port that wavelets go out by; `routes` say where they come from."""
        return self._port(color, edge, routes, data_size, prefix, False)

    # ===--- Place, parameters, data --------------------------------------=== #

    def place(self, x: int, y: int) -> None:
        """Where the upper-left PE is on the fabric."""
        self.origin = IntVector(whole("x", x, 0), whole("y", y, 0))

    def set_param_all(self, param: str | Color, value: Any = None) -> None:
        """A parameter of the program on all PEs; a color binds that of its own name."""
        self._set("set_param_all", list(self._all()), param, value)

    def set_param(self, coord: IntVector, param: str | Color, value: Any = None) -> None:
        """A parameter on one PE."""
        self._set("set_param", [self._place("set_param", coord)], param, value)

    def set_param_range(self, rect: IntRectangle, param: str | Color, value: Any = None) -> None:
        """A parameter on the PEs of a rectangle."""
        self._set("set_param_range", self._places("set_param_range", rect), param, value)

    def set_symbol_all(self, symbol: str, data: NDArray[Any], width: int, height: int) -> None:
        """Initial values of a variable: `data` is height x width elements, of which each PE
        gets an equal block."""
        what = f"set_symbol_all of '{symbol}'"
        array = own_order(np.asarray(data))
        if str(array.dtype) not in DATA_TYPES:
            raise HostTypeError(
                f"{what}: data is {array.dtype}, expected one of {', '.join(DATA_TYPES)}"
            )
        if array.size != width * height:
            raise HostError(
                f"{what}: data has {array.size} elements, expected width * height = "
                f"{width * height}"
            )
        if width < 1 or height < 1 or width % self.width or height % self.height:
            raise HostError(
                f"{what}: {width} x {height} elements are no multiple of the "
                f"{self.width} x {self.height} PEs of region '{self.name}'"
            )
        self.data.append(_Data(symbol, np.array(array).reshape(height, width)))

    # ===--- Parts --------------------------------------------------------=== #

    def _all(self) -> IntRectangle:
        return IntRectangle(IntVector(0, 0), IntVector(self.width, self.height))

    def _place(self, call: str, coord: IntVector) -> tuple[int, int]:
        x, y = coord
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise HostError(
                f"{call}: PE ({x}, {y}) is not in region '{self.name}' of "
                f"{self.width} x {self.height} PEs"
            )
        return x, y

    def _places(self, call: str, rect: IntRectangle) -> list[tuple[int, int]]:
        if not isinstance(rect, IntRectangle):
            raise HostTypeError(f"{call}: {rect!r} is no IntRectangle")
        self._place(call, rect.origin)
        self._place(call, rect.end - IntVector(1, 1))
        return list(rect)

    def _paint(self, places: list[tuple[int, int]], color: Color, routes: Any) -> None:
        if not isinstance(color, Color):
            raise HostTypeError(f"region '{self.name}': {color!r} is no Color")
        positions = check_positions(f"region '{self.name}', {color!r}", routes)
        for place in places:
            self.painted.setdefault(place, {})[color] = positions

    def _port(
        self,
        color: Color,
        edge: Edge,
        routes: Any,
        data_size: int,
        prefix: str,
        is_input: bool,
    ) -> PortHandle:
        if not isinstance(color, Color) or not isinstance(edge, Edge):
            raise HostTypeError(
                f"region '{self.name}': a port of {color!r} on {edge!r}, expected a Color and "
                "an Edge"
            )
        what = f"region '{self.name}', port of {color!r}"
        positions = check_positions(what, routes)
        size = whole(f"{what}: data_size", data_size, 0)
        port = PortHandle(self, color, edge, positions, size, prefix, is_input)
        if any(other.name == port.name for other in self.ports):
            raise HostError(
                f"region '{self.name}' already has a port '{port.name}'; a prefix tells two apart"
            )
        self.ports.append(port)
        return port

    def _set(
        self, call: str, places: list[tuple[int, int]], param: str | Color, value: Any
    ) -> None:
        if isinstance(param, Color):
            if value is not None:
                raise HostError(f"{call}: a color is its own value, found {value!r} too")
            param, value = param.get_local_param_name(), param
        if value is None:
            raise HostError(f"{call}: parameter '{param}' has no value")
        for place in places:
            self.params.setdefault(place, {})[param] = value


def edge_places(region: CodeRegion, edge: Edge) -> list[tuple[int, int]]:
    """The PEs of an edge."""
    if edge in (Edge.LEFT, Edge.RIGHT):
        x = 0 if edge is Edge.LEFT else region.width - 1
        return [(x, y) for y in range(region.height)]
    y = 0 if edge is Edge.TOP else region.height - 1
    return [(x, y) for x in range(region.width)]


def read_source(source: str | os.PathLike[str]) -> Path:
    """The path of a region's program."""
    path = Path(source).resolve()
    if not path.is_file():
        raise HostError(f"the program of a code region is '{source}', which is no file")
    return path
