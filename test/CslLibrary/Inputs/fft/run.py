# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transforms of <kernels/fft> against NumPy's."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
name = parser.parse_args().name
with open(f"{name}/out.json", encoding="utf-8") as file:
    params = json.load(file)["params"]
width, n, half = int(params["WIDTH"]), int(params["N"]), params["half"] == "1"
b = n // width
dtype = np.float16 if half else np.float32
limit = 0.02 if half else 1e-5

runner = SdkRuntime(name, suppress_simfab_trace=True)
x, times = runner.get_id("X"), runner.get_id("fft_time")
kinds = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_16BIT if half else MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
runner.load()
runner.run()


def put(a):
    """A[y b + r][x b + c][k], at PE (x, y) in the order k, r, c."""
    parts = np.stack([a.real, a.imag], axis=-1).astype(dtype)
    parts = parts.reshape(width, b, width, b, n, 2).transpose(0, 2, 4, 1, 3, 5).ravel()
    data = parts.view(np.uint16).astype(np.uint32) if half else parts
    runner.memcpy_h2d(x, data, 0, 0, width, width, 2 * b * b * n, **kinds)


def get():
    data = np.zeros(2 * n**3, np.uint32 if half else np.float32)
    runner.memcpy_d2h(data, x, 0, 0, width, width, 2 * b * b * n, **kinds)
    parts = data.astype(np.uint16).view(np.float16) if half else data
    parts = parts.reshape(width, width, n, b, b, 2).transpose(0, 3, 1, 4, 2, 5)
    parts = parts.reshape(n, n, n, 2).astype(np.float64)
    return parts[..., 0] + 1j * parts[..., 1]


def close(found, expected):
    assert np.abs(found - expected).max() <= limit * np.abs(expected).max()


rng = np.random.default_rng(1)
a = rng.integers(-4, 5, (n, n, n)) + 1j * rng.integers(-4, 5, (n, n, n))
put(a)
runner.launch("csfftExecC2C", np.int16(1), np.int16(0), nonblock=False)
close(get(), np.fft.fftn(a, norm="ortho"))
runner.launch("csfftExecC2C", np.int16(1), np.int16(1), nonblock=False)
close(get(), a)
put(a)
runner.launch("csfftExecR2C", np.int16(2), nonblock=False)
close(get(), np.fft.fftn(a.real, norm="forward"))
runner.launch("csfftExecC2R", np.int16(2), nonblock=False)
close(get(), a.real)

# From here on with the host's twiddles: cosine and sine of angles that grow.
angle = np.pi * np.arange(n // 2) / (n // 2)
twiddles = np.stack([np.cos(angle), np.sin(angle)], axis=-1).astype(dtype).ravel()
twiddles = twiddles.view(np.uint16).astype(np.uint32) if half else twiddles
runner.memcpy_h2d(
    runner.get_id("twiddle_array"), np.tile(twiddles, width**2), 0, 0, width, width, n, **kinds
)
put(a)
runner.launch("csfftExecC2C", np.int16(0), np.int16(0), nonblock=False)
close(get(), np.fft.fftn(a))
runner.launch("csfftExecC2C", np.int16(0), np.int16(1), nonblock=False)
close(get(), a)

# 48 bits, the lowest 16 first.
clock = np.zeros(2 * width**2, np.uint32)
kinds["data_type"] = MemcpyDataType.MEMCPY_32BIT
runner.memcpy_d2h(clock, times, 0, 0, width, width, 2, **kinds)
clock = clock.view(np.uint16).reshape(-1, 4).astype(np.int64)
cycles = clock[:, 0] + (clock[:, 1] << 16) + (clock[:, 2] << 32)
assert (0 < cycles).all() and (cycles < 10_000_000).all()
runner.stop()
print("as NumPy")
