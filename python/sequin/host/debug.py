# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at the memory that a run left in the directory of cslc."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sequin import _wafer
from sequin._boundary import host_class, path_of
from sequin.errors import HostError

from .platform import refuse_system
from .checks import view_bytes, whole
from .trace import decode_trace

__all__ = ["debug_util"]

Array = NDArray[Any]


@host_class
class debug_util:  # noqa: N801, the vendor's name
    """Variables of PEs after SdkRuntime.stop() or dump_core().

    Coordinates are those of the fabric: the program's rectangle begins at the offsets
    given to cslc. Variables need not be exported.
    """

    def __init__(self, bindir: str | os.PathLike[str], cmaddr: str | None = None) -> None:
        if cmaddr:
            raise refuse_system(cmaddr)
        self._output = _wafer.Output.open(path_of("bindir", bindir))

    def get_symbol(self, col: int, row: int, symbol: str, dtype: DTypeLike) -> Array:
        """The elements of a variable of the PE in column `col` and row `row`."""
        return view_bytes(self._bytes(col, row, symbol), symbol, dtype)

    def get_symbol_rect(
        self,
        rectangle: tuple[tuple[int, int], tuple[int, int]],
        symbol: str,
        dtype: DTypeLike,
    ) -> Array:
        """The same for the PEs of `((col, row), (width, height))`, indexed
        [column][row][element]."""
        (col, row), (width, height) = rectangle
        width, height = whole("width", width, 0), whole("height", height, 0)
        if width < 1 or height < 1:
            raise HostError(f"the rectangle is {width} x {height} PEs, expected at least 1 x 1")
        columns = []
        for x in range(col, col + width):
            cells = [self.get_symbol(x, y, symbol, dtype) for y in range(row, row + height)]
            if len({cell.size for cell in cells}) > 1:
                raise HostError(f"'{symbol}' has not the same size on all PEs of column {x}")
            columns.append(np.stack(cells))
        if len({column.shape for column in columns}) > 1:
            raise HostError(f"'{symbol}' has not the same size on all PEs of the rectangle")
        return np.stack(columns)

    def read_trace(self, px: int, py: int, name: str) -> list[Any]:
        """What an instance of <debug> recorded: its values in order, of the types that they
        were traced with."""
        return decode_trace(self._bytes(px, py, f"debug_trace_{name}"), self._output.fp16)

    def _bytes(self, col: int, row: int, symbol: str) -> bytes:
        offset_x, offset_y = self._output.offset
        col, row = whole("col", col), whole("row", row)
        x, y = col - offset_x, row - offset_y
        width, height = self._output.size
        if not (0 <= x < width and 0 <= y < height):
            raise HostError(
                f"PE ({col}, {row}) of the fabric is not in the program's rectangle, which is "
                f"{width} x {height} from ({offset_x}, {offset_y})"
            )
        memory = self._memory(x, y)
        address, size, _ = self._output.find(x, y, symbol, memory)
        return memory[address : address + size]

    def _memory(self, x: int, y: int) -> bytes:
        size = self._output.memory_bytes()
        path = os.fsdecode(self._output.memory_file)
        try:
            with open(path, "rb") as file:
                file.seek((y * self._output.size[0] + x) * size)
                memory = file.read(size)
        except FileNotFoundError:
            raise HostError(
                f"{path} is not there: debug_util reads what SdkRuntime.stop() or dump_core() "
                "left"
            ) from None
        if len(memory) != size:
            raise HostError(f"{path} ends before PE ({x}, {y}); it is of another program")
        return memory
