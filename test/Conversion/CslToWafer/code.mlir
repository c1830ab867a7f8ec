// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s

// ROWS: DSD-034, DSR-013, FIF-024, DOP-041, BLT-061, AMB-011

module attributes {csl.target = #csl.target<"wse2">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    // A FIFO's buffer is aligned for it.
    // CHECK: 16 a: signed16
    // CHECK-NEXT: 20 buffer: 32xsigned16
    // CHECK-NEXT: 84 box: 4x5xfloat32
    // CHECK-NEXT: 164 rec: bytes64
    csl.var @a : memref<i16>
    csl.var @buffer : memref<32xi16>
    csl.var @box : memref<4x5xf32>
    csl.var @rec : memref<!csl.struct<"r" {x : i8, y : f32}>>
    csl.fifo @f over @buffer

    // CHECK-LABEL: function 'loop'
    // CHECK-DAG: constant [[ZERO:r[0-9]+]], -, -, 0
    // CHECK-DAG: constant [[TEN:r[0-9]+]], -, -, 10
    // CHECK: {{[0-9]+}}: copy [[I:r[0-9]+]], [[ZERO]], -, 0
    // CHECK-NEXT: [[#HEAD:]]: less_s.32 [[C:r[0-9]+]], [[I]], [[TEN]], 0
    // CHECK-NEXT: {{[0-9]+}}: jump_if -, [[C]], -, [[#BODY:]]
    // CHECK-NEXT: {{[0-9]+}}: return
    // CHECK-NEXT: [[#BODY]]: mul.32 [[ROW:r[0-9]+]], [[I]], r{{[0-9]+}}, 0
    // CHECK-NEXT: {{[0-9]+}}: load.32 [[V:r[0-9]+]], -, [[ROW]], 92
    // CHECK: store.32 {{.*}}, -, r{{[0-9]+}}, 92
    // CHECK: {{[0-9]+}}: jump -, -, -, [[#HEAD]]
    func.func @loop() {
      %A = csl.get_var @box : memref<4x5xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c10 = arith.constant 10 : index
      scf.for %i = %c0 to %c10 step %c1 {
        %v = memref.load %A[%i, %c2] : memref<4x5xf32>
        %w = arith.mulf %v, %v : f32
        memref.store %w, %A[%i, %c2] : memref<4x5xf32>
      }
      return
    }

    // Two block arguments that change places.
    // CHECK-LABEL: function 'swap' arguments 3 results 1
    // CHECK: {{[0-9]+}}: copy [[A:r[0-9]+]], r0, -, 0
    // CHECK-NEXT: {{[0-9]+}}: copy [[B:r[0-9]+]], r1, -, 0
    // CHECK: {{[0-9]+}}: copy [[T:r[0-9]+]], [[A]], -, 0
    // CHECK-NEXT: {{[0-9]+}}: copy [[A]], [[B]], -, 0
    // CHECK-NEXT: {{[0-9]+}}: copy [[B]], [[T]], -, 0
    func.func @swap(%x: i16, %y: i16, %n: i1) -> i16 {
      cf.br ^bb1(%x, %y : i16, i16)
    ^bb1(%a: i16, %b: i16):
      %d = arith.cmpi ult, %a, %b : i16
      cf.cond_br %d, ^bb1(%b, %a : i16, i16), ^bb2
    ^bb2:
      return %a : i16
    }

    // CHECK-LABEL: function 'records'
    // A part is read where it is, and a copy is changed.
    // CHECK: {{[0-9]+}}: frame_address [[T:r[0-9]+]], -, -, 0
    // CHECK-NEXT: {{[0-9]+}}: load.8 [[X:r[0-9]+]], [[R:r[0-9]+]], -, 0
    // CHECK-NEXT: {{[0-9]+}}: copy_memory -, [[T]], [[R]], 8
    // CHECK: {{[0-9]+}}: store.32 r0, r{{[0-9]+}}, -, 0
    // What is only stored elsewhere is copied once.
    // CHECK-NEXT: {{[0-9]+}}: copy_memory -, [[R]], [[T]], 8
    // CHECK-NEXT: {{[0-9]+}}: return -, [[X]], -, 0
    func.func @records(%v: f32) -> i8 {
      %r = csl.get_var @rec : memref<!csl.struct<"r" {x : i8, y : f32}>>
      %s = memref.load %r[] : memref<!csl.struct<"r" {x : i8, y : f32}>>
      %x = csl.get_field %s["x"] : !csl.struct<"r" {x : i8, y : f32}> -> i8
      %t = csl.set_field %s["y"] = %v : !csl.struct<"r" {x : i8, y : f32}>, f32
      memref.store %t, %r[] : memref<!csl.struct<"r" {x : i8, y : f32}>>
      return %x : i8
    }

    // A packed struct is a number.
    // CHECK-LABEL: function 'packed'
    // CHECK: {{[0-9]+}}: shift_right_u.16 [[H:r[0-9]+]], r0, r{{[0-9]+}}, 0
    // CHECK-NEXT: {{[0-9]+}}: truncate.16 r{{[0-9]+}}, [[H]], -, 8
    func.func @packed(%w: !csl.struct<packed "w" {low : i8, high : i8}>) -> i8 {
      %h = csl.get_field %w["high"] : !csl.struct<packed "w" {low : i8, high : i8}> -> i8
      return %h : i8
    }

    // CHECK-LABEL: function 'dsds'
    // CHECK: {{[0-9]+}}: dsd_constant [[BOX:r[0-9]+]], -, -, {{[0-9]+}}  ; mem4d base 108 shape 0
    // CHECK-NEXT: {{[0-9]+}}: dsd_constant [[D:r[0-9]+]], -, -, {{[0-9]+}}  ; mem1d base 84 extent 0 stride 2
    // CHECK-NEXT: {{[0-9]+}}: mul.16 [[BYTES:r[0-9]+]], r1, r{{[0-9]+}}, 0
    // CHECK-NEXT: {{[0-9]+}}: dsd_add_base [[E:r[0-9]+]], [[D]], [[BYTES]], 0
    // CHECK-NEXT: {{[0-9]+}}: dsd_set_extent [[F:r[0-9]+]], [[E]], r0, 0
    // CHECK-NEXT: {{[0-9]+}}: dsd r{{[0-9]+}}, -, -, {{[0-9]+}}  ; fmovs dsd [[F]] = dsd [[BOX]] index r0
    func.func @dsds(%n: i16, %o: i16) -> i1 {
      %A = csl.get_var @box : memref<4x5xf32>
      %d = csl.mem1d_dsd %A : memref<4x5xf32> extent %n stride 2 offset %o
      %b = csl.mem4d_dsd %A : memref<4x5xf32> access <(i, j) -> (i + 1, j + 1), [2, 2]>
      %ok = csl.fmovs %d = %b : !csl.dsd<mem1d> = !csl.dsd<mem4d> index(%n)
      return %ok : i1
    }

    // CHECK-LABEL: function 'operands'
    // The value is the fp16 side and comes second.
    // CHECK: ; faddhs dsd r0 = dsd r1, r2
    // CHECK: ; faddhs dsd r0 = dsd r1, r2
    // CHECK: ; faddhs *r4 = r3, dsd r1
    // CHECK: ; fmacs dsd r0 = dsd r1, dsd r1, r3
    // CHECK: ; fscales *r4 = r3, r5
    // CHECK: load_dsr -, r1, -, 0  ; src1 3 save_address
    // CHECK-NEXT: {{[0-9]+}}: dsd -, -, -, {{[0-9]+}}  ; fadds dest 2 = src0 1, src1 3
    // CHECK: fifo_read_length -, r5, -, 0
    func.func @operands(%d: !csl.dsd<mem1d>, %s: !csl.dsd<mem1d>, %h: f16, %x: f32, %p: !csl.ptr<f32>, %n: i16) {
      csl.faddhs %d = %h, %s : !csl.dsd<mem1d> = f16, !csl.dsd<mem1d>
      csl.faddhs %d = %s, %h : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f16
      csl.faddhs %p = %x, %s : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      csl.fmacs %d = %s, %s, %x : !csl.dsd<mem1d> = !csl.dsd<mem1d>, !csl.dsd<mem1d>, f32
      csl.fscales %p = %x, %n : !csl.ptr<f32> = f32, i16
      %dest = csl.get_dsr 2 : !csl.dsr<dest>
      %s0 = csl.get_dsr 1 : !csl.dsr<src0>
      %s1 = csl.get_dsr 3 : !csl.dsr<src1>
      csl.load_to_dsr %s1, %s : !csl.dsr<src1>, !csl.dsd<mem1d> save_address
      csl.fadds %dest = %s0, %s1 : !csl.dsr<dest> = !csl.dsr<src0>, !csl.dsr<src1>
      %f = csl.get_fifo @f : !csl.fifo<i16>
      csl.set_fifo_read_length %f, %n : !csl.fifo<i16>
      return
    }

    func.func @square(%x: f32, %y: f32) -> f32 {
      %z = arith.mulf %x, %y : f32
      return %z : f32
    }
    // CHECK-LABEL: function 'maps'
    // CHECK: step_load -, r0, -, 0
    // CHECK-NEXT: {{[0-9]+}}: step_load -, r1, -, 1
    // CHECK-NEXT: [[#AGAIN:]]: step_read.32 [[ARG:r[0-9]+]], -, [[MORE:r[0-9]+]], 0
    // CHECK-NEXT: {{[0-9]+}}: jump_if_not -, [[MORE]], -, [[#DONE:]]
    // CHECK-NEXT: {{[0-9]+}}: copy r{{[0-9]+}}, r2, -, 0
    // CHECK-NEXT: {{[0-9]+}}: call [[R:r[0-9]+]], [[ARG]], -, {{[0-9]+}}  ; square
    // CHECK-NEXT: {{[0-9]+}}: step_write.32 -, [[R]], [[MORE]], 1
    // CHECK-NEXT: {{[0-9]+}}: jump_if_not -, [[MORE]], -, [[#DONE]]
    // CHECK-NEXT: {{[0-9]+}}: jump -, -, -, [[#AGAIN]]
    // CHECK-NEXT: [[#DONE]]: return
    func.func @maps(%in: !csl.dsd<mem1d>, %out: !csl.dsd<mem1d>, %y: f32) {
      csl.map @square(%in, %y) to %out : (!csl.dsd<mem1d>, f32) to !csl.dsd<mem1d>
      return
    }
  }
}
