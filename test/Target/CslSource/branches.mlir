// RUN: sequin-translate --csl-to-source %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/pe.csl

// ROWS: SYN-040, SYN-041

module attributes {csl.target = #csl.target<"wse3">} {
csl.program @pe {
  csl.var @x : memref<16xi16>
  func.func @find(%v: i16) -> i16 {
    %x = csl.get_var @x : memref<16xi16>
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %c16 = arith.constant 16 : i16
    %m = arith.constant -1 : i16
    cf.br ^head(%c0 : i16)
  ^head(%i: i16):
    %go = arith.cmpi slt, %i, %c16 : i16
    cf.cond_br %go, ^body, ^end
  ^body:
    %k = arith.index_cast %i : i16 to index
    %e = memref.load %x[%k] : memref<16xi16>
    %same = arith.cmpi eq, %e, %v : i16
    cf.cond_br %same, ^found, ^next
  ^found:
    return %i : i16
  ^next:
    %j = arith.addi %i, %c1 : i16
    cf.br ^head(%j : i16)
  ^end:
    return %m : i16
  }
  func.func @join(%a: i16, %b: i16) -> i16 {
    %less = arith.cmpi slt, %a, %b : i16
    cf.cond_br %less, ^one, ^two
  ^one:
    %s = arith.addi %a, %b : i16
    cf.br ^end(%s : i16)
  ^two:
    %t = arith.subi %a, %b : i16
    %big = arith.cmpi sgt, %t, %b : i16
    cf.cond_br %big, ^three, ^end(%t : i16)
  ^three:
    csl.sim_print "big"
    cf.br ^end(%a : i16)
  ^end(%r: i16):
    %u = arith.muli %r, %r : i16
    return %u : i16
  }
  csl.task local @early() {
    %x = csl.get_var @x : memref<16xi16>
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i16
    %e = memref.load %x[%c0] : memref<16xi16>
    %stop = arith.cmpi eq, %e, %z : i16
    cf.cond_br %stop, ^out, ^go
  ^go:
    csl.sim_print "go"
    cf.br ^out
  ^out:
    csl.return
  }
  csl.task local @nested() {
    %x = csl.get_var @x : memref<16xi16>
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %c4 = arith.constant 4 : i16
    cf.br ^h1(%c0 : i16)
  ^h1(%i: i16):
    %g1 = arith.cmpi slt, %i, %c4 : i16
    cf.cond_br %g1, ^b1, ^done
  ^b1:
    cf.br ^h2(%c0 : i16)
  ^h2(%j: i16):
    %g2 = arith.cmpi slt, %j, %c4 : i16
    cf.cond_br %g2, ^b2, ^n1
  ^b2:
    %p = arith.muli %i, %j : i16
    %q = arith.cmpi sgt, %p, %c4 : i16
    cf.cond_br %q, ^done, ^n2
  ^n2:
    %odd = arith.cmpi eq, %p, %c1 : i16
    cf.cond_br %odd, ^n1, ^n3
  ^n3:
    csl.sim_print "{d}"(%p) : i16
    %j2 = arith.addi %j, %c1 : i16
    cf.br ^h2(%j2 : i16)
  ^n1:
    %i2 = arith.addi %i, %c1 : i16
    cf.br ^h1(%i2 : i16)
  ^done:
    csl.sim_print "done"
    csl.return
  }
  func.func @dowhile(%n: i16) -> i16 {
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    cf.br ^h(%c0 : i16)
  ^h(%i: i16):
    %j = arith.addi %i, %c1 : i16
    csl.sim_print "{d}"(%j) : i16
    %go = arith.cmpi slt, %j, %n : i16
    cf.cond_br %go, ^h(%j : i16), ^end
  ^end:
    return %j : i16
  }
  func.func @sw(%n: i16) -> i16 {
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %w = arith.extsi %n : i16 to i32
    cf.switch %w : i32, [
      default: ^d,
      1: ^a,
      2: ^b(%c1 : i16)
    ]
  ^a:
    csl.sim_print "a"
    cf.br ^b(%c0 : i16)
  ^b(%r: i16):
    return %r : i16
  ^d:
    return %n : i16
  }
}
}

// What comes out.
//      CHECK:// -----// pe.csl
// CHECK-NEXT:const simprint = @import_module("<simprint>");
//CHECK-EMPTY:
// CHECK-NEXT:var x: [16]i16;
//CHECK-EMPTY:
// CHECK-NEXT:fn find(v: i16) i16 {
// CHECK-NEXT:  var i: i16 = 0;
// CHECK-NEXT:  while (i < 16) {
// CHECK-NEXT:    if (x[i] == v) {
// CHECK-NEXT:      return i;
// CHECK-NEXT:    }
// CHECK-NEXT:    i += 1;
// CHECK-NEXT:  }
// CHECK-NEXT:  return -1;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn join(a: i16, b: i16) i16 {
// CHECK-NEXT:  var r: i16;
// CHECK-NEXT:  if (a < b) {
// CHECK-NEXT:    r = a + b;
// CHECK-NEXT:  } else {
// CHECK-NEXT:    const t = a - b;
// CHECK-NEXT:    if (t > b) {
// CHECK-NEXT:      simprint.fmt("big", .{});
// CHECK-NEXT:      r = a;
// CHECK-NEXT:    } else {
// CHECK-NEXT:      r = t;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return r * r;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:task early() void {
// CHECK-NEXT:  if (x[0] != 0) {
// CHECK-NEXT:    simprint.fmt("go", .{});
// CHECK-NEXT:  }
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:task nested() void {
// CHECK-NEXT:  outer: for (@range(i16, 4)) |i| {
// CHECK-NEXT:    for (@range(i16, 4)) |j| {
// CHECK-NEXT:      const p = i * j;
// CHECK-NEXT:      if (p > 4) {
// CHECK-NEXT:        break :outer;
// CHECK-NEXT:      }
// CHECK-NEXT:      if (p == 1) {
// CHECK-NEXT:        break;
// CHECK-NEXT:      }
// CHECK-NEXT:      simprint.fmt("{d}", .{ p });
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  simprint.fmt("done", .{});
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn dowhile(n: i16) i16 {
// CHECK-NEXT:  var i: i16 = 0;
// CHECK-NEXT:  var j: i16;
// CHECK-NEXT:  while (true) {
// CHECK-NEXT:    j = i + 1;
// CHECK-NEXT:    simprint.fmt("{d}", .{ j });
// CHECK-NEXT:    if (j >= n) {
// CHECK-NEXT:      break;
// CHECK-NEXT:    }
// CHECK-NEXT:    i = j;
// CHECK-NEXT:  }
// CHECK-NEXT:  return j;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn sw(n: i16) i16 {
// CHECK-NEXT:  var r: i16;
// CHECK-NEXT:  switch (n) {
// CHECK-NEXT:    1 => {
// CHECK-NEXT:      simprint.fmt("a", .{});
// CHECK-NEXT:      r = 0;
// CHECK-NEXT:    },
// CHECK-NEXT:    2 => {
// CHECK-NEXT:      r = 1;
// CHECK-NEXT:    },
// CHECK-NEXT:    else => {
// CHECK-NEXT:      return n;
// CHECK-NEXT:    },
// CHECK-NEXT:  }
// CHECK-NEXT:  return r;
// CHECK-NEXT:}
