#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and sums of long integers, against Python's."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
import random

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
digits = params["digits"]
runner.load()
runner.run()
random.seed(11)
numbers = [[random.getrandbits(16 * digits) for _ in range(4)] for _ in range(2)]
numbers[0][0] = (1 << 16 * digits) - 1
numbers[1][0] = 1
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)


def to_words(number):
    """Little-endian 16-bit digits, one in each word."""
    return [number >> 16 * i & 0xFFFF for i in range(digits)]


for name, four in zip("xy", numbers):
    words = np.array([to_words(n) for n in four], np.uint32).ravel()
    runner.memcpy_h2d(runner.get_id(name), words, 0, 0, 2, 2, digits, **short)
runner.launch("multiply", nonblock=False)


def fetch(name, size):
    """The number of each PE."""
    words = np.zeros(4 * size, np.uint32)
    runner.memcpy_d2h(words, runner.get_id(name), 0, 0, 2, 2, size, **short)
    return [sum(int(w) << 16 * i for i, w in enumerate(pe)) for pe in words.reshape(4, size)]


products, sums = fetch("product", 2 * digits), fetch("sum", digits + 1)
runner.stop()
assert products == [x * y for x, y in zip(*numbers)], products
assert sums == [x + y for x, y in zip(*numbers)], sums
print("SUCCESS")
