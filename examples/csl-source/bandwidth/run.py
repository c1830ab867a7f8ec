#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words per cycle along a row."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import calculate_cycles

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
width, size = params["width"], params["size"]
runner.load()
runner.run()
data = np.arange(size, dtype=np.float32)
runner.memcpy_h2d(runner.get_id("data"), data, 0, 0, 1, 1, size, **copy)
runner.launch("measure", nonblock=False)
stamps = np.zeros((width, 3), np.float32)
runner.memcpy_d2h(stamps, runner.get_id("stamps"), 0, 0, width, 1, 3, **copy)
back = np.zeros((width, size), np.float32)
runner.memcpy_d2h(back, runner.get_id("data"), 0, 0, width, 1, size, **copy)
runner.stop()
np.testing.assert_array_equal(back, [data] * width)
cycles = [int(calculate_cycles(stamp)) for stamp in stamps]
print(cycles)
# A word for each cycle, and the latency of the way.
assert all(size <= c <= size + 20 * width + 100 for c in cycles), cycles
assert cycles[1] <= cycles[-1]
print("SUCCESS")
