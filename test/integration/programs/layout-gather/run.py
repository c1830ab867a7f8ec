#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two code regions between host streams (SdkLayout): a matrix times vectors, then the running maximum of each result."""
import argparse
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import (  # pylint: disable=no-name-in-module
    Color, Edge, Route, RoutingPosition, SdkLayout, SdkTarget, SdkRuntime, SimfabConfig, get_platform,
)
from matvec import make_matvec


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--cmaddr', help='IP:port for CS system')
  parser.add_argument('--arch', choices=['wse2', 'wse3'], default='wse3')
  parser.add_argument('--rows', type=int, default=5)
  parser.add_argument('--K', type=int, default=7)
  args = parser.parse_args()
  target = SdkTarget.WSE3 if (args.arch == 'wse3') else SdkTarget.WSE2
  platform = get_platform(args.cmaddr, SimfabConfig(num_threads=2, dump_core=True), target)
  assert platform.is_simulation() and not platform.is_system()
  layout = SdkLayout(platform)

  rng = np.random.default_rng(0)
  Wt = rng.integers(-9, 9, (args.rows, args.K)).astype(np.int32)
  bus_port, y_port, region = make_matvec(layout, 'mv', Wt)
  region.place(2, 2)

  post = layout.create_code_region('./post.csl', 'post', 1, 1)
  cin, cout = post.color('in'), post.color('out')
  post.set_param_all(cin)
  post.set_param_all(cout)
  post.set_param_all('count', args.rows)
  p_in = post.create_input_port(cin, Edge.BOTTOM, [RoutingPosition().set_output([Route.RAMP])], args.rows)
  p_out = post.create_output_port(cout, Edge.TOP, [RoutingPosition().set_input([Route.RAMP])], 2 * args.rows)
  post.place(4, 5)
  layout.connect(y_port, p_in)

  tx = layout.create_input_stream(bus_port, io_buffer_size=256)
  rx = layout.create_output_stream(p_out)
  artifacts = layout.compile(out_prefix='out_mv')

  rt = SdkRuntime(artifacts, platform, memcpy_required=False)
  rt.load()
  rt.run()
  X = rng.integers(-100, 100, (4, args.K)).astype(np.int32)
  Y = np.zeros((4, args.rows, 2), np.int32)
  for i, x in enumerate(X):
    rt.send(tx, x, nonblock=True)
    rt.receive(rx, Y[i].reshape(-1), 2 * args.rows, nonblock=True)
  rt.stop()

  want = X @ Wt.T
  np.testing.assert_array_equal(Y[:, :, 0], want)
  np.testing.assert_array_equal(Y[:, :, 1], np.maximum.accumulate(want, axis=1))
  for i in range(args.rows):
    np.testing.assert_array_equal(rt.read_symbol(2 + i, 2, 'weights', dtype='int32'), Wt[i])
    assert rt.read_symbol(2 + i, 2, 'rounds', 'uint16')[0] == 4
    assert rt.read_symbol(2 + i, 2, 'my_pos', dtype='uint16') == [i]
  print('SUCCESS!')


if __name__ == '__main__':
  main()
