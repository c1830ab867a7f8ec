#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A histogram whose end is found by counting."""

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
w, h, inputs, buckets = (params[name] for name in ("width", "height", "inputs", "buckets"))
numbers = np.random.default_rng(5).integers(0, w * h * buckets, inputs, dtype=np.uint16)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.load()
runner.run()
everywhere = np.broadcast_to(numbers.astype(np.uint32), (w * h, inputs)).ravel()
runner.memcpy_h2d(runner.get_id("numbers"), everywhere, 0, 0, w, h, inputs, **short)
runner.launch("count", nonblock=False)
words = np.zeros(w * h * buckets, np.uint32)
runner.memcpy_d2h(words, runner.get_id("counts"), 0, 0, w, h, buckets, **short)
assert runner.read_symbol(w - 1, 0, "tally.local_tally", "uint32")[0] == w * h * inputs
runner.stop()
found = memcpy_view(words, np.dtype(np.uint16))
np.testing.assert_array_equal(found, np.bincount(numbers, minlength=w * h * buckets))
print("SUCCESS")
