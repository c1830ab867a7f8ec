# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds ways through the fabric between ports, and to the host.

The fabric is a table of cells: PE -> color -> positions, each a pair of sets of links,
where wavelets come from and go to. A way of a color takes PEs where the color is not
used yet, prefers those outside of regions, and is as short as possible.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sequin.errors import HostError

from .routes import Route

__all__ = ["Fabric", "Position", "Way"]

Place = tuple[int, int]
LINKS = (Route.EAST, Route.WEST, Route.NORTH, Route.SOUTH)
#: What a step costs: outside of regions, through a PE of one, off the preferred side.
OUTSIDE, THROUGH, TURN_AWAY = 4, 60, 6


@dataclass
class Position:
    """One position of a switch."""

    rx: set[Route] = field(default_factory=set)
    tx: set[Route] = field(default_factory=set)


@dataclass
class Way:
    """PEs one after the other."""

    places: list[Place]

    def links(self) -> Iterable[tuple[Place, Route]]:
        """Each PE but the last, with the link that leads on."""
        for (x, y), (u, v) in zip(self.places, self.places[1:], strict=False):
            yield (x, y), next(r for r in LINKS if r.step == (u - x, v - y))


class Fabric:
    """Routes of all PEs of a rectangle of `width` x `height`."""

    def __init__(self, width: int, height: int, regions: dict[Place, object]) -> None:
        self.width = width
        self.height = height
        self.regions = regions
        self.cells: dict[Place, dict[int, list[Position]]] = {}
        #: Which net a cell that only passes a color on belongs to.
        self.nets: dict[tuple[Place, int], object] = {}

    def inside(self, place: Place) -> bool:
        """Whether there is such a PE."""
        return 0 <= place[0] < self.width and 0 <= place[1] < self.height

    def used(self, place: Place, color: int) -> bool:
        """Whether the color has routes there."""
        return color in self.cells.get(place, {})

    def positions(self, place: Place, color: int) -> list[Position]:
        """The routes of a PE, made if there are none."""
        return self.cells.setdefault(place, {}).setdefault(color, [Position()])

    def find(
        self,
        color: int,
        start: Place,
        net: object,
        prefer: Route | None,
        is_goal: Callable[[Place], bool],
        region: object,
        goal_region: object = None,
        avoid: frozenset[Place] = frozenset(),
    ) -> Way | None:
        """The best way from `start`, or from a PE that already passes this net on, to a
        goal: a port of `goal_region`, or a PE without the color. It does not go back
        through the region it starts in, nor through the one that it ends in, nor
        through the PEs to `avoid`."""
        queue: list[tuple[int, int, Place]] = []
        best: dict[Place, int] = {}
        came: dict[Place, Place | None] = {}
        order = 0

        def push(place: Place, cost: int, before: Place | None) -> None:
            nonlocal order
            if cost < best.get(place, 1 << 60):
                best[place] = cost
                came[place] = before
                order += 1
                heapq.heappush(queue, (cost, order, place))

        push(start, 0, None)
        for (place, of_color), owner in self.nets.items():
            if of_color == color and owner == net:
                push(place, 0, None)
        while queue:
            cost, _, place = heapq.heappop(queue)
            if cost > best[place]:
                continue
            if is_goal(place):
                return self._way(came, place)
            for link in LINKS:
                after = (place[0] + link.step[0], place[1] + link.step[1])
                if not self.inside(after):
                    continue
                if place == start and self._closed(start, color, link):
                    continue
                owner = self.regions.get(after)
                end = is_goal(after)
                if not end and (
                    self.used(after, color)
                    or after in avoid
                    or (owner is not None and owner in (region, goal_region))
                ):
                    continue
                if (
                    end
                    and self.used(after, color)
                    and (goal_region is None or self._closed(after, color, link.opposite))
                ):
                    continue
                step = OUTSIDE if owner is None or end else THROUGH
                if place == start and prefer is not None and link is not prefer:
                    step += TURN_AWAY
                push(after, cost + step, place)
        return None

    def _closed(self, place: Place, color: int, link: Route) -> bool:
        """Whether the PE's own routes use a link, or it leads back into its region."""
        after = (place[0] + link.step[0], place[1] + link.step[1])
        region = self.regions.get(place)
        if region is not None and self.regions.get(after) is region:
            return True
        return any(
            link in position.rx or link in position.tx
            for position in self.cells.get(place, {}).get(color, [])
        )

    @staticmethod
    def _way(came: dict[Place, Place | None], place: Place) -> Way:
        places = [place]
        while (before := came[places[-1]]) is not None:
            places.append(before)
        return Way(places[::-1])

    def in_some_order(self, lanes: Sequence[Callable[[], None]]) -> None:
        """Lays ways that start side by side: in their order or, where one of them is then
        in the way of another, from the other end. The error of the first attempt."""
        cells = {
            place: {
                color: [Position(set(p.rx), set(p.tx)) for p in positions]
                for color, positions in colors.items()
            }
            for place, colors in self.cells.items()
        } if len(lanes) > 1 else {}
        nets = dict(self.nets)
        try:
            for lane in lanes:
                lane()
        except HostError as first:
            if len(lanes) == 1:
                raise
            self.cells, self.nets = cells, nets
            try:
                for lane in reversed(lanes):
                    lane()
            except HostError:
                raise first from None

    def lay(self, way: Way, color: int, net: object, ends: tuple[Place, ...]) -> None:
        """Adds the links of a way: going out where it starts, coming in where it ends.
        PEs that are not among `ends` pass it on."""
        for place in way.places:
            if place not in ends:
                self.nets[place, color] = net
            self.positions(place, color)
        for place, link in way.links():
            for position in self.cells[place][color]:
                position.tx.add(link)
            after = (place[0] + link.step[0], place[1] + link.step[1])
            for position in self.cells[after][color]:
                position.rx.add(link.opposite)


def no_way(what: str, color: object) -> HostError:
    """The error for a way that does not exist."""
    return HostError(
        f"there is no way for {what} on {color!r}: every PE on the way uses that color or "
        "belongs to the same region; leave PEs between regions, or give another color"
    )
