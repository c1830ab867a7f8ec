# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages run.py and the data, runs, fetches what it wrote."""
import json
import os
import numpy as np
from cerebras.sdk.client import SdkLauncher

with open("artifact_path.json", "r", encoding="utf8") as f:
  artifact_path = json.load(f)["artifact_path"]

pix = np.random.default_rng(8).integers(-128, 128, size=(3, 4, 8))
with open('pixels.json', 'w', encoding='utf8') as f:
  json.dump(pix.tolist(), f)
os.makedirs('results', exist_ok=True)

with SdkLauncher(artifact_path, simulator=True) as launcher:
  launcher.stage('run.py')
  launcher.stage('pixels.json')
  response = launcher.run('echo "about to run"', 'ls')
  print('test response:', response)
  assert 'about to run' in response
  response = launcher.run('cs_python run.py --name out')
  print('host code:', response)
  assert 'SUCCESS' in response
  launcher.download_artifact('coef.npy', './results/coef.npy')
  launcher.download_artifact('table.npy', './results/table.npy')

coef, table = np.load('results/coef.npy'), np.load('results/table.npy')
n = np.arange(8)
exact = np.cos((2 * n[None, :] + 1) * n[:, None] * np.pi / 16)
assert np.abs(table / 16384 - exact[None]).max() < 1e-4
want = (pix @ table[0].T) >> 14
np.testing.assert_array_equal(coef, want)
assert np.abs(coef - pix @ exact.T).max() < 1.2
print('SUCCESS!')
