#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the libraries, against Python's."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
import math

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
x = 2.625
runner.launch("main", np.float32(x), nonblock=False)
numbers = np.zeros((3, 2, 20), np.int32)
floats = np.zeros((3, 2, 30), np.float32)
runner.memcpy_d2h(numbers, runner.get_id("numbers"), 0, 0, 2, 3, 20, **copy)
runner.memcpy_d2h(floats, runner.get_id("floats"), 0, 0, 2, 3, 30, **copy)
runner.stop()
for py in range(3):
    for px in range(2):
        place = 10 * px + py
        # 40 words: 3, one to align, 8; 28 are left.
        expected = [-9, 5, 10, 1, place, place, 1, 1, 0x241, 4 + 8 - 2 - 1, -32768, 111,
                    0x5678 * 2 + 5, 112, 1]  # fmt: skip
        np.testing.assert_array_equal(numbers[py, px, :15], expected)
expected = [
    math.sqrt(x), math.exp(x), math.log(x), x**1.5, math.sin(x), math.cos(x), math.tanh(x), 1 / x,
    1 / math.sqrt(x), math.floor(-x), math.ceil(x), x / 4, 1 / (1 + math.exp(-x)), x, 1,
]  # fmt: skip
np.testing.assert_allclose(floats[0, 0, :15], expected, rtol=1e-5)
first = np.array(expected[:4], np.float32)
np.testing.assert_allclose(floats[0, 0, 16:20], 3 * first, rtol=1e-6)
rest = abs(np.maximum(-3 * first, -3) - first)
np.testing.assert_allclose(floats[0, 0, 20:24], rest, rtol=1e-6)
np.testing.assert_allclose(floats[0, 0, 24:28], rest, rtol=1e-6)
print("SUCCESS")
