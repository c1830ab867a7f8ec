// A mapping that was edited is taken, or refused where it cannot run.
//
// RUN: sequin-opt %s --split-input-file --tcp-plan-assign-memory --verify-diagnostics

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @units (tensor<128x64xf32>) -> tensor<128x64xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<128x64xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<128x64xf32>
  // expected-error@+1 {{'linalg.exp' op has tiles of 12 in 2 parts for loop d1 of 64 iterations, a part is whole multiples of 8}}
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 128, tile = 128, parts = 128, name = "D">, #plan.loop<extent = 64, tile = 12, parts = 2, local = 6, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @divides (tensor<90x64xf32>) -> tensor<128x64xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<90x64xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<128x64xf32>
  // expected-error@+1 {{'linalg.exp' op has tiles of 40 in 40 parts for loop d0 of 90 iterations, which tiles must divide}}
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 90, tile = 40, parts = 40, name = "D">, #plan.loop<extent = 64, tile = 64, local = 64, name = "D1">] tiling <packet = d1, exact> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @slices (tensor<1024x64xf32>) -> tensor<1024x64xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<1024x64xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<1024x64xf32>
  // expected-error@+1 {{'linalg.exp' op has parts on 1024 slices, machine "rngd" has 2 x 256, and one loop in as many parts as clusters}}
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 1024, tile = 1024, parts = 1024, name = "D">, #plan.loop<extent = 64, tile = 64, local = 64, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @memory (tensor<2048x1024xf32>) -> tensor<2048x1024xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1]> : tensor<2048x1024xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<2048x1024xf32>
  // expected-error@+1 {{'linalg.exp' op does not fit into data memory of machine "rngd" in its tiles}}
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 2048, tile = 2048, parts = 16, local = 128, name = "D">, #plan.loop<extent = 1024, tile = 1024, local = 1024, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}

// -----

module attributes {tcp.target = #tcp.target<"rngd">} {
plan.program @room (tensor<100x77xf32>) -> tensor<100x77xf32> returns [@out] {
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], allocated = [100, 77], strides = [80, 1], size = 8000> : tensor<100x77xf32>
  plan.tensor @out layout <inner = 1, order = [0, 1]> : tensor<100x77xf32>
  // expected-error@+1 {{'linalg.exp' op touches 80 positions of dimension 1 of 'a', whose layout allocates 77}}
  plan.group stream of "linalg.exp" loops [#plan.loop<extent = 100, tile = 50, parts = 50, name = "D">, #plan.loop<extent = 77, tile = 80, local = 80, name = "D1">] tiling <packet = d1> {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @out affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}
}
