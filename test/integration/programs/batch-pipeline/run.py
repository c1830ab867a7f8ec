#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds batches through the device: h2d(k+1) queued before d2h(k), everything nonblocking."""
import argparse
import json
from collections import deque
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder  # pylint: disable=no-name-in-module

ap = argparse.ArgumentParser()
ap.add_argument("--name", default="out")
ap.add_argument("--cmaddr")
ap.add_argument("--batches", type=int, default=9)
ns = ap.parse_args()

meta = json.load(open(f"{ns.name}/out.json", encoding="utf-8"))
P, B = int(meta["params"]["P"]), int(meta["params"]["B"])

opts = {
    "streaming": False,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "order": MemcpyOrder.ROW_MAJOR,
    "nonblock": True,
}

rng = np.random.default_rng(3)
data = rng.integers(-50, 50, size=(ns.batches, P, B)).astype(np.float32)
gain = np.array([0.5, 2.0, -1.0], dtype=np.float32)
results = [np.full(P * B, np.nan, dtype=np.float32) for _ in range(ns.batches)]
peak = np.zeros(P, dtype=np.float32)

runner = SdkRuntime(ns.name, cmaddr=ns.cmaddr, simfab_numthreads=2)
ins = [runner.get_id(f"in{i}") for i in (0, 1)]
outs = [runner.get_id(f"out{i}") for i in (0, 1)]
runner.load()
runner.run()
runner.launch("f_init", nonblock=True)

inflight = deque()
for k in range(ns.batches):
    slot = k & 1
    if len(inflight) == 2:                  # keep two batches in flight
        kk, task = inflight.popleft()
        runner.task_wait(task)
        assert runner.is_task_done(task)
        assert not np.isnan(results[kk]).any(), kk
    runner.memcpy_h2d(ins[slot], data[k].ravel(), 0, 0, P, 1, B, **opts)
    runner.launch("f_batch", np.uint16(slot), gain[k % 3], nonblock=True)
    task = runner.memcpy_d2h(results[k], outs[slot], 0, 0, P, 1, B, **opts)
    inflight.append((k, task))
last = runner.memcpy_d2h(peak, runner.get_id("peak"), 0, 0, P, 1, 1, **opts)
while not runner.is_task_done(last):
    runner.task_wait(last)
runner.stop()

want = np.stack([data[k] * gain[k % 3] + 1 for k in range(ns.batches)])
np.testing.assert_array_equal(np.stack(results).reshape(want.shape), want)
np.testing.assert_array_equal(peak, want.max(axis=(0, 2)))
print("SUCCESS!")
