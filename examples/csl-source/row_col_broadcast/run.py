#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broadcasts of the host along rows and columns, and copies with strides."""

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
w, h, M = params["width"], params["height"], params["M"]
A, H = runner.get_id("A"), runner.get_id("h")
box = (0, 0, w, h, M)
random = np.random.default_rng(17)
back = np.zeros((h, w, M), np.float32)
runner.load()
runner.run()

rows = random.standard_normal((h, M)).astype(np.float32)
runner.memcpy_h2d_rowbcast(A, rows.ravel(), *box, **copy)
runner.memcpy_d2h(back, A, *box, **copy)
np.testing.assert_array_equal(back, np.broadcast_to(rows[:, None], back.shape))

columns = random.standard_normal((w, M)).astype(np.float32)
order = dict(copy, order=MemcpyOrder.COL_MAJOR)
runner.memcpy_h2d_colbcast(A, columns.ravel("F"), *box, **order)
runner.launch("double_all", nonblock=True)
runner.memcpy_d2h(back, A, *box, **copy)
np.testing.assert_array_equal(back, np.broadcast_to(2 * columns, back.shape))

# 16 bits on a part of the rectangle.
halves = random.integers(-99, 99, (h - 1, M), dtype=np.int16)
short = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)
words = halves.view(np.uint16).astype(np.uint32)
runner.memcpy_h2d_rowbcast(H, words.ravel(), 1, 1, w - 1, h - 1, M, **short)
all_words = np.zeros(h * w * M, np.uint32)
runner.memcpy_d2h(all_words, H, *box, **short)
found = memcpy_view(all_words, np.dtype(np.int16)).reshape(h, w, M)
np.testing.assert_array_equal(found[1:, 1:], np.broadcast_to(halves[:, None], (h - 1, w - 1, M)))
assert not found[0].any() and not found[:, 0].any()

# Every third column and second row.
some = random.standard_normal((-(-h // 2), -(-w // 3), M)).astype(np.float32)
runner.memcpy_h2d_stride(A, some.ravel(), *box, 3, 2, **copy)
before = back.copy()
runner.memcpy_d2h(back, A, *box, **copy)
before[::2, ::3] = some
np.testing.assert_array_equal(back, before)
runner.stop()
print("SUCCESS")
