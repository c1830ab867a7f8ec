#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a FIFO in memory does when it is full and when it is empty."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import memcpy_view

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
runner.launch("main", nonblock=False)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)


def fetch(name, size, dtype):
    words = np.zeros(size, np.uint32)
    runner.memcpy_d2h(words, runner.get_id(name), 0, 0, 1, 1, size, **short)
    return list(memcpy_view(words, np.dtype(dtype)))


log, out = fetch("log", 12, np.uint16), fetch("out", 16, np.int16)
runner.stop()
print(log, out)
# Moved; empty, so x is as it was; full; three, five of nine; two in, two of four.
assert log[:4] == [1, 1, 0, 1], log
assert log[4:7] == [0, 1, 0], log
assert log[7:9] == [1, 1], log
# A push after the first empty read, a pop after the full write.
assert log[9:11] == [1, 1], log
assert out == [1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1, -1, 1, 2, -1, -1], out
print("SUCCESS")
