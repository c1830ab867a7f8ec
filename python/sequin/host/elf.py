# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memories as an ELF core file, for readers that know that format."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence

from sequin._boundary import write_file

__all__ = ["write_elf_core"]

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
TYPE_CORE, LOAD, READ_WRITE = 4, 1, 6
#: e_phnum when there are more segments; the count is then in the section header.
MANY = 0xFFFF
SECTION = struct.Struct("<IIQQQQIIQQ")


def write_elf_core(path: str | os.PathLike[str], memories: Sequence[bytes]) -> None:
    """A loadable segment for each PE, in row-major order, at the address number * size."""
    identity = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    count = len(memories)
    many = count >= MANY
    sections = HEADER.size + count * SEGMENT.size
    data = sections + (SECTION.size if many else 0)
    parts = [
        HEADER.pack(
            identity, TYPE_CORE, 0, 1, 0, HEADER.size, sections if many else 0, 0,
            HEADER.size, SEGMENT.size, MANY if many else count,
            SECTION.size if many else 0, int(many), 0,
        )
    ]
    offset, address = data, 0
    for memory in memories:
        size = len(memory)
        parts.append(SEGMENT.pack(LOAD, READ_WRITE, offset, address, address, size, size, 1))
        offset += size
        address += size
    if many:
        parts.append(SECTION.pack(0, 0, 0, 0, 0, 0, 0, count, 0, 0))
    write_file(path, b"".join([*parts, *memories]))
