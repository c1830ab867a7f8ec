#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles two programs by subprocess, runs one after the other and both at once; works from any directory."""
import argparse
import contextlib
import json
import logging
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
from cerebras.sdk.sdk_utils import memcpy_view

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
log = logging.getLogger('drive')


def compile_program(src: Path, out: Path, arch: str, driver: str, **params):
  plist = ','.join(f'{k}:{v}' for k, v in params.items())
  width = params['W']
  cmd = [driver, str(src), f'--arch={arch}', f'--fabric-dims={7 + width},3', '--fabric-offsets=4,1',
         f'--params={plist}', '-o', str(out), '--memcpy', '--channels=1']
  log.info('%s', ' '.join(cmd))
  res = subprocess.run(cmd, check=False, capture_output=True, text=True)
  if res.returncode:
    sys.exit(f'compile failed:\n{res.stderr}')
  meta = json.loads((out / 'out.json').read_text())
  assert {k: int(meta['params'][k]) for k in params} == params
  return out


@contextlib.contextmanager
def running(path):
  runner = SdkRuntime(str(path), suppress_simfab_trace=True)
  runner.load()
  runner.run()
  try:
    yield runner
  finally:
    runner.stop()


def main():
  ap = argparse.ArgumentParser()
  ap.add_argument('--arch', default='wse3', choices=('wse2', 'wse3'))
  ap.add_argument('--driver', default=shutil.which('cslc'))
  ap.add_argument('--keep', type=Path)
  ap.add_argument('-v', '--verbose', action='store_true')
  a = ap.parse_args()
  logging.basicConfig(level=logging.INFO if a.verbose else logging.WARNING)
  W, N = 4, 9
  kw = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_16BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
  x = np.random.default_rng(17).integers(0, 1 << 16, size=(W, N)).astype(np.uint16)

  with tempfile.TemporaryDirectory() as tmp:
    base = a.keep or Path(tmp)
    base.mkdir(parents=True, exist_ok=True)
    out_a = compile_program(ROOT / 'prog_a' / 'layout.csl', base / 'a.out', a.arch, a.driver, W=W, N=N)
    out_b = compile_program(ROOT / 'prog_b' / 'layout.csl', base / 'b.out', a.arch, a.driver, W=W, N=N)

    with running(out_a) as r:
      r.memcpy_h2d(r.get_id('v'), x.astype(np.uint32).ravel(), 0, 0, W, 1, N, **kw)
      r.launch('scan', np.uint16(5), nonblock=False)
      v32 = np.zeros(W * N, np.uint32)
      r.memcpy_d2h(v32, r.get_id('v'), 0, 0, W, 1, N, **kw)
      tot = np.zeros(W, np.uint32)
      r.memcpy_d2h(tot, r.get_id('total'), 0, 0, W, 1, 1, **{**kw, 'data_type': MemcpyDataType.MEMCPY_32BIT})

    # carry between PEs on the host, then the second program
    off = (np.concatenate([[0], np.cumsum(tot.astype(np.int64) - 5)[:-1]]) & 0xffff).astype(np.uint32)
    with running(out_b) as r:
      r.memcpy_h2d(r.get_id('v'), v32, 0, 0, W, 1, N, **kw)
      r.memcpy_h2d(r.get_id('off'), off, 0, 0, W, 1, 1, **kw)
      r.launch('fix', nonblock=False)
      w32, bits = np.zeros(W * N, np.uint32), np.zeros(W * N, np.uint32)
      r.memcpy_d2h(w32, r.get_id('v'), 0, 0, W, 1, N, **kw)
      r.memcpy_d2h(bits, r.get_id('bits'), 0, 0, W, 1, N, **kw)

    # both at the same time
    with running(out_a) as ra, running(out_b) as rb:
      for r in (ra, rb):
        r.memcpy_h2d(r.get_id('v'), x.astype(np.uint32).ravel(), 0, 0, W, 1, N, **kw)
      ra.launch('scan', np.uint16(0), nonblock=True)
      rb.launch('fix', nonblock=True)
      va, vb = np.zeros(W * N, np.uint32), np.zeros(W * N, np.uint32)
      rb.memcpy_d2h(vb, rb.get_id('bits'), 0, 0, W, 1, N, **kw)
      ra.memcpy_d2h(va, ra.get_id('v'), 0, 0, W, 1, N, **kw)

  want = ((5 + np.cumsum(x.ravel().astype(np.int64))) & 0xffff).astype(np.uint16)
  got = memcpy_view(w32, np.dtype(np.uint16)).ravel()
  np.testing.assert_array_equal(got, want)
  np.testing.assert_array_equal(bits, [bin(v).count('1') for v in want])
  np.testing.assert_array_equal(va.reshape(W, N), np.cumsum(x.astype(np.int64), axis=1) & 0xffff)
  np.testing.assert_array_equal(vb, [bin(v).count('1') for v in x.ravel()])
  print('SUCCESS!')


if __name__ == '__main__':
  main()
