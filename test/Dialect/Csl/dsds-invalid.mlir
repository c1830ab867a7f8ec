// RUN: sequin-opt %s --split-input-file --verify-diagnostics

// ROWS: DSD-006, DSD-007, DSD-008, DSD-012, DSD-013, DSD-014, DSD-016, DSD-022
// ROWS: DSD-024, DSD-028, DSD-040, DSD-041, DSD-045, DSD-049, DSD-055, DSD-067
// ROWS: DSD-070, ASY-030, ASY-031, DSD-005, DSD-025

func.func @f(%A: memref<10xi8>) {
  // expected-error@+1 {{has base 'memref<10xi8>', elements of a memory DSD are numbers of 16 or 32 bits}}
  %a = csl.mem1d_dsd %A : memref<10xi8> extent 5
  return
}

// -----

func.func @f(%A: memref<10xi16>, %n: i16) {
  // expected-error@+1 {{has neither an extent nor a tensor access}}
  %a = csl.mem1d_dsd %A : memref<10xi16> stride 2
  return
}

// -----

func.func @f(%A: memref<10xi16>, %n: i16) {
  // expected-error@+1 {{has a tensor access and fields that it says}}
  %a = csl.mem1d_dsd %A : memref<10xi16> offset 2 access <(i) -> (i), [5]>
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  %a = csl.mem1d_dsd %A : memref<10xi16> extent 65535
  // expected-error@+1 {{extent of the mem1d_dsd is 65536, the machine allows 0 to 65535}}
  %b = csl.mem1d_dsd %A : memref<10xi16> extent 65536
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%A: memref<10xi16>) {
    %a = csl.mem1d_dsd %A : memref<10xi16> extent 5 stride 127
    // expected-error@+1 {{stride of the mem1d_dsd is 128, wse3 allows -128 to 127}}
    %b = csl.mem1d_dsd %A : memref<10xi16> extent 5 stride 128
    return
  }
}

// -----

func.func @f(%A: memref<10xi16>) {
  %a = csl.mem1d_dsd %A : memref<10xi16> extent 5 offset 32767
  // expected-error@+1 {{offset of the mem1d_dsd is 32768}}
  %b = csl.mem1d_dsd %A : memref<10xi16> extent 5 offset 32768
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{has a tensor access in 2 variables, a mem1d DSD has one}}
  %b = csl.mem1d_dsd %A : memref<10xi16> access <(i, j) -> (i + j), [5, 5]>
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{has a tensor access with 2 indices over an array of rank 1}}
  %b = csl.mem1d_dsd %A : memref<10xi16> access <(i) -> (i, i), [5]>
  return
}

// -----

func.func @f(%A: memref<?xi16>) {
  // expected-error@+1 {{has a tensor access over 'memref<?xi16>', expected an array of known shape}}
  %b = csl.mem1d_dsd %A : memref<?xi16> access <(i) -> (i), [5]>
  return
}

// -----

// expected-error@+1 {{an index is a constant plus multiples of the variables, found affine_map<(d0) -> (d0 mod 2)>}}
#a = #csl.access<(i) -> (i mod 2), [5]>

// -----

// expected-error@+1 {{a tensor access has as many lengths as variables, found 1 for 2}}
#a = #csl.access<(i, j) -> (i + j), [5]>

// -----

// expected-error@+1 {{a length is -1, it must not be negative}}
#a = #csl.access<(i) -> (i), [-1]>

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{the mem4d_dsd is 5}}
  %b = csl.mem4d_dsd %A : memref<10xi16> extents [1, 1, 1, 1, 1]
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  %a = csl.mem4d_dsd %A : memref<10xi16> extents [1, 1] strides [32767, -32768]
  // expected-error@+1 {{is 32768, the machine allows -32768 to 32767}}
  %b = csl.mem4d_dsd %A : memref<10xi16> extents [1, 1] strides [32768, 1]
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{2 strides}}
  %b = csl.mem4d_dsd %A : memref<10xi16> extents [1, 1, 1] strides [1, 1]
  return
}

// -----

func.func @f(%A: memref<10xf16>) {
  // expected-error@+1 {{wraparound}}
  %b = csl.circbuf_dsd %A : memref<10xf16> extent 20 wraparound 15
  return
}

// -----

func.func @f(%p: !csl.ptr<f16>) {
  // expected-error@+1 {{wraparound}}
  %b = csl.circbuf_dsd %p : !csl.ptr<f16> extent 20
  return
}

// -----

func.func @f(%q: !csl.input_queue) {
  // expected-error@+1 {{has no extent}}
  %b = csl.fabin_dsd queue %q
  return
}

// -----

func.func @f(%q: !csl.input_queue) {
  // expected-error@+1 {{has neither a queue nor a color}}
  %b = csl.fabin_dsd extent 5
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%c: !csl.color) {
    // expected-error@+1 {{has no queue, on wse3 the queue knows the color}}
    %b = csl.fabin_dsd color %c extent 5
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%q: !csl.output_queue) {
    // expected-error@+1 {{has no color, a queue of wse2 has none of its own}}
    %b = csl.fabout_dsd queue %q extent 5
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%q: !csl.input_queue) {
    // expected-error@+1 {{has a priority on a DSD, which wse2 does not have}}
    %b = csl.fabin_dsd queue %q extent 5 priority high
    return
  }
}

// -----

module attributes {csl.target = #csl.target<"wse2">} {
  func.func @f(%q: !csl.input_queue) {
    // expected-error@+1 {{has simd mode simd_max, which wse2 does not have}}
    %b = csl.fabin_dsd queue %q extent 5 simd simd_max
    return
  }
}

// -----

func.func @f(%q: !csl.input_queue) {
  %a = csl.fabin_dsd queue %q extent 65535
  // expected-error@+1 {{extent is 65536, the machine allows 0 to 65535}}
  %b = csl.fabin_dsd queue %q extent 65536
  return
}

// -----

func.func @f(%d: !csl.dsd<mem4d>, %n: i16) {
  // expected-error@+1 {{takes every DSD but a mem4d, whose extents are comptime-known}}
  %b = csl.set_dsd_length %d, %n : !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%d: !csl.dsd<mem4d>, %n: i16) {
  // expected-error@+1 {{counts elements of type 'i64', allowed are numbers of 16 or 32 bits}}
  %b = csl.increment_dsd_offset %d, %n of i64 : !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%A: memref<4x5xf32, strided<[1, 4]>>) {
  // expected-error@+1 {{has base 'memref<4x5xf32, strided<[1, 4]>>', expected a row-major array}}
  %a = csl.mem1d_dsd %A : memref<4x5xf32, strided<[1, 4]>> extent 5
  return
}

// -----

func.func @f(%A: memref<10xi8>) {
  // expected-error@+1 {{elements of a memory DSD are numbers of 16 or 32 bits}}
  %a = csl.mem4d_dsd %A : memref<10xi8> extents [5]
  return
}

// -----

func.func @f(%A: memref<10xi8>) {
  // expected-error@+1 {{elements of a memory DSD are numbers of 16 or 32 bits}}
  %a = csl.circbuf_dsd %A : memref<10xi8> extent 5
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{has a tensor access and fields that it says}}
  %a = csl.mem4d_dsd %A : memref<10xi16> extents [5] access <(i) -> (i), [5]>
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{has neither extents nor a tensor access}}
  %a = csl.mem4d_dsd %A : memref<10xi16> offset 1
  return
}

// -----

// A field that is both computed and known cannot be written in this syntax.
func.func @f(%A: memref<10xi16>, %n: i16) {
  // expected-error@+1 {{has extent twice}}
  %a = "csl.mem1d_dsd"(%A, %n) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_extent = 4 : i64}> : (memref<10xi16>, i16) -> !csl.dsd<mem1d>
  return
}

// -----

func.func @f(%A: memref<10xi16>, %n: i16) {
  // expected-error@+1 {{has offset twice}}
  %a = "csl.mem4d_dsd"(%A, %n) <{operandSegmentSizes = array<i32: 1, 1>, static_offset = 4 : i64, extents = array<i64: 2>}> : (memref<10xi16>, i16) -> !csl.dsd<mem4d>
  return
}

// -----

func.func @f(%A: memref<?xi16>) {
  // expected-error@+1 {{has a tensor access over 'memref<?xi16>', expected an array of known shape}}
  %a = csl.mem1d_dsd %A : memref<?xi16> access <(i) -> (i), [5]>
  return
}

// -----

module attributes {csl.target = #csl.target<"wse3">} {
  func.func @f(%A: memref<10xi16>) {
    // expected-error@+1 {{extent of the circbuf_dsd is 65536, wse3 allows}}
    %a = csl.circbuf_dsd %A : memref<10xi16> extent 65536
    return
  }
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{a tensor access has no symbols, found 1}}
  %a = csl.mem1d_dsd %A : memref<10xi16> access <(i)[s] -> (i + s), [5]>
  return
}

// -----

func.func @f(%A: memref<10xi16>) {
  // expected-error@+1 {{an index is a constant plus multiples of the variables, found affine_map<(d0) -> (d0 floordiv 2)>}}
  %a = csl.mem1d_dsd %A : memref<10xi16> access <(i) -> (i floordiv 2), [5]>
  return
}
