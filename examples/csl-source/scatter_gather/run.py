#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chunks scattered and gathered along rows, then along columns."""

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
Pw, Ph, n = params["Pw"], params["Ph"], params["chunk_size"]
runner.load()
runner.run()
scatter, gather = runner.get_id("scatter_data"), runner.get_id("gather_data")
rows = np.arange(Ph * Pw * n, dtype=np.uint32).reshape(Ph, Pw, n)
runner.memcpy_h2d(scatter, rows.ravel(), Pw - 1, 0, 1, Ph, Pw * n, **copy)
runner.launch("f_rows", nonblock=False)
result = np.zeros_like(rows)
runner.memcpy_d2h(result, gather, Pw - 1, 0, 1, Ph, Pw * n, **copy)
ids = np.arange(Pw)[None, :, None] + 100 * np.arange(Ph)[:, None, None]
np.testing.assert_array_equal(result, 2 * rows + ids)

columns = np.arange(Pw * Ph * n, dtype=np.uint32).reshape(Pw, Ph, n)
runner.memcpy_h2d(scatter, columns.ravel(), 0, Ph - 1, Pw, 1, Ph * n, **copy)
runner.launch("f_columns", nonblock=False)
result = np.zeros_like(columns)
runner.memcpy_d2h(result, gather, 0, Ph - 1, Pw, 1, Ph * n, **copy)
runner.stop()
np.testing.assert_array_equal(result, 2 * columns + ids.transpose(1, 0, 2))
print("SUCCESS")
