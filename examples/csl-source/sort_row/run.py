#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers along a row, sorted."""

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
width, per_pe = params["width"], params["per_pe"]
data = np.random.default_rng(2).integers(-1000, 1000, width * per_pe, dtype=np.int16)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
symbol = runner.get_id("data")
runner.load()
runner.run()
words = data.view(np.uint16).astype(np.uint32)
runner.memcpy_h2d(symbol, words, 0, 0, width, 1, per_pe, **short)
runner.launch("sort", nonblock=False)
runner.memcpy_d2h(words, symbol, 0, 0, width, 1, per_pe, **short)
runner.stop()
np.testing.assert_array_equal(memcpy_view(words, np.dtype(np.int16)), np.sort(data))
print("SUCCESS")
