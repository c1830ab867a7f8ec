#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks that control wavelets start."""

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
runner.launch("command", nonblock=False)
seen = np.zeros((3, 2), np.uint32)
runner.memcpy_d2h(seen, runner.get_id("seen"), 1, 0, 3, 1, 2, **copy)
runner.stop()
# All count once; the second has a command of its own. The data of a single command is not data any
# more when a command has been taken off in front of it.
np.testing.assert_array_equal(seen[:, 0], [1, 2, 1])
assert seen[0, 1] == 1000
print("SUCCESS")
