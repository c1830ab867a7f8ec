// A tensor's axes have no order: an array of axes N, C goes in and the same tensor
// comes back with axes C, N, which is the transposed array.
//
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(12, dtype=np.int32).reshape(4, 3))"
// RUN: sequin-run %s --input %t.npy --output %t.out.npy --verify
// RUN: %python -c "import numpy as np; a = np.load(r'%t.npy'); b = np.load(r'%t.out.npy'); print(b.shape, np.array_equal(a.T, b))" | FileCheck %s
// ROWS: HEL-01
// CHECK: (3, 4) True

#axes = #stream.axes<N = 4, C = 3>
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i32, #axes, "N, C">) -> !tcp.host<i32, #axes, "C, N"> {
    %1 = tcp.to_hbm %0 at 0 : !tcp.host<i32, #axes, "N, C"> -> !tcp.hbm<i32, #axes, "1", "N, C">
    %2 = tcp.to_host %1 : !tcp.hbm<i32, #axes, "1", "N, C"> -> !tcp.host<i32, #axes, "C, N">
    return %2 : !tcp.host<i32, #axes, "C, N">
  }
}
