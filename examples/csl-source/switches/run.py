#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wavelets that follow a switch."""

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
runner.launch("send", nonblock=False)
# The PE in the middle has no such symbols: row by row around it.
found = {}
for name in ("ring", "line"):
    for x, y in ((1, 0), (0, 1), (2, 1), (1, 2)):
        word = np.zeros(1, np.uint32)
        runner.memcpy_d2h(word, runner.get_id(name), x, y, 1, 1, 1, **copy)
        found[name, x, y] = int(word[0])
runner.stop()
assert found["ring", 0, 1] == 15, found  # west first, and again after the round
assert found["ring", 2, 1] == 2 and found["ring", 1, 2] == 3 and found["ring", 1, 0] == 4, found
assert found["line", 1, 0] == 0x10 + 0x80 + 0x100, found
assert found["line", 1, 2] == 0x20 + 0x40, found
print("SUCCESS")
