// RUN: sequin-translate --csl-to-source %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/pe.csl

// ROWS: SYN-036, SYN-038, SYN-039, SYN-043, SYN-045, SYN-053

module attributes {csl.target = #csl.target<"wse3">} {
csl.program @pe {
  csl.param @n : i16
  csl.var @x : memref<16xf32>
  csl.var @y : memref<4x4xf32>
  csl.var @count unsigned : memref<i16>
  csl.var @ints : memref<16xi16>
  func.func @dot(%a: f32) -> f32 {
    %x = csl.get_var @x : memref<16xf32>
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> f32 {
      %v = memref.load %x[%i] : memref<16xf32>
      %p = arith.mulf %v, %v : f32
      %q = arith.mulf %p, %a : f32
      %next = arith.addf %acc, %q : f32
      scf.yield %next : f32
    }
    return %sum : f32
  }
  func.func @nest() -> f32 {
    %y = csl.get_var @y : memref<4x4xf32>
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
      %inner = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc2 = %acc) -> f32 {
        %v = memref.load %y[%i, %j] : memref<4x4xf32>
        %big = arith.cmpf ogt, %v, %zero : f32
        %r = scf.if %big -> f32 {
          %s = arith.addf %acc2, %v : f32
          scf.yield %s : f32
        } else {
          scf.yield %acc2 : f32
        }
        scf.yield %r : f32
      }
      scf.yield %inner : f32
    }
    return %sum : f32
  }
  func.func @chain(%v: i16) -> i16 {
    %c1 = arith.constant 1 : i16
    %c2 = arith.constant 2 : i16
    %c3 = arith.constant 3 : i16
    %c10 = arith.constant 10 : i16
    %a = arith.cmpi slt, %v, %c1 : i16
    %r = scf.if %a -> i16 {
      %t = arith.addi %v, %c10 : i16
      scf.yield %t : i16
    } else {
      %b = arith.cmpi slt, %v, %c10 : i16
      %r2 = scf.if %b -> i16 {
        %t = arith.muli %v, %c2 : i16
        scf.yield %t : i16
      } else {
        scf.yield %c3 : i16
      }
      scf.yield %r2 : i16
    }
    return %r : i16
  }
  func.func @fib(%n: i16) -> i16 {
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %r:3 = scf.while (%i = %c0, %a = %c0, %b = %c1) : (i16, i16, i16) -> (i16, i16, i16) {
      %go = arith.cmpi ult, %i, %n : i16
      scf.condition(%go) %i, %a, %b : i16, i16, i16
    } do {
    ^bb0(%i: i16, %a: i16, %b: i16):
      %sum = arith.addi %a, %b : i16
      %j = arith.addi %i, %c1 : i16
      scf.yield %j, %b, %sum : i16, i16, i16
    }
    return %r#1 : i16
  }
  func.func @order(%p: !csl.ptr<many i16>, %i: i16) -> i16 {
    %k = arith.index_cast %i : i16 to index
    %ints = csl.get_var @ints : memref<16xi16>
    %m = csl.as_memref %p : !csl.ptr<many i16> -> memref<?xi16>
    %old = memref.load %ints[%k] : memref<16xi16>
    %c7 = arith.constant 7 : i16
    memref.store %c7, %m[%k] : memref<?xi16>
    %new = memref.load %ints[%k] : memref<16xi16>
    %s = arith.subi %new, %old : i16
    %u = func.call @fib(%s) : (i16) -> i16
    %w = func.call @fib(%u) : (i16) -> i16
    %d = arith.divui %u, %w : i16
    %t = arith.shrsi %d, %c7 : i16
    %cnt = csl.get_var @count : memref<i16>
    %c = memref.load %cnt[] : memref<i16>
    %c1 = arith.constant 1 : i16
    %inc = arith.addi %c, %c1 : i16
    memref.store %inc, %cnt[] : memref<i16>
    %wide = arith.extsi %t : i16 to i32
    %f = arith.sitofp %wide : i32 to f32
    %half = arith.truncf %f : f32 to f16
    %back = arith.fptosi %half : f16 to i16
    %mask = arith.constant 255 : i16
    %low = arith.andi %back, %mask : i16
    %z = arith.cmpi eq, %low, %c1 : i16
    %b2 = arith.cmpi sgt, %t, %c7 : i16
    %both = arith.andi %z, %b2 : i1
    %res = arith.select %both, %low, %t : i16
    return %res : i16
  }
  func.func @dowhile(%n: i16) -> i16 {
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %r = scf.while (%i = %c0) : (i16) -> i16 {
      %j = arith.addi %i, %c1 : i16
      func.call @work(%j) : (i16) -> ()
      %go = arith.cmpi slt, %j, %n : i16
      scf.condition(%go) %j : i16
    } do {
    ^bb0(%i: i16):
      scf.yield %i : i16
    }
    return %r : i16
  }
  func.func @work(%i: i16) {
    %n = csl.get_param @n : i16
    %k = arith.index_cast %i : i16 to index
    scf.index_switch %k
    case 0 {
      %ints = csl.get_var @ints : memref<16xi16>
      memref.store %n, %ints[%k] : memref<16xi16>
      scf.yield
    }
    case 2 {
      csl.sim_print "two"
      scf.yield
    }
    default {
    }
    return
  }
}
}

// What comes out.
//      CHECK:// -----// pe.csl
// CHECK-NEXT:param n: i16;
//CHECK-EMPTY:
// CHECK-NEXT:const simprint = @import_module("<simprint>");
//CHECK-EMPTY:
// CHECK-NEXT:var x: [16]f32;
// CHECK-NEXT:var y: [4, 4]f32;
// CHECK-NEXT:var count: u16;
// CHECK-NEXT:var ints: [16]i16;
//CHECK-EMPTY:
// CHECK-NEXT:fn dot(a: f32) f32 {
// CHECK-NEXT:  var acc: f32 = 0.0;
// CHECK-NEXT:  for (@range(u16, 16)) |i| {
// CHECK-NEXT:    const v = x[i];
// CHECK-NEXT:    acc += v * v * a;
// CHECK-NEXT:  }
// CHECK-NEXT:  return acc;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn nest() f32 {
// CHECK-NEXT:  var acc: f32 = 0.0;
// CHECK-NEXT:  for (@range(u16, 4)) |i| {
// CHECK-NEXT:    for (@range(u16, 4)) |j| {
// CHECK-NEXT:      const v = y[i, j];
// CHECK-NEXT:      if (v > 0.0) {
// CHECK-NEXT:        acc += v;
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return acc;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn chain(v: i16) i16 {
// CHECK-NEXT:  var r: i16;
// CHECK-NEXT:  if (v < 1) {
// CHECK-NEXT:    r = v + 10;
// CHECK-NEXT:  } else if (v < 10) {
// CHECK-NEXT:    r = v * 2;
// CHECK-NEXT:  } else {
// CHECK-NEXT:    r = 3;
// CHECK-NEXT:  }
// CHECK-NEXT:  return r;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn fib(n_2: i16) i16 {
// CHECK-NEXT:  var a: i16 = 0;
// CHECK-NEXT:  var b: i16 = 1;
// CHECK-NEXT:  for (@range(u16, @as(u16, n_2))) |i| {
// CHECK-NEXT:    const b_next = a + b;
// CHECK-NEXT:    a = b;
// CHECK-NEXT:    b = b_next;
// CHECK-NEXT:  }
// CHECK-NEXT:  return a;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn order(p: [*]i16, i: i16) i16 {
// CHECK-NEXT:  const old = ints[i];
// CHECK-NEXT:  p[i] = 7;
// CHECK-NEXT:  const u = fib(ints[i] - old);
// CHECK-NEXT:  const t = @as(i16, @as(u16, u) / @as(u16, fib(u))) >> 7;
// CHECK-NEXT:  count += 1;
// CHECK-NEXT:  const low = @as(i16, @as(f16, @as(f32, @as(i32, t)))) & 0xff;
// CHECK-NEXT:  const b2 = t > 7;
// CHECK-NEXT:  return if (low == 1 and b2) low else t;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn dowhile(n_2: i16) i16 {
// CHECK-NEXT:  var i: i16 = 0;
// CHECK-NEXT:  var j: i16;
// CHECK-NEXT:  while (true) {
// CHECK-NEXT:    j = i + 1;
// CHECK-NEXT:    work(j);
// CHECK-NEXT:    if (j >= n_2) {
// CHECK-NEXT:      break;
// CHECK-NEXT:    }
// CHECK-NEXT:    i = j;
// CHECK-NEXT:  }
// CHECK-NEXT:  return j;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn work(i: i16) void {
// CHECK-NEXT:  switch (i) {
// CHECK-NEXT:    0 => {
// CHECK-NEXT:      ints[i] = n;
// CHECK-NEXT:    },
// CHECK-NEXT:    2 => {
// CHECK-NEXT:      simprint.fmt("two", .{});
// CHECK-NEXT:    },
// CHECK-NEXT:    else => {},
// CHECK-NEXT:  }
// CHECK-NEXT:}
