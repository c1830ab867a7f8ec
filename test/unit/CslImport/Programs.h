//===- Programs.h - CSL programs that several tests use ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLIMPORT_PROGRAMS_H
#define SEQUIN_TEST_UNIT_CSLIMPORT_PROGRAMS_H

#include "SourceRun.h"

namespace sequin::programs {

/// Many forms of the language; `main(3, 2.5)` fills `out`.
inline SourceRun::Files manyForms() {
  return {{"layout.csl", R"csl(
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .dir = EAST, .T = f32, .op = 3, .names = .{ "a", "bc" } });
  @export_name("out", [*]i32, true);
  @export_name("main", fn(i16, f32) void);
}
)csl"},
          {"pe.csl", R"csl(
param dir: direction;
param T: type;
param op: u16;
param names;
var out: [32]i32;
var ptr: [*]i32 = &out;
const U = union { i: i32, f: f32 };
const XU = extern union { i: u32, f: f32 };
const X = extern struct { a: i16, b: i32 };
const PS = packed struct { x: i8, y: i8, p: [*]u16 };
const Op = enum(u16) { add, sub, mul = 5 };
const Node = struct { v: i32, next: *i32, arr: [3]i16 };
var store: i32 = 11;
var node = Node { .v = 4, .next = &store, .arr = [3]i16 { 1, 2, 3 } };
var grid = [2, 3]i32 { 1, 2, 3, 4, 5, 6 };
var four = [4]i32 { 10, 20, 30, 40 };
var xs: [3]X;
fn inc(x: i32) i32 { return x + 1; }
fn dbl(x: i32) i32 { return 2 * x; }
task tt() void { store += 1; }
const sub = @import_module("sub.csl", .{ .callback = inc, .plain = dbl, .t = tt, .buf = &four, .cfg = .{ .scale = 100, .id = @get_local_task_id(12) } });
fn apply(o: Op, a: i32, b: i32) i32 {
  return switch (o) { Op.add => a + b, Op.sub => a - b, Op.mul => a * b };
}
fn pick(comptime k: u16) i32 {
  switch (k) { 1 => { return undeclared_thing; }, 3 => { return 33; }, else => { return 0; } }
}
fn tuple() i32 {
  const t = .{ 1, 2.5, "x" };
  comptime var s = .{ .n = 1, .m = 2 };
  s.n = 5;
  return t[0] + s.n;
}
fn sum_to(n: i32) i32 {
  var s: i32 = 0;
  for (@range(i32, n)) |i| { s += i; }
  for (@range(i32, n, 0, -2)) |i| { s += i; }
  return s;
}
const vals = [6]i16 { 1, 2, 3, 4, 5, 6 };
fn unrolled(k: u16) i32 {
  var s: i32 = 0;
  inline for (vals) |v, i| { if (i == k) { s = v * 10; } }
  comptime var n: u16 = 0;
  inline while (n < 3) : (n += 1) { s += n; }
  return s + vals[k];
}
fn main(a: i16, f: f32) void {
  out[0] = apply(Op.mul, 6, 7) + apply(Op.sub, 3, 1);
  out[1] = pick(op);
  out[2] = tuple();
  out[3] = sum_to(5);
  out[4] = unrolled(2);
  out[5] = node.v + node.next.* + node.arr[1];
  node.arr[2] = 9;
  node.next.* = 5;
  out[6] = store + node.arr[2];
  out[7] = grid[1, 2] * 10 + grid[0, 1];
  xs[1].b = 77;
  out[8] = xs[1].b;
  const q = &xs[1];
  q.*.a = 3;
  out[9] = xs[1].a;
  var u = U { .f = 1.0 };
  u = U { .i = 12 };
  out[10] = u.i;
  var e = XU { .f = 1.0 };
  out[11] = @as(i32, e.i >> 16);
  out[12] = sub.run(4);
  var raw: *anyopaque = &four;
  const back = @ptrcast([*]i32, raw);
  out[13] = back[3];
  var big: u64 = 1;
  big = big << 40;
  out[14] = @as(i32, big >> 38);
  @assert(big > 5);
  out[15] = if (dir == EAST) 1 else 2;
  out[16] = @strlen(names[1]);
  var z: T = f * 2.0;
  out[17] = @as(i32, z) + a;
  @field(node, "v") = 123;
  out[18] = @field(node, "v");
  const c1 = @get_color(3);
  out[19] = if (c1 == @get_color(3)) 7 else 8;
  var arr2 = four;
  arr2[0] = 1;
  out[20] = four[0] + arr2[0];
  four = [4]i32 { 9, 8, 7, 6 };
  out[21] = four[3];
  var ps = PS { .x = 1, .y = -2, .p = @ptrcast([*]u16, &out) };
  out[22] = ps.y;
  const r = blk: { for (@range(i32, 10)) |i| { if (i * i > 30) { break :blk i; } } break :blk @as(i32, -1); };
  out[23] = r;
  out[24] = @as(i32, ~@as(u8, 0b10101111));
  var w: i16 = a;
  w <<= 2; w |= 1; w ^= 3; w %= 7;
  out[25] = w;
  if (a > 3 and f > 1.0 or a == 2) { out[26] = 1; } else if (a == 1) { out[26] = 2; } else { out[26] = 3; }
  out[27] = if (!(a > 3)) 1 else 0;
}
comptime { @export_symbol(ptr, "out"); @export_symbol(main); }
)csl"},
          {"sub.csl", R"csl(
param callback: *const fn(i32) i32;
param plain: fn(i32) i32;
param t: task () void;
param buf: *[4]i32;
param cfg;
fn run(x: i32) i32 { return callback(plain(x)) + buf.*[1] + cfg.scale; }
comptime { @bind_local_task(t, cfg.id); }
)csl"}};
}

/// Most library modules; `main()` fills `out` and `words`.
inline SourceRun::Files library() {
  return {{"layout.csl", R"csl(
const control = @import_module("<control>");
const directions = @import_module("<directions>");
const string = @import_module("<string>");
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl");
  @export_name("out", [*]f32, true);
  @export_name("words", [*]u32, true);
  @export_name("main", fn() void);
  @comptime_assert(directions.rotate_clockwise(NORTH) == EAST);
  @comptime_assert(directions.flip(EAST) == WEST);
  @comptime_assert(control.encode_single_payload(control.opcode.SWITCH_ADV, true, {}, 0) == 0x015F0000);
  @comptime_assert(control.encode_single_payload(control.opcode.SWITCH_ADV, false, @get_control_task_id(40), 2) == 0x00680002);
  @comptime_assert(control.encode_payload(1, [1]control.opcode{control.opcode.TEARDOWN}, [1]bool{true}, true, {}) == 0x09DF9249);
  @comptime_assert(control.encode_payload(2, [2]control.opcode{control.opcode.SWITCH_ADV, control.opcode.SWITCH_ADV}, [2]bool{true, true}, true, {}) == 0x0B5F9249);
  @comptime_assert(control.encode_payload(2, [2]control.opcode{control.opcode.NOP, control.opcode.SWITCH_ADV}, [2]bool{true, true}, true, @get_control_task_id(0)) == 0x0B009249);
  @comptime_assert(control.encode_control_task_payload(@get_control_task_id(43)) == 0x002B0000);
  @comptime_assert(@strlen(string.fmt("{{-{d} {d}D :-{d} {d}_o", .{8,8,3,0})) == 14);
  @comptime_assert(string.fmt("{{-{d} {d}D :-{d} {d}_o", .{8,8,3,0}) == "{-8 8D :-3 0_o");
}
)csl"},
          {"pe.csl", R"csl(
const math = @import_module("<math>");
const time = @import_module("<time>");
const timer = @import_module("<timer>", .{ .timerCount = 2 });
const random = @import_module("<random>");
const lay = @import_module("<layout>");
const simprint = @import_module("<simprint>");
const types = @import_module("<types>");
const complex = @import_module("<complex>");
const data_utils = @import_module("<data_utils>");
const malloc = @import_module("<malloc>", .{ .buffer_num_words = 64 });
const tile_config = @import_module("<tile_config>");
const dsd_ops = @import_module("<dsd_ops>");
const control = @import_module("<control>");
var out: [32]f32;
var words: [8]u32;
var out_ptr: [*]f32 = &out;
var words_ptr: [*]u32 = &words;
const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> out[i + 16] });
fn main() void {
  var x: f32 = 2.25;
  out[0] = math.sqrt(x);
  out[1] = math.abs(-x);
  out[2] = math.max(x, 1.0);
  out[3] = @as(f32, math.abs(@as(i16, -7)));
  out[4] = math.exp_f32(0.0);
  out[5] = math.sign(-x);
  out[6] = math.floor(x);
  out[7] = math.pow(x, 2.0);
  out[8] = if (math.isNaN(math.NaN(f32))) 1.0 else 0.0;
  out[9] = @as(f32, math.subsat(@as(i16, -32000), 1000));
  out[10] = math.fscale(x, 3);
  comptime { @comptime_assert(math.max(3, 4) == 4); @comptime_assert(math.ceil(@as(f32, 1.5)) == 2.0); }
  var stamp: [3]u16;
  time.enable_tsc();
  timer.start(0);
  time.get_timestamp(&stamp);
  timer.stop(0);
  var t: timer.timerType;
  timer.elapsed(0, &t);
  words[0] = if (t[0] > 0) 1 else 0;
  words[1] = lay.get_x_coord();
  simprint.fmt("{d} {X} {b} {f}", .{ @as(u16, 42), @as(u16, 42), @as(u16, 42), x });
  simprint.fmt_with_coords("hello {d}", .{ @as(u16, 5) });
  simprint.print_string("abc{");
  simprint.print_f32(x);
  const z = complex.multiply_complex(complex.get_complex(@as(f32, 1.0), 2.0), complex.get_complex(@as(f32, 3.0), 4.0));
  out[11] = z.real;
  out[12] = z.imag;
  words[2] = data_utils.hi16(@as(u32, 0x12345678));
  const p = malloc.malloc(f32, 4);
  p[3] = 5.5;
  out[13] = p[3];
  out[14] = random.random_f32(1.0, 2.0);
  _ = dsd_ops.mov(f32, d, x, .{});
  words[3] = control.encode_single_payload(control.opcode.SWITCH_ADV, true, {}, 0);
  const pending = tile_config.teardown.get_pending();
  words[4] = pending;
  tile_config.main_thread_priority.update_main_thread_priority(tile_config.main_thread_priority.level.HIGH);
  tile_config.task_priority.set_task_priority(id);
  const st = tile_config.input_queue_status.get();
  words[5] = if (tile_config.input_queue_status.all_empty(st)) 1 else 0;
  words[6] = @as(u32, types.byte_size_of(f32));
}
const id = @get_local_task_id(9);
task t0() void {}
comptime {
  @bind_local_task(t0, id);
  tile_config.task_priority.update_task_priority(id, tile_config.task_priority.level.HIGH);
  @export_symbol(out_ptr, "out");
  @export_symbol(words_ptr, "words");
  @export_symbol(main);
}
)csl"}};
}

} // namespace sequin::programs

#endif // SEQUIN_TEST_UNIT_CSLIMPORT_PROGRAMS_H
