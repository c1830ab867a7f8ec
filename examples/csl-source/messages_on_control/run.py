#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages that end with a control wavelet."""

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
words = np.arange(100, 116, dtype=np.uint32)
runner.memcpy_h2d(runner.get_id("message"), words, 0, 0, 1, 1, 16, **copy)
runner.launch("communicate", np.uint16(4), nonblock=False)
received = np.zeros((2, 16), np.uint32)
lengths = np.zeros((2, 4), np.uint32)
runner.memcpy_d2h(received, runner.get_id("received"), 1, 0, 2, 1, 16, **copy)
runner.memcpy_d2h(lengths, runner.get_id("lengths"), 1, 0, 2, 1, 4, **copy)
runner.stop()
np.testing.assert_array_equal(lengths, [[1, 2, 3, 4], [0, 0, 3, 4]])
# Messages of one, two, three and four words; the last is at the front.
np.testing.assert_array_equal(received[:, :4], [[106, 107, 108, 109]] * 2)
assert not received[:, 5:].any()
print("SUCCESS")
