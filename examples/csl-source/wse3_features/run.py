#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only the newer machine has."""

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
runner.launch("start", nonblock=False)
data = np.zeros((2, 6), np.uint32)
runner.memcpy_d2h(data, runner.get_id("data"), 0, 0, 2, 1, 6, **copy)
words = np.zeros(4, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("mains"), 1, 0, 1, 1, 4, **short)
runner.stop()
mains = list(memcpy_view(words, np.dtype(np.uint16)))
print(data, mains)
np.testing.assert_array_equal(data[1], [1, 2, 3, 4, 5, 6])
# Half of the source was cleared by the operation.
np.testing.assert_array_equal(data[0], [0, 0, 0, 4, 5, 6])
# 1 and 2 to the main task, the third word starts the other; twelve commands; a local task of the number 13.
assert mains == [3, 1, 12, 100], mains
assert runner.read_symbol(0, 0, "drained", "uint16")[0] == 1
print("SUCCESS")
