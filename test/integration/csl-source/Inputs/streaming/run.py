# Part of the Sequin project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that stream to a PE and back, twice as large."""
import argparse

import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
arguments = parser.parse_args()
runner = SdkRuntime(arguments.name)
options = dict(streaming=True, order=MemcpyOrder.ROW_MAJOR,
               data_type=MemcpyDataType.MEMCPY_32BIT)
runner.load()
runner.run()
x = np.arange(6, dtype=np.float32)
y = np.zeros(6, np.float32)
runner.memcpy_h2d(0, x, 0, 0, 1, 1, 6, nonblock=True, **options)
runner.memcpy_d2h(y, 1, 0, 0, 1, 1, 6, nonblock=False, **options)
runner.stop()
np.testing.assert_array_equal(y, 2 * x)
np.testing.assert_array_equal(debug_util(arguments.name).read_trace(4, 1, "t"), x)
print("SUCCESS!")
