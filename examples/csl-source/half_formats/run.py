#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiples of six and an eighth, rounded to each 16-bit float format."""

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
MANTISSA = {0x4600: 10, 0x5900: 9, 0x40C0: 7}
runner.load()
runner.run()
runner.launch("compute", nonblock=False)
words = np.zeros(4, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("bits"), 0, 0, 1, 1, 4, **short)
values = np.zeros(N, np.float32)
runner.memcpy_d2h(values, runner.get_id("values"), 0, 0, 1, 1, N, **copy)
runner.stop()

bits = memcpy_view(words, np.dtype(np.uint16))
np.testing.assert_array_equal(bits[:3], list(MANTISSA))


def rounded(x, digits):
    """x with so many bits behind the first one, ties to even."""
    unit = 2.0 ** (np.floor(np.log2(x)) - digits)
    return np.rint(x / unit) * unit


exact = np.arange(N) * 6 + 0.125
np.testing.assert_array_equal(values, rounded(exact, MANTISSA[bits[3]]))
print(f"{bits[3]:#x} SUCCESS")
