// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s

// ROWS: SYN-039

// Branches that are decided when code is made, around loops that then have no
// entry. MLIR's canonicalizer does not end on either function.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @n : memref<i16>

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
  }
}
