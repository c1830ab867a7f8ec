#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the landings of the token in sim.log (SINGULARITYENV_SIMFABRIC_DEBUG=landing)."""
import argparse
import json
import os
import re
from collections import Counter
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder

parser = argparse.ArgumentParser()
parser.add_argument('--name', help='the directory that cslc wrote')
parser.add_argument('--cmaddr', help='IP:port for CS system')
args = parser.parse_args()

p = json.load(open(f'{args.name}/out.json', encoding='utf-8'))['params']
n, laps = int(p['N']), int(p['LAPS'])

if os.path.exists('sim.log'):
  os.remove('sim.log')
runner = SdkRuntime(args.name, cmaddr=args.cmaddr, msg_level='INFO')
visits = runner.get_id('visits')
runner.load()
runner.run()
runner.launch('start', np.int16(100), nonblock=False)
v = np.zeros(2 * n * 2, np.uint32)
runner.memcpy_d2h(v, visits, 0, 0, n, 2, 2, streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT,
                  order=MemcpyOrder.ROW_MAJOR, nonblock=False)
runner.stop()
v = v.reshape(2, n, 2)
assert (v[:, :, 0] == laps).all(), v[:, :, 0]

pos = np.array([list(range(n)), [2 * n - 1 - x for x in range(n)]])
total = n * (2 * n + 1)                      # 1 + 2 + ... + 2N
for y in range(2):
  for x in range(n):
    k = pos[y, x]
    # the first visit of k > 0 in lap 1 has seen 2..k
    s = 100 + (laps - 1) * total + (sum(range(2, k + 1)) if k else total - 1)
    hops = (laps - 1) * 2 * n + (k if k else 2 * n)
    assert v[y, x, 1] == (s & 0xffff) | (hops << 16), (x, y, hex(v[y, x, 1]), s, hops)

# ------------------------------------------------------------------ log
line = re.compile(r'@(\d+) P(\d+)\.(\d+) \(hwtile\) landing C(\d+) from link ([EWNSR]), ctrl=(\d), idx=([0-9A-Fa-f]{4}), data=([0-9A-Fa-f]{4})')
hits = Counter()
last = {}
stamps = []
with open('sim.log', encoding='utf-8') as f:
  for text in f:
    m = line.search(text)
    if m and int(m[4]) in (8, 9):
      cyc, x, y = int(m[1]), int(m[2]) - 4, int(m[3]) - 1
      hits[x, y, m[5]] += 1
      if m[5] != 'R':
        stamps.append(cyc)
        last[x, y] = (int(m[7], 16) << 16) | int(m[8], 16)
for y in range(2):
  for x in range(n):
    came = sum(c for (a, b, link), c in hits.items() if (a, b) == (x, y) and link != 'R')
    sent = hits[x, y, 'R']
    assert came == laps, (x, y, came)
    assert sent == laps, (x, y, sent)
    assert last[x, y] == v[y, x, 1], (x, y)
assert stamps == sorted(stamps) and len(stamps) == laps * 2 * n
print('landings', len(stamps), 'cycles per hop', (stamps[-1] - stamps[0]) / (len(stamps) - 1))

laplines = [t for t in open('sim.log', encoding='utf-8') if 'lap ' in t]
assert len(laplines) == laps, laplines
assert f'lap {laps} sum {100 + laps * total}' in laplines[-1], laplines[-1]
print('SUCCESS!')
