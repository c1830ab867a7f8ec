#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument('--name', help='the directory that cslc wrote')
parser.add_argument('--cmaddr', help='IP:port for CS system')
args = parser.parse_args()

with open(f'{args.name}/out.json', encoding='utf-8') as json_file:
  params = json.load(json_file)['params']
H2D = int(params['MEMCPYH2D_DATA_1_ID'])
D2H = int(params['MEMCPYD2H_DATA_1_ID'])
SUM = int(params['MEMCPYD2H_DATA_2_ID'])
h, n = int(params['height']), int(params['count'])

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()

np.random.seed(2)
stream = dict(streaming=True, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR)
for rnd in range(3):
  x = np.random.randint(-30000, 30000, size=(h, n)).astype(np.int16)
  # sentinel given: the index along the innermost dimension goes in the upper half
  tensor_u32 = input_array_to_u32(np_arr=x, sentinel=0, fast_dim_sz=n)
  back = np.zeros(h * n, np.uint32)
  sums = np.zeros(h, np.uint32)
  runner.memcpy_h2d(H2D, tensor_u32.ravel(), 0, 0, 1, h, n, nonblock=True, **stream)
  runner.memcpy_d2h(back, D2H, 0, 0, 1, h, n, nonblock=True, **stream)
  runner.memcpy_d2h(sums, SUM, 0, 0, 1, h, 1, nonblock=False, **stream)

  delta = np.diff(x, axis=1, prepend=np.zeros((h, 1), np.int16)).astype(np.int16)
  got = memcpy_view(back, np.dtype(np.int16)).reshape(h, n)
  np.testing.assert_array_equal(got, delta)
  np.testing.assert_array_equal(back.reshape(h, n) >> 16, np.tile(np.arange(n), (h, 1)))
  for y in range(h):
    c = 0
    for k in range(n):
      c = ((c << 1) + (int(delta[y, k]) & 0xffff) + k) & 0xffffffff
    assert c == int(sums[y]), (rnd, y)
  # decoder
  np.testing.assert_array_equal(np.cumsum(got, axis=1).astype(np.int16), x)
  print('round', rnd, 'ok')

runner.stop()
print('SUCCESS!')
