#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tour of control flow leaves in an array."""

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
runner.load()
runner.run()
runner.launch("main", np.int32(6), nonblock=False)
out = np.zeros(40, np.int32)
runner.memcpy_d2h(out, runner.get_id("out"), 0, 0, 1, 1, 40, **copy)
runner.stop()
u = ((0x10 << 2 ^ 0xFF) | 0x100) // 3 % 100
expected = [
    42, 604, 100, 202, 500, 400, 300, 7, 4, 18, -6, 216, 81, 217, 5040, 2, 3, 25,
    (9 * 10 + 7) * 10 + 5 + 12, (14 << 1 & 0x1F ^ 3) | 64, -31, -10, u, 9, 2, 4, 107,
]  # fmt: skip
np.testing.assert_array_equal(out[: len(expected)], expected)
print("SUCCESS")
