#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages between PEs: a random permutation, then all to one."""

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
W, H = params["W"], params["H"]

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
how = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.load()
runner.run()
numbers = np.random.default_rng(7)
COLLECTOR = W + 1
senders = [pe for pe in range(W * H) if pe != COLLECTOR]


def to_senders(name, array):
    """Rows of `array` are of the senders, in their order."""
    for pe, row in zip(senders, array):
        runner.memcpy_h2d(
            runner.get_id(name), np.ascontiguousarray(row), pe % W, pe // W, 1, 1, len(row), **how
        )


def inbox(pe, n=32):
    words = np.zeros(n, np.uint32)
    runner.memcpy_d2h(words, runner.get_id("inbox"), pe % W, pe // W, 1, 1, n, **how)
    return words


# Each PE to another one, possibly itself; all words are sent at once.
for _ in range(3):
    targets = numbers.permutation(senders)
    lengths = numbers.integers(1, 33, len(senders))
    data = numbers.integers(0, 2**32, (len(senders), 32), dtype=np.uint32)
    to_senders("destination", np.stack([targets % W, targets // W, lengths], 1).astype(np.uint32))
    to_senders("outbox", data)
    before = {pe: inbox(pe) for pe in senders}
    runner.launch("exchange", nonblock=False)
    for target, length, words in zip(targets, lengths, data):
        expected = before[target]
        expected[:length] = words[:length]
        np.testing.assert_array_equal(inbox(target), expected)

# All to one. Its task sees neither the end of a message nor anything of another in between.
lengths = numbers.integers(3, 33, len(senders))
data = numbers.integers(0, 2**16, (len(senders), 32), dtype=np.uint32)
data[:, 0] = np.arange(len(senders))
to_senders("destination", np.stack([0 * lengths, 0 * lengths, lengths], 1).astype(np.uint32))
to_senders("outbox", data)
runner.launch("report", nonblock=False)
sums = [row[1 : n - 1].sum() for n, row in zip(lengths, data)]
np.testing.assert_array_equal(inbox(COLLECTOR, len(senders)), sums)
runner.stop()
print("SUCCESS")
