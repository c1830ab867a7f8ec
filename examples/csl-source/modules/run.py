#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and their copies."""

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
runner.load()
runner.run()
runner.launch("main", nonblock=False)
runner.launch("again", nonblock=False)
out = np.zeros(12, np.int32)
runner.memcpy_d2h(out, runner.get_id("out"), 0, 0, 1, 1, 12, **copy)
runner.stop()
expected = [3000 + 3 * size, 3, 297, 450, 1, 7, 11, 25, 0, 0, 2000 + 20 * size, 2]
np.testing.assert_array_equal(out, expected)
print("SUCCESS")
