#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stream through two PEs with FIFOs."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

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
size = params["size"]
h2d, d2h = params["MEMCPYH2D_DATA_1_ID"], params["MEMCPYD2H_DATA_1_ID"]
stream = dict(copy, streaming=True)
runner.load()
runner.run()
x = np.arange(size, dtype=np.float32)
y = np.zeros(size, np.float32)
runner.memcpy_h2d(h2d, x, 0, 0, 1, 1, size, **{**stream, "nonblock": True})
runner.memcpy_d2h(y, d2h, 1, 0, 1, 1, size, **stream)
runner.stop()
np.testing.assert_array_equal(y, 2 * x + np.float32(0.5))
assert runner.read_symbol(0, 0, "pushes", "uint16")[0] > 0
print("SUCCESS")
