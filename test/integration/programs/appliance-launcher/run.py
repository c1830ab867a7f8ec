# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside of the appliance, like any other host code."""
import argparse
import json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder

parser = argparse.ArgumentParser()
parser.add_argument('--name')
parser.add_argument('--cmaddr')
args = parser.parse_args()
p = json.load(open(f'{args.name}/out.json'))['params']
P, R = int(p['num_pe']), int(p['rows'])
pix = np.array(json.load(open('pixels.json')), dtype=np.int32)
assert pix.shape == (P, R, 8)

kw = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load()
r.run()
r.memcpy_h2d(r.get_id('pix'), pix.ravel(), 0, 0, P, 1, R * 8, **kw)
r.launch('dct', nonblock=False)
out = np.zeros(pix.size, np.int32)
r.memcpy_d2h(out, r.get_id('coef'), 0, 0, P, 1, R * 8, **kw)
tab = np.zeros(P * 64, np.int32)
r.memcpy_d2h(tab, r.get_id('table'), 0, 0, P, 1, 64, **kw)
r.stop()
np.save('coef.npy', out.reshape(pix.shape))
np.save('table.npy', tab.reshape(P, 8, 8))
print('SUCCESS in the appliance')
