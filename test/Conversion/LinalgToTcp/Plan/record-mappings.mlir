// RUN: sequin-opt %s --tcp-plan-record-mappings --verify-roundtrip --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: plan.program @main
// CHECK-SAME: sequin.mappings = [{complete = true, cycles = 0 : i64, evaluated = 0 : i64, feasible = 0 : i64, group = "stream", kind = "tiles", location = "{{.*}}record-mappings.mlir:[[# @LINE + 5]]:3", mapping = "D: 100 in tiles of 50 on 50 slices; D1: 77 in tiles of 80", operation = "linalg.exp"}]
module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @main (tensor<100x77xf32>) -> tensor<100x77xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100, tile = 50, parts = 50, name = "D">, #plan.loop<extent = 77, tile = 80, local = 80, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}
