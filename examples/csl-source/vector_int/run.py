#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of 16-bit integers, against NumPy."""

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
N = params["N"]
runner.load()
runner.run()
random = np.random.default_rng(5)
a = random.integers(0, 1 << 16, N, dtype=np.uint16)
b = random.integers(0, 1 << 16, N, dtype=np.uint16)
a[0], mask, delta = 0, np.uint16(0xF0F1), np.int16(-7)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
for name, data in ("a", a), ("b", b):
    runner.memcpy_h2d(runner.get_id(name), data.astype(np.uint32), 0, 0, 1, 1, N, **short)
runner.launch("compute", mask, delta, nonblock=False)
out = np.zeros(20 * N, np.uint32)
runner.memcpy_d2h(out, runner.get_id("out"), 0, 0, 1, 1, 20 * N, **short)
words = np.zeros(2 * N, np.uint32)
runner.memcpy_d2h(words, runner.get_id("words"), 0, 0, 1, 1, 2 * N, **copy)
runner.stop()

bits = [f"{x:016b}" for x in a]
signed, counts = a.view(np.int16), b & 15
expected = [
    a + b, a + delta.view(np.uint16), a - b, a - mask, a & b, mask & b, a | b, a ^ mask, counts,
    a << counts, a >> counts, (signed >> counts.view(np.int16)).view(np.uint16), a << 3,
    (signed >> 2).view(np.uint16),
    [16 if "1" not in x else x.index("1") for x in bits],
    [16 if "1" not in x else x[::-1].index("1") for x in bits],
    [x.count("1") for x in bits],
    np.full(N, f"{mask:b}".count("1")), a, np.full(N, delta.view(np.uint16)),
]  # fmt: skip
np.testing.assert_array_equal(
    memcpy_view(out, np.dtype(np.uint16)).reshape(20, N), np.array(expected, np.uint16)
)
assert (words == 0x12345678).all()
print("SUCCESS")
