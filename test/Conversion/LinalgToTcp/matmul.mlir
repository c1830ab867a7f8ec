// RUN: sequin-opt %s --linalg-to-tcp=target=rngd | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --tcp-to-config | FileCheck %s --check-prefix=CONFIG

// ROWS: HEL-02

// The shape of the manual's GEMM: both operands with the summed dimension contiguous
// in HBM, the weights stationary with eight columns as rows, every slice a tile of
// the result. The kernel names dimensions by role: M, N and the summed K.

// CHECK: #[[$GROUP:axes[0-9]+]] = #stream.axes<M = 512, N = 512, K = 1024>
// CHECK: #grid = #tcp.grid<#[[$GROUP]], chip "1", cluster "M / 256", slice "M / [[$ML:[0-9]+]] % {{[0-9]+}}, N / [[$NL:[0-9]+]]">
// CHECK: module attributes {tcp.target = #tcp.target<"rngd">}

// CHECK-LABEL: func.func @main_kernel(
// CHECK-SAME: %[[A:.*]]: !tcp.hbm<bf16, #axes, "1", "D0, D1">, %[[B:.*]]: !tcp.hbm<bf16, #axes1, "1", "D1, D0">) -> !tcp.hbm<f32, #axes2, "1", "D0, D1"> {
// CHECK: %[[OUT:.*]] = tcp.from_address 0
// CHECK: %[[BV:.*]] = tcp.view %[[B]] at 0 : {{.*}} -> !tcp.hbm<bf16, #[[$GROUP]], "1", "N, K">
// CHECK: %[[BDM:.*]] = tcp.to_dm %[[BV]] at 0 : {{.*}} -> !tcp.dm<bf16, #grid, "N % [[$NL]], K">
// CHECK: tcp.begin sub %[[BDM]]
// CHECK: tcp.fetch %{{.*}} bf16 "N % 8, N / 8 % [[Q:[0-9]+]], K / 32", "K % 32"
// CHECK: tcp.collect %{{.*}} "N % 8, N / 8 % [[Q]], K / 16", "K % 16"
// CHECK: %[[TRF:.*]] = tcp.to_trf %{{.*}} Full "N % 8", "N / 8 % [[Q]], K"
// CHECK: %[[AV:.*]] = tcp.view %[[A]] at 0 : {{.*}} "M, K">
// CHECK: %[[ADM:.*]] = tcp.to_dm %[[AV]] at {{[0-9]+}} : {{.*}} -> !tcp.dm<bf16, #grid, "M % [[$ML]], K">
// CHECK: tcp.begin main %[[ADM]]
// CHECK: tcp.fetch %{{.*}} bf16 "M % [[$ML]], N / 8 % [[Q]], K / 32", "K % 32"
// CHECK: tcp.collect %{{.*}} "M % [[$ML]], N / 8 % [[Q]], K / 16", "K % 16"
// CHECK: tcp.align %{{.*}}, %[[TRF]] "M % [[$ML]], N / 8 % [[Q]], K / 32", "K % 32"
// CHECK: tcp.contract %{{.*}} "1"
// CHECK: tcp.accumulate %{{.*}} Interleaved "M % [[$ML]], N / 8 % [[Q]]", "N % 8"
// CHECK: %[[C:.*]] = tcp.commit %{{.*}} at {{[0-9]+}} "M % [[$ML]], N % [[$NL]]"
// CHECK: %[[R:.*]] = tcp.to_hbm_view %[[C]] into %[[OUT]] at 0 as !tcp.hbm<f32, #[[$GROUP]], "1", "M, N">
// CHECK: return %[[R]]

// The result is at 0, the arguments behind it.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: !tcp.host<bf16, #axes, "D0, D1">, %[[W:.*]]: !tcp.host<bf16, #axes1, "D0, D1">) -> !tcp.host<f32, #axes2, "D0, D1"> attributes {tcp.macs = 268435456 : i64}
// CHECK: %[[XH:.*]] = tcp.to_hbm %[[X]] at 1048576
// CHECK: %[[WH:.*]] = tcp.to_hbm %[[W]] at 2097152
// CHECK: %[[L:.*]] = tcp.launch @main_kernel(%[[XH]], %[[WH]])
// CHECK: tcp.to_host %[[L]]

// CONFIG: tcp.config @main target "rngd"
// CONFIG-NOT: func.func

func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x512xbf16>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  %0 = linalg.matmul
      ins(%a, %b : tensor<512x1024xbf16>, tensor<1024x512xbf16>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
