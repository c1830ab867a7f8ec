# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import numpy as np
from cerebras.sdk.sdk_utils import memcpy_view, input_array_to_u32
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType # pylint: disable=no-name-in-module
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyOrder # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument('--name', help='the directory that cslc wrote')
parser.add_argument("--cmaddr", help="IP:port for CS system")
args = parser.parse_args()
with open(f"{args.name}/out.json", encoding="utf-8") as json_file:
  params = json.load(json_file)["params"]
MEMCPYH2D_DATA_1 = int(params["MEMCPYH2D_DATA_1_ID"])
MEMCPYD2H_DATA_1 = int(params["MEMCPYD2H_DATA_1_ID"])
size = int(params["size"])
memcpy_dtype = MemcpyDataType.MEMCPY_16BIT
runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()
x = np.random.default_rng(1).integers(-2000, 2000, size=size).astype(np.int16)
runner.memcpy_h2d(MEMCPYH2D_DATA_1, input_array_to_u32(x, 1, size), 0, 0, 1, 1, size,
    streaming=True, data_type=memcpy_dtype, order=MemcpyOrder.COL_MAJOR, nonblock=True)
out = np.zeros(size, np.uint32)
runner.memcpy_d2h(out, MEMCPYD2H_DATA_1, 2, 0, 1, 1, size,
    streaming=True, data_type=memcpy_dtype, order=MemcpyOrder.COL_MAJOR, nonblock=False)
res = memcpy_view(out, np.dtype(np.int16))
runner.stop()
ref = np.zeros(size, np.int16); y = np.int16(0)
for i in range(size):
  y = np.int16(y + ((x[i] - y) >> 2)); ref[i] = y + 7
np.testing.assert_equal(res, ref)
print("SUCCESS!")
