#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on explicit registers."""

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
words = np.zeros(40, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("out"), 0, 0, 1, 1, 40, **short)
sums = np.zeros(4, np.float32)
runner.memcpy_d2h(sums, runner.get_id("sums"), 0, 0, 1, 1, 4, **copy)
runner.stop()
out = memcpy_view(words, np.dtype(np.int16))
numbers = np.arange(12)
np.testing.assert_array_equal(out[:12], numbers + 100 * (1 + numbers // 4))
np.testing.assert_array_equal(out[12:26], [10 + 10 * (i % 5) for i in range(14)])
np.testing.assert_array_equal(out[26:38], numbers.reshape(3, 4)[:, ::-1].T.ravel())
np.testing.assert_array_equal(out[38:], [0, 2])
np.testing.assert_array_equal(sums, [21, 5, 0, 0])
print("SUCCESS")
