// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: DSD-002, DSD-005, DSD-006, DSD-007, DSD-008, DSD-009, DSD-010, DSD-011
// ROWS: DSD-012, DSD-013, DSD-014, DSD-016, DSD-017, DSD-018, DSD-020, DSD-023
// ROWS: DSD-025, DSD-026, DSD-027, DSD-028, DSD-031, DSD-032, DSD-033, DSD-038
// ROWS: DSD-039, DSD-040, DSD-041, DSD-045, DSD-046, DSD-047, DSD-051, DSD-052
// ROWS: DSD-053, DSD-055, DSD-057, DSD-058, DSD-059, DSD-060, DSD-063, DSD-068
// ROWS: DSD-069, DSD-070, DSD-071, DSD-072, DSD-073, FIF-001, FIF-002, FIF-011
// ROWS: FIF-019, FIF-020, FIF-023, FIF-024, FIF-025, AMB-008

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @A : memref<10xi16>
    csl.var @square : memref<20x20xi16>
    csl.var @box : memref<4x5xi16>
    csl.var @ring : memref<10xf16>
    csl.var @buffer : memref<32xi16> align(4)
    csl.var @other : memref<32xi32>
    // CHECK: csl.fifo @f over @buffer empty terminate activate_pop @wake activate_push 9 : i64 simd simd_64
    csl.fifo @f over @buffer empty terminate activate_pop @wake activate_push 9 : i64 simd simd_64
    // CHECK: csl.fifo @g over @other registers dest 2 src1 2 xdsr 1
    csl.fifo @g over @other registers dest 2 src1 2 xdsr 1
    csl.task local @wake() {
      csl.return
    }

    // CHECK-LABEL: func.func @memory
    func.func @memory(%p: !csl.ptr<many f32>, %n: i16, %s: i8, %o: i16) {
      // CHECK: %[[A:.*]] = csl.get_var @A
      %A = csl.get_var @A : memref<10xi16>
      %S = csl.get_var @square : memref<20x20xi16>
      // CHECK: csl.mem1d_dsd %[[A]] : memref<10xi16> extent 5 stride 2 offset 1{{$}}
      %a = csl.mem1d_dsd %A : memref<10xi16> extent 5 stride 2 offset 1
      // CHECK: csl.mem1d_dsd %{{.*}} : !csl.ptr<many f32> extent %{{.*}} stride %{{.*}} offset %{{.*}} index_offset
      %b = csl.mem1d_dsd %p : !csl.ptr<many f32> extent %n stride %s offset %o index_offset
      // CHECK: csl.mem1d_dsd %{{.*}} : memref<20x20xi16> access <(d0) -> (d0, d0), [20]>
      %c = csl.mem1d_dsd %S : memref<20x20xi16> access <(i) -> (i, i), [20]>
      // Outside of the array, and of no length: neither is refused.
      // CHECK: access <(d0) -> (d0 * 2 + 42), [10]>
      %d = csl.mem1d_dsd %A : memref<10xi16> access <(i) -> (2 * i + 42), [10]>
      // CHECK: access <(d0) -> (0), [0]>
      %e = csl.mem1d_dsd %A : memref<10xi16> access <(i) -> (0), [0]>
      // CHECK: extent 65535 stride -128 offset -32768
      %f = csl.mem1d_dsd %A : memref<10xi16> extent 65535 stride -128 offset -32768

      // CHECK: csl.set_dsd_base_addr %{{.*}}, %{{.*}} : !csl.dsd<mem1d>, !csl.ptr<many f32>
      %g = csl.set_dsd_base_addr %a, %p : !csl.dsd<mem1d>, !csl.ptr<many f32>
      // CHECK: csl.increment_dsd_offset %{{.*}}, %{{.*}} of f32 : !csl.dsd<mem1d>
      %h = csl.increment_dsd_offset %a, %n of f32 : !csl.dsd<mem1d>
      // CHECK: csl.set_dsd_length %{{.*}}, %{{.*}} : !csl.dsd<mem1d>
      %i = csl.set_dsd_length %a, %n : !csl.dsd<mem1d>
      // CHECK: csl.set_dsd_stride %{{.*}}, %{{.*}} : !csl.dsd<mem1d>
      %j = csl.set_dsd_stride %a, %s : !csl.dsd<mem1d>
      return
    }

    // CHECK-LABEL: func.func @box
    func.func @box_of(%p: !csl.ptr<!csl.array<4x5xi16>>, %o: i16) {
      %B = csl.get_var @box : memref<4x5xi16>
      // CHECK: csl.mem4d_dsd %{{.*}} : memref<4x5xi16> extents [5, 5, 5, 5] strides [1, -3, -3, -23] offset 2{{$}}
      %a = csl.mem4d_dsd %B : memref<4x5xi16> extents [5, 5, 5, 5] strides [1, -3, -3, -23] offset 2
      // CHECK: csl.mem4d_dsd %{{.*}} : memref<4x5xi16> access <(d0, d1, d2, d3) -> (d0 + d1, d2 + d3 + 2), [5, 5, 5, 5]>
      %b = csl.mem4d_dsd %B : memref<4x5xi16> access <(i, j, k, l) -> (i + j, k + l + 2), [5, 5, 5, 5]>
      // CHECK: csl.mem4d_dsd %{{.*}} : !csl.ptr<!csl.array<4x5xi16>> extents [2, 1] offset %{{.*}} index_offset
      %c = csl.mem4d_dsd %p : !csl.ptr<!csl.array<4x5xi16>> extents [2, 1] offset %o index_offset
      return
    }

    // CHECK-LABEL: func.func @ring
    func.func @ring_of(%p: !csl.ptr<f16>) {
      %R = csl.get_var @ring : memref<10xf16>
      // CHECK: csl.circbuf_dsd %{{.*}} : memref<10xf16> extent 20{{$}}
      %a = csl.circbuf_dsd %R : memref<10xf16> extent 20
      // CHECK: csl.circbuf_dsd %{{.*}} : memref<10xf16> extent 20 wraparound 10
      %b = csl.circbuf_dsd %R : memref<10xf16> extent 20 wraparound 10
      // CHECK: csl.circbuf_dsd %{{.*}} : !csl.ptr<f16> extent 20 wraparound 5
      %c = csl.circbuf_dsd %p : !csl.ptr<f16> extent 20 wraparound 5
      return
    }

    // CHECK-LABEL: func.func @fabric
    func.func @fabric(%n: i16, %color: !csl.color) {
      %in = csl.constant 2 : !csl.input_queue
      %out = csl.constant 2 : !csl.output_queue
      // CHECK: csl.fabin_dsd queue %{{.*}} extent 16 control_transform
      %a = csl.fabin_dsd queue %in extent 16 control_transform
      // CHECK: csl.fabin_dsd color %{{.*}} extent %{{.*}} simd simd_32_or_64
      %b = csl.fabin_dsd color %color extent %n simd simd_32_or_64
      // CHECK: csl.fabin_dsd queue %{{.*}} extent 32767
      %c = csl.fabin_dsd queue %in extent 32767
      // CHECK: csl.fabout_dsd queue %{{.*}} color %{{.*}} extent 10 simd simd_64 zero first_source control index_offset advance_switch control_transform
      %d = csl.fabout_dsd queue %out color %color extent 10 simd simd_64 zero first_source control index_offset advance_switch control_transform
      return
    }

    // CHECK-LABEL: func.func @fifos
    func.func @fifos(%n: i16) {
      // CHECK: %[[F:.*]] = csl.get_fifo @f : !csl.fifo<i16>
      %f = csl.get_fifo @f : !csl.fifo<i16>
      // CHECK: csl.set_fifo_read_length %[[F]], %{{.*}} : !csl.fifo<i16>
      csl.set_fifo_read_length %f, %n : !csl.fifo<i16>
      // CHECK: csl.set_fifo_write_length %[[F]], %{{.*}} : !csl.fifo<i16>
      csl.set_fifo_write_length %f, %n : !csl.fifo<i16>
      return
    }
  }
}
