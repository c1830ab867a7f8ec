// What the tests of the runtime drive: 4 x 3 PEs in a fabric of 11 x 5. Each has arrays
// behind exported pointers, functions to launch, and echoes words of color 4 on color 5.
module attributes {csl.target = #csl.target<"wse3", memcpy = true>} {
  csl.layout 4 x 3 fabric 11 x 5 at 4, 1 {
    csl.tile_code @pe at <0 to 4, 0 to 3> params {x = affine_map<(x, y) -> (x)>}
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "P" : !csl.ptr<many f32> mutable
    csl.export_name "h" unsigned : !csl.ptr<many i16> mutable
    csl.export_name "words" : !csl.ptr<many i32> mutable
    csl.export_name "fixed" : !csl.ptr<const many f32>
    csl.export_name "count" : i16
    csl.export_name "point" : (i16) -> ()
    csl.export_name "scale" : (f32) -> ()
    csl.export_name "keep" : (i16, i32, f32, f16) -> ()
    csl.export_name "echo" : () -> ()
    csl.export_name "forget" : () -> ()
    csl.export_name "fail" : () -> ()
    csl.export_name "spin" : () -> ()
    csl.export_name "say" : () -> ()
    csl.stream "in" color 4 to_device
    csl.stream "out" color 5 to_host
  }
  csl.program @pe {
    csl.param @x : i16
    csl.var @values : memref<6xf32>
    csl.var @P : memref<!csl.ptr<many f32>>
    csl.var @h : memref<6xi16>
    csl.var @words : memref<4xi32>
    csl.var const @fixed : memref<2xf32> = dense<[1.5, 2.5]> : tensor<2xf32>
    csl.var @count : memref<i16> = dense<0> : tensor<i16>
    csl.var @f16 : memref<f16> = dense<0.0> : tensor<f16>

    // P = &values[i]
    func.func @point(%i: i16) {
      %v = csl.get_var @values : memref<6xf32>
      %at = arith.index_cast %i : i16 to index
      %p = csl.address_of %v[%at] : memref<6xf32> -> !csl.ptr<many f32>
      %P = csl.get_var @P : memref<!csl.ptr<many f32>>
      memref.store %p, %P[] : memref<!csl.ptr<many f32>>
      csl.unblock_cmd_stream
      return
    }
    func.func @scale(%f: f32) {
      %v = csl.get_var @values : memref<6xf32>
      %d = csl.mem1d_dsd %v : memref<6xf32> extent 6
      csl.fmuls %d = %d, %f : !csl.dsd<mem1d> = !csl.dsd<mem1d>, f32
      %n = csl.get_var @count : memref<i16>
      %old = memref.load %n[] : memref<i16>
      %one = arith.constant 1 : i16
      %new = arith.addi %old, %one : i16
      memref.store %new, %n[] : memref<i16>
      csl.unblock_cmd_stream
      return
    }
    func.func @keep(%a: i16, %b: i32, %c: f32, %d: f16) {
      %w = csl.get_var @words : memref<4xi32>
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %2 = arith.constant 2 : index
      %wide = arith.extsi %a : i16 to i32
      memref.store %wide, %w[%0] : memref<4xi32>
      memref.store %b, %w[%1] : memref<4xi32>
      %bits = arith.bitcast %c : f32 to i32
      memref.store %bits, %w[%2] : memref<4xi32>
      %h = csl.get_var @f16 : memref<f16>
      memref.store %d, %h[] : memref<f16>
      csl.unblock_cmd_stream
      return
    }
    // Sends `values`, on a microthread, and unblocks at once.
    func.func @echo() {
      %v = csl.get_var @values : memref<6xf32>
      %d = csl.mem1d_dsd %v : memref<6xf32> extent 6
      %q = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 6
      csl.fmovs %out = %d : !csl.dsd<fabout> = !csl.dsd<mem1d> async
      csl.unblock_cmd_stream
      return
    }
    func.func @forget() {
      return
    }
    func.func @fail() {
      %x = csl.get_param @x : i16
      %two = arith.constant 2 : i16
      %ok = arith.cmpi ne, %x, %two : i16
      cf.assert %ok, "x is not two"
      csl.unblock_cmd_stream
      return
    }
    func.func @spin() {
      %id = csl.task_id @again : !csl.local_task_id
      csl.activate %id
      csl.unblock_cmd_stream
      return
    }
    csl.task local @again() {
      %id = csl.task_id @again : !csl.local_task_id
      csl.activate %id
      csl.return
    }
    func.func @say() {
      %x = csl.get_param @x : i16
      csl.sim_print "x = {d}"(%x) : i16
      csl.unblock_cmd_stream
      return
    }
    // Each word comes back doubled.
    csl.task data @double(%w: i32) {
      %two = arith.constant 2 : i32
      %t = arith.muli %w, %two : i32
      %q = csl.constant 2 : !csl.output_queue
      %out = csl.fabout_dsd queue %q extent 1
      csl.mov32 %out = %t : !csl.dsd<fabout> = i32
      csl.return
    }
    csl.comptime {
      %local = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @again to %local
      %in = csl.constant 4 : !csl.color
      %out = csl.constant 5 : !csl.color
      %iq = csl.constant 2 : !csl.input_queue
      %oq = csl.constant 2 : !csl.output_queue
      csl.initialize_queue %iq : !csl.input_queue color %in
      csl.initialize_queue %oq : !csl.output_queue color %out
      %id = csl.get_data_task_id %iq : !csl.input_queue
      csl.bind_data_task @double to %id
      csl.export_symbol @values as "A"
      csl.export_symbol @P
      csl.export_symbol @point
      csl.export_symbol @h
      csl.export_symbol @words
      csl.export_symbol @fixed
      csl.export_symbol @count
      csl.export_symbol @scale
      csl.export_symbol @keep
      csl.export_symbol @echo
      csl.export_symbol @forget
      csl.export_symbol @fail
      csl.export_symbol @spin
      csl.export_symbol @say
    }
  }
}
