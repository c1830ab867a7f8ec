// RUN: sequin-opt %src/examples/digits/mlp.mlir --linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %src/examples/digits/mlp.mlir --linalg-to-tcp=target=rngd --tcp-to-config -o /dev/null

// The digit network: a layer's columns are what the next layer sums over, so both
// are one axis; images and classes are padded.

// CHECK: #axes = #stream.axes<M = {{[0-9]+}}, K = 64, N = 128, N1 = 64, N2 = 16>
// CHECK-LABEL: func.func @main_kernel
// CHECK-COUNT-3: tcp.contract
// CHECK-NOT: tcp.contract
// CHECK: -> !tcp.hbm<f32, #axes, "1", "M, N2">
// CHECK-LABEL: func.func @main(
// CHECK-SAME: !tcp.host<bf16, #axes, "M = 360, K">
// CHECK-SAME: !tcp.host<f32, #axes, "N2 = 10">) -> !tcp.host<f32, #axes, "M = 360, N2 = 10"> attributes {tcp.macs = 6128640 : i64}
