// RUN: sequin-translate --csl-to-source %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sequin-translate --csl-to-source %s --output-directory %t
// RUN: sequin-csl --syntax-only %t/layout.csl && sequin-csl --syntax-only %t/relay.csl && sequin-csl --syntax-only %t/source.csl

// ROWS: LAY-003, LAY-005, LAY-008, LAY-011, BLT-050, BLT-051, BLT-071, BLT-072, DSD-046, DSD-057, FIF-011, FIF-019
// ROWS: FAB-033, FAB-050, FAB-064, FAB-072, RPC-001, RPC-002

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.layout 6 x 4 fabric 13 x 6 at 4, 1 {
    csl.tile_code @source at <0, 0 to 4> params {first = affine_map<(x, y) -> (y * 4)>}
    csl.tile_code @relay at <1 to 6, 0 to 4> params {
      column = affine_map<(x, y) -> (x - 1)>, half = affine_map<(x, y) -> (y floordiv 2)>,
      gain = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 2.5, 3.5, 4.5, 5.5], [0.1, 0.2, 0.3, 0.4, 0.5], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<4x5xf32>,
      data_in = 2 : i16, data_out = 3 : i16}
    csl.color_config 2 at <1 to 6 step 2, 0 to 4> routes <rx WEST tx [RAMP, EAST]>
      switches <pos1 = #csl.position<tx RAMP>, pos2 = #csl.position<rx EAST>, ring = true, pop = always_pop>
    csl.color_config 2 at <2 to 6 step 2, 0 to 4> routes <rx [WEST] tx [RAMP]>
      filter <kind = counter, count_data = true, limit1 = 14, max_counter = 1> teardown
    csl.color_config 3 at <5, 0> routes <rx RAMP tx EAST swap_x>
    csl.color_config 3 at <5, 1> routes <rx RAMP tx EAST>
    csl.stream "samples" color 8 to_device
    csl.export_name "state" unsigned : !csl.ptr<many i16> mutable
    csl.export_name "box" : !csl.ptr<many f32>
    csl.export_name "start" : (i16, f32) -> ()
  }

  csl.program @relay {
    csl.param @column : i16
    csl.param @half : i16 = 0 : i16
    csl.param @gain : f32
    csl.param @data_in : !csl.color
    csl.param @data_out : !csl.color = 3 : i16
    csl.var @state unsigned : memref<8xi16> = dense<[1, 2, 3, 4, 5, 6, 7, 65535]> : tensor<8xi16>
    csl.var @box : memref<4x5xf32> = dense<0.0> : tensor<4x5xf32>
    csl.var @queue : memref<32xi16> align(16)
    csl.var const @steps unsigned : memref<3xi16> = dense<[1, 2, 3]> : tensor<3xi16>
    csl.var @shared : memref<8xi16> section(".mine") linkname("there") extern
    csl.fifo @buffered over @queue empty terminate activate_pop 9 : i64 activate_push @drain simd simd_64

    func.func @start(%n: i16, %scale: f32) {
      %box = csl.get_var @box : memref<4x5xf32>
      %rows = csl.mem4d_dsd %box : memref<4x5xf32> access <(i, j) -> (i, 2 * j + 1), [4, 2]>
      %gain = csl.get_param @gain : f32
      %factor = arith.mulf %gain, %scale : f32
      csl.fmuls %rows = %rows, %factor : !csl.dsd<mem4d> = !csl.dsd<mem4d>, f32
      %state = csl.get_var @state : memref<8xi16>
      %part = csl.mem1d_dsd %state : memref<8xi16> extent %n stride 2 offset 1
      %fifo = csl.get_fifo @buffered : !csl.fifo<i16>
      csl.set_fifo_write_length %fifo, %n : !csl.fifo<i16>
      %ok = csl.mov16 %fifo = %part : !csl.fifo<i16> = !csl.dsd<mem1d>
      scf.if %ok {
        %drain = csl.task_id @drain : !csl.local_task_id
        csl.activate %drain
      }
      csl.unblock_cmd_stream
      return
    }
    csl.task data @receive(%data: i16, %index: i16) {
      %state = csl.get_var @state : memref<8xi16>
      %mask = arith.constant 7 : i16
      %low = arith.andi %index, %mask : i16
      %place = arith.index_castui %low : i16 to index
      memref.store %data, %state[%place] : memref<8xi16>
      csl.return
    }
    csl.task local @drain() {
      %queue = csl.constant 2 : !csl.output_queue
      %color = csl.get_param @data_out : !csl.color
      %out = csl.fabout_dsd queue %queue color %color extent 8 simd simd_32 zero first_source index_offset
      %fifo = csl.get_fifo @buffered : !csl.fifo<i16>
      %done = csl.task_id @done : !csl.local_task_id
      %column = csl.get_param @column : i16
      csl.mov16 %out = %fifo : !csl.dsd<fabout> = !csl.fifo<i16> async activate(%done) index(%column) priority medium
      csl.return
    }
    csl.task local @done() {
      csl.return
    }
    func.func @torn() {
      %exit = csl.register_address "teardown_exit"
      %color = csl.get_param @data_in : !csl.color
      %number = csl.get_int %color : !csl.color -> i16
      csl.set_config %exit, %number
      return
    }
    csl.comptime {
      %queue = csl.constant 4 : !csl.input_queue
      %out = csl.constant 2 : !csl.output_queue
      %color = csl.get_param @data_in : !csl.color
      csl.initialize_queue %queue : !csl.input_queue color %color priority low
      csl.initialize_queue %out : !csl.output_queue
      %id = csl.get_data_task_id %color : !csl.color
      csl.bind_data_task @receive to %id
      %drain = csl.constant 8 : !csl.local_task_id
      csl.bind_local_task @drain to %drain
      %done = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @done to %done
      csl.set_teardown_handler @torn, %color
      %green = csl.constant 7 : !csl.color
      csl.local_color_config %green routes <rx RAMP tx RAMP>
      csl.block %color : !csl.color
      csl.export_symbol @state
      csl.export_symbol @box
      csl.export_symbol @start
    }
  }

  csl.program @source {
    csl.param @first : i16
    func.func @start(%n: i16, %scale: f32) {
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      csl.export_symbol @start
    }
  }
}

// What comes out.
//      CHECK:// -----// layout.csl
// CHECK-NEXT:const width: u16 = 6;
// CHECK-NEXT:const height: u16 = 4;
//CHECK-EMPTY:
// CHECK-NEXT:const data_in = @get_color(2);
// CHECK-NEXT:const data_out = @get_color(3);
//CHECK-EMPTY:
// CHECK-NEXT:const relay_gain = [4, 5]f32 {
// CHECK-NEXT:  1.0, 2.0, 3.0, 4.0, 5.0, 1.5, 2.5, 3.5, 4.5, 5.5, 0.1, 0.2, 0.3, 0.4, 0.5,
// CHECK-NEXT:  6.0, 7.0, 8.0, 9.0, 10.0,
// CHECK-NEXT:};
//CHECK-EMPTY:
// CHECK-NEXT:const memcpy = @import_module("<memcpy/get_params>", .{
// CHECK-NEXT:  .width = width,
// CHECK-NEXT:  .height = height,
// CHECK-NEXT:  .MEMCPYH2D_1 = @as(i16, 8),
// CHECK-NEXT:});
//CHECK-EMPTY:
// CHECK-NEXT:layout {
// CHECK-NEXT:  @set_rectangle(width, height);
//CHECK-EMPTY:
// CHECK-NEXT:  for (@range(u16, height)) |y| {
// CHECK-NEXT:    @set_tile_code(0, y, "source.csl", .{
// CHECK-NEXT:      .memcpy_params = memcpy.get_params(0),
// CHECK-NEXT:      .first = y * 4,
// CHECK-NEXT:    });
// CHECK-NEXT:  }
//CHECK-EMPTY:
// CHECK-NEXT:  for (@range(i16, 1, width, 1)) |x| {
// CHECK-NEXT:    for (@range(i16, height)) |y| {
// CHECK-NEXT:      @set_tile_code(x, y, "relay.csl", .{
// CHECK-NEXT:        .memcpy_params = memcpy.get_params(x),
// CHECK-NEXT:        .column = x - 1,
// CHECK-NEXT:        .half = y / 2,
// CHECK-NEXT:        .gain = relay_gain[y, x - 1],
// CHECK-NEXT:        .data_in = data_in,
// CHECK-NEXT:        .data_out = data_out,
// CHECK-NEXT:      });
// CHECK-NEXT:    }
// CHECK-NEXT:  }
//CHECK-EMPTY:
// CHECK-NEXT:  for (@range(u16, 1, width, 2)) |x| {
// CHECK-NEXT:    for (@range(u16, height)) |y| {
// CHECK-NEXT:      @set_color_config(x, y, data_in, .{
// CHECK-NEXT:        .routes = .{ .rx = .{ WEST }, .tx = .{ EAST, RAMP } },
// CHECK-NEXT:        .switches = .{
// CHECK-NEXT:          .pos1 = .{ .tx = .{ RAMP } },
// CHECK-NEXT:          .pos2 = .{ .rx = .{ EAST } },
// CHECK-NEXT:          .ring_mode = true,
// CHECK-NEXT:          .pop_mode = .{ .always_pop = true },
// CHECK-NEXT:        },
// CHECK-NEXT:      });
// CHECK-NEXT:    }
// CHECK-NEXT:  }
//CHECK-EMPTY:
// CHECK-NEXT:  for (@range(u16, 2, width, 2)) |x| {
// CHECK-NEXT:    for (@range(u16, height)) |y| {
// CHECK-NEXT:      @set_color_config(x, y, data_in, .{
// CHECK-NEXT:        .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },
// CHECK-NEXT:        .filter = .{
// CHECK-NEXT:          .kind = .{ .counter = true },
// CHECK-NEXT:          .count_data = true,
// CHECK-NEXT:          .limit1 = 14,
// CHECK-NEXT:          .max_counter = 1,
// CHECK-NEXT:        },
// CHECK-NEXT:        .teardown = true,
// CHECK-NEXT:      });
// CHECK-NEXT:    }
// CHECK-NEXT:  }
//CHECK-EMPTY:
// CHECK-NEXT:  @set_color_config(5, 0, data_out, .{
// CHECK-NEXT:    .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST }, .color_swap_x = true },
// CHECK-NEXT:  });
// CHECK-NEXT:  @set_color_config(5, 1, data_out, .{
// CHECK-NEXT:    .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } },
// CHECK-NEXT:  });
//CHECK-EMPTY:
// CHECK-NEXT:  @export_name("state", [*]u16, true);
// CHECK-NEXT:  @export_name("box", [*]f32, false);
// CHECK-NEXT:  @export_name("start", fn(i16, f32) void);
// CHECK-NEXT:}
//      CHECK:// -----// relay.csl
// CHECK-NEXT:param memcpy_params;
// CHECK-NEXT:param column: u16;
// CHECK-NEXT:param half: i16 = 0;
// CHECK-NEXT:param gain: f32;
// CHECK-NEXT:param data_in: color;
// CHECK-NEXT:param data_out: color = @get_color(3);
//CHECK-EMPTY:
// CHECK-NEXT:const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
//CHECK-EMPTY:
// CHECK-NEXT:const queue_2 = @get_input_queue(4);
// CHECK-NEXT:const queue_3 = @get_output_queue(2);
// CHECK-NEXT:const receive_id = @get_data_task_id(data_in);
// CHECK-NEXT:const drain_id = @get_local_task_id(8);
// CHECK-NEXT:const done_id = @get_local_task_id(9);
// CHECK-NEXT:const green = @get_color(7);
// CHECK-NEXT:const teardown_exit_address: u16 = 0x7e17;
//CHECK-EMPTY:
// CHECK-NEXT:var state = [8]u16 { 1, 2, 3, 4, 5, 6, 7, 65535 };
// CHECK-NEXT:var box = @zeros([20]f32);
// CHECK-NEXT:var queue: [32]i16 align(16);
// CHECK-NEXT:const steps = [3]u16 { 1, 2, 3 };
// CHECK-NEXT:extern var shared: [8]i16 linksection(".mine") linkname("there");
// CHECK-NEXT:var state_ptr: [*]u16 = &state;
// CHECK-NEXT:const box_ptr: [*]f32 = &box;
//CHECK-EMPTY:
// CHECK-NEXT:const buffered = @allocate_fifo(queue, .{
// CHECK-NEXT:  .empty_action = .{ .terminate = true },
// CHECK-NEXT:  .activate_pop = done_id,
// CHECK-NEXT:  .activate_push = drain,
// CHECK-NEXT:  .simd_mode = .{ .simd_64 = true },
// CHECK-NEXT:});
//CHECK-EMPTY:
// CHECK-NEXT:const rows = @get_dsd(mem4d_dsd, .{
// CHECK-NEXT:  .tensor_access = |i, j|{4, 2} -> box[5 * i + 2 * j + 1],
// CHECK-NEXT:});
// CHECK-NEXT:const out = @get_dsd(fabout_dsd, .{
// CHECK-NEXT:  .fabric_color = data_out,
// CHECK-NEXT:  .extent = 8,
// CHECK-NEXT:  .output_queue = queue_3,
// CHECK-NEXT:  .simd_mode = .{ .simd_32 = true },
// CHECK-NEXT:  .zero = .{ .first_source = true },
// CHECK-NEXT:  .wavelet_index_offset = true,
// CHECK-NEXT:});
//CHECK-EMPTY:
// CHECK-NEXT:fn start(n: i16, scale: f32) void {
// CHECK-NEXT:  @fmuls(rows, rows, gain * scale);
// CHECK-NEXT:  const part = @get_dsd(mem1d_dsd, .{
// CHECK-NEXT:    .base_address = &state,
// CHECK-NEXT:    .extent = @as(u16, n),
// CHECK-NEXT:    .stride = 2,
// CHECK-NEXT:    .offset = 1,
// CHECK-NEXT:  });
// CHECK-NEXT:  @set_fifo_write_length(buffered, @as(u16, n));
// CHECK-NEXT:  const ok = @mov16(buffered, part);
// CHECK-NEXT:  if (ok) {
// CHECK-NEXT:    @activate(drain_id);
// CHECK-NEXT:  }
// CHECK-NEXT:  sys_mod.unblock_cmd_stream();
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:task receive(data: u16, index: u16) void {
// CHECK-NEXT:  state[index & 7] = data;
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:task drain() void {
// CHECK-NEXT:  @mov16(out, buffered, .{
// CHECK-NEXT:    .async = true,
// CHECK-NEXT:    .activate = done,
// CHECK-NEXT:    .index = column,
// CHECK-NEXT:    .priority = .{ .medium = true },
// CHECK-NEXT:  });
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:task done() void {}
//CHECK-EMPTY:
// CHECK-NEXT:fn torn() void {
// CHECK-NEXT:  @set_config(teardown_exit_address, @get_int(data_in));
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:comptime {
// CHECK-NEXT:  @initialize_queue(queue_2, .{
// CHECK-NEXT:    .color = data_in,
// CHECK-NEXT:    .priority = .{ .low = true },
// CHECK-NEXT:  });
// CHECK-NEXT:  @initialize_queue(queue_3);
// CHECK-NEXT:  @bind_data_task(receive, receive_id);
// CHECK-NEXT:  @bind_local_task(drain, drain_id);
// CHECK-NEXT:  @bind_local_task(done, done_id);
// CHECK-NEXT:  @set_teardown_handler(torn, data_in);
// CHECK-NEXT:  @set_local_color_config(green, .{
// CHECK-NEXT:    .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } },
// CHECK-NEXT:  });
// CHECK-NEXT:  @block(data_in);
// CHECK-NEXT:  @export_symbol(state_ptr, "state");
// CHECK-NEXT:  @export_symbol(box_ptr, "box");
// CHECK-NEXT:  @export_symbol(start);
// CHECK-NEXT:}
//      CHECK:// -----// source.csl
// CHECK-NEXT:param memcpy_params;
// CHECK-NEXT:param first: i16;
//CHECK-EMPTY:
// CHECK-NEXT:const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
//CHECK-EMPTY:
// CHECK-NEXT:fn start(n: i16, scale: f32) void {
// CHECK-NEXT:  sys_mod.unblock_cmd_stream();
// CHECK-NEXT:}
//CHECK-EMPTY:
// CHECK-NEXT:comptime {
// CHECK-NEXT:  @export_symbol(start);
// CHECK-NEXT:}
//      CHECK:// -----// commands_wse2.sh
// CHECK-NEXT:#!/usr/bin/env bash
//CHECK-EMPTY:
// CHECK-NEXT:set -e
//CHECK-EMPTY:
// CHECK-NEXT:cslc --arch=wse2 ./layout.csl --fabric-dims=13,6 --fabric-offsets=4,1 \
// CHECK-NEXT:  -o out --memcpy --channels=1
// CHECK-NEXT:cs_python run.py --name out "$@"
