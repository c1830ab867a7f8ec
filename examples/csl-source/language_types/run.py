#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tour of the types leaves in an array."""

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
runner.launch("main", np.int16(3), np.uint32(0x12345678), nonblock=False)
out = np.zeros(48, np.uint32)
runner.memcpy_d2h(out, runner.get_id("out"), 0, 0, 1, 1, 48, **copy)
runner.stop()
expected = [
    0x12EB, 0x123A, 5, 0x22231111, 0x3E00, 0xABCD, 1, -3, 1, 2, -2, 1001, 3, 42, 30, 3, 7, 23, 1,
    66, 263, -15, 0x12345678, 8, 0xBC00, -3, 1, 0x5678, -7, 0x12345678, -8,
]  # fmt: skip
np.testing.assert_array_equal(out[: len(expected)].view(np.int32), np.array(expected).astype(np.int32))
print("SUCCESS")
