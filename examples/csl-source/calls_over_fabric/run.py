#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a PE that another one calls."""

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
runner.load()
runner.run()
runner.launch("begin", nonblock=False)
words = np.zeros(4, np.uint32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(words, runner.get_id("table"), 1, 0, 1, 1, 4, **short)
total = runner.read_symbol(1, 0, "total", "int32")[0]
runner.stop()
assert total == 999 + 11, total
np.testing.assert_array_equal(memcpy_view(words, np.dtype(np.uint16)), [1, 77, 78, 0])
with open(f"{args.name}/bin/out_rpc.json", encoding="utf-8") as file:
    symbols = {s["name"]: s for s in json.load(file)["rpc_symbols"]}
assert symbols["add"]["kind"] == "Func" and [i["type"] for i in symbols["add"]["inputs"]] == ["i32", "i32"]
assert symbols["table"]["kind"] == "Var" and symbols["table"]["type"] == "[*]u16"
assert len({s["id"] for s in symbols.values()}) == len(symbols)
print("SUCCESS")
