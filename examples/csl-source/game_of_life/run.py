#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generations of Conway's Life on a board without a way round."""

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
w, h, n = params["width"], params["height"], params["n"]
board = np.random.default_rng(21).integers(0, 2, (h * n, w * n), dtype=np.uint16)
board[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
symbol = runner.get_id("cells")
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.load()
runner.run()
words = board.reshape(h, n, w, n).transpose(0, 2, 1, 3).astype(np.uint32).ravel()
runner.memcpy_h2d(symbol, words, 0, 0, w, h, n * n, **short)
for _ in range(4):
    runner.launch("generation", nonblock=False)
    runner.memcpy_d2h(words, symbol, 0, 0, w, h, n * n, **short)
    blocks = memcpy_view(words, np.dtype(np.uint16)).reshape(h, w, n, n)
    framed = np.pad(board, 1)
    around = sum(
        framed[1 + i : 1 + i + h * n, 1 + j : 1 + j + w * n]
        for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
    )  # fmt: skip
    board = ((around == 3) | (around == 2) & (board == 1)).astype(np.uint16)
    np.testing.assert_array_equal(blocks.transpose(0, 2, 1, 3).reshape(board.shape), board)
runner.stop()
print("SUCCESS")
