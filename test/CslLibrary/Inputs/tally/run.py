# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that counts to a number, one that never reaches it, one without a second phase."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--goal", type=int)
arguments = parser.parse_args()

with open(f"{arguments.name}/out.json", encoding="utf-8") as file:
    params = json.load(file)["params"]
WIDTH, HEIGHT = int(params["W"]), int(params["H"])
runner = SdkRuntime(arguments.name, cmaddr=None)
result = runner.get_id("result")
runner.load()
runner.run()
runner.launch("main", nonblock=False)
data = np.zeros(WIDTH * (HEIGHT + 1) * 2, np.uint32)
runner.memcpy_d2h(
    data,
    result,
    0,
    0,
    WIDTH,
    HEIGHT + 1,
    2,
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.stop()
data = data.reshape(HEIGHT + 1, WIDTH, 2)
# Each PE counts a number of its own, then one; the last one of the first row has
# the sum of all.
own = np.array([[x + 3 * y + 1 for x in range(WIDTH)] for y in range(HEIGHT)])
tally = data[1:, :, 0].copy()
assert max(arguments.goal, own[0, -1]) <= tally[0, -1] <= own.sum()
tally[0, -1] = own[0, -1]
np.testing.assert_array_equal(tally, own)
# The sum left the kernel once, to the north of its corner, and nowhere else.
assert data[0, -1, 1] == 1 and not data[0, :-1].any()
total = data[0, -1, 0]
if arguments.goal == 0:
    assert total == 0
else:
    assert arguments.goal <= total <= own.sum()
# The callback of that PE alone.
called = data[1:, :, 1]
assert called[0, -1] == 77 and np.count_nonzero(called) == 1
print("total", total)
