// Two i4 share a byte: an operand of a step is read as a copy of i8, a stream along its
// contiguous dimension is not.
//
// RUN: sequin-opt %s --tcp-plan-widen-elements=argument-layout=chosen --verify-roundtrip --mlir-print-local-scope | FileCheck %s

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK-LABEL: plan.program @main
// CHECK: plan.tensor @[[COPY:.*]] : tensor<64xi8>
// CHECK: plan.group stream of "linalg.add" loops [#plan.loop<extent = 64>] {
// CHECK: plan.read @b affine_map<(d0) -> (d0)> : i4
// CHECK: plan.write %{{.*}} to @[[COPY]] affine_map<(d0) -> (d0)> : i32
// CHECK: plan.group stream of "linalg.add" loops [#plan.loop<extent = 64>] {
// CHECK: plan.read @a affine_map<(d0) -> (d0)> : i4
// CHECK: plan.read @[[COPY]] affine_map<(d0) -> (d0)> : i8
plan.program @main (tensor<64xi4>, tensor<64xi4>) -> tensor<64xi32> returns [@out] {
  plan.tensor @a argument 0 : tensor<64xi4>
  plan.tensor @b argument 1 : tensor<64xi4>
  plan.tensor @out : tensor<64xi32>
  plan.group stream of "linalg.add" loops [#plan.loop<extent = 64>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : i4
    %1 = plan.head %0 : (i4) -> i32
    %2 = plan.read @b affine_map<(d0) -> (d0)> : i4
    %3 = plan.step arithmetic add(%1, %2) : (i32, i4) -> i32
    plan.write %3 to @out affine_map<(d0) -> (d0)> : i32
  }
}

}
