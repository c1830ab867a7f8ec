// RUN: sequin-translate --csl-to-source %s --output-directory %t && FileCheck %s < %t/pe.csl
// RUN: sequin-csl --syntax-only %t/pe.csl

// ROWS: SYN-038, SYN-040, SYN-041

module attributes {csl.target = #csl.target<"wse3">} {
csl.program @pe {
  csl.var @x : memref<16xi16>
  // Several ways lead to the step of a loop: it is done between iterations.
  // CHECK: fn step(n: i16) void {
  // CHECK-NEXT: var i: i16 = 1;
  // CHECK-NEXT: while (i < n) : (i *= 2) {
  // CHECK-NEXT: if (x[i] == 3) {
  // CHECK-NEXT: simprint.fmt("three", .{});
  // CHECK-NEXT: if (x[n] == 3) {
  // CHECK-NEXT: continue;
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: simprint.fmt("more", .{});
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  func.func @step(%n: i16) {
    %x = csl.get_var @x : memref<16xi16>
    %c1 = arith.constant 1 : i16
    %c2 = arith.constant 2 : i16
    %c3 = arith.constant 3 : i16
    %k = arith.index_cast %n : i16 to index
    cf.br ^head(%c1 : i16)
  ^head(%i: i16):
    %go = arith.cmpi slt, %i, %n : i16
    cf.cond_br %go, ^body, ^end
  ^body:
    %j = arith.index_cast %i : i16 to index
    %e = memref.load %x[%j] : memref<16xi16>
    %three = arith.cmpi eq, %e, %c3 : i16
    cf.cond_br %three, ^found, ^more
  ^found:
    csl.sim_print "three"
    %f = memref.load %x[%k] : memref<16xi16>
    %also = arith.cmpi eq, %f, %c3 : i16
    cf.cond_br %also, ^step, ^more
  ^more:
    csl.sim_print "more"
    cf.br ^step
  ^step:
    %next = arith.muli %i, %c2 : i16
    cf.br ^head(%next : i16)
  ^end:
    return
  }
  // A range that another step than 1 could leave its type in is none.
  // CHECK: fn strides(n: i16) void {
  // CHECK-NEXT: var i: i16 = 0;
  // CHECK-NEXT: while (i < n) {
  // CHECK: i += 2;
  // CHECK: for (@range(i16, 1, 9, 2)) |m| {
  func.func @strides(%n: i16) {
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    %c2 = arith.constant 2 : i16
    %c9 = arith.constant 9 : i16
    cf.br ^head(%c0 : i16)
  ^head(%i: i16):
    %go = arith.cmpi slt, %i, %n : i16
    cf.cond_br %go, ^body, ^second(%c1 : i16)
  ^body:
    csl.sim_print "{d}"(%i) : i16
    %next = arith.addi %i, %c2 : i16
    cf.br ^head(%next : i16)
  ^second(%m: i16):
    %on = arith.cmpi sge, %m, %c9 : i16
    cf.cond_br %on, ^end, ^print
  ^print:
    csl.sim_print "{d}"(%m) : i16
    %other = arith.addi %m, %c2 : i16
    cf.br ^second(%other : i16)
  ^end:
    return
  }
  // A block that leaves both loops for good belongs to neither. What it gives is not
  // lost to what the end of the outer loop gives.
  // CHECK: fn found(n: i16) i16 {
  // CHECK: while (true) {
  // CHECK: if ({{.*}}) {
  // CHECK-NEXT: [[R:[a-z_0-9]+]] = -1;
  // CHECK-NEXT: break;
  // CHECK: [[R]] = {{.*}};
  // CHECK-NEXT: break :outer;
  // CHECK: return [[R]];
  func.func @found(%n: i16) -> i16 {
    %none = arith.constant -1 : i16
    %c0 = arith.constant 0 : i16
    %c1 = arith.constant 1 : i16
    cf.br ^head(%c0 : i16)
  ^head(%i: i16):
    %go = arith.cmpi slt, %i, %n : i16
    cf.cond_br %go, ^inner(%c0 : i16), ^end(%none : i16)
  ^inner(%j: i16):
    %on = arith.cmpi slt, %j, %i : i16
    cf.cond_br %on, ^body, ^next
  ^body:
    %p = arith.muli %i, %j : i16
    %is = arith.cmpi sgt, %p, %n : i16
    %more = arith.addi %j, %c1 : i16
    cf.cond_br %is, ^found, ^inner(%more : i16)
  ^found:
    csl.sim_print "found"
    cf.br ^end(%p : i16)
  ^next:
    csl.sim_print "next"
    %k = arith.addi %i, %c1 : i16
    cf.br ^head(%k : i16)
  ^end(%r: i16):
    return %r : i16
  }
  // Conditions that connect others, also a whole row.
  // CHECK: fn connects(a: bool, b: bool, n: i16) bool {
  // CHECK-NEXT: return a and (b or n == 1);
  func.func @connects(%a: i1, %b: i1, %n: i16) -> i1 {
    %false = arith.constant false
    %true = arith.constant true
    %c1 = arith.constant 1 : i16
    cf.cond_br %a, ^second, ^end(%false : i1)
  ^second:
    cf.cond_br %b, ^end(%true : i1), ^third
  ^third:
    %is = arith.cmpi eq, %n, %c1 : i16
    cf.br ^end(%is : i1)
  ^end(%r: i1):
    return %r : i1
  }
}
}
