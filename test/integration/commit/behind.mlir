// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last packet of the source reads past its end, into the first bytes of the
// result. What is read there is masked, so it does not matter that the pass writes it.
// ROWS: SIL-13, SIL-14
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/in.npy', np.arange(70, dtype=np.float32).reshape(7, 10))"
// RUN: sequin-run %s --input %t/in.npy --output %t/out.npy --verify
// RUN: %python -c "import numpy as np; print('equal', np.array_equal(np.load('%t/in.npy'), np.load('%t/out.npy')))" | FileCheck %s
// CHECK: equal True

// One element earlier, it is the last element of the source.
// RUN: sed 's/at 280/at 272/' %s > %t/inside.mlir
// RUN: not sequin-opt --tcp-to-config %t/inside.mlir 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: 'tcp.commit' op DM tensor at bytes [272, 720) overlaps one at [0, 280) that is still needed

#axes = #stream.axes<M = 7, N = 10>
#grid = #tcp.grid<#axes, chip "1", cluster "1 # 2", slice "1 # 256">
!Host = !tcp.host<f32, #axes, "M, N">
!Hbm = !tcp.hbm<f32, #axes, "1", "M, N">
!Dm = !tcp.dm<f32, #grid, "M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%x: !Host) -> !Host {
    %h = tcp.to_hbm %x at 0 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Hbm
    %o = tcp.to_host %r : !Hbm -> !Host
    return %o : !Host
  }
  func.func @kernel(%x: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %x at 0 : !Hbm -> !Dm
    %0 = tcp.begin main %dm : !Dm
    %1 = tcp.fetch %0 f32 "M", "N # 16" : <main begin f32, #grid, "1", "M, N">
    %2 = tcp.collect %1 "M, N # 16 / 8", "N # 16 % 8" : <main fetch f32, #grid, "M", "N # 16">
    %3 = tcp.commit %2 at 280 "M, N # 16" : <main collect f32, #grid, "M, N # 16 / 8", "N # 16 % 8">
    %r = tcp.to_hbm %3 at 65536 : !tcp.dm<f32, #grid, "M, N # 16"> -> !Hbm
    return %r : !Hbm
  }
}
