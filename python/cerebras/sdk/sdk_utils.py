# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.host.arrays under the vendor's name."""

from sequin.host.arrays import (
    calculate_cycles,
    cast_uint32,
    float_to_hex,
    input_array_to_u32,
    make_u48,
    memcpy_view,
    sub_ts,
)

__all__ = [
    "calculate_cycles",
    "cast_uint32",
    "float_to_hex",
    "input_array_to_u32",
    "make_u48",
    "memcpy_view",
    "sub_ts",
]
