// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s

// ROWS: SIM-008

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @n : memref<i16>
    csl.var @m : memref<i16>
    csl.var @flag : memref<i1>
    csl.var @a : memref<8xi32>
    // Calls itself, so it is not inlined.
    func.func private @pair(%x: i16, %y: i16) {
      %less = arith.cmpi slt, %x, %y : i16
      scf.if %less {
        func.call @pair(%y, %x) : (i16, i16) -> ()
      }
      return
    }

    // Whether a value was found is no variable.
    // CHECK-LABEL: function 'known_conditions'
    // CHECK-NEXT: 0: constant r4, -, -, 1
    // CHECK-NEXT: 1: equal.16 r2, r0, r1, 0
    // CHECK-NEXT: 2: jump_if -, r2, -, 5
    // CHECK-NEXT: 3: add.16 r3, r0, r1, 0
    // CHECK-NEXT: 4: return -, r3, -, 0
    // CHECK-NEXT: 5: store.16 r4, -, -, 20
    // CHECK-NEXT: 6: return -, r0, -, 0
    func.func @known_conditions(%x: i16, %y: i16) -> i16 {
      %var = csl.get_var @flag : memref<i1>
      %false = arith.constant false
      %true = arith.constant true
      %zero = arith.constant 0 : i16
      %c = arith.cmpi eq, %x, %y : i16
      cf.cond_br %c, ^then, ^join(%zero, %false : i16, i1)
    ^then:
      memref.store %true, %var[] : memref<i1>
      cf.br ^join(%x, %true : i16, i1)
    ^join(%v: i16, %done: i1):
      cf.cond_br %done, ^end(%v : i16), ^more
    ^more:
      %sum = arith.addi %x, %y : i16
      cf.br ^end(%sum : i16)
    ^end(%result: i16):
      return %result : i16
    }
    // A variable is a value as long as it is written first.
    // CHECK-LABEL: function 'local'
    // CHECK-NEXT: 0: constant r2, -, -, 1
    // CHECK-NEXT: 1: equal.16 r1, r0, r2, 0
    // CHECK-NEXT: 2: jump_if -, r1, -, 4
    // CHECK-NEXT: 3: return -, r0, -, 0
    // CHECK-NEXT: 4: mul.16 r3, r0, r0, 0
    // CHECK-NEXT: 5: return -, r3, -, 0
    func.func @local(%x: i16) -> i16 {
      %one = arith.constant 1 : i16
      %local = memref.alloca() : memref<i16>
      memref.store %x, %local[] : memref<i16>
      %c = arith.cmpi eq, %x, %one : i16
      scf.if %c {
        %old = memref.load %local[] : memref<i16>
        %new = arith.muli %old, %x : i16
        memref.store %new, %local[] : memref<i16>
      }
      %v = memref.load %local[] : memref<i16>
      return %v : i16
    }
    // CHECK-LABEL: function 'not_written'
    // CHECK-NEXT: 0: constant r2, -, -, 1
    // CHECK-NEXT: 1: frame_address r1, -, -, 0
    // CHECK-NEXT: 2: jump_if_not -, r0, -, 4
    // CHECK-NEXT: 3: store.16 r2, r1, -, 0
    // CHECK-NEXT: 4: load.16 r3, r1, -, 0
    // CHECK-NEXT: 5: return -, r3, -, 0
    func.func @not_written(%x: i1) -> i16 {
      %one = arith.constant 1 : i16
      %local = memref.alloca() : memref<i16>
      scf.if %x {
        memref.store %one, %local[] : memref<i16>
      }
      %v = memref.load %local[] : memref<i16>
      return %v : i16
    }
    // Arguments are read in any order, and passed where they are.
    // CHECK-LABEL: function 'arguments'
    // CHECK-NEXT: 0: constant r4, -, -, 7
    // CHECK-NEXT: 1: load.16 r1, -, -, 18
    // CHECK-NEXT: 2: load.16 r0, -, -, 16
    // CHECK-NEXT: 3: call -, r0, -, 0  ; pair
    // CHECK-NEXT: 4: constant r2, -, -, 7
    // CHECK-NEXT: 5: copy r3, r1, -, 0
    // CHECK-NEXT: 6: call -, r2, -, 0  ; pair
    // CHECK-NEXT: 7: return -, -, -, 0
    func.func @arguments() {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %y = memref.load %m[] : memref<i16>
      %x = memref.load %n[] : memref<i16>
      func.call @pair(%x, %y) : (i16, i16) -> ()
      %seven = arith.constant 7 : i16
      func.call @pair(%seven, %y) : (i16, i16) -> ()
      return
    }
    // Each is copied before it is written, in whatever order they stand.
    // CHECK-LABEL: function 'circle'
    // CHECK-NEXT: 0: constant r9, -, -, 1
    // CHECK-NEXT: 1: copy r4, r0, -, 0
    // CHECK-NEXT: 2: copy r5, r1, -, 0
    // CHECK-NEXT: 3: copy r6, r2, -, 0
    // CHECK-NEXT: 4: less_u.16 r7, r4, r5, 0
    // CHECK-NEXT: 5: add.16 r8, r6, r9, 0
    // CHECK-NEXT: 6: jump_if_not -, r7, -, 11
    // CHECK-NEXT: 7: copy r4, r5, -, 0
    // CHECK-NEXT: 8: copy r5, r6, -, 0
    // CHECK-NEXT: 9: copy r6, r8, -, 0
    // CHECK-NEXT: 10: jump -, -, -, 4
    // CHECK-NEXT: 11: return -, r4, -, 0
    func.func @circle(%x: i16, %y: i16, %z: i16, %n: i1) -> i16 {
      %one = arith.constant 1 : i16
      cf.br ^loop(%x, %y, %z : i16, i16, i16)
    ^loop(%a: i16, %b: i16, %c: i16):
      %d = arith.cmpi ult, %a, %b : i16
      %next = arith.addi %c, %one : i16
      cf.cond_br %d, ^loop(%b, %c, %next : i16, i16, i16), ^done
    ^done:
      return %a : i16
    }
    // What is known to be changed in a constant is a constant.
    // CHECK-LABEL: function 'dsds'
    // CHECK-NEXT: 0: dsd_constant r0, -, -, 0  ; mem1d base 24 extent 1
    // CHECK-NEXT: 1: dsd_constant r1, -, -, 1  ; mem1d base 40 extent 2 stride 2
    // CHECK-NEXT: 2: dsd_constant r2, -, -, 2  ; mem1d base 28 extent 1
    // CHECK-NEXT: 3: dsd_constant r3, -, -, 3  ; mem1d base 28 extent 2
    // CHECK-NEXT: 4: dsd_constant r4, -, -, 4  ; mem1d base 28 extent 2 stride 2
    // CHECK-NEXT: 5: dsd -, -, -, 0  ; mov32 dsd r4 = dsd r1
    // CHECK-NEXT: 6: return -, -, -, 0
    func.func @dsds() {
      %a = csl.get_var @a : memref<8xi32>
      %one = arith.constant 1 : i16
      %two = arith.constant 2 : i16
      %step = arith.constant 2 : i8
      %first = csl.mem1d_dsd %a : memref<8xi32> extent 1
      %further = csl.increment_dsd_offset %first, %one of i32 : !csl.dsd<mem1d>
      %longer = csl.set_dsd_length %further, %two : !csl.dsd<mem1d>
      %wider = csl.set_dsd_stride %longer, %step : !csl.dsd<mem1d>
      %plain = csl.mem1d_dsd %a : memref<8xi32> extent 2 stride 2 offset 4
      csl.mov32 %wider = %plain : !csl.dsd<mem1d> = !csl.dsd<mem1d>
      return
    }

    // The larger of two, whichever opposite was asked.
    // CHECK-LABEL: function 'larger'
    // CHECK-NEXT: 0: max_s.16 r2, r0, r1, 0
    // CHECK-NEXT: 1: return -, r2, -, 0
    func.func @larger(%x: i16, %y: i16) -> i16 {
      %c = arith.cmpi sge, %x, %y : i16
      %r = scf.if %c -> i16 {
        scf.yield %x : i16
      } else {
        scf.yield %y : i16
      }
      return %r : i16
    }

    // An element is written by its index, whatever is said about its address.
    // CHECK-LABEL: function 'by_address'
    // CHECK: {{[0-9]+}}: store.32 r1, -, [[I:r[0-9]+]], [[AT:[0-9]+]]
    // CHECK-NEXT: {{[0-9]+}}: load.32 [[V:r[0-9]+]], -, [[I]], [[AT]]
    // CHECK-NEXT: {{[0-9]+}}: store.32 [[V]], -, [[I]], [[AT]]
    // CHECK-NEXT: {{[0-9]+}}: return
    func.func @by_address(%x: i16, %value: i32) {
      %a = csl.get_var @a : memref<8xi32>
      %i = arith.index_cast %x : i16 to index
      %p = csl.address_of %a[%i] : memref<8xi32> -> !csl.ptr<i32>
      csl.store %value, %p : i32, !csl.ptr<i32>
      %all = csl.address_of %a : memref<8xi32> -> !csl.ptr<!csl.array<8xi32>>
      %q = csl.element_ptr %all[%i] : !csl.ptr<!csl.array<8xi32>> -> !csl.ptr<i32>
      %again = csl.load %q : !csl.ptr<i32> -> i32
      %view = csl.as_memref %q : !csl.ptr<i32> -> memref<i32>
      memref.store %again, %view[] : memref<i32>
      return
    }
  }
}
