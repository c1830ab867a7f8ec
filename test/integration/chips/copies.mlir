// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chips along an axis that the host array does not have each get a copy.
// RUN: %python -c "import numpy as np; np.save('%t.in.npy', np.array([7, 8, 9, 10], np.int32))"
// RUN: sequin-run %s --input %t.in.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as np; print(np.load('%t.out.npy').tolist())" | FileCheck %s
// CHECK: {{\[\[7, 8, 9, 10\], \[7, 8, 9, 10\]\]}}

#axes = #stream.axes<M = 2, B = 4>
module attributes {tcp.target = #tcp.target<"rngd", chips = 2>} {
  func.func @main(%a: !tcp.host<i32, #axes, "B">) -> !tcp.host<i32, #axes, "M, B"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<i32, #axes, "B"> -> !tcp.hbm<i32, #axes, "M", "B">
    %o = tcp.to_host %h : !tcp.hbm<i32, #axes, "M", "B"> -> !tcp.host<i32, #axes, "M, B">
    return %o : !tcp.host<i32, #axes, "M, B">
  }
}
