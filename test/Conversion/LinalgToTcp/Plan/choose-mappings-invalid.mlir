// RUN: sequin-opt %s --split-input-file --tcp-plan-choose-mappings --verify-diagnostics

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @parts (tensor<64x64xf32>) -> tensor<64xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<64x64xf32>
  plan.tensor @out layout <inner = 0, order = [0]> : tensor<64xf32>
  // expected-error@+1 {{'linalg.reduce' op pins 4 parts for loop 1 of 64 iterations, which is summed, and slices share no sums: 64 iterations in 1 parts would fit}}
  plan.group reduction of "linalg.reduce" loops [#plan.loop<extent = 64>, #plan.loop<extent = 64, reduced, pinned_parts = 4>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0)> : f32
  }
}
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
// expected-error@+1 {{plan 'early': 'a' has no layout; run tcp-plan-choose-layouts first}}
plan.program @early (tensor<64xf32>) -> tensor<64xf32> returns [@out] {
  plan.tensor @a argument 0 : tensor<64xf32>
  plan.tensor @out : tensor<64xf32>
  plan.group stream loops [#plan.loop<extent = 64>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0) -> (d0)> : f32
  }
}
}
