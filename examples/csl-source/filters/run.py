#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counter, sparse counter and range filters."""

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
runner.launch("send", nonblock=False)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)


def fetch(name, size, dtype):
    words = np.zeros(4 * size, np.uint32)
    runner.memcpy_d2h(words, runner.get_id(name), 1, 0, 4, 1, size, **short)
    return memcpy_view(words, np.dtype(dtype)).reshape(4, size)


bricks, heads = fetch("bricks", 4, np.uint16), fetch("heads", 16, np.uint16)
ranges, count = fetch("ranges", 3, np.float16), fetch("count", 3, np.uint16)
runner.stop()
np.testing.assert_array_equal(bricks, 100 + np.arange(16).reshape(4, 4))
np.testing.assert_array_equal(ranges, (10 + np.arange(12).reshape(4, 3)) / 2)
np.testing.assert_array_equal(count[:, :2], [[4, 3]] * 4)
for k in range(4):
    # Up to the counter of 9 the first k + 1 pass; there is no second limit.
    assert list(heads[k, : count[k, 2]]) == list(range(k + 1)) + list(range(10, 16)), heads[k]
print("SUCCESS")
