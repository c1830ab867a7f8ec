// What a plan says must fit together, so that one that was edited between two passes is
// honoured or refused.
//
// RUN: sequin-opt %s --split-input-file --verify-diagnostics

plan.program @loops (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  // expected-error@+1 {{'plan.group' op has tiles of 8 for loop d0, which are not 2 parts of 3}}
  plan.group stream loops [#plan.loop<extent = 8, tile = 8, parts = 2, local = 3>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @empty (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  // expected-error@+1 {{'plan.group' op has a loop d0 of 0 iterations, tiles or parts; 1 is the least}}
  plan.group stream loops [#plan.loop<extent = 0>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @unknown_loop (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  // expected-error@+1 {{'plan.group' op names loop d3 as 'dealt' of its tiling, it has 1 loops}}
  plan.group stream loops [#plan.loop<extent = 8>] tiling <dealt = d3> {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

// An element without a width has no place in HBM.
plan.program @index (tensor<8xindex>) -> tensor<8xindex> returns [@t] {
  // expected-error@+1 {{'plan.tensor' op attribute 'type' failed to satisfy constraint: type attribute of ranked tensor of signless integer or floating-point values}}
  plan.tensor @a argument 0 layout <inner = 0, order = [0], size = 8> : tensor<8xindex>
}

// -----

plan.program @read_index (tensor<8xf32>) -> tensor<8xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    // expected-error@+1 {{'plan.read' op result #0 must be signless integer or floating-point, but got 'index'}}
    %0 = plan.read @a affine_map<(d0) -> (d0)> : index
    %1 = plan.head %0 : (index) -> f32
    plan.write %1 to @a affine_map<(d0) -> (d0)> : f32
  }
}

// -----

// expected-error@+1 {{'tiles' is none of the fields extent, reduced, single, counts_tiles, pinned_tile, pinned_parts, pinned_chips, tile, parts, local, name}}
#loop = #plan.loop<extent = 8, tiles = 4>

// -----

// expected-error@+1 {{'extent' is given twice}}
#loop = #plan.loop<extent = 8, extent = 4>

// -----

// expected-error@+1 {{expected a loop, as d0}}
#tiling = #plan.tiling<packet = N>

// -----

plan.program @ring (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op has rings of 8 slices, which are not 4 turns of 1 parts of the sum}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <ring = 8, spreads, ring_turns = 4> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @summed (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op has parts of the sum on slices, which must be the innermost, without a stream that rings pass around}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <ring = 8, slices = [d0], summed = d2, spreads, ring_turns = 8> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @places (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op has 1 places for pieces of the result, it needs 2}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <ring = 1, pieces = d0> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d1, d2)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @chunks (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op loads 3 chunks of the sum, it has 4}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <chunks = 4, loads = [1, 2]> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @steps (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op has 4 steps, its loops over tiles and its loads make 8}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <order = [d0], steps = 4> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @chunk_loops (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op loads 2 chunks at once, which no loop of that extent counts}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1], k = [d2]> ring <chunks = 2, loads = [2]> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @roles (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8x8xbf16>
  plan.tensor @b argument 1 : tensor<8x8xbf16>
  plan.tensor @t : tensor<8x8xf32>
  // expected-error@+1 {{'plan.group' op runs as rings or weight streams, but its tiling names no rows 'n' or no sum 'k'}}
  plan.group contraction loops [#plan.loop<extent = 8>, #plan.loop<extent = 8>, #plan.loop<extent = 8, reduced>] tiling <n = [d1]> ring <> {
    %0 = plan.read @a affine_map<(d0, d1, d2) -> (d0, d2)> : bf16
    %1 = plan.read @b affine_map<(d0, d1, d2) -> (d2, d1)> : bf16
    %2 = plan.head %0, %1 : (bf16, bf16) -> f32
    plan.write %2 to @t affine_map<(d0, d1, d2) -> (d0, d1)> : f32
  }
}

// -----

plan.program @rings_of_a_stream (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  // expected-error@+1 {{'plan.group' op is a stream, only a contraction runs as rings or weight streams}}
  plan.group stream loops [#plan.loop<extent = 8>] ring <> {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @overlap (tensor<8x64xf32>) -> tensor<8x64xf32> returns [@t] {
  // expected-note@+1 {{the other tensor}}
  plan.tensor @a argument 0 layout <inner = 1, order = [0, 1], allocated = [8, 64], strides = [64, 1], size = 512> : tensor<8x64xf32>
  // expected-error@+1 {{'plan.tensor' op has bytes 1024 to 3072 of HBM, where 'a' has 0 to 2048 at the same time}}
  plan.tensor @t layout <inner = 1, order = [0, 1], allocated = [8, 64], strides = [64, 1], size = 512, address = 1024> : tensor<8x64xf32>
  plan.group stream loops [#plan.loop<extent = 8>, #plan.loop<extent = 64>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

// -----

plan.program @order (tensor<8x64xf32>) -> tensor<8x64xf32> returns [@t] {
  // expected-error@+1 {{'plan.tensor' op has a layout with an order that is no permutation, at dimension 1 for rank 2}}
  plan.tensor @t layout <inner = 1, order = [1, 1]> : tensor<8x64xf32>
}

// -----

plan.program @allocated (tensor<8x64xf32>) -> tensor<8x64xf32> returns [@t] {
  // expected-error@+1 {{'plan.tensor' op allocates 32 positions for a dimension of 64}}
  plan.tensor @t layout <inner = 1, order = [0, 1], allocated = [8, 32]> : tensor<8x64xf32>
}

// -----

plan.program @argument (tensor<8xf32>) -> tensor<8xf32> returns [@a] {
  // expected-error@+1 {{'plan.tensor' op is argument 1, the program has 1}}
  plan.tensor @a argument 1 : tensor<8xf32>
}

// -----

// expected-error@+1 {{'plan.program' op returns @u, which is no tensor}}
plan.program @output (tensor<8xf32>) -> tensor<8xf32> returns [@u] {
  plan.tensor @a argument 0 : tensor<8xf32>
}

// -----

plan.program @unknown_tensor (tensor<8xf32>) -> tensor<8xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    // expected-error@+1 {{'plan.read' op names @b, which is no tensor of the program}}
    %0 = plan.read @b affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @a affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @indices (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    // expected-error@+1 {{'plan.read' op has indices affine_map<(d0) -> (d0 floordiv 2)>, needed are 1 sums of multiples of the group's 1 loops}}
    %0 = plan.read @a affine_map<(d0) -> (d0 floordiv 2)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @element (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    // expected-error@+1 {{'plan.read' op reads 'bf16' of a tensor of 'f32'}}
    %0 = plan.read @a affine_map<(d0) -> (d0)> : bf16
    %1 = plan.head %0 : (bf16) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @chain (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    %2 = plan.step function Exp(%1) : (f32) -> f32
    // expected-error@+1 {{'plan.step' op does not continue the chain of steps}}
    %3 = plan.step function Tanh(%1) : (f32) -> f32
    plan.write %3 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @step (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    // expected-error@+1 {{'plan.step' op has 2 operands, multiply_add takes 3 to 3}}
    %2 = plan.step multiply_add(%1, %1) : (f32, f32) -> f32
    plan.write %2 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @head (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  plan.group contraction loops [#plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    // expected-error@+1 {{'plan.head' op of a contraction combines 1 values, it needs 2 to 3 that plan.read has read}}
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @rows (tensor<8xf32>) -> tensor<8xf32> returns [@t] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.tensor @t : tensor<8xf32>
  // expected-error@+1 {{'plan.group' op is of rows, which have stages alone}}
  plan.group rows loops [#plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    plan.write %1 to @t affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @written_argument (tensor<8xf32>) -> tensor<8xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8xf32>
  plan.group stream loops [#plan.loop<extent = 8>] {
    %0 = plan.read @a affine_map<(d0) -> (d0)> : f32
    %1 = plan.head %0 : (f32) -> f32
    // expected-error@+1 {{'plan.write' op writes @a, which is an argument; only a scatter writes into one}}
    plan.write %1 to @a affine_map<(d0) -> (d0)> : f32
  }
}

// -----

plan.program @written_constant (tensor<8x4xf32>, tensor<1xi32>) -> tensor<8x4xf32> returns [@c] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.tensor @c constant dense<0.0> : tensor<8x4xf32> : tensor<8x4xf32>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 4>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    // expected-error@+1 {{'plan.write' op writes @c, which is a constant}}
    plan.write %2 to @c affine_map<(d0, d1) -> (0, d1)> : f32
  }
}

// -----

plan.program @no_row (tensor<8x4xf32>, tensor<1xi32>) -> tensor<8x4xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.group scatter loops [#plan.loop<extent = 8>, #plan.loop<extent = 4>] {
    %0 = plan.read @a affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (0)> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    // expected-error@+1 {{'plan.write' op of a scatter has indices affine_map<(d0, d1) -> (d0, d1)>, needed are 0 for the dimension of the rows and a loop for each of the others}}
    plan.write %2 to @a affine_map<(d0, d1) -> (d0, d1)> : f32
  }
}

// -----

plan.program @part_of_row (tensor<8x4xf32>, tensor<1xi32>) -> tensor<8x4xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.tensor @r : tensor<1x2xf32>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 2>] {
    %0 = plan.read @r affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    // expected-error@+1 {{'plan.write' op of a scatter has loop d1 for a dimension of 4, which must be a loop of its own over all of it}}
    plan.write %2 to @a affine_map<(d0, d1) -> (0, d1)> : f32
  }
}

// -----

plan.program @half_bytes (tensor<8x4xi4>, tensor<1xi32>, tensor<1x4xi4>) -> tensor<8x4xi4> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xi4>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.tensor @r argument 2 : tensor<1x4xi4>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 4>] {
    %0 = plan.read @r affine_map<(d0, d1) -> (d0, d1)> : i4
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i32
    %2 = plan.head %0, %1 : (i4, i32) -> i4
    // expected-error@+1 {{'plan.write' op of a scatter writes 'i4', the DMA engine writes whole bytes}}
    plan.write %2 to @a affine_map<(d0, d1) -> (0, d1)> : i4
  }
}

// -----

plan.program @indices (tensor<8x4xf32>, tensor<1xi16>, tensor<1x4xf32>) -> tensor<8x4xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi16>
  plan.tensor @r argument 2 : tensor<1x4xf32>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 4>] {
    %0 = plan.read @r affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i16
    // expected-error@+1 {{'plan.head' op of a scatter has indices of 'i16', allowed is i32}}
    %2 = plan.head %0, %1 : (f32, i16) -> f32
    plan.write %2 to @a affine_map<(d0, d1) -> (0, d1)> : f32
  }
}

// -----

plan.program @steps (tensor<8x4xf32>, tensor<1xi32>, tensor<1x4xf32>) -> tensor<8x4xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.tensor @r argument 2 : tensor<1x4xf32>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 4>] {
    %0 = plan.read @r affine_map<(d0, d1) -> (d0, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    // expected-error@+1 {{'plan.step' op stands in a scatter, which moves rows as they are}}
    %3 = plan.step function Exp(%2) : (f32) -> f32
    plan.write %3 to @a affine_map<(d0, d1) -> (0, d1)> : f32
  }
}

// -----

plan.program @shifted (tensor<8x4xf32>, tensor<1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32> returns [@a] {
  plan.tensor @a argument 0 : tensor<8x4xf32>
  plan.tensor @i argument 1 : tensor<1xi32>
  plan.tensor @r argument 2 : tensor<3x4xf32>
  plan.group scatter loops [#plan.loop<>, #plan.loop<extent = 4>] {
    // expected-error@+1 {{'plan.read' op of a scatter has indices affine_map<(d0, d1) -> (d0 + 1, d1)>, each must be a loop or 0}}
    %0 = plan.read @r affine_map<(d0, d1) -> (d0 + 1, d1)> : f32
    %1 = plan.read @i affine_map<(d0, d1) -> (d0)> : i32
    %2 = plan.head %0, %1 : (f32, i32) -> f32
    plan.write %2 to @a affine_map<(d0, d1) -> (0, d1)> : f32
  }
}
