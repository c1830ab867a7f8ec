#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routes that are changed while a color is torn down."""

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
width = params["width"]
runner.load()
runner.run()
runner.launch("forth", nonblock=False)
runner.launch("back", nonblock=False)
sums, torn = np.zeros(width, np.uint32), np.zeros(width, np.uint32)
runner.memcpy_d2h(sums, runner.get_id("sum"), 0, 0, width, 1, 1, **copy)
runner.memcpy_d2h(torn, runner.get_id("torn"), 0, 0, width, 1, 1, **copy)
runner.stop()
np.testing.assert_array_equal(torn, np.ones(width))
np.testing.assert_array_equal(sums, [100] + [107] * (width - 2) + [7])
print("SUCCESS")
