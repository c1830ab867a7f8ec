# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""y = A x on a rectangle, against NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
arguments = parser.parse_args()
with open(f"{arguments.name}/out.json") as file:
    params = json.load(file)["params"]
w, h, M, N = (int(params[key]) for key in ("kernel_x_dim", "kernel_y_dim", "M", "N"))
m, n = M // h, N // w
A = np.arange(M * N, dtype=np.float32).reshape(M, N)
x = np.arange(N, dtype=np.float32)
per_pe = A.reshape(h, m, w, n).transpose(0, 2, 1, 3).ravel()

runner = SdkRuntime(arguments.name)
symbols = {name: runner.get_id(name) for name in "Axy"}
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR,
               data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
runner.load()
runner.run()
runner.memcpy_h2d(symbols["A"], per_pe, 0, 0, w, h, m * n, **options)
runner.memcpy_h2d(symbols["x"], x, 0, 0, w, 1, n, **options)
runner.launch("compute", nonblock=False)
y = np.zeros(M, np.float32)
runner.memcpy_d2h(y, symbols["y"], w - 1, 0, 1, h, m, **options)
runner.stop()
np.testing.assert_array_equal(y, A @ x)
print("SUCCESS!")
