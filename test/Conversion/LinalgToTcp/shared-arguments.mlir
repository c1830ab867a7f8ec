// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file | FileCheck %s

// What the host sends lies in HBM as requests follow each other. An argument with
// several readers is sent once for each order in which rings read it. Pins keep sums in one
// slice.

// The sum comes in chunks of 256 here and 512 there.

// CHECK-LABEL: func.func @two_kernel(
// CHECK-SAME: %[[SECOND:arg[0-9]+]]: !tcp.hbm<bf16, #axes, "1", "D1 / 512, {{[^"]*}}">,
// CHECK-SAME: %[[FIRST:arg[0-9]+]]: !tcp.hbm<bf16, #axes, "1", "D1 / 256, {{[^"]*}}">)
// CHECK-NOT: tcp.view %[[SECOND]]
// CHECK: tcp.view %[[FIRST]] at 0 :
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
// CHECK-NOT: tcp.view %[[FIRST]]
// CHECK: tcp.view %[[SECOND]] at 0 :
// CHECK-NOT: tcp.view %[[FIRST]]
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:arg[0-9]+]]: !tcp.host<bf16, #axes, "D0, D1">
// CHECK: tcp.to_hbm %[[X]] {{.*}} -> !tcp.hbm<bf16, #axes, "1", "D1 / 512,
// CHECK: tcp.to_hbm %[[X]] {{.*}} -> !tcp.hbm<bf16, #axes, "1", "D1 / 256,
// CHECK-NOT: tcp.to_hbm %[[X]]
func.func @two(%x: tensor<512x1024xbf16>, %v: tensor<1024x1024xbf16>,
               %w: tensor<1024x4096xbf16>) -> (tensor<512x1024xf32>, tensor<512x4096xf32>) {
  %zero0 = arith.constant dense<0.0> : tensor<512x1024xf32>
  %zero1 = arith.constant dense<0.0> : tensor<512x4096xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %v : tensor<512x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%zero0 : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %1 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x4096xbf16>)
      outs(%zero1 : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %0, %1 : tensor<512x1024xf32>, tensor<512x4096xf32>
}

// -----

// Both factors of one product, which are stationary and streamed.

// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[X:arg[0-9]+]]: !tcp.host<bf16, #axes, "D0, D1">
// CHECK: tcp.to_hbm %[[X]] {{.*}} -> !tcp.hbm<bf16, #axes, "1", "[[ORDER:D1 / 512, [^"]*]]">
// CHECK-NOT: -> !tcp.hbm<bf16, #axes, "1", "[[ORDER]]">
// CHECK: tcp.to_hbm %[[X]] {{.*}} -> !tcp.hbm<bf16, #axes, "1", "D1 / 512, {{[^"]*}}">
// CHECK-NOT: tcp.to_hbm %[[X]]
func.func @square(%x: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<1024x1024xf32>
  %0 = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %x : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%zero : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// -----

// A reader that is no ring takes the order of the dimensions.

// CHECK-LABEL: func.func @other_kernel(
// CHECK-SAME: %[[PLAIN:arg[0-9]+]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">,
// CHECK-SAME: %[[RING:arg[0-9]+]]: !tcp.hbm<bf16, #axes, "1", "D1 / 256, {{[^"]*}}">)
// CHECK: tcp.view %[[RING]]
// CHECK: tcp.contract
// CHECK: tcp.to_hbm_view
// CHECK: tcp.view %[[PLAIN]]
// CHECK: tcp.vector_fp_unary %{{.*}} Exp
func.func @other(%x: tensor<512x1024xbf16>, %w: tensor<1024x1024xbf16>)
    -> (tensor<512x1024xf32>, tensor<512x1024xbf16>) {
  %zero = arith.constant dense<0.0> : tensor<512x1024xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%zero : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %empty = tensor.empty() : tensor<512x1024xbf16>
  %1 = linalg.exp ins(%x : tensor<512x1024xbf16>)
      outs(%empty : tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %0, %1 : tensor<512x1024xf32>, tensor<512x1024xbf16>
}

// -----

// Readers that want the same order read the same.

// CHECK-LABEL: func.func @same(
// CHECK-SAME: %arg0: !tcp.host<bf16,
// CHECK: tcp.to_hbm %arg0 {{.*}} "D1 / 256,
// CHECK-NOT: tcp.to_hbm %arg0
func.func @same(%x: tensor<512x1024xbf16>, %v: tensor<1024x1024xbf16>,
                %w: tensor<1024x1024xbf16>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %zero = arith.constant dense<0.0> : tensor<512x1024xf32>
  %0 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %v : tensor<512x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%zero : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %1 = linalg.matmul {sequin.pin = {parts = array<i64: 0, 0, 1>}} ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%zero : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  return %0, %1 : tensor<512x1024xf32>, tensor<512x1024xf32>
}
