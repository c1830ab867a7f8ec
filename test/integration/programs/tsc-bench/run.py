#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import struct

import numpy as np

from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder  # pylint: disable=no-name-in-module
from cerebras.sdk.sdk_utils import calculate_cycles


def float_to_hex(f):
  return hex(struct.unpack('<I', struct.pack('<f', f))[0])


def make_u48(words):
  return words[0] + (words[1] << 16) + (words[2] << 32)


def sub_ts(words):
  return make_u48(words[3:]) - make_u48(words[0:3])


def main():
  ap = argparse.ArgumentParser()
  ap.add_argument('--latestlink', default='out')
  ap.add_argument('--cmaddr')
  args = ap.parse_args()
  with open(f'{args.latestlink}/out.json', encoding='utf-8') as f:
    prm = json.load(f)['params']
  width, height, K = int(prm['width']), int(prm['height']), int(prm['K'])

  runner = SdkRuntime(args.latestlink, cmaddr=args.cmaddr)
  sym = {s: runner.get_id(s) for s in ('x', 'dot', 'time_buf', 'time_ref')}
  runner.load()
  runner.run()
  kw = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.COL_MAJOR)

  x = (np.arange(height * width * K) % 7).astype(np.float32).reshape(height, width, K)
  runner.memcpy_h2d(sym['x'], x.ravel(order='F'), 0, 0, width, height, K, nonblock=True, **kw)
  runner.launch('f_sync', np.int16(1), nonblock=False)
  runner.launch('f_tic', nonblock=True)
  runner.launch('f_dot', np.float32(0.5), nonblock=True)
  runner.launch('f_toc', nonblock=True)
  runner.launch('f_pack', nonblock=False)

  t = np.zeros(height * width * 3, np.float32)
  runner.memcpy_d2h(t, sym['time_buf'], 0, 0, width, height, 3, nonblock=False, **kw)
  t_hwl = np.reshape(t, (height, width, 3), order='F')
  ref = np.zeros(height * width * 2, np.float32)
  runner.memcpy_d2h(ref, sym['time_ref'], 0, 0, width, height, 2, nonblock=False, **kw)
  ref_hwl = np.reshape(ref, (height, width, 2), order='F')
  d = np.zeros(height * width, np.float32)
  runner.memcpy_d2h(d, sym['dot'], 0, 0, width, height, 1, nonblock=False, **kw)
  runner.stop()

  want = 0.5 * (x * x).sum(axis=-1) * (1 + np.arange(width))[None, :]
  np.testing.assert_array_equal(np.reshape(d, (height, width), order='F'), want)

  time_start = np.zeros((height, width)).astype(int)
  time_end = np.zeros((height, width)).astype(int)
  time_ref = np.zeros((height, width)).astype(int)
  word = np.zeros(3).astype(np.uint16)
  for w in range(width):
    for h in range(height):
      hx = [int(float_to_hex(v), base=16) for v in t_hwl[h, w]]
      word = [hx[0] & 0xffff, hx[0] >> 16, hx[1] & 0xffff, hx[1] >> 16, hx[2] & 0xffff, hx[2] >> 16]
      time_start[h, w] = make_u48(word[:3])
      time_end[h, w] = make_u48(word[3:])
      assert sub_ts(word) == calculate_cycles(t_hwl[h, w])
      hr = [int(float_to_hex(v), base=16) for v in ref_hwl[h, w]]
      time_ref[h, w] = make_u48([hr[0] & 0xffff, hr[0] >> 16, hr[1] & 0xffff])

  # the signal comes a cycle later with every hop
  for py in range(height):
    for px in range(width):
      time_ref[py, px] -= px + py
  time_start -= time_ref
  time_end -= time_ref
  cycles = time_end - time_start
  print('cycles per PE:\n', cycles)
  total = time_end.max() - time_start.min()
  print('from the first tic to the last toc:', total)
  assert (cycles > 0).all()
  # more repetitions, more cycles; within a column about the same
  assert (np.diff(cycles, axis=1) > K).all(), cycles
  assert total >= cycles.max()
  # roughly affine in the number of repetitions
  inc = np.diff(cycles.mean(axis=0))
  assert inc.max() < 1.5 * inc.min(), inc
  print('SUCCESS!')


if __name__ == '__main__':
  main()
