// RUN: sequin-opt %src/examples/digits/mlp.mlir --linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %src/examples/digits/mlp.mlir --linalg-to-tcp=target=rngd --tcp-to-config -o /dev/null

// The digit network: a layer is one group, and its result has the dimension that the
// next layer sums over contiguous. Ten classes are padded to two blocks of rows.

// CHECK-LABEL: func.func @main_kernel
// CHECK-SAME: -> !tcp.hbm<f32, #[[$OUT:.*]], "1", "D0, D1{{[^"]*}}"> {
// CHECK-COUNT-3: tcp.contract
// CHECK-NOT: tcp.contract
// CHECK: return
// CHECK-LABEL: func.func @main(
// CHECK-SAME: !tcp.host<bf16, #axes, "D0{{.*}}, D1">
// CHECK-SAME: !tcp.host<f32, #{{.*}}, "D0 = 10">) -> !tcp.host<f32, #[[$OUT]], "D0{{[^"]*}}, D1 = 10"> attributes {tcp.macs = 6128640 : i64}
// CHECK-NOT: tcp.constant
