// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: DOP-001, DOP-002, DOP-003, DOP-004, DOP-005, DOP-009, DOP-010, DOP-013
// ROWS: DOP-019, DOP-020, DOP-021, DOP-022, DOP-023, DOP-024, DOP-025, DOP-026
// ROWS: DOP-027, DOP-028, DOP-029, DOP-030, DOP-031, DOP-032, DOP-033, DOP-034
// ROWS: DOP-035, DOP-036, DOP-037, DOP-038, DOP-039, DOP-040, DOP-041, DOP-042
// ROWS: DOP-043, DOP-044, DOP-045, DOP-046, DOP-047, DOP-048, DOP-049, DOP-050
// ROWS: DOP-051, DOP-052, DOP-053, DOP-054, DOP-055, DOP-056, DOP-057, DOP-058
// ROWS: DOP-059, DOP-060, DOP-061, DOP-062, DSD-034, DSD-036, ASY-001, ASY-004
// ROWS: ASY-005, ASY-009, ASY-010, ASY-011, ASY-030, ASY-034, BLT-058, BLT-059
// ROWS: BLT-060

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.var @buffer : memref<32xi16>
    csl.fifo @f over @buffer

    // CHECK-LABEL: func.func @integers
    func.func @integers(%d: !csl.dsd<mem1d>, %s: !csl.dsd<mem1d>, %t: !csl.dsd<mem4d>, %x: i16, %w: i32, %p: !csl.ptr<i16>, %q: !csl.ptr<i32>) {
      // CHECK: csl.add16 %[[D:.*]] = %[[S:.*]], %[[T:.*]] : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem4d>{{$}}
      %ok = csl.add16 %d = %s, %t : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem4d>
      // CHECK: csl.add16 %[[D]] = %[[X:.*]], %[[S]] : !csl.dsd<mem1d> = i16, !csl.dsd<mem1d>
      csl.add16 %d = %x, %s : !csl.dsd<mem1d> = i16, !csl.dsd<mem1d>
      csl.add16 %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, i16
      csl.addc16 %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, i16
      csl.and16 %d = %x, %s : !csl.dsd<mem1d> = i16, !csl.dsd<mem1d>
      csl.or16 %d = %s, %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.xor16 %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, i16
      csl.sub16 %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, i16
      csl.sar16 %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, i16
      csl.sll16 %d = %x, %s : !csl.dsd<mem1d> = i16, !csl.dsd<mem1d>
      csl.slr16 %d = %s, %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      // CHECK: csl.clz %[[D]] = %[[S]] : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.clz %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.ctz %d = %x : !csl.dsd<mem1d> = i16
      csl.popcnt %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      // CHECK: csl.mov16 %{{.*}} = %[[S]] : !csl.ptr<i16> = !csl.dsd<mem1d>
      csl.mov16 %p = %s : !csl.ptr<i16> = !csl.dsd<mem1d>
      csl.mov16 %d = %x : !csl.dsd<mem1d> = i16
      csl.mov32 %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.mov32 %q = %s : !csl.ptr<i32> = !csl.dsd<mem1d>
      csl.mov32 %d = %w : !csl.dsd<mem1d> = i32
      return
    }

    // CHECK-LABEL: func.func @floats
    func.func @floats(%d: !csl.dsd<mem1d>, %s: !csl.dsd<mem1d>, %h: f16, %x: f32, %n: i16, %ph: !csl.ptr<f16>, %ps: !csl.ptr<f32>, %pi: !csl.ptr<i16>) {
      csl.fmovh %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.fmovh %ph = %s : !csl.ptr<f16> = !csl.dsd<mem1d>
      csl.fmovh %d = %h : !csl.dsd<mem1d> = f16
      csl.fmovs %ps = %s : !csl.ptr<f32> = !csl.dsd<mem1d>
      csl.fmovs %d = %x : !csl.dsd<mem1d> = f32
      csl.fabsh %d = %h : !csl.dsd<mem1d> = f16
      csl.fabss %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.fnegh %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      csl.fnegs %d = %x : !csl.dsd<mem1d> = f32
      // CHECK: csl.faddh %{{.*}} = %{{.*}}, %{{.*}} : !csl.ptr<f16> = f16, !csl.dsd<mem1d>
      csl.faddh %ph = %h, %s : !csl.ptr<f16> = f16, !csl.dsd<mem1d>
      csl.fadds %d = %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f32
      csl.fadds %d = %x, %s : !csl.dsd<mem1d> = f32, !csl.dsd<mem1d>
      // CHECK: csl.faddhs %{{.*}} = %{{.*}}, %{{.*}} : !csl.dsd<mem1d> = f16, !csl.dsd<mem1d>
      csl.faddhs %d = %h, %s : !csl.dsd<mem1d> = f16, !csl.dsd<mem1d>
      csl.faddhs %d = %s, %h : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f16
      csl.faddhs %d = %s, %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      // CHECK: csl.faddhs %{{.*}} = %{{.*}}, %{{.*}} : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.faddhs %ps = %x, %s : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.fsubh %d = %h, %s : !csl.dsd<mem1d> = f16, !csl.dsd<mem1d>
      csl.fsubs %ps = %x, %s : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.fmulh %d = %s, %h : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f16
      csl.fmuls %d = %x, %s : !csl.dsd<mem1d> = f32, !csl.dsd<mem1d>
      csl.fmaxh %d = %s, %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.fmaxs %ps = %x, %s : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.fmach %d = %s, %s, %h : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f16
      csl.fmachs %d = %s, %s, %h : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f16
      // CHECK: csl.fmacs %{{.*}} = %{{.*}}, %{{.*}}, %{{.*}} : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
      csl.fmacs %d = %d, %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
      csl.fnormh %ph = %h : !csl.ptr<f16> = f16
      csl.fnorms %ps = %x : !csl.ptr<f32> = f32
      csl.fscaleh %ph = %h, %n : !csl.ptr<f16> = f16, i16
      // CHECK: csl.fscales %{{.*}} = %{{.*}}, %{{.*}} : !csl.ptr<f32> = f32, i16
      csl.fscales %ps = %x, %n : !csl.ptr<f32> = f32, i16
      csl.fh2s %d = %h : !csl.dsd<mem1d> = f16
      csl.fs2h %d = %x : !csl.dsd<mem1d> = f32
      csl.fh2xp16 %pi = %h : !csl.ptr<i16> = f16
      csl.fs2xp16 %pi = %x : !csl.ptr<i16> = f32
      csl.xp162fh %d = %n : !csl.dsd<mem1d> = i16
      csl.xp162fs %d = %s : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      return
    }

    // CHECK-LABEL: func.func @settings
    func.func @settings(%mem: !csl.dsd<mem1d>, %out: !csl.dsd<fabout>, %x: i16, %task: !csl.local_task_id, %color: !csl.color, %data: !csl.data_task_id) {
      %q = csl.constant 2 : !csl.input_queue
      %in = csl.fabin_dsd queue %q extent 16
      // CHECK: csl.mov16 %{{.*}} = %{{.*}} : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%{{.*}}) priority high
      csl.mov16 %out = %mem : !csl.dsd<fabout> = !csl.dsd<mem1d> async activate(%task) priority high
      // CHECK: async unblock(%{{.*}} : !csl.color) on_control terminate
      csl.mov16 %mem = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async unblock(%color : !csl.color) on_control terminate
      // CHECK: async on_control activate(%{{.*}} : !csl.local_task_id)
      csl.mov16 %mem = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async on_control activate(%task : !csl.local_task_id)
      // CHECK: async activate(%{{.*}}) on_control unblock(%{{.*}} : !csl.data_task_id)
      csl.mov16 %mem = %in : !csl.dsd<mem1d> = !csl.dsd<fabin> async activate(%task) on_control unblock(%data : !csl.data_task_id)
      // CHECK: csl.add16 %{{.*}} = %{{.*}}, %{{.*}} : !csl.dsd<fabout> = !csl.dsd<mem1d>, i16 index(%{{.*}})
      csl.add16 %out = %mem, %x : !csl.dsd<fabout> = !csl.dsd<mem1d>, i16 index(%x)
      // WSE-2 has two fabric inputs in one operation.
      csl.add16 %mem = %in, %in : !csl.dsd<mem1d> = !csl.dsd<fabin>, !csl.dsd<fabin>
      // CHECK: csl.dfilt %{{.*}} : !csl.dsd<fabin> async activate(%{{.*}})
      csl.dfilt %in : !csl.dsd<fabin> async activate(%task)
      return
    }

    // CHECK-LABEL: func.func @operands
    func.func @operands(%mem: !csl.dsd<mem1d>) {
      %f = csl.get_fifo @f : !csl.fifo<i16>
      %d = csl.get_dsr 1 : !csl.dsr<dest>
      %s0 = csl.get_dsr 1 : !csl.dsr<src0>
      %s1 = csl.get_dsr 1 : !csl.dsr<src1>
      %fd = csl.get_dsr 2 : !csl.dsr<fifo_dest>
      %fs = csl.get_dsr 2 : !csl.dsr<fifo_src1>
      // CHECK: csl.add16 %{{.*}} = %{{.*}}, %{{.*}} : !csl.fifo<i16> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.add16 %f = %mem, %mem : !csl.fifo<i16> = !csl.dsd<mem1d>, !csl.dsd<mem1d>
      csl.add16 %mem = %mem, %f : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.fifo<i16>
      // CHECK: csl.add16 %{{.*}} = %{{.*}}, %{{.*}} : !csl.dsr<dest> = !csl.dsr<src0>, !csl.dsr<src1>
      csl.add16 %d = %s0, %s1 : !csl.dsr<dest> = !csl.dsr<src0>, !csl.dsr<src1>
      csl.add16 %s0 = %s0, %mem : !csl.dsr<src0> = !csl.dsr<src0>, !csl.dsd<mem1d>
      csl.mov16 %fd = %fs : !csl.dsr<fifo_dest> = !csl.dsr<fifo_src1>
      return
    }

    func.func private @square(f32) -> f32
    func.func private @eat(f32, i16)
    // CHECK-LABEL: func.func @maps
    func.func @maps(%in: !csl.dsd<mem1d>, %out: !csl.dsd<mem4d>, %n: i16, %p: !csl.ptr<f32>) {
      %s1 = csl.get_dsr 1 : !csl.dsr<src1>
      // CHECK: csl.map @square(%{{.*}}) to %{{.*}} : (!csl.dsd<mem1d>) to !csl.dsd<mem4d>
      csl.map @square(%in) to %out : (!csl.dsd<mem1d>) to !csl.dsd<mem4d>
      // CHECK: csl.map @square(%{{.*}}) to %{{.*}} : (!csl.dsr<src1>) to !csl.ptr<f32>
      csl.map @square(%s1) to %p : (!csl.dsr<src1>) to !csl.ptr<f32>
      // CHECK: csl.map @eat(%{{.*}}, %{{.*}}) : (!csl.dsd<mem1d>, i16)
      csl.map @eat(%in, %n) : (!csl.dsd<mem1d>, i16)
      return
    }
  }
}
