// Room behind dimensions for the tiles that run over them, rows of 64 bytes, addresses by
// first fit among what is there at the same time. A place that a tensor has stays.
//
// RUN: sequin-opt %s --tcp-plan-assign-memory --verify-roundtrip --mlir-print-local-scope | FileCheck %s
// RUN: sequin-opt %s --tcp-plan-assign-memory --tcp-plan-assign-memory --mlir-print-local-scope | FileCheck %s
// RUN: sed 's/allocated = .100/allocated = [99/; s/extent = 99/extent = 100/' %s | not sequin-opt --tcp-plan-assign-memory 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM: error: 'plan.tensor' op allocates 99 positions for a dimension of 100

module attributes {tcp.target = #tcp.target<"rngd">} {

// CHECK-LABEL: plan.program @main
// CHECK: plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], allocated = [100, 80], strides = [80, 1], size = 8000> : tensor<100x77xf32>
// CHECK: plan.tensor @between layout <inner = 1, order = [0, 1], allocated = [100, 96], strides = [96, 1], size = 9600, address = 65536> : tensor<100x77xf32>
// CHECK: plan.tensor @out layout <inner = 1, order = [0, 1], allocated = [100, 80], strides = [80, 1], size = 8000, address = {{[0-9]+}}> : tensor<100x77xf32>
plan.program @main (tensor<100x77xf32>) -> tensor<100x77xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.tensor @between layout <inner = 1, order = [0, 1], allocated = [100, 96], strides = [96, 1], size = 9600, address = 65536> : tensor<100x77xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100, tile = 50, parts = 50, name = "D">, #plan.loop<extent = 77, tile = 80, local = 80, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    plan.write %2 to @between affine_map<(d0, d1) -> (d0, d1)> : f32
  }
  plan.group stream of "linalg.tanh" loops [#plan.loop<extent = 100, tile = 50, parts = 50, name = "D">, #plan.loop<extent = 77, tile = 80, local = 80, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @between affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Tanh(%1) : (f32) -> f32
    plan.write %2 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

}
