#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and numbers that the compiler made."""

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
runner.launch("main", nonblock=False)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)


def table(name, size):
    words = np.zeros(2 * size, np.uint32)
    runner.memcpy_d2h(words, runner.get_id(name), 0, 0, 2, 1, size, **short)
    return memcpy_view(words, np.dtype(np.uint16)).reshape(2, size)


squares, sieve = table("squares", N), table("sieve", 2 * N)
numbers = np.zeros((2, 16), np.int32)
runner.memcpy_d2h(numbers, runner.get_id("numbers"), 0, 0, 2, 1, 16, **copy)
runner.stop()
np.testing.assert_array_equal(squares, [np.arange(N) ** 2] * 2)
primes = [all(n % k for k in range(2, n)) and n > 1 for n in range(2 * N)]
np.testing.assert_array_equal(sieve, [primes] * 2)
title = len("1 of {2}")
expected = [
    [512, 121, 610, 3044, 100 * title + title + 5, 70, 16, ord("h"), 15, 9, 43, 11, 12, 216, 1, 10],
    [1 << 22, 121, 610, 3044, 100 * title + title + 7, 87, 32, ord("s"), 15, 9, 43, 11, 12, 416, 1, 10],
]
np.testing.assert_array_equal(numbers, expected)
print("SUCCESS")
