# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkLayout: a program put together from regions, in Python.

compile() places and routes here, writes the result as a CSL file with a layout block
(emit.py), has cslc compile it, and adds what CSL has no words for: the streams to the
host, and initial data.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import sequin
from sequin import _wafer
from sequin._boundary import host_class, path_of, write_file
from sequin.errors import HostError, HostTypeError

from .checks import whole
from .emit import compile_layout, generated_layout, split_warnings
from .geometry import IntVector
from .platform import SdkExecutionPlatform, SdkTarget
from .regions import CodeRegion, PortHandle, read_source
from .router import Fabric, Place, Position, Way, no_way
from .routes import LAST_COLOR, Color, Route
from .runtime import LEVELS, SdkCompileArtifacts

__all__ = ["FP16TYPE", "SdkLayout"]


class FP16TYPE(Enum):
    """The format of 16-bit floats."""

    F16 = "f16"
    BF16 = "bf16"
    CB16 = "cb16"


@dataclass(eq=False)
class _Stream:
    """A port of the host: at a port of a region, or at a place of the fabric."""

    name: str
    to_device: bool
    color: Color
    port: PortHandle | None = None
    place: IntVector | None = None


@dataclass(frozen=True)
class EdgeStream:
    """Where a stream of the host ends: the link `side` of PE `place`."""

    name: str
    color: int
    to_device: bool
    place: Place
    side: Route


@host_class
class SdkLayout:
    """Regions of PEs, the connections between them, and the host's streams."""

    def __init__(
        self,
        platform: SdkExecutionPlatform | SdkTarget | None = None,
        msg_level: str = "WARNING",
    ) -> None:
        if isinstance(platform, SdkExecutionPlatform):
            platform = platform.target
        if isinstance(platform, (str, os.PathLike)):
            raise HostError(
                f"'{os.fspath(platform)}': a layout is made for a platform or an SdkTarget; "
                "the simulated fabric is as large as the layout needs"
            )
        if platform is not None and not isinstance(platform, SdkTarget):
            raise HostTypeError(f"platform is {platform!r}, expected a platform or an SdkTarget")
        if msg_level not in LEVELS:
            raise HostError(f"msg_level is {msg_level!r}, expected one of {', '.join(LEVELS)}")
        self._target = platform or SdkTarget.WSE3
        self._level = LEVELS.index(msg_level)
        self._regions: list[CodeRegion] = []
        self._connections: list[tuple[PortHandle, PortHandle]] = []
        self._streams: list[_Stream] = []

    # ===--- Regions ------------------------------------------------------=== #

    def create_code_region(
        self, source: str | os.PathLike[str], name: str, width: int, height: int
    ) -> CodeRegion:
        """`width` x `height` PEs with the program in the file `source`."""
        if any(region.name == name for region in self._regions):
            raise HostError(f"the layout already has a region '{name}'")
        width, height = whole("width", width, 1), whole("height", height, 1)
        self._expect_on_fabric(f"region '{name}'", width - 1, height - 1)
        region = CodeRegion(read_source(source), name, width, height)
        self._regions.append(region)
        return region

    def hstack(self, children: Sequence[CodeRegion], origin: IntVector | None = None) -> int:
        """Places regions from west to east; how wide they are together."""
        place = origin or IntVector(0, 0)
        for child in children:
            child.place(*place)
            place = place + IntVector(child.width, 0)
        return place.x - (origin.x if origin else 0)

    def vstack(self, children: Sequence[CodeRegion], origin: IntVector | None = None) -> int:
        """Places regions from north to south; how high they are together."""
        place = origin or IntVector(0, 0)
        for child in children:
            child.place(*place)
            place = place + IntVector(0, child.height)
        return place.y - (origin.y if origin else 0)

    # ===--- Connections --------------------------------------------------=== #

    def connect(self, tx: PortHandle, rx: PortHandle) -> None:
        """What goes out by `tx` comes in by `rx`; the way between them is found."""
        for what, port, is_input in (("tx", tx, False), ("rx", rx, True)):
            if not isinstance(port, PortHandle):
                raise HostTypeError(f"connect: {what} is {port!r}, expected a port")
            if port.is_input != is_input:
                raise HostError(
                    f"connect: {what} is {port!r}, expected an "
                    + ("input port" if is_input else "output port")
                )
        if tx.data_size != rx.data_size:
            raise HostError(
                f"connect: {tx!r} has data of size {tx.data_size}, {rx!r} of size {rx.data_size}"
            )
        if len(tx.places()) != len(rx.places()):
            raise HostError(
                f"connect: {tx!r} has {len(tx.places())} PEs, {rx!r} has {len(rx.places())}"
            )
        self._expect_no_source("connect", rx)
        self._connections.append((tx, rx))

    def create_input_stream(
        self, port: PortHandle, io_loc: IntVector | None = None, io_buffer_size: int = 1024
    ) -> str:
        """A stream from the host into a port; its name for SdkRuntime.send()."""
        return self._port_stream("create_input_stream", port, io_loc, io_buffer_size, True)

    def create_output_stream(
        self, port: PortHandle, io_loc: IntVector | None = None, io_buffer_size: int = 1024
    ) -> str:
        """A stream from a port to the host; its name for SdkRuntime.receive()."""
        return self._port_stream("create_output_stream", port, io_loc, io_buffer_size, False)

    def create_input_stream_from_loc(
        self, loc: IntVector, color: Color, prefix: str = ""
    ) -> str:
        """A stream from the host that comes in at a PE, which has routes for it."""
        return self._loc_stream(loc, color, prefix, True)

    def create_output_stream_from_loc(
        self, loc: IntVector, color: Color, prefix: str = ""
    ) -> str:
        """A stream to the host that goes out at a PE, which has routes for it."""
        return self._loc_stream(loc, color, prefix, False)

    # ===--- Compiling ----------------------------------------------------=== #

    def compile(
        self,
        out_prefix: str | os.PathLike[str],
        libs: Sequence[str | os.PathLike[str]] = (),
        cslc_prefix: str = "",
        save_port_map: bool = False,
        f16_type: FP16TYPE = FP16TYPE.F16,
    ) -> SdkCompileArtifacts:
        """Compiles into the directory `out_prefix`."""
        directory = Path(out_prefix)
        self._place_alone()
        self._check_ports()
        fabric, streams = self.route()
        text = compile_layout(
            directory,
            fabric,
            self._regions,
            arch=self._target.machine,
            fp16=f16_type.value,
            libs=[os.fspath(lib) for lib in libs],
            cslc_prefix=cslc_prefix,
        )
        if self._level <= LEVELS.index("WARNING"):
            self._say(text, directory, fabric, streams)
        output = _wafer.Output.open(path_of("out_prefix", directory))
        for stream in streams:
            output.add_edge_stream(
                stream.name, stream.color, stream.to_device, *stream.place, stream.side.name
            )
        for region in self._regions:
            assert region.origin is not None
            for data in region.data:
                w = data.array.shape[1] // region.width
                h = data.array.shape[0] // region.height
                for y in range(region.height):
                    for x in range(region.width):
                        block = data.array[y * h : (y + 1) * h, x * w : (x + 1) * w]
                        output.set_initial(
                            region.origin.x + x,
                            region.origin.y + y,
                            data.symbol,
                            block.astype(block.dtype.newbyteorder("<")).tobytes(),
                        )
        output.save()
        if save_port_map:
            ports = [
                {
                    "name": stream.name,
                    "color": stream.color,
                    "to_device": stream.to_device,
                    "x": stream.place[0],
                    "y": stream.place[1],
                    "side": stream.side.name,
                }
                for stream in streams
            ]
            write_file(directory / "port_map.json", json.dumps(ports, indent=2) + "\n")
        return SdkCompileArtifacts(directory)

    def route(self) -> tuple[Fabric, list[EdgeStream]]:
        """Chooses colors and finds ways; the routes of all PEs, and where the host's
        streams end."""
        self._place_alone()
        numbers = self._choose_colors()
        fabric = self._paint(numbers)
        for tx, rx in self._connections:
            ends = list(zip(_absolute(tx), _absolute(rx), strict=True))
            fabric.in_some_order(
                [
                    lambda tx=tx, rx=rx, start=start, goal=goal: self._connect(
                        fabric, tx, rx, start, goal, numbers[tx.color]
                    )
                    for start, goal in ends
                ]
            )
        streams = []
        for stream in self._streams:
            streams += self._end(fabric, stream, numbers[stream.color])
        self._check(fabric)
        return fabric, streams

    # ===--- Parts --------------------------------------------------------=== #

    def _expect_on_fabric(self, what: str, x: int, y: int) -> None:
        columns, rows = _wafer.fabric_size(self._target.machine)
        if x >= columns or y >= rows:
            raise HostError(
                f"{what} reaches PE ({x}, {y}), the fabric of {self._target.machine} has "
                f"{columns} x {rows} PEs"
            )

    def _place_alone(self) -> None:
        """A region that is alone needs no place."""
        if len(self._regions) == 1 and self._regions[0].origin is None:
            self._regions[0].place(0, 0)

    def _port_stream(
        self,
        call: str,
        port: PortHandle,
        io_loc: IntVector | None,
        io_buffer_size: int,
        to_device: bool,
    ) -> str:
        if not isinstance(port, PortHandle):
            raise HostTypeError(f"{call}: {port!r} is no port")
        if port.is_input != to_device:
            raise HostError(
                f"{call}: {port!r} is an " + ("output port" if to_device else "input port")
            )
        if to_device:
            self._expect_no_source(call, port)
        whole("io_buffer_size", io_buffer_size, 1)
        if io_loc is not None and (io_loc.x < 0 or io_loc.y < 0):
            raise HostError(f"{call}: io_loc is {io_loc}, places of the fabric begin at (0, 0)")
        return self._add(_Stream(port.name, to_device, port.color, port, io_loc))

    def _expect_no_source(self, call: str, port: PortHandle) -> None:
        """What two links bring to a color at once is not defined (FAB-014)."""
        sources = [repr(tx) for tx, rx in self._connections if rx is port]
        sources += [
            f"stream '{stream.name}'"
            for stream in self._streams
            if stream.port is port and stream.to_device
        ]
        if sources:
            raise HostError(f"{call}: {port!r} already gets its data from {sources[0]}")

    def _loc_stream(self, loc: IntVector, color: Color, prefix: str, to_device: bool) -> str:
        if not isinstance(color, Color):
            raise HostTypeError(f"{color!r} is no Color")
        way = "in" if to_device else "out"
        name = f"{prefix}{color.get_global_name()}_{loc.x}_{loc.y}_{way}"
        return self._add(_Stream(name, to_device, color, None, IntVector(*loc)))

    def _add(self, stream: _Stream) -> str:
        if any(other.name == stream.name for other in self._streams):
            raise HostError(f"there already is a stream '{stream.name}'")
        self._streams.append(stream)
        return stream.name

    def _choose_colors(self) -> dict[Color, int]:
        """A number for every color; connected ports have one in common."""
        group: dict[Color, list[Color]] = {}
        homes: dict[Color, set[str]] = {}

        def add(color: Color, region: CodeRegion | None = None) -> None:
            group.setdefault(color, [color])
            home = homes.setdefault(color, set())
            if region is not None:
                home.add(region.name)

        def is_switch(color: Color) -> bool:
            return any(
                len(positions) > 1
                for region in self._regions
                for positions in [
                    *(p for cell in region.painted.values() for c, p in cell.items() if c is color),
                    *(port.positions for port in region.ports if port.color is color),
                ]
            )

        for region in self._regions:
            for color in region.colors.values():
                add(color, region)
            for cell in region.painted.values():
                for color in cell:
                    add(color, region)
            for port in region.ports:
                add(port.color, region)
            for params in region.params.values():
                for value in params.values():
                    if isinstance(value, Color):
                        add(value, region)
        for stream in self._streams:
            add(stream.color)
        for tx, rx in self._connections:
            if group[tx.color] is not group[rx.color]:
                both = group[tx.color] + group[rx.color]
                for color in both:
                    group[color] = both

        numbers: dict[Color, int] = {}
        groups = list({id(members): members for members in group.values()}.values())
        for members in groups:
            given = {color._value for color in members} - {None}
            if len(given) > 1:
                raise HostError(
                    f"connected ports have different colors: {', '.join(map(repr, members))}"
                )
            for value in given:
                numbers.update(dict.fromkeys(members, value))
        switchable = _switchable(self._target.machine)
        # Which regions a number is taken in, and how many nets of it leave theirs.
        taken: dict[int, set[str]] = {n: set() for n in range(LAST_COLOR + 1)}
        nets = dict.fromkeys(taken, 0)
        leaving = {color for pair in self._connections for port in pair for color in [port.color]}
        leaving |= {stream.color for stream in self._streams}

        def take(members: list[Color], number: int) -> None:
            numbers.update(dict.fromkeys(members, number))
            taken[number].update(*(homes[color] for color in members))
            nets[number] += not leaving.isdisjoint(members)

        for members in groups:
            if members[0] in numbers:
                take(members, numbers[members[0]])
        free = [n for n in range(LAST_COLOR + 1) if n not in numbers.values()]
        # Colors that switch first: not every color can.
        for members in sorted(
            (m for m in groups if m[0] not in numbers),
            key=lambda m: not any(map(is_switch, m)),
        ):
            switches = any(map(is_switch, members))
            fitting = [n for n in free if n in switchable or not switches]
            if not switches:
                fitting.sort(key=lambda n: n in switchable)
            if not fitting:
                # A number again, where it is not taken; best one that stays there.
                home = set().union(*(homes[color] for color in members))
                fitting = sorted(
                    (
                        n
                        for n in taken
                        if home.isdisjoint(taken[n]) and (n in switchable or not switches)
                    ),
                    key=lambda n: nets[n],
                )
            if not fitting:
                raise HostError(
                    f"no color is left for {', '.join(map(repr, members))}"
                    + ("; not every color can switch" if switches else "")
                )
            take(members, fitting[0])
            free = [n for n in free if n != fitting[0]]
        for color, number in numbers.items():
            color._chosen = number
        return numbers

    def _paint(self, numbers: dict[Color, int]) -> Fabric:
        """The fabric with what the regions say themselves."""
        if not self._regions:
            raise HostError("the layout has no region")
        cells: dict[Place, object] = {}
        for region in self._regions:
            if region.origin is None:
                raise HostError(f"region '{region.name}' has no place; call place(x, y), "
                                "which only a region that is alone does without")
            self._expect_on_fabric(
                f"region '{region.name}'",
                region.origin.x + region.width - 1,
                region.origin.y + region.height - 1,
            )
            for y in range(region.height):
                for x in range(region.width):
                    place = (region.origin.x + x, region.origin.y + y)
                    other = cells.setdefault(place, region)
                    if other is not region:
                        assert isinstance(other, CodeRegion)
                        raise HostError(
                            f"regions '{other.name}' and '{region.name}' are both on PE {place}"
                        )
        for stream in self._streams:
            if stream.place is not None:
                self._expect_on_fabric(f"stream '{stream.name}'", *stream.place)
        # A row and a column beyond the regions leave room for ways around them.
        places = [*cells, *(tuple(s.place) for s in self._streams if s.place is not None)]
        # A stream into several PEs has as many ways side by side.
        room = max((len(s.port.places()) for s in self._streams if s.port is not None), default=1)
        last_x = max(x for x, _ in cells) + room
        last_y = max(y for _, y in cells) + room
        fabric = Fabric(
            max(last_x, *(x for x, _ in places)) + 1,
            max(last_y, *(y for _, y in places)) + 1,
            cells,
        )
        for region in self._regions:
            assert region.origin is not None
            local: dict[Place, dict[Color, list[Position]]] = {}
            for place, colors in region.painted.items():
                for color, positions in colors.items():
                    local.setdefault(place, {})[color] = [
                        Position(set(p.get_input()), set(p.get_output())) for p in positions
                    ]
            # Ports replace what is painted. The outer side is filled in by the ways.
            first: dict[tuple[Place, Color], PortHandle] = {}
            for port in region.ports:
                for place in port.places():
                    other_port = first.setdefault((place, port.color), port)
                    if other_port is not port:
                        raise HostError(
                            f"region '{region.name}': {other_port!r} and {port!r} both have "
                            f"routes for {port.color!r} on PE {place}; two ports of one PE "
                            "have different colors"
                        )
                    local.setdefault(place, {})[port.color] = [
                        Position(set(p.get_input()), set(p.get_output()))
                        for p in port.positions
                    ]
            for (x, y), by_color in local.items():
                cell = fabric.cells.setdefault((region.origin.x + x, region.origin.y + y), {})
                for color, positions in by_color.items():
                    if numbers[color] in cell:
                        raise HostError(
                            f"region '{region.name}': {color!r} and another color of number "
                            f"{numbers[color]} both have routes on PE ({x}, {y})"
                        )
                    cell[numbers[color]] = positions
        return fabric

    def _connect(
        self,
        fabric: Fabric,
        tx: PortHandle,
        rx: PortHandle,
        start: Place,
        goal: Place,
        color: int,
    ) -> None:
        """Lays the way between one PE of each port."""
        way = fabric.find(
            color, start, (tx, start), tx.edge.route, lambda place: place == goal, tx.region,
            rx.region, _in_front(tx, start) | _in_front(rx, goal),
        )
        if way is None:
            raise no_way(f"the connection of {tx!r} with {rx!r}", tx.color)
        fabric.lay(way, color, (tx, start), (start, goal))

    def _end(self, fabric: Fabric, stream: _Stream, color: int) -> list[EdgeStream]:
        """Lays the ways of a stream between the PEs of its port and the border."""
        if stream.port is None:
            assert stream.place is not None
            place = (stream.place.x, stream.place.y)
            side = self._loc_side(fabric, stream, place, color)
            return [EdgeStream(stream.name, color, stream.to_device, place, side)]
        places = _absolute(stream.port)
        ends: list[EdgeStream | None] = [None] * len(places)

        def lay(lane: int) -> None:
            ends[lane] = self._end_lane(fabric, stream, color, places, lane)

        fabric.in_some_order([lambda lane=lane: lay(lane) for lane in range(len(places))])
        return [end for end in ends if end is not None]

    def _end_lane(
        self, fabric: Fabric, stream: _Stream, color: int, places: list[Place], lane: int
    ) -> EdgeStream:
        """Lays the way of one PE of a stream's port."""
        assert stream.port is not None
        name = stream.name if len(places) == 1 else f"{stream.name}[{lane}]"
        port = places[lane]
        goal: Place | None = None
        if stream.place is not None:
            # The ways end side by side along the border.
            x, y = stream.place
            along_y = x in (0, fabric.width - 1)
            goal = (x, y + lane) if along_y else (x + lane, y)

        def is_goal(place: Place) -> bool:
            if goal is not None:
                return place == goal
            return place[0] in (0, fabric.width - 1) and (
                place == port or fabric.regions.get(place) is None
            )

        way = fabric.find(
            color, port, (stream, port), stream.port.edge.route, is_goal, stream.port.region,
            avoid=_in_front(stream.port, port),
        )
        if way is None:
            raise no_way(f"stream '{name}' of the host", stream.color)
        end = way.places[-1]
        if stream.to_device:
            way = Way(way.places[::-1])
        fabric.lay(way, color, (stream, port), (port,))
        side = _border_side(fabric, end)
        if side is None:
            raise HostError(
                f"stream '{name}': PE {end} is not at the border of the fabric of "
                f"{fabric.width} x {fabric.height} PEs"
            )
        for position in fabric.cells[end][color]:
            (position.rx if stream.to_device else position.tx).add(side)
        return EdgeStream(name, color, stream.to_device, end, side)

    @staticmethod
    def _loc_side(fabric: Fabric, stream: _Stream, place: Place, color: int) -> Route:
        if not fabric.used(place, color):
            raise HostError(
                f"stream '{stream.name}': PE {place} has no routes for {stream.color!r}"
            )
        for position in fabric.cells[place][color]:
            links = position.rx if stream.to_device else position.tx
            for link in links - {Route.RAMP}:
                after = (place[0] + link.step[0], place[1] + link.step[1])
                if not fabric.used(after, color):
                    return link
        side = _border_side(fabric, place)
        if side is None:
            way = "comes from" if stream.to_device else "goes to"
            raise HostError(
                f"stream '{stream.name}': no route of {stream.color!r} on PE {place} {way} "
                "a place without that color"
            )
        for position in fabric.cells[place][color]:
            (position.rx if stream.to_device else position.tx).add(side)
        return side

    def _check_ports(self) -> None:
        """Ports have routes between their PEs and the inside, and nothing that a program
        sends may end at one that leads nowhere."""
        for region in self._regions:
            for port in region.ports:
                _check_routes(port)
        used = {id(port) for pair in self._connections for port in pair}
        used |= {id(stream.port) for stream in self._streams}
        for region in self._regions:
            for port in region.ports:
                # A stream may also begin at the place of a port.
                if id(port) in used or any(
                    stream.place is not None
                    and stream.port is None
                    and region.origin is not None
                    and tuple(stream.place) in _absolute(port)
                    for stream in self._streams
                ):
                    continue
                make = "create_input_stream()" if port.is_input else "create_output_stream()"
                raise HostError(
                    f"region '{region.name}': {port!r} is connected to nothing; connect() and "
                    f"{make} do"
                )

    def _say(
        self, text: str, directory: Path, fabric: Fabric, streams: Sequence[EdgeStream]
    ) -> None:
        """Passes warnings of the compiler on, with the regions that they are about."""
        ends = [(s.color, s.side.name, s.place) for s in streams if not s.to_device]
        sent = {stream.color for stream in streams if stream.to_device}
        said = set()
        layout = generated_layout(directory)
        for warning in split_warnings(text):
            if warning.is_about_streams(sent, ends):
                continue
            names = warning.regions(self._regions, fabric, layout)
            key = warning.key(layout, names)
            if key not in said:
                said.add(key)
                print(warning.named(names), file=sys.stderr)

    @staticmethod
    def _check(fabric: Fabric) -> None:
        for place, colors in fabric.cells.items():
            for color, positions in colors.items():
                for position in positions:
                    if not position.rx and not position.tx:
                        raise HostError(f"color {color} has an empty route on PE {place}")


def _absolute(port: PortHandle) -> list[Place]:
    origin = port.region.origin
    assert origin is not None
    return [(origin.x + x, origin.y + y) for x, y in port.places()]


def _check_routes(port: PortHandle) -> None:
    """An input port says where wavelets go to, an output port where they come from; the
    other side is found."""
    own, other = ("output", "input") if port.is_input else ("input", "output")
    what = f"region '{port.region.name}': {port!r}, an {other} port of {port.color!r}, has "
    for number, position in enumerate(port.positions):
        routes = {"input": position.get_input(), "output": position.get_output()}
        links = ", ".join(map(str, routes[own])) or "Route.RAMP"
        write = f"write RoutingPosition().set_{own}([{links}])"
        if routes[other]:
            at = f" in position {number}" if len(port.positions) > 1 else ""
            raise HostError(
                f"{what}{other} routes{at}: {', '.join(route.name for route in routes[other])}; "
                f"compile() finds them, {write}"
            )
        # A later position goes on with the side that it does not give.
        if not number and not routes[own]:
            raise HostError(f"{what}no {own} route; {write}")


def _in_front(port: PortHandle, own: Place) -> frozenset[Place]:
    """The PEs outside of a port's other PEs, where their ways begin."""
    step = port.edge.route.step
    return frozenset(
        (x + step[0], y + step[1]) for x, y in _absolute(port) if (x, y) != own
    )


def _border_side(fabric: Fabric, place: Place) -> Route | None:
    """The link that leads out of the fabric."""
    for link in (Route.WEST, Route.EAST, Route.NORTH, Route.SOUTH):
        if not fabric.inside((place[0] + link.step[0], place[1] + link.step[1])):
            return link
    return None


def _switchable(machine: str) -> set[int]:
    """The colors that have switches."""
    colors: Any = sequin.machine(machine).get("switchable_colors")
    return set(colors) if colors is not None else set(range(LAST_COLOR + 1))
