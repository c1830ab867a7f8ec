#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of tasks, with and without a priority."""

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
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
orders = []
for raised in (1, 0):
    runner.launch("main", np.uint16(raised), nonblock=False)
    words = np.zeros(8, np.uint32)
    runner.memcpy_d2h(words, runner.get_id("order"), 0, 0, 1, 1, 8, **short)
    orders.append(list(memcpy_view(words, np.dtype(np.uint16))[:5]))
runner.stop()
print(orders)
raised, equal = orders
# Two activations are one run; what is blocked waits for the word, whose place depends on the fabric.
assert sorted(raised) == sorted(equal) == [1, 2, 3, 55, 101]
assert raised.index(2) < raised.index(1)
assert all(o.index(55) < o.index(3) < o.index(101) for o in orders)
print("SUCCESS")
