#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PEs' random numbers: what they are used for, and how they are spread."""

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
steps = params["steps"]
runner.load()
runner.run()
runner.launch("walk", nonblock=False)
words = np.zeros(4 * steps, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("words"), 0, 0, 2, 2, steps, **short)
position = np.zeros((4, 2), np.int32)
runner.memcpy_d2h(position, runner.get_id("position"), 0, 0, 2, 2, 2, **copy)
uniform = np.zeros((4, 3, steps), np.float32)
runner.memcpy_d2h(uniform, runner.get_id("uniform"), 0, 0, 2, 2, 3 * steps, **copy)
runner.stop()

words = memcpy_view(words, np.dtype(np.uint16)).reshape(4, steps)
assert (words == words[0]).all(), "PEs begin with the same state"
assert len(set(words[0])) > 0.8 * steps
low = words[0] & 3
walk = [np.sum(low == 0) - np.sum(low == 1), np.sum(low == 2) - np.sum(low == 3)]
np.testing.assert_array_equal(position, np.broadcast_to(walk, (4, 2)))

flat, normal, small = uniform[:, 0], uniform[:, 1], uniform[:, 2]
assert flat.min() >= -2 and flat.max() < 3 and abs(flat.mean() - 0.5) < 0.5
assert abs(normal.mean()) < 0.5 and 0.5 < normal.std() < 1.5
assert small.min() >= 0 and small.max() < 32 and (small == np.floor(small)).all()
assert not (flat[0] == flat[1]).all()
print("SUCCESS")
