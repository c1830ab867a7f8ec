# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, json
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
p = argparse.ArgumentParser(); p.add_argument('--name'); p.add_argument('--cmaddr'); a = p.parse_args()
prm = json.load(open(f"{a.name}/out.json"))["params"]; H, W = int(prm["H"]), int(prm["W"])
img = np.random.default_rng(1).integers(-300, 300, (H, W)).astype(np.int16)
r = SdkRuntime(a.name, cmaddr=a.cmaddr); r.load(); r.run()
kw = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_16BIT, nonblock=False)
r.memcpy_h2d(r.get_id("img"), img.view(np.uint16).astype(np.uint32).ravel(), 0, 0, 1, 1, H * W, **kw)
BY = 5
r.launch("all", np.uint16(BY), nonblock=False)
def get(s, *shape):
    n = int(np.prod(shape)); o = np.zeros(n, np.uint32)
    r.memcpy_d2h(o, r.get_id(s), 0, 0, 1, 1, n, **kw); return o.astype(np.uint16).view(np.int16).reshape(shape)
win = sliding_window_view(img, (3, 3))
k = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.int16)
sh = np.zeros(2 * W, np.int16); sh[BY:BY + W] = img[0]
want = dict(transposed=img.T, rotated=np.rot90(img, -1), flipped=img[::-1, ::-1], im2col=win.reshape(-1, 9),
            sobel=(win * k).sum((2, 3)).astype(np.int16), blocks=img.reshape(H // 2, 2, W // 2, 2).transpose(0, 2, 1, 3),
            rowsum=img.sum(1).astype(np.int16), shifted=sh)
for s, v in want.items():
    np.testing.assert_array_equal(get(s, *v.shape), v, err_msg=s); print("ok", s)
r.stop(); print("SUCCESS!")
