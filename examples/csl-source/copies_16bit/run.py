#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of 16-bit data, by rows and by columns."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view

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
w, h, N = params["width"], params["height"], params["N"]
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
columns = dict(short, order=MemcpyOrder.COL_MAJOR)
runner.load()
runner.run()
ints = np.random.default_rng(1).integers(-9999, 9999, (h, w, N), dtype=np.int16)
floats = (ints / 16).astype(np.float16)
symbol_h, symbol_f = runner.get_id("h"), runner.get_id("f")
box = (0, 0, w, h, N)
runner.memcpy_h2d(symbol_h, input_array_to_u32(ints.ravel(), None, N), *box, **short)
# Fortran order of [h][w][l]: rows run fastest.
runner.memcpy_h2d(symbol_f, input_array_to_u32(floats.ravel("F"), None, N), *box, **columns)
runner.launch("twice", nonblock=True)
words = np.zeros(h * w * N, np.uint32)
runner.memcpy_d2h(words, symbol_h, *box, **columns)
np.testing.assert_array_equal(memcpy_view(words, np.dtype(np.int16)).reshape((h, w, N), order="F"), 2 * ints)
runner.memcpy_d2h(words, symbol_f, *box, **short)
np.testing.assert_array_equal(memcpy_view(words, np.dtype(np.float16)).reshape(h, w, N), floats + floats)

# The part from (1, 1): one element of each PE.
part = np.full((h - 1, w - 1), 7, np.uint32)
runner.memcpy_h2d(symbol_h, part.ravel(), 1, 1, w - 1, h - 1, 1, **short)
runner.memcpy_d2h(words, symbol_h, *box, **short)
expected = 2 * ints
expected[1:, 1:, 0] = 7
np.testing.assert_array_equal(memcpy_view(words, np.dtype(np.int16)).reshape(h, w, N), expected)
runner.stop()
# With a sentinel the number of the element is above the data, for streams into data tasks.
marked = input_array_to_u32(np.uint16([5, 6, 7, 8]), 1, 2)
np.testing.assert_array_equal(marked & 0xFFFF, [5, 6, 7, 8])
print("SUCCESS")
