# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where addresses lie in HBM, and how long its channels work for a DMA command.

All of it from Memory Performance, High-Bandwidth Memory. The manual gives the parts: the bits of
an address, 256-byte units, the price of a partly written unit, of another row and of each
distance between commands, a queue of 64 commands per channel that takes open rows first. How they
add up is this project's decision (docs/Decisions, DMA, HBM and the banks of data memory):

* a queue entry is one 64-byte command, so a quarter as many units wait;
* data bus, row openings and each bank work side by side, and the slowest counts;
* the first row of a bank is opened, and the first unit moved, in the shadow of the start-up;
* a bank that switches rows pays for every row it opens.
"""

import dataclasses
from collections import deque
from collections.abc import Sequence

import numpy as np

from .nests import Json, ceil_div


class Decoder:
    """Finds components of addresses, each bit of which is an exclusive or of address bits. So the
    parts of an address can be looked up apart, a few bits of it at a time."""

    STEP = 12  # bits of a look-up

    def __init__(self, components: Sequence[Sequence[Sequence[int]]]) -> None:
        self.widths = [len(component) for component in components]
        adds: dict[int, int] = {}  # address bit -> the bits of the result that it turns over
        for place, bits in enumerate(bits for component in components for bits in component):
            for number in bits:
                adds[number] = adds.get(number, 0) ^ 1 << place
        self.tables = []
        for first in range(0, max(adds) + 1, self.STEP):
            table = np.zeros(1, dtype=np.int64)
            for number in range(first, first + self.STEP):
                table = np.concatenate((table, table ^ adds.get(number, 0)))
            self.tables.append(table)

    def __call__(self, addresses: np.ndarray) -> list[np.ndarray]:
        """One array per component."""
        word = np.zeros_like(addresses)
        for number, table in enumerate(self.tables):
            word ^= table[addresses >> number * self.STEP & (1 << self.STEP) - 1]
        found = []
        for width in self.widths:
            found.append(word & (1 << width) - 1)
            word = word >> width
        return found


@dataclasses.dataclass
class Accesses:
    """Of one chip and one DMA command: units in the order in which they are asked for."""

    units: np.ndarray    # byte addresses, multiples of the unit
    partial: np.ndarray  # bytes that are written of a unit of which a part is; 0 of all others


class Hbm:
    def __init__(self, machine: Json) -> None:
        self.row = machine["hbm"]
        self.clock = machine["clock_mhz"]
        self.waiting = (self.row["queue_entries"] * self.row["controller_bytes"]
                        // self.row["unit_bytes"])
        #: Rows without this key merge writes while they wait, as `rngd` did before units that
        #: are written in part became read-modify-writes of their own.
        self.merges = bool(self.row.get("merges_partial_writes", True))
        row = self.row
        self.decode = Decoder([
            [*row["channel_bits"], *row["stack_bits"]], row["bank_group_bits"], row["bank_bits"],
            row["row_bits"], row["slice_bits"], row["high_row_bit"]])
        self.known: dict[bytes, float] = {}

    def commands_of_unit(self) -> int:
        return self.row["unit_bytes"] // self.row["controller_bytes"]

    def unit_cycles(self, tccd: int) -> float:
        """Core cycles of a unit whose commands are `tccd` command cycles apart. At the least
        distance that is 4 x 64 bytes at 0.75 GHz: 5.33."""
        return self.commands_of_unit() * tccd * self.clock / self.row["command_mhz"]

    # ----------------------------------------------------------------------------------
    # Address Space in a Chip
    # ----------------------------------------------------------------------------------

    def places(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(channel, bank of the channel, row). There are three slices: with the high slice bit
        set, the low one is the highest bit of the row. Banks are numbered by slice, bank group
        and bank."""
        row = self.row
        channels, groups, banks, rows, slices, top = self.decode(units)
        low, high = slices & 1, slices >> 1
        slices = np.where(high, 2, low)
        rows |= np.where(high, low, top) << len(row["row_bits"])
        groups += slices * row["bank_groups_per_slice"]
        return channels, groups * row["banks_per_group"] + banks, rows

    # ----------------------------------------------------------------------------------
    # Misaligned Access
    # ----------------------------------------------------------------------------------

    def merged(self, accesses: Accesses) -> tuple[np.ndarray, np.ndarray]:
        """(units, whether each is a read-modify-write) of one channel. As many partly written
        units as the queue holds wait for their other parts, and reads pass them."""
        found: list[tuple[int, bool]] = []
        lacks: dict[int, int] = {}  # unit that waits, the oldest first -> bytes still to come
        for unit, part in zip(accesses.units.tolist(), accesses.partial.tolist()):
            if not part:
                found.append((unit, False))
                continue
            if unit not in lacks and len(lacks) == self.waiting:
                oldest = next(iter(lacks))
                del lacks[oldest]
                found.append((oldest, True))
            lacks[unit] = lacks.get(unit, self.row["unit_bytes"]) - part
            if lacks[unit] <= 0:
                del lacks[unit]
                found.append((unit, False))
        found += [(unit, True) for unit in lacks]
        return (np.array([unit for unit, _ in found], dtype=np.int64),
                np.array([modified for _, modified in found]))

    # ----------------------------------------------------------------------------------
    # Bank Conflict
    # ----------------------------------------------------------------------------------

    def openings(self, banks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Rows that each bank of a channel opens, for units in the order of their arrival."""
        order = np.argsort(banks, kind="stable")
        bank, row = banks[order], rows[order]
        new = np.ones(len(bank), dtype=bool)
        new[1:] = (bank[1:] != bank[:-1]) | (row[1:] != row[:-1])
        if self.comes_back(bank[new], row[new], order[new]):
            return self.open_rows_first(banks, rows)
        return np.bincount(bank[new])

    def comes_back(self, bank: np.ndarray, row: np.ndarray, place: np.ndarray) -> bool:
        """Whether the queue may find a row open that its bank would have left in the order of
        arrival: one that comes again soon. Units that find their row open pass the queue, so
        the distance is one in units that do not; some of these may too."""
        arrival = np.argsort(np.argsort(place))
        again = np.lexsort((arrival, row, bank))
        same = (bank[again][1:] == bank[again][:-1]) & (row[again][1:] == row[again][:-1])
        return bool((same & (np.diff(arrival[again]) <= 4 * self.waiting)).any())

    def open_rows_first(self, banks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """FR-FCFS, one unit after the other: of those that wait, the oldest whose row is open,
        or else the oldest."""
        counts = np.zeros(int(banks.max()) + 1, dtype=np.int64)
        arriving = iter(zip(banks.tolist(), rows.tolist()))
        queue: deque[tuple[int, int]] = deque()
        is_open: dict[int, int] = {}
        for unit in arriving:
            queue.append(unit)
            if len(queue) == self.waiting:
                break
        while queue:
            for place, (bank, row) in enumerate(queue):
                if is_open.get(bank) == row:
                    break
            else:
                place, (bank, row) = 0, queue[0]
                is_open[bank] = row
                counts[bank] += 1
            del queue[place]
            unit = next(arriving, None)
            if unit is not None:
                queue.append(unit)
        return counts

    # ----------------------------------------------------------------------------------
    # Column-to-Column Delay
    # ----------------------------------------------------------------------------------

    def bus_cycles(self, banks: np.ndarray) -> float:
        """Of units in the order of their arrival, those that wait together at a time. Bank groups
        of one slice take turns; what is left of a slice takes turns with other slices; what is
        left then follows itself."""
        row = self.row
        groups = row["slices_per_channel"] * row["bank_groups_per_slice"]
        windows = ceil_div(len(banks), self.waiting)
        window = np.arange(len(banks)) // self.waiting
        counts = np.bincount(window * groups + banks // row["banks_per_group"],
                             minlength=windows * groups)
        alone = alternating_rest(counts.reshape(windows, row["slices_per_channel"],
                                                row["bank_groups_per_slice"]))
        last = alternating_rest(alone)
        free = len(banks) - int(alone.sum())
        across = int(alone.sum()) - int(last.sum())
        return (free * self.unit_cycles(row["tccd_other_bank_group"])
                + across * self.unit_cycles(row["tccd_other_slice"])
                + int(last.sum()) * self.unit_cycles(row["tccd_same_bank_group"]))

    # ----------------------------------------------------------------------------------
    # All of it
    # ----------------------------------------------------------------------------------

    def channel_cycles(self, banks: np.ndarray, rows: np.ndarray, modified: np.ndarray) -> float:
        """How long one channel works, its first unit left out."""
        key = b"".join(part.tobytes() for part in (banks, rows - rows.min(), modified))
        if key not in self.known:
            row = self.row
            opened = self.openings(banks, rows)
            switched = np.where(opened > 1, opened, 0) * row["row_switch_cycles"]
            bus = self.bus_cycles(banks)
            # A read-modify-write takes the time of an aligned write so many times.
            extra = (int(modified.sum()) * (row["partial_write_factor"] - 1)
                     * self.unit_cycles(row["tccd_other_bank_group"]))
            first = bus / len(banks)
            self.known[key] = max(bus - first + extra, float(switched.sum()))
        return self.known[key]

    def cycles(self, accesses: Accesses) -> int:
        """Of the slowest channel; without a start-up."""
        slowest = 0.0
        if self.merges and accesses.partial.any():
            channels = self.places(accesses.units)[0]
            parts = [self.merged(Accesses(accesses.units[channels == channel],
                                          accesses.partial[channels == channel]))
                     for channel in np.unique(channels)]
            units, modified = (np.concatenate(column) for column in zip(*parts))
        else:
            units, modified = accesses.units, accesses.partial > 0
        channels, banks, rows = self.places(units)
        order = np.argsort(channels.astype(np.uint8), kind="stable")
        banks, rows, modified = banks[order], rows[order], modified[order]
        ends = np.cumsum(np.bincount(channels)).tolist()
        for begin, end in zip([0, *ends], ends):
            if begin < end:
                mine = slice(begin, end)
                slowest = max(slowest, self.channel_cycles(banks[mine], rows[mine],
                                                           modified[mine]))
        # Refreshes take their share of the time.
        slowest *= 100 / (100 - self.row.get("refresh_percent", 0))
        return int(np.ceil(slowest - 1e-6))


def alternating_rest(counts: np.ndarray) -> np.ndarray:
    """Along the last axis: how many of the most frequent kind find no other one to alternate
    with."""
    most = counts.max(axis=-1)
    return np.maximum(0, 2 * most - counts.sum(axis=-1))
