// Factors lie along the sum. An argument whose layout is pinned is read as it is, or
// through a copy, which is a group. A layout that is there stays.
//
// RUN: sequin-opt %s --tcp-plan-choose-layouts=argument-layout=chosen --verify-roundtrip --mlir-print-local-scope | FileCheck %s
// RUN: sequin-opt %s --tcp-plan-choose-layouts=argument-layout=chosen --tcp-plan-choose-layouts --mlir-print-local-scope | FileCheck %s
// RUN: sequin-opt %s --tcp-plan-choose-layouts=argument-layout=row-major --mlir-print-local-scope | FileCheck %s --check-prefix=ROWS
// RUN: not sequin-opt %s --tcp-plan-choose-layouts=search-budget=0 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: search-budget 0, allowed are numbers of mappings from 1

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK-LABEL: plan.program @main
// CHECK: plan.tensor @given argument 2 layout <order = [0, 1]> : tensor<96x80xf32>
// CHECK: plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<96x80xf32>
// CHECK: plan.tensor @arg0 argument 0 layout <inner = 1, order = [0, 1], may_reorder> : tensor<96x416xbf16>
// CHECK: plan.tensor @arg1 argument 1 layout <inner = 0, order = [1, 0], may_reorder> : tensor<416x80xbf16>
// CHECK: plan.group contraction
// CHECK-NOT: plan.group

// ROWS-LABEL: plan.program @main
// ROWS-DAG: plan.tensor @[[B:.*]] argument 1 layout <inner = 1, order = [0, 1]> : tensor<416x80xbf16>
// ROWS-DAG: plan.tensor @[[COPY:.*]] layout <inner = 0, order = [1, 0]> : tensor<416x80xbf16>
// ROWS: plan.group stream of "func.func"
// ROWS: plan.read @[[B]]
// ROWS: plan.write %{{.*}} to @[[COPY]]
// ROWS: plan.group contraction
// ROWS: plan.read @[[COPY]]
plan.program @main (tensor<96x416xbf16>, tensor<416x80xbf16>, tensor<96x80xf32>) -> tensor<96x80xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<96x416xbf16>
  plan.tensor @b argument 1 : tensor<416x80xbf16>
  plan.tensor @given argument 2 layout <order = [0, 1]> : tensor<96x80xf32>
  plan.tensor @out : tensor<96x80xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 96>, #plan.loop<extent = 80, pinned_parts = 10>, #plan.loop<extent = 416, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    %3 = plan.read @given affine_map<(d0, d1, d2) -> (d0, d1)> : f32
    %4 = plan.step arithmetic add(%2, %3) : (f32, f32) -> f32
    plan.write %4 to @out affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// Two dimensions that are read as one are contiguous where packets along the inner one are
// whole flits; a product writes what the copy behind it writes along, and an argument comes
// so.
// CHECK-LABEL: plan.program @heads
// CHECK: plan.tensor @product layout <inner = 1, order = [0, 1]> : tensor<96x192xf32>
// CHECK: plan.tensor @across layout <inner = 0, order = [1, 0]> : tensor<96x192xf32>
// CHECK: plan.tensor @heads layout <inner = 2, order = [0, 1, 2]> : tensor<3x96x64xf32>
// CHECK: plan.tensor @turned layout <inner = 1, order = [0, 1]> : tensor<192x96xf32>
// CHECK: plan.tensor @moved layout <inner = 1, order = [0, 1]> : tensor<80x96xf32>
// CHECK: plan.tensor @{{.*}} argument 2 layout <inner = 0, order = [1, 0], may_reorder> : tensor<96x80xf32>
plan.program @heads (tensor<96x416xbf16>, tensor<416x192xbf16>, tensor<96x80xf32>) -> (tensor<3x96x64xf32>, tensor<192x96xf32>, tensor<80x96xf32>) returns [@heads, @turned, @moved] {
  plan.tensor @a argument 0 : tensor<96x416xbf16>
  plan.tensor @b argument 1 : tensor<416x192xbf16>
  plan.tensor @c argument 2 : tensor<96x80xf32>
  plan.tensor @product : tensor<96x192xf32>
  plan.tensor @across : tensor<96x192xf32>
  plan.tensor @heads : tensor<3x96x64xf32>
  plan.tensor @turned : tensor<192x96xf32>
  plan.tensor @moved : tensor<80x96xf32>
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 96>, #plan.loop<extent = 192>, #plan.loop<extent = 416, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @product affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
  plan.group contraction of "linalg.matmul" loops [#plan.loop<extent = 96>, #plan.loop<extent = 192>, #plan.loop<extent = 416, reduced>] {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @across affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 3>, #plan.loop<extent = 96>, #plan.loop<extent = 64>] {
    %0 = plan.read @product affine_map<(d0, d1, d2) -> (d1, d0 * 64 + d2)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @heads affine_map<(d0, d1, d2) -> (d0, d1, d2)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 192>, #plan.loop<extent = 96>] {
    %0 = plan.read @across affine_map<(d0, d1) -> (d1, d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @turned affine_map<(d0, d1) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 80>, #plan.loop<extent = 96>] {
    %0 = plan.read @c affine_map<(d0, d1) -> (d1, d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @moved affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

}
