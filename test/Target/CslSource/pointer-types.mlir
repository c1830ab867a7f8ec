// RUN: rm -rf %t && sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-translate --import-csl --arch=wse3 %t/layout.csl -o %t/again.mlir
// RUN: sequin-run %s --target wse3 --launch f --verify --output out=%t/first.npy --output grid=%t/first_grid.npy
// RUN: sequin-run %t/again.mlir --target wse3 --launch f --verify --output out=%t/out.npy --output grid=%t/grid.npy
// RUN: %python -c "import numpy, sys; [print(*numpy.load(name).ravel()) for name in sys.argv[1:]]" %t/first.npy %t/out.npy %t/first_grid.npy %t/grid.npy | FileCheck %s --check-prefix=OUT

// ROWS: SYN-062, BLT-063

// Pointers to numbers with and without a sign meet in an argument, a choice, a
// variable, an array; and an array that the host has flat is given away.

// OUT: -5536 -2 -2 30000 -1 -1 2 46 4 3
// OUT-NEXT: -5536 -2 -2 30000 -1 -1 2 46 4 3
// OUT-NEXT: 1 2 3 2 5 6
// OUT-NEXT: 1 2 3 2 5 6

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.export_name "f" : () -> ()
    csl.export_name "out" : !csl.ptr<many i16> mutable
    csl.export_name "grid" : !csl.ptr<many i16> mutable
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    csl.var @u unsigned : memref<4xi16> = dense<[60000, 2, 3, 4]> : tensor<4xi16>
    csl.var @s : memref<4xi16> = dense<[-1, -2, -3, -4]> : tensor<4xi16>
    csl.var @both : memref<2x!csl.ptr<i16>>
    csl.var @grid : memref<2x3xi16> = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
    csl.var @square : memref<2x3xi16> = dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi16>
    csl.var @out : memref<10xi16> = dense<0> : tensor<10xi16>

    func.func @read(%p: !csl.ptr<i16>) -> i16 {
      %v = csl.load %p : !csl.ptr<i16> -> i16
      return %v : i16
    }
    // CHECK: fn turn(m: *[2, 3]i16
    func.func @turn(%m: memref<2x3xi16>, %i: index, %j: index) -> i16 {
      %v = memref.load %m[%i, %j] : memref<2x3xi16>
      memref.store %v, %m[%j, %i] : memref<2x3xi16>
      return %v : i16
    }
    func.func @at(%m: memref<2x3xi16>, %i: index, %j: index) -> i16 {
      %v = memref.load %m[%i, %j] : memref<2x3xi16>
      return %v : i16
    }
    func.func @first(%m: memref<4xi16>) -> i16 {
      %c0 = arith.constant 0 : index
      %v = memref.load %m[%c0] : memref<4xi16>
      return %v : i16
    }
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %k1 = arith.constant 1 : i16
      %u = csl.get_var @u : memref<4xi16>
      %s = csl.get_var @s : memref<4xi16>
      %out = csl.get_var @out : memref<10xi16>
      %pu = csl.address_of %u[%c0] : memref<4xi16> -> !csl.ptr<i16>
      %ps = csl.address_of %s[%c1] : memref<4xi16> -> !csl.ptr<i16>
      %a = func.call @read(%pu) : (!csl.ptr<i16>) -> i16
      memref.store %a, %out[%c0] : memref<10xi16>
      %b = func.call @read(%ps) : (!csl.ptr<i16>) -> i16
      memref.store %b, %out[%c1] : memref<10xi16>
      %more = arith.cmpi sgt, %a, %b : i16
      %p = arith.select %more, %pu, %ps : !csl.ptr<i16>
      %d = csl.load %p : !csl.ptr<i16> -> i16
      memref.store %d, %out[%c2] : memref<10xi16>
      // 60000 and -2, half of each without and with a sign.
      %both = csl.get_var @both : memref<2x!csl.ptr<i16>>
      memref.store %pu, %both[%c0] : memref<2x!csl.ptr<i16>>
      memref.store %ps, %both[%c1] : memref<2x!csl.ptr<i16>>
      %q = memref.load %both[%c0] : memref<2x!csl.ptr<i16>>
      %wide = csl.load %q : !csl.ptr<i16> -> i16
      %half = arith.shrui %wide, %k1 : i16
      memref.store %half, %out[%c3] : memref<10xi16>
      %r = memref.load %both[%c1] : memref<2x!csl.ptr<i16>>
      %narrow = csl.load %r : !csl.ptr<i16> -> i16
      %less = arith.shrsi %narrow, %k1 : i16
      memref.store %less, %out[%c4] : memref<10xi16>
      // Two variables that change places.
      %swapped:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %pu, %y = %ps) -> (!csl.ptr<i16>, !csl.ptr<i16>) {
        scf.yield %y, %x : !csl.ptr<i16>, !csl.ptr<i16>
      }
      csl.store %k1, %swapped#1 : i16, !csl.ptr<i16>
      %one = func.call @first(%u) : (memref<4xi16>) -> i16
      %minus = func.call @first(%s) : (memref<4xi16>) -> i16
      %product = arith.muli %one, %minus : i16
      memref.store %product, %out[%c5] : memref<10xi16>
      // What a loop counts has a sign in the array that it is stored in, and none
      // in the other.
      %k0 = arith.constant 0 : i16
      %k3 = arith.constant 3 : i16
      %count = scf.while (%i = %k0) : (i16) -> (i16) {
        memref.store %i, %u[%c1] : memref<4xi16>
        %j = arith.addi %i, %k1 : i16
        %go = arith.cmpi slt, %i, %k3 : i16
        scf.condition(%go) %j : i16
      } do {
      ^bb0(%j: i16):
        memref.store %j, %s[%c2] : memref<4xi16>
        scf.yield %j : i16
      }
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      memref.store %count, %out[%c8] : memref<10xi16>
      %before = memref.load %s[%c2] : memref<4xi16>
      memref.store %before, %out[%c9] : memref<10xi16>
      // CHECK: turn(@ptrcast(*[2, 3]i16, &grid)
      // CHECK: turn(&square
      // CHECK: at(@ptrcast(*const [2, 3]i16, &grid)
      %grid = csl.get_var @grid : memref<2x3xi16>
      %square = csl.get_var @square : memref<2x3xi16>
      %t = func.call @turn(%grid, %c0, %c1) : (memref<2x3xi16>, index, index) -> i16
      %t2 = func.call @turn(%square, %c1, %c0) : (memref<2x3xi16>, index, index) -> i16
      %e = func.call @at(%grid, %c1, %c0) : (memref<2x3xi16>, index, index) -> i16
      memref.store %e, %out[%c6] : memref<10xi16>
      // CHECK: out[7] = t2 + grid[5];
      %elements = csl.address_of %grid : memref<2x3xi16> -> !csl.ptr<many i16>
      %line = csl.as_memref %elements : !csl.ptr<many i16> -> memref<?xi16>
      %last = memref.load %line[%c5] : memref<?xi16>
      %sum = arith.addi %t2, %last : i16
      memref.store %sum, %out[%c7] : memref<10xi16>
      return
    }
    csl.comptime {
      csl.export_symbol @f
      csl.export_symbol @out
      csl.export_symbol @grid
    }
  }
}
