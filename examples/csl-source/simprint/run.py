#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a PE prints, in the simulator's log."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
import os

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
if os.path.exists("sim.log"):
    os.remove("sim.log")
runner.load()
runner.run()
runner.launch("talk", np.float32(-2.5), nonblock=False)
runner.stop()
with open("sim.log", encoding="utf-8") as log:
    text = log.read()
print(text)
for x in 0, 1:
    assert f"PE({x},0): 42 002A 0000000000101010 42" in text
assert text.count("wide 3405648436 CAFE1234 -2.5") == 2 and "{brace}" in text
assert text.count("only one of them, 42") == 1
# Parts of a line are put together.
assert text.count("a line") == 2 and text.count("42 CAFE1234 -2.5") == 2
assert text.count("half a 42 line") == 2
print("SUCCESS")
