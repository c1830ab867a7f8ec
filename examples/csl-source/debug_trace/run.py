#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of PEs, and variables that nobody exported."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.debug.debug_util import debug_util

parser = argparse.ArgumentParser()
parser.add_argument("--name", required=True, help="the directory that cslc wrote")
parser.add_argument("--cmaddr", help="IP:port of a system; none is the simulator")
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding="utf-8") as file:
    params = {name: int(value) for name, value in json.load(file)["params"].items()}

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
copy = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.load()
runner.run()
runner.launch("run", np.uint16(3), nonblock=False)
assert list(runner.read_symbol(0, 0, "history", "uint32")) == [10, 11, 12, 0]
runner.dump_core("corefile.cs1")
runner.stop()
assert tuple(runner.coord_logical_to_physical((1, 0))) == (5, 1)

debug = debug_util(args.name)
for x, first in (0, 10), (1, 20):
    trace = debug.read_trace(4 + x, 1, "numbers")
    expected = ["begin"]
    for i in range(3):
        expected += [first + i, -(first + i) * 100000, (first + i) / 4]
    expected += [True, -5, 200, -300, 0.5, 0xDEADBEEF, 1.5, "end"]
    assert trace == expected, trace
    begin, end = debug.read_trace(4 + x, 1, "times")
    assert 0 <= begin < end, (begin, end)
    # Records that do not fit are left out.
    short = debug.read_trace(4 + x, 1, "short")
    assert short == [first, first + 1], short
    assert list(debug.get_symbol(4 + x, 1, "history", np.uint32)) == [first, first + 1, first + 2, 0]
both = debug.get_symbol_rect(((4, 1), (2, 1)), "history", np.uint32)
np.testing.assert_array_equal(both[:, 0, 0], [10, 20])
print("SUCCESS")
