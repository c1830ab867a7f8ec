// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: DSR-005, DSR-006, DSR-007, DSR-009, DSR-010, DSR-011, DSR-012, DSR-013
// ROWS: DSR-014, DSR-023, DSR-024, DSR-025, DSR-026, DSR-028, DSR-029, ASY-002
// ROWS: ASY-008, ASY-022

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @A : memref<4x5xi16>
    // CHECK-LABEL: func.func @loads
    func.func @loads(%mem: !csl.dsd<mem1d>, %box: !csl.dsd<mem4d>, %ring: !csl.dsd<circbuf>, %in: !csl.dsd<fabin>, %out: !csl.dsd<fabout>, %t: !csl.local_task_id, %q: !csl.input_queue, %n: i16) {
      // CHECK: %[[D:.*]] = csl.get_dsr 15 : !csl.dsr<dest>
      %d = csl.get_dsr 15 : !csl.dsr<dest>
      // CHECK: %[[S0:.*]] = csl.get_dsr 0 : !csl.dsr<src0>
      %s0 = csl.get_dsr 0 : !csl.dsr<src0>
      // CHECK: %[[S1:.*]] = csl.get_dsr 3 : !csl.dsr<src1>
      %s1 = csl.get_dsr 3 : !csl.dsr<src1>
      // CHECK: csl.get_xdsr 7{{$}}
      %x = csl.get_xdsr 7
      // CHECK: csl.get_sr 7{{$}}
      %r0 = csl.get_sr 7
      %r1 = csl.get_sr 1
      %r2 = csl.get_sr 2
      // CHECK: csl.same %[[S1]], %[[S1]] : !csl.dsr<src1>
      %b = csl.same %s1, %s1 : !csl.dsr<src1>
      // CHECK: csl.get_int %[[S1]] : !csl.dsr<src1> -> i16
      %i = csl.get_int %s1 : !csl.dsr<src1> -> i16
      // CHECK: csl.load_to_dsr %[[D]], %{{.*}} : !csl.dsr<dest>, !csl.dsd<fabout> async activate(%{{.*}}) ut_id 2
      csl.load_to_dsr %d, %out : !csl.dsr<dest>, !csl.dsd<fabout> async activate(%t) ut_id 2
      // CHECK: csl.load_to_dsr %[[S0]], %{{.*}} : !csl.dsr<src0>, !csl.dsd<fabin> async unblock(%{{.*}} : !csl.input_queue) on_control terminate
      csl.load_to_dsr %s0, %in : !csl.dsr<src0>, !csl.dsd<fabin> async unblock(%q : !csl.input_queue) on_control terminate
      // CHECK: csl.load_to_dsr %[[S1]], %{{.*}} : !csl.dsr<src1>, !csl.dsd<mem1d> save_address
      csl.load_to_dsr %s1, %mem : !csl.dsr<src1>, !csl.dsd<mem1d> save_address
      // CHECK: csl.load_to_dsr %[[S1]], %{{.*}} : !csl.dsr<src1>, !csl.dsd<mem1d> single_step
      csl.load_to_dsr %s1, %mem : !csl.dsr<src1>, !csl.dsd<mem1d> single_step
      // CHECK: csl.load_to_dsr_xdsr %[[S1]], %{{.*}}, %{{.*}} : !csl.dsr<src1>, !csl.dsd<circbuf> save_address
      csl.load_to_dsr_xdsr %s1, %x, %ring : !csl.dsr<src1>, !csl.dsd<circbuf> save_address
      // A DSD that is computed needs all three.
      // CHECK: csl.load_to_dsr_xdsr_sr %[[S0]], %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : !csl.dsr<src0>, !csl.dsd<mem4d>
      csl.load_to_dsr_xdsr_sr %s0, %x, [%r0, %r1, %r2], %box : !csl.dsr<src0>, !csl.dsd<mem4d>
      %A = csl.get_var @A : memref<4x5xi16>
      %one = csl.mem4d_dsd %A : memref<4x5xi16> extents [4]
      // CHECK: csl.load_to_dsr_xdsr_sr %[[S0]], %{{.*}}, [], %{{.*}} : !csl.dsr<src0>, !csl.dsd<mem4d>
      csl.load_to_dsr_xdsr_sr %s0, %x, [], %one : !csl.dsr<src0>, !csl.dsd<mem4d>
      // Unit stride inside: one less than dimensions beyond the first.
      %two = csl.mem4d_dsd %A : memref<4x5xi16> access <(i, j) -> (i, j), [2, 2]>
      csl.load_to_dsr_xdsr_sr %s0, %x, [], %two : !csl.dsr<src0>, !csl.dsd<mem4d>
      %wide = csl.mem4d_dsd %A : memref<4x5xi16> extents [2, 2] strides [2, 4]
      csl.load_to_dsr_xdsr_sr %s0, %x, [%r0], %wide : !csl.dsr<src0>, !csl.dsd<mem4d>
      %four = csl.mem4d_dsd %A : memref<4x5xi16> extents [1, 2, 1, 2] strides [1, 3, 3, 3]
      csl.load_to_dsr_xdsr_sr %s0, %x, [%r0, %r1], %four : !csl.dsr<src0>, !csl.dsd<mem4d>
      // CHECK: csl.set_dsr_base_addr %[[S1]], %{{.*}} : !csl.dsr<src1>, memref<4x5xi16>
      csl.set_dsr_base_addr %s1, %A : !csl.dsr<src1>, memref<4x5xi16>
      // CHECK: csl.set_dsr_length %[[S1]], %{{.*}} : !csl.dsr<src1>
      csl.set_dsr_length %s1, %n : !csl.dsr<src1>
      return
    }
    csl.comptime {
      %d = csl.get_dsr 1 : !csl.dsr<dest>
      %A = csl.get_var @A : memref<4x5xi16>
      %m = csl.mem1d_dsd %A : memref<4x5xi16> extent 5
      csl.load_to_dsr %d, %m : !csl.dsr<dest>, !csl.dsd<mem1d>
    }
  }
}
