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

    // A choice asks for `equal` or `less`, whichever of two opposites was written.
    // CHECK-LABEL: function 'not_less'
    // CHECK-NEXT: 0: constant r6, -, -, 16
    // CHECK-NEXT: 1: constant r5, -, -, 18
    // CHECK-NEXT: 2: max_s.16 r2, r0, r1, 0
    // CHECK-NEXT: 3: less_s.16 r3, r0, r1, 0
    // CHECK-NEXT: 4: select r4, r3, r5, 6
    // CHECK-NEXT: 5: store.16 r2, r4, -, 0
    // CHECK-NEXT: 6: return -, -, -, 0
    func.func @not_less(%x: i16, %y: i16) {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %c = arith.cmpi sge, %x, %y : i16
      scf.if %c {
        memref.store %x, %n[] : memref<i16>
      } else {
        memref.store %y, %m[] : memref<i16>
      }
      return
    }

    // CHECK-LABEL: function 'less'
    // CHECK-NEXT: 0: constant r6, -, -, 16
    // CHECK-NEXT: 1: constant r5, -, -, 18
    // CHECK-NEXT: 2: max_s.16 r2, r0, r1, 0
    // CHECK-NEXT: 3: less_s.16 r3, r0, r1, 0
    // CHECK-NEXT: 4: select r4, r3, r5, 6
    // CHECK-NEXT: 5: store.16 r2, r4, -, 0
    // CHECK-NEXT: 6: return -, -, -, 0
    func.func @less(%x: i16, %y: i16) {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %c = arith.cmpi slt, %x, %y : i16
      scf.if %c {
        memref.store %y, %m[] : memref<i16>
      } else {
        memref.store %x, %n[] : memref<i16>
      }
      return
    }

    // CHECK-LABEL: function 'at_least_four'
    // CHECK-NEXT: 0: constant r2, -, -, 3
    // CHECK-NEXT: 1: constant r4, -, -, 4
    // CHECK-NEXT: 2: constant r7, -, -, 16
    // CHECK-NEXT: 3: constant r6, -, -, 18
    // CHECK-NEXT: 4: max_s.16 r1, r0, r2, 0
    // CHECK-NEXT: 5: less_s.16 r3, r0, r4, 0
    // CHECK-NEXT: 6: select r5, r3, r6, 7
    // CHECK-NEXT: 7: store.16 r1, r5, -, 0
    // CHECK-NEXT: 8: return -, -, -, 0
    func.func @at_least_four(%x: i16) {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %three = arith.constant 3 : i16
      %c = arith.cmpi sgt, %x, %three : i16
      scf.if %c {
        memref.store %x, %n[] : memref<i16>
      } else {
        memref.store %three, %m[] : memref<i16>
      }
      return
    }
    // Of numbers of which one may be no number too.
    // CHECK-LABEL: function 'float'
    // CHECK-NEXT: 0: constant r6, -, -, 1
    // CHECK-NEXT: 1: constant r5, -, -, 16
    // CHECK-NEXT: 2: constant r4, -, -, 18
    // CHECK-NEXT: 3: float_compare.32 r2, r0, r1, 1
    // CHECK-NEXT: 4: select r3, r2, r4, 5
    // CHECK-NEXT: 5: store.16 r6, r3, -, 0
    // CHECK-NEXT: 6: return -, -, -, 0
    func.func @float(%x: f32, %y: f32) {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %one = arith.constant 1 : i16
      %c = arith.cmpf uge, %x, %y : f32
      scf.if %c {
        memref.store %one, %n[] : memref<i16>
      } else {
        memref.store %one, %m[] : memref<i16>
      }
      return
    }
    // What is never negative is no signed number.
    // CHECK-LABEL: function 'index'
    // CHECK-NEXT: 0: constant r2, -, -, 7
    // CHECK-NEXT: 1: and.16 r1, r0, r2, 0
    // CHECK-NEXT: 2: load.32 r3, -, r1, 24
    // CHECK-NEXT: 3: return -, r3, -, 0
    func.func @index(%x: i16) -> i32 {
      %var = csl.get_var @a : memref<8xi32>
      %seven = arith.constant 7 : i16
      %low = arith.andi %x, %seven : i16
      %i = arith.index_cast %low : i16 to index
      %v = memref.load %var[%i] : memref<8xi32>
      return %v : i32
    }
    // Known numbers meet on both sides of a cast.
    // CHECK-LABEL: function 'cut'
    // CHECK-NEXT: 0: constant r2, -, -, 13
    // CHECK-NEXT: 1: sub.32 r1, r2, r0, 0
    // CHECK-NEXT: 2: truncate.32 r3, r1, -, 16
    // CHECK-NEXT: 3: return -, r3, -, 0
    func.func @cut(%x: i32) -> i16 {
      %three = arith.constant 3 : i32
      %ten = arith.constant 10 : i16
      %wide = arith.subi %three, %x : i32
      %low = arith.trunci %wide : i32 to i16
      %sum = arith.addi %low, %ten : i16
      return %sum : i16
    }
    // Whether a value was found is no variable.
    // CHECK-LABEL: function 'known_conditions'
    // CHECK-NEXT: 0: constant r5, -, -, 1
    // CHECK-NEXT: 1: equal.16 r2, r0, r1, 0
    // CHECK-NEXT: 2: jump_if -, r2, -, 6
    // CHECK-NEXT: 3: add.16 r3, r0, r1, 0
    // CHECK-NEXT: 4: copy r4, r3, -, 0
    // CHECK-NEXT: 5: jump -, -, -, 8
    // CHECK-NEXT: 6: store.16 r5, -, -, 20
    // CHECK-NEXT: 7: copy r4, r0, -, 0
    // CHECK-NEXT: 8: return -, r4, -, 0
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
    // CHECK-NEXT: 2: jump_if_not -, r1, -, 4
    // CHECK-NEXT: 3: jump -, -, -, 6
    // CHECK-NEXT: 4: copy r3, r0, -, 0
    // CHECK-NEXT: 5: jump -, -, -, 8
    // CHECK-NEXT: 6: mul.16 r4, r0, r0, 0
    // CHECK-NEXT: 7: copy r3, r4, -, 0
    // CHECK-NEXT: 8: return -, r3, -, 0
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
    // CHECK-NEXT: 1: load.16 r0, -, -, 16
    // CHECK-NEXT: 2: load.16 r1, -, -, 18
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
    // A store elsewhere is not between two loads.
    // CHECK-LABEL: function 'loads'
    // CHECK-NEXT: 0: constant r0, -, -, 1
    // CHECK-NEXT: 1: store.32 r0, -, -, 28
    // CHECK-NEXT: 2: load.16 r1, -, -, 16
    // CHECK-NEXT: 3: add.16 r2, r1, r1, 0
    // CHECK-NEXT: 4: store.16 r2, -, -, 18
    // CHECK-NEXT: 5: return -, -, -, 0
    func.func @loads() {
      %n = csl.get_var @n : memref<i16>
      %m = csl.get_var @m : memref<i16>
      %a = csl.get_var @a : memref<8xi32>
      %one = arith.constant 1 : i32
      %c1 = arith.constant 1 : index
      %x = memref.load %n[] : memref<i16>
      memref.store %one, %a[%c1] : memref<8xi32>
      %y = memref.load %n[] : memref<i16>
      %sum = arith.addi %x, %y : i16
      memref.store %sum, %m[] : memref<i16>
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
    // CHECK-NEXT: 1: dsd_constant r1, -, -, 1  ; mem1d base 28 extent 1
    // CHECK-NEXT: 2: dsd_constant r2, -, -, 2  ; mem1d base 28 extent 2
    // CHECK-NEXT: 3: dsd_constant r3, -, -, 3  ; mem1d base 28 extent 2 stride 2
    // CHECK-NEXT: 4: dsd_constant r4, -, -, 4  ; mem1d base 40 extent 2 stride 2
    // CHECK-NEXT: 5: dsd -, -, -, 0  ; mov32 dsd r3 = dsd r4
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

    // A switch asks in turn, as a row of `if` does, and of the number itself.
    // CHECK-LABEL: function 'switched'
    // CHECK-NOT: sign_extend
    // CHECK: equal.16 {{r[0-9]+}}, r0
    // CHECK: equal.16 {{r[0-9]+}}, r0
    // CHECK: select
    // CHECK: return
    func.func @switched(%x: i16) {
      %n = csl.get_var @n : memref<i16>
      %which = arith.index_cast %x : i16 to index
      %five = arith.constant 5 : i16
      %none = arith.constant 0 : i16
      %chosen = scf.index_switch %which -> i16
      case 0 {
        %less = arith.subi %x, %five : i16
        scf.yield %less : i16
      }
      case 2 {
        scf.yield %five : i16
      }
      default {
        scf.yield %none : i16
      }
      memref.store %chosen, %n[] : memref<i16>
      return
    }

    // A number that does not fit is asked for in all bits.
    // CHECK-LABEL: function 'too_wide'
    // CHECK: less_s.32
    // CHECK: return
    func.func @too_wide(%x: i16) {
      %flag = csl.get_var @flag : memref<i1>
      %limit = arith.constant 40000 : i32
      %wide = arith.extsi %x : i16 to i32
      %less = arith.cmpi slt, %wide, %limit : i32
      memref.store %less, %flag[] : memref<i1>
      return
    }

    // CHECK-LABEL: function 'unsigned'
    // CHECK: less_u.16 {{r[0-9]+}}, r0
    // CHECK: return
    func.func @unsigned(%x: i16) {
      %flag = csl.get_var @flag : memref<i1>
      %limit = arith.constant 40000 : i32
      %wide = arith.extui %x : i16 to i32
      %less = arith.cmpi slt, %wide, %limit : i32
      memref.store %less, %flag[] : memref<i1>
      return
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
