# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of <collectives_2d> with roots at both ends and in the middle."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
name = parser.parse_args().name

with open(f"{name}/out.json", encoding="utf-8") as file:
    params = json.load(file)["params"]
WIDTH, HEIGHT, WORDS, FLOATS = int(params["W"]), int(params["H"]), 2048, 200
runner = SdkRuntime(name, cmaddr=None)
symbols = {s: runner.get_id(s) for s in ("src", "dst", "csrc", "cdst", "ids", "fsrc", "fdst")}
kinds = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.load()
runner.run()


def fetch(symbol, count, dtype):
    data = np.zeros(WIDTH * HEIGHT * count, dtype)
    runner.memcpy_d2h(data, symbols[symbol], 0, 0, WIDTH, HEIGHT, count, **kinds)
    return data.reshape(HEIGHT, WIDTH, count)


random = np.random.default_rng(1)
for root, count in ((0, 1), (0, 100), (2, 7), (3, 1), (3, 100)):
    if root >= min(WIDTH, HEIGHT):
        continue
    source = random.integers(0, 2**32, (HEIGHT, WIDTH, WORDS), dtype=np.uint32)
    numbers = random.integers(-100, 100, (HEIGHT, WIDTH, FLOATS)).astype(np.float32)
    runner.memcpy_h2d(symbols["src"], source.ravel(), 0, 0, WIDTH, HEIGHT, WORDS, **kinds)
    runner.memcpy_h2d(symbols["fsrc"], numbers.ravel(), 0, 0, WIDTH, HEIGHT, FLOATS, **kinds)
    downwards = random.integers(0, 2**32, (HEIGHT, WIDTH, 1024), dtype=np.uint32)
    runner.memcpy_h2d(symbols["csrc"], downwards.ravel(), 0, 0, WIDTH, HEIGHT, 1024, **kinds)
    runner.launch("main", np.uint16(root), np.uint16(count), nonblock=False)
    after = source.copy()
    after[:, :, :count] = source[:, root : root + 1, :count]
    np.testing.assert_array_equal(fetch("src", WORDS, np.uint32), after, "broadcast")
    result = fetch("dst", WORDS, np.uint32)
    for x in range(WIDTH):
        np.testing.assert_array_equal(
            result[:, x, :count], after[:, root, x * count : (x + 1) * count], "scatter"
        )
    np.testing.assert_array_equal(
        result[:, root, 1024 : 1024 + WIDTH * count], after[:, root, : WIDTH * count], "gather"
    )
    # Small integers: the sum does not depend on its order.
    np.testing.assert_array_equal(
        fetch("fdst", FLOATS, np.float32)[root, root], numbers.sum((0, 1)), "reduce_fadds"
    )
    # The same in columns.
    after = downwards.copy()
    after[:, :, :count] = downwards[root : root + 1, :, :count]
    np.testing.assert_array_equal(fetch("csrc", 1024, np.uint32), after, "broadcast in columns")
    result = fetch("cdst", 1024, np.uint32)
    for y in range(HEIGHT):
        np.testing.assert_array_equal(
            result[y, :, :count], after[root, :, y * count : (y + 1) * count], "scatter"
        )
    np.testing.assert_array_equal(
        result[root, :, 512 : 512 + HEIGHT * count], after[root, :, : HEIGHT * count], "gather"
    )
    places = np.array([[(x, y) for x in range(WIDTH)] for y in range(HEIGHT)])
    np.testing.assert_array_equal(fetch("ids", 2, np.uint32), places, "pe_id")
runner.stop()
print("as NumPy")
