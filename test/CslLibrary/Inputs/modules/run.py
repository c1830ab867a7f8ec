# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library's modules compute at run time; pe.csl asserts the rest at compile time."""

import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
runner = SdkRuntime(parser.parse_args().name, cmaddr=None)
out, words = runner.get_id("out"), runner.get_id("words")
kinds = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.load()
runner.run()
given = np.zeros(64, np.float32)
given[10:13] = 2.0, -1.25, 0.5
runner.memcpy_h2d(out, given, 0, 0, 1, 1, 64, **kinds)
runner.launch("start", nonblock=False)
y = np.zeros(64, np.float32)
runner.memcpy_d2h(y, out, 0, 0, 1, 1, 64, **kinds)
w = np.zeros(64, np.uint32)
runner.memcpy_d2h(w, words, 0, 0, 1, 1, 64, **kinds)
runner.stop()

# math: sqrt, floor, ceil, tanh, exp, fscale, sig, max, abs
expected = [2, -2, -1, np.tanh(-1.25), np.exp(2.0), 16, 1 / (1 + np.exp(-0.5)), 2, 1.25]
np.testing.assert_allclose(y[:9], expected, rtol=1e-6)
# random
assert 1 <= y[9] < 2 and w[3] < 16
# dsd_ops: the sums went back to where they came from; malloc's number among them.
np.testing.assert_array_equal(y[20:24], [4, -2.5, 1, 6])
np.testing.assert_array_equal(y[10:14], y[20:24])
# complex
assert y[14] == -2.5 + 6
# layout, malloc
assert w[0] == 0 and w[1] == 0 and w[4] == 7
# time and timer: a later interval is longer than nothing
assert 0 < w[2] < 1000 and 0 < w[5] < 10000
# data_utils: the high half of 4.0
assert w[6] == 0x4080
print("as NumPy")
