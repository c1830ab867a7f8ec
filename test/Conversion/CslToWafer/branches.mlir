// RUN: env MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 sequin-translate --csl-to-wafer %s | FileCheck %s

// ROWS: SYN-039

// Branches that are decided when code is made, around loops that then have no
// entry. MLIR's canonicalizer does not end on either function.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @n : memref<i16>
    csl.var @flag : memref<i1>

    // CHECK-LABEL: function 'constant'
    // CHECK-NOT: jump
    // CHECK: {{[0-9]+}}: return
    func.func @constant() {
      %no = arith.constant false
      %one = arith.constant 1 : i16
      %var = csl.get_var @n : memref<i16>
      %limit = memref.load %var[] : memref<i16>
      cf.cond_br %no, ^loop(%limit : i16), ^done
    ^loop(%i: i16):
      %goes_on = arith.cmpi slt, %i, %limit : i16
      cf.cond_br %goes_on, ^body, ^done
    ^body:
      %next = arith.addi %i, %one : i16
      memref.store %next, %var[] : memref<i16>
      cf.br ^loop(%next : i16)
    ^done:
      return
    }

    // A loop that is not entered gives its beginning's own argument back to it.
    // MLIR merges the two and then uses the argument that it has freed.
    // CHECK-LABEL: function 'unreached'
    // CHECK-NOT: jump
    // CHECK: {{[0-9]+}}: return
    func.func @unreached(%known: i1) {
      %one = arith.constant 1 : i16
      %var = csl.get_var @n : memref<i16>
      cf.cond_br %known, ^inside, ^done
    ^inside:
      cf.cond_br %known, ^done, ^loop(%one : i16)
    ^loop(%i: i16):
      memref.store %i, %var[] : memref<i16>
      %flag = csl.get_var @flag : memref<i1>
      %is = memref.load %flag[] : memref<i1>
      cf.cond_br %is, ^other, ^next
    ^other:
      memref.store %one, %var[] : memref<i16>
      cf.br ^next
    ^next:
      memref.store %i, %var[] : memref<i16>
      cf.br ^loop(%i : i16)
    ^done:
      return
    }

    // The second condition is the first's.
    // CHECK-LABEL: function 'implied'
    // CHECK-NOT: jump
    // CHECK: {{[0-9]+}}: return
    func.func @implied(%is: i1) {
      %one = arith.constant 1 : i16
      %var = csl.get_var @n : memref<i16>
      %limit = memref.load %var[] : memref<i16>
      cf.cond_br %is, ^then, ^done
    ^then:
      cf.cond_br %is, ^done, ^loop(%limit : i16)
    ^loop(%i: i16):
      %goes_on = arith.cmpi slt, %i, %limit : i16
      cf.cond_br %goes_on, ^body, ^done
    ^body:
      %next = arith.addi %i, %one : i16
      memref.store %next, %var[] : memref<i16>
      cf.br ^loop(%next : i16)
    ^done:
      return
    }

    // A loop without an end stays one.
    // CHECK-LABEL: function 'forever'
    // CHECK: [[#HEAD:]]: load.16
    // CHECK: {{[0-9]+}}: jump -, -, -, [[#HEAD]]
    func.func @forever(%is: i1) {
      %yes = arith.constant true
      %one = arith.constant 1 : i16
      %var = csl.get_var @n : memref<i16>
      cf.br ^head
    ^head:
      cf.cond_br %yes, ^body, ^done
    ^body:
      %old = memref.load %var[] : memref<i16>
      %new = arith.addi %old, %one : i16
      memref.store %new, %var[] : memref<i16>
      cf.br ^head
    ^done:
      return
    }

    // Behind a branch its condition is known.
    // CHECK-LABEL: function 'behind'
    // CHECK-NOT: less_u
    // CHECK: less_u.16 {{r[0-9]+}}, r0
    // CHECK-NOT: less_u
    // CHECK-NOT: and.
    // CHECK: return
    func.func @behind(%x: i16, %other: i1) {
      %three = arith.constant 3 : i16
      %flag = csl.get_var @flag : memref<i1>
      %small = arith.cmpi ult, %x, %three : i16
      cf.cond_br %small, ^then, ^done
    ^then:
      %both = arith.andi %small, %other : i1
      memref.store %both, %flag[] : memref<i1>
      cf.br ^done
    ^done:
      return
    }

    // The second question is answered by the first, although one side of it
    // reads what came along.
    // CHECK-LABEL: function 'beside'
    // CHECK-COUNT-1: less_u
    // CHECK-NOT: less_u
    // CHECK: return
    func.func @beside(%x: i16) {
      %three = arith.constant 3 : i16
      %five = arith.constant 5 : i16
      %var = csl.get_var @n : memref<i16>
      %small = arith.cmpi ult, %x, %three : i16
      cf.cond_br %small, ^then, ^else
    ^then:
      memref.store %five, %var[] : memref<i16>
      cf.br ^join(%x : i16)
    ^else:
      %sum = arith.addi %x, %five : i16
      cf.br ^join(%sum : i16)
    ^join(%value: i16):
      cf.cond_br %small, ^done, ^more
    ^more:
      memref.store %value, %var[] : memref<i16>
      cf.br ^done
    ^done:
      return
    }

    // A value that comes from everywhere alike comes from nowhere.
    // CHECK-LABEL: function 'same'
    // CHECK: jump_if_not
    // CHECK-NEXT: copy
    // CHECK-NEXT: store.16 r1
    // CHECK-COUNT-1: copy
    // CHECK-NOT: copy
    // CHECK: return
    func.func @same(%is: i1, %x: i16) {
      %one = arith.constant 1 : i16
      %var = csl.get_var @n : memref<i16>
      cf.cond_br %is, ^loop(%x, %one : i16, i16), ^done
    ^loop(%value: i16, %i: i16):
      memref.store %value, %var[] : memref<i16>
      %next = arith.muli %i, %i : i16
      %goes_on = arith.cmpi ult, %next, %x : i16
      cf.cond_br %goes_on, ^loop(%value, %next : i16, i16), ^done
    ^done:
      return
    }
  }
}
