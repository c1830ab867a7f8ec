#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches and what Python says when a call is wrong."""

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
width = params["width"]
state = np.zeros((width, 2), np.float32)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
log = np.zeros(8 * width, np.uint32)
with runner:
    symbol = runner.get_symbol("state")
    assert symbol == runner.get_id("state")
    arguments = (np.int16(-3), np.uint16(40000), np.int32(-100000), np.uint32(7), np.float32(0.5), np.float16(0.25))
    tasks = [runner.launch("add_all", *arguments, nonblock=True)]
    tasks.append(runner.launch("scale", np.float32(-2), nonblock=True))
    tasks.append(runner.launch("later", nonblock=True))
    tasks.append(runner.call("scale", [np.float32(0.5)], nonblock=True))
    for task in tasks:
        runner.task_wait(task)
    assert all(runner.is_task_done(task) for task in tasks)
    runner.memcpy_d2h(state, symbol, 0, 0, width, 1, 2, **copy)
    runner.memcpy_d2h(log, runner.get_id("log"), 0, 0, width, 1, 8, **short)

    for name, call, words in (
        ("symbol", lambda: runner.launch("nothing", nonblock=False), ["nothing"]),
        ("count", lambda: runner.launch("scale", nonblock=False), ["scale", "f32"]),
        ("type", lambda: runner.launch("scale", np.int16(1), nonblock=False), ["f32", "int16"]),
        ("size", lambda: runner.memcpy_d2h(state, symbol, 0, 0, width, 1, 3, **copy), ["state"]),
        ("box", lambda: runner.memcpy_d2h(state, symbol, 1, 0, width, 1, 2, **copy), [str(width)]),
        ("kind", lambda: runner.memcpy_h2d(symbol, state.astype(np.float64), 0, 0, width, 1, 2, **copy), ["float64"]),
    ):
        try:
            call()
        except RuntimeError as error:
            assert all(word in str(error) for word in words), (name, str(error))
        else:
            raise AssertionError(f"not refused: {name}")
once = -3 + 40000 - 100000 + 7 + 0.5 + 0.25 + np.arange(width)
np.testing.assert_array_equal(state[:, 0], -once)
np.testing.assert_array_equal(state[:, 1], 10 * (np.arange(width) + 1))
order = memcpy_view(log, np.dtype(np.uint16)).reshape(width, 8)[:, :4]
np.testing.assert_array_equal(order, [[1, 2, 3, 2]] * width)
print("SUCCESS")
