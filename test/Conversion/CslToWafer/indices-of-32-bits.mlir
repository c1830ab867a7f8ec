// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t.npy
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t.npy | FileCheck %s
// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/again.npy
// RUN: %python -c "import numpy, sys; print(*numpy.load(sys.argv[1]).ravel())" %t/again.npy | FileCheck %s

// ROWS: BLT-005, SYN-049

// An index of a PE has 32 bits, known or not, and its sign is that of the
// operation, whatever type holds its range in the source. Loops count exactly
// where MLIR takes the distance of the bounds for negative.

// CHECK: 2147483148 -1 32767 -2 3 1 -1 154 3 2

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i32> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @in : memref<4xi16> = dense<[32767, -2, 7, 0]> : tensor<4xi16>
    csl.var @out : memref<10xi32> = dense<0> : tensor<10xi32>
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      %in = csl.get_var @in : memref<4xi16>
      %out = csl.get_var @out : memref<10xi32>

      // Known.
      %least = arith.constant -1000 : index
      %half = arith.shrui %least, %c1 : index
      %half.32 = arith.index_cast %half : index to i32
      memref.store %half.32, %out[%c0] : memref<10xi32>
      %ones = arith.divsi %c0, %c0 : index
      %ones.32 = arith.index_cast %ones : index to i32
      memref.store %ones.32, %out[%c1] : memref<10xi32>

      // The smaller of 32768 and a number of 16 bits.
      %large = arith.constant 32768 : index
      %x = memref.load %in[%c0] : memref<4xi16>
      %x.index = arith.index_castui %x : i16 to index
      %min = arith.minsi %large, %x.index : index
      %min.32 = arith.index_cast %min : index to i32
      memref.store %min.32, %out[%c2] : memref<10xi32>

      // Extended without its sign.
      %y = memref.load %in[%c1] : memref<4xi16>
      %y.index = arith.index_cast %y : i16 to index
      %wide = arith.index_castui %y.index : index to i64
      %low = arith.trunci %wide : i64 to i32
      memref.store %low, %out[%c3] : memref<10xi32>

      // (2^32 - 8) mod 7.
      %minus8 = arith.constant -8 : index
      %z = memref.load %in[%c2] : memref<4xi16>
      %z.index = arith.index_castui %z : i16 to index
      %rest = arith.remui %minus8, %z.index : index
      %rest.32 = arith.index_cast %rest : index to i32
      memref.store %rest.32, %out[%c4] : memref<10xi32>
      %above = arith.cmpi ugt, %least, %z.index : index
      %above.32 = arith.extui %above : i1 to i32
      memref.store %above.32, %out[%c5] : memref<10xi32>
      %n = memref.load %in[%c3] : memref<4xi16>
      %n.index = arith.index_castui %n : i16 to index
      %many = arith.divui %n.index, %n.index : index
      %many.32 = arith.index_cast %many : index to i32
      memref.store %many.32, %out[%c6] : memref<10xi32>

      // -128, -28, 72: not in the eight bits of the counter's difference.
      %zero = arith.constant 0 : i32
      %unit = arith.constant 1 : i32
      %first = arith.constant -128 : i8
      %last = arith.constant 127 : i8
      %by = arith.constant 100 : i8
      %sum:2 = scf.for %i = %first to %last step %by iter_args(%s = %zero, %c = %zero) -> (i32, i32) : i8 {
        %v = arith.extui %i : i8 to i32
        %t = arith.addi %s, %v : i32
        %d = arith.addi %c, %unit : i32
        scf.yield %t, %d : i32, i32
      }
      // 128 + 228 + 72, of which the last 8 bits and the rounds are kept.
      %mask = arith.constant 255 : i32
      %kept = arith.andi %sum#0, %mask : i32
      %eighteen = arith.constant 18 : i32
      %shown = arith.subi %kept, %eighteen : i32
      memref.store %shown, %out[%c7] : memref<10xi32>
      memref.store %sum#1, %out[%c8] : memref<10xi32>
      %low.32 = arith.constant -2147483648 : i32
      %by.32 = arith.constant 1073741824 : i32
      %rounds = scf.for %i = %low.32 to %zero step %by.32 iter_args(%c = %zero) -> (i32) : i32 {
        %d = arith.addi %c, %unit : i32
        scf.yield %d : i32
      }
      memref.store %rounds, %out[%c9] : memref<10xi32>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
    }
  }
}
