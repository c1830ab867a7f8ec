// RUN: sequin-translate --csl-to-source %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/layout.csl && sequin-csl --syntax-only %t/pe.csl

// ROWS: BLT-052, BLT-053, BLT-054, BLT-074, BLT-075, BLT-076, BLT-077, BLT-078, DSR-005, DSR-011, DSR-023, DSR-024
// ROWS: DOP-061, ASY-008, FAB-022, BLT-058

module attributes {csl.target = #csl.target<"wse3", fp16 = bf16>} {
  csl.layout 2 x 1 {
    csl.tile_code @pe at <0 to 2, 0>
    // Both sides of a position are bits.
    csl.color_config 12 at <0 to 2, 0> routes <rx WEST tx [RAMP, EAST]> switches <pos1 = #csl.position<rx RAMP tx EAST>, current = 1>
  }
  csl.program @pe {
    csl.var @ring : memref<10xbf16>
    csl.var @box : memref<4x5xi16>
    csl.var @acc : memref<f32>
    csl.task data @recv(%data: i32) {
      csl.return
    }
    csl.task control @other() {
      csl.return
    }
    csl.task local @next() {
      %queue = csl.constant 3 : !csl.input_queue
      %out_queue = csl.constant 5 : !csl.output_queue
      %in = csl.fabin_dsd queue %queue extent 32767 priority low simd simd_max control_transform
      %ctl = csl.fabout_dsd queue %out_queue extent 1 control advance_switch
      %id = csl.task_id @next : !csl.local_task_id
      %code = arith.constant 0x015f0000 : i32
      csl.mov32 %ctl = %code : !csl.dsd<fabout> = i32 async unblock(%queue : !csl.input_queue) ut_id 7
      csl.dfilt %in : !csl.dsd<fabin> async activate(%id) ut_id 3
      csl.queue_flush %out_queue : !csl.output_queue
      %ut = csl.constant 7 : !csl.ut_id
      csl.unblock %ut : !csl.ut_id
      csl.return
    }
    func.func @square(%x: bf16) -> bf16 {
      %y = arith.mulf %x, %x : bf16
      return %y : bf16
    }
    func.func @registers() {
      %ring = csl.get_var @ring : memref<10xbf16>
      %box = csl.get_var @box : memref<4x5xi16>
      %around = csl.circbuf_dsd %ring : memref<10xbf16> extent 20 wraparound 5
      %src = csl.get_dsr 1 : !csl.dsr<src1>
      %x0 = csl.get_xdsr 0
      csl.load_to_dsr_xdsr %src, %x0, %around : !csl.dsr<src1>, !csl.dsd<circbuf> save_address
      %wide = csl.mem4d_dsd %box : memref<4x5xi16> extents [2, 2] strides [2, 4]
      %first = csl.get_dsr 2 : !csl.dsr<src0>
      %stride = csl.get_sr 0
      csl.load_to_dsr_xdsr_sr %first, %x0, [%stride], %wide : !csl.dsr<src0>, !csl.dsd<mem4d>
      %part = csl.mem1d_dsd %ring : memref<10xbf16> access <(i) -> (2 * i), [5]>
      csl.map @square(%part) to %part : (!csl.dsd<mem1d>) to !csl.dsd<mem1d>
      %acc = csl.get_var @acc : memref<f32>
      %p = csl.address_of %acc : memref<f32> -> !csl.ptr<f32>
      %a = memref.load %acc[] : memref<f32>
      %b = csl.mem1d_dsd %ring : memref<10xbf16> extent 10
      csl.faddhs %p = %a, %b : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
      return
    }
    func.func @empty() {
      return
    }
    csl.comptime {
      %red = csl.constant 12 : !csl.color
      %queue = csl.constant 3 : !csl.input_queue
      %out_queue = csl.constant 5 : !csl.output_queue
      csl.initialize_queue %queue : !csl.input_queue color %red ctrl_table_id 1 dense_mode
      csl.initialize_queue %out_queue : !csl.output_queue color %red
      csl.set_empty_queue_handler @empty, %out_queue : !csl.output_queue
      csl.set_control_task_table instructions 8 stride 2
      %id = csl.get_data_task_id %queue : !csl.input_queue
      csl.bind_rotating_tasks @recv, @other to %id limit 10 init 5
      %ctl = csl.constant 0 : !csl.control_task_id
      csl.bind_control_task @other to %ctl
      %next = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @next to %next
      %ut = csl.constant 7 : !csl.ut_id
      csl.block %ut : !csl.ut_id
      csl.activate %next
    }
  }
}

// What comes out.
//      CHECK:// -----// layout.csl
// CHECK-NEXT:const width: u16 = 2;
// CHECK-NEXT:const height: u16 = 1;
//CHECK-EMPTY:
// CHECK-NEXT:const color_12 = @get_color(12);
//CHECK-EMPTY:
// CHECK-NEXT:layout {
// CHECK-NEXT:  @set_rectangle(width, height);
//CHECK-EMPTY:
// CHECK-NEXT:  for (@range(u16, width)) |x| {
// CHECK-NEXT:    @set_tile_code(x, 0, "pe.csl");
// CHECK-NEXT:    @set_color_config(x, 0, color_12, .{
// CHECK-NEXT:      .routes = .{ .rx = .{ WEST }, .tx = .{ EAST, RAMP } },
// CHECK-NEXT:      .switches = .{ .pos1 = 0x50, .current_switch_pos = 1 },
// CHECK-NEXT:    });
// CHECK-NEXT:  }
// CHECK-NEXT:}
//      CHECK:// -----// pe.csl
// CHECK-NEXT:const red = @get_color(12);
// CHECK-NEXT:const queue = @get_input_queue(3);
// CHECK-NEXT:const out_queue = @get_output_queue(5);
// CHECK-NEXT:const queue_task_id = @get_data_task_id(queue);
// CHECK-NEXT:const other_id = @get_control_task_id(0);
// CHECK-NEXT:const next_id = @get_local_task_id(9);
// CHECK-NEXT:const ut_7 = @get_ut_id(7);
// CHECK-NEXT:const ut_3 = @get_ut_id(3);
//CHECK-EMPTY:
// CHECK-NEXT:var ring: [10]bf16;
// CHECK-NEXT:var box: [4, 5]i16;
// CHECK-NEXT:var acc: f32;
//CHECK-EMPTY:
// CHECK-NEXT:const in_dsd = @get_dsd(fabin_dsd, .{
// CHECK-NEXT:  .extent = 32767,
// CHECK-NEXT:  .input_queue = queue,
// CHECK-NEXT:  .priority = .{ .low = true },
// CHECK-NEXT:  .simd_mode = .{ .simd_max = true },
// CHECK-NEXT:  .control_transform = true,
// CHECK-NEXT:});
// CHECK-NEXT:const ctl = @get_dsd(fabout_dsd, .{
// CHECK-NEXT:  .extent = 1,
// CHECK-NEXT:  .output_queue = out_queue,
// CHECK-NEXT:  .control = true,
// CHECK-NEXT:  .advance_switch = true,
// CHECK-NEXT:});
// CHECK-NEXT:const around = @get_dsd(circbuf_dsd, .{
// CHECK-NEXT:  .base_address = &ring,
// CHECK-NEXT:  .extent = 20,
// CHECK-NEXT:  .wraparound = 5,
// CHECK-NEXT:});
// CHECK-NEXT:const src = @get_dsr(dsr_src1, 1);
// CHECK-NEXT:const xdsr_0 = @get_xdsr(0);
// CHECK-NEXT:const wide = @get_dsd(mem4d_dsd, .{
// CHECK-NEXT:  .base_address = &box,
// CHECK-NEXT:  .extent = .{ 2, 2 },
// CHECK-NEXT:  .stride = .{ 2, 4 },
// CHECK-NEXT:});
// CHECK-NEXT:const first = @get_dsr(dsr_src0, 2);
// CHECK-NEXT:const stride = @get_sr(0);
// CHECK-NEXT:const part = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{5} -> ring[2 * i] });
// CHECK-NEXT:const ring_dsd = @get_dsd(mem1d_dsd, .{ .base_address = &ring, .extent = 10 });
//CHECK-EMPTY:
// CHECK-NEXT:task recv(data: i32) void {}
//CHECK-EMPTY:
// CHECK-NEXT:task other() void {}
//CHECK-EMPTY:
// CHECK-NEXT:task next() void {
// CHECK-NEXT:  @mov32(ctl, 23003136, .{ .async = true, .unblock = queue, .ut_id = ut_7 });
// CHECK-NEXT:  @dfilt(in_dsd, .{ .async = true, .activate = next, .ut_id = ut_3 });
// CHECK-NEXT:  @queue_flush(out_queue);
// CHECK-NEXT:  @unblock(ut_7);
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn square(x: bf16) bf16 {
// CHECK-NEXT:  return x * x;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn registers() void {
// CHECK-NEXT:  @load_to_dsr_xdsr(src, xdsr_0, around, .{ .save_address = true });
// CHECK-NEXT:  @load_to_dsr_xdsr_sr(first, xdsr_0, .{ stride }, wide);
// CHECK-NEXT:  @map(square, part, part);
// CHECK-NEXT:  @faddhs(&acc, acc, ring_dsd);
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:fn empty() void {}
//CHECK-EMPTY:
// CHECK-NEXT:comptime {
// CHECK-NEXT:  @initialize_queue(queue, .{
// CHECK-NEXT:    .color = red,
// CHECK-NEXT:    .ctrl_table_id = 1,
// CHECK-NEXT:    .dense_mode = true,
// CHECK-NEXT:  });
// CHECK-NEXT:  @initialize_queue(out_queue, .{ .color = red });
// CHECK-NEXT:  @set_empty_queue_handler(empty, out_queue);
// CHECK-NEXT:  @set_control_task_table(.{ .instructions = 8, .stride = 2 });
// CHECK-NEXT:  @bind_rotating_tasks(recv, other, queue_task_id, .{ .limit = 10, .init = 5 });
// CHECK-NEXT:  @bind_control_task(other, other_id);
// CHECK-NEXT:  @bind_local_task(next, next_id);
// CHECK-NEXT:  @block(ut_7);
// CHECK-NEXT:  @activate(next_id);
// CHECK-NEXT:}
//      CHECK:// -----// commands_wse3.sh
// CHECK-NEXT:#!/usr/bin/env bash
//CHECK-EMPTY:
// CHECK-NEXT:set -e
//CHECK-EMPTY:
// CHECK-NEXT:cslc --arch=wse3 ./layout.csl --fabric-dims=9,3 --fabric-offsets=4,1 \
// CHECK-NEXT:  -o out --fp16-format=bf16
// CHECK-NEXT:cs_python run.py --name out "$@"
