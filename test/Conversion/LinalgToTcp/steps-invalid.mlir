// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file --verify-diagnostics

// Bodies that are no chains of the vector engine's steps.

#id = affine_map<(i) -> (i)>
func.func @function(%a: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{'linalg.generic' op body computes 'math.tan', which is no step of the vector engine; run --normalize-linalg first}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = math.tan %x : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @truncating(%a: tensor<64xf32>) -> tensor<64xi32> {
  %empty = tensor.empty() : tensor<64xi32>
  // expected-error@+1 {{body computes 'arith.fptosi', which is no step of the vector engine; run --normalize-linalg first}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%empty : tensor<64xi32>) {
  ^bb0(%x: f32, %out: i32):
    %r = arith.fptosi %x : f32 to i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @narrow_arithmetic(%a: tensor<64xi8>, %b: tensor<64xi8>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  // expected-error@+1 {{body computes 'arith.addi' in 'i8', the vector engine computes in f32 and i32; run --normalize-linalg first}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xi8>, tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%x: i8, %y: i8, %out: i8):
    %r = arith.addi %x, %y : i8
    linalg.yield %r : i8
  } -> tensor<64xi8>
  return %0 : tensor<64xi8>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @narrow_fma(%a: tensor<64xbf16>, %b: tensor<64xbf16>) -> tensor<64xbf16> {
  %empty = tensor.empty() : tensor<64xbf16>
  // expected-error@+1 {{body computes 'math.fma' in 'bf16', the vector engine computes in f32}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xbf16>, tensor<64xbf16>) outs(%empty : tensor<64xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %out: bf16):
    %r = math.fma %x, %y, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @narrow_bits(%a: tensor<64xbf16>) -> tensor<64xi16> {
  %empty = tensor.empty() : tensor<64xi16>
  // expected-error@+1 {{body computes 'arith.bitcast', which is no step of the vector engine}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xbf16>) outs(%empty : tensor<64xi16>) {
  ^bb0(%x: bf16, %out: i16):
    %r = arith.bitcast %x : bf16 to i16
    linalg.yield %r : i16
  } -> tensor<64xi16>
  return %0 : tensor<64xi16>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @two_streams(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{body computes 'arith.mulf' of two computed values; one of them must be a constant or an element of an operand: split the operation in two}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.subf %x, %y : f32
    %r = arith.mulf %1, %2 : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @two_of_three(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{body computes 'math.fma' of two computed values}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.subf %x, %y : f32
    %r = math.fma %1, %y, %2 : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @shift_count(%a: tensor<64xi32>) -> tensor<64xi32> {
  %empty = tensor.empty() : tensor<64xi32>
  // expected-error@+1 {{body computes 'arith.shli' by 32, the shift count must be 0 to 31}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xi32>) outs(%empty : tensor<64xi32>) {
  ^bb0(%x: i32, %out: i32):
    %c = arith.constant 32 : i32
    %r = arith.shli %x, %c : i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @wide_integer(%a: tensor<64xi32>) -> tensor<64xf16> {
  %empty = tensor.empty() : tensor<64xf16>
  // expected-error@+1 {{body computes 'arith.addf' in 'f16', the vector engine computes in f32 and i32}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xi32>) outs(%empty : tensor<64xf16>) {
  ^bb0(%x: i32, %out: f16):
    %1 = arith.sitofp %x : i32 to f16
    %r = arith.addf %1, %1 : f16
    linalg.yield %r : f16
  } -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @constant_body(%a: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %r = arith.constant 2.0 : f32
  // expected-error@+1 {{computes a constant; use linalg.fill}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @constants(%a: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{body computes 'arith.addf' of constants; run --canonicalize first}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = arith.constant 2.0 : f32
    %r = arith.addf %c, %c : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
