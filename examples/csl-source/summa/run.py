#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of matrices in blocks, against NumPy."""

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
P, Mt, Kt, Nt = (params[name] for name in ("P", "Mt", "Kt", "Nt"))
random = np.random.default_rng(3)
A = random.integers(-4, 5, (P * Mt, P * Kt)).astype(np.float32)
B = random.integers(-4, 5, (P * Kt, P * Nt)).astype(np.float32)


def blocks(matrix, rows, columns):
    """[y, x, block], each block column major."""
    tiles = matrix.reshape(P, rows, P, columns).transpose(0, 2, 3, 1)
    return tiles.ravel()


runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("A"), blocks(A, Mt, Kt), 0, 0, P, P, Mt * Kt, **copy)
runner.memcpy_h2d(runner.get_id("B"), blocks(B, Kt, Nt), 0, 0, P, P, Kt * Nt, **copy)
runner.launch("main", nonblock=False)
C = np.zeros(P * P * Mt * Nt, np.float32)
runner.memcpy_d2h(C, runner.get_id("C"), 0, 0, P, P, Mt * Nt, **copy)
runner.stop()
C = C.reshape(P, P, Nt, Mt).transpose(0, 3, 1, 2).reshape(P * Mt, P * Nt)
np.testing.assert_array_equal(C, A @ B)
print("SUCCESS")
