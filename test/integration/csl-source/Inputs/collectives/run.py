# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A broadcast along rows, then a sum along columns, against NumPy."""
import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
arguments = parser.parse_args()
w, h, n = 4, 3, 4
runner = SdkRuntime(arguments.name)
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR,
               data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
runner.load()
runner.run()
runner.launch("f_run", nonblock=False)
data = np.zeros(h * w * n, np.uint32)
result = np.zeros(w * n, np.float32)
runner.memcpy_d2h(data, runner.get_id("data"), 0, 0, w, h, n, **options)
runner.memcpy_d2h(result, runner.get_id("result"), 0, 1, w, 1, n, **options)
runner.stop()
rows = np.arange(h)[:, None, None] * 10 + np.arange(n)
np.testing.assert_array_equal(data.reshape(h, w, n), np.broadcast_to(rows, (h, w, n)))
sums = sum(np.arange(n) + y for y in range(h))
np.testing.assert_array_equal(result.reshape(w, n), np.broadcast_to(sums, (w, n)))
print("SUCCESS!")
