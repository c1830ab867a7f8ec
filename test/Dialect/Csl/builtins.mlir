// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: BLT-006, BLT-040, BLT-041, BLT-042, BLT-043, BLT-044, BLT-047, BLT-064
// ROWS: BLT-065, TSK-051

module attributes {csl.target = #csl.target<"wse2", memcpy = true>} {
  csl.program @pe {
    csl.var @A : memref<10xf32>
    csl.var @p : memref<!csl.ptr<many f32>>
    func.func @compute(%n: i16) {
      // CHECK: csl.unblock_cmd_stream
      csl.unblock_cmd_stream
      return
    }
    // CHECK-LABEL: func.func @builtins
    func.func @builtins(%n: i16, %x: f32, %b: i1) {
      // CHECK: csl.get_rectangle
      %w, %h, %fw, %fh, %ox, %oy = csl.get_rectangle
      // CHECK: csl.coordinate x
      %cx = csl.coordinate x
      // CHECK: csl.coordinate y
      %cy = csl.coordinate y
      // CHECK: csl.random16
      %r = csl.random16
      // CHECK: csl.set_active_prng %{{.*}}
      csl.set_active_prng %n
      // CHECK: %[[EXIT:.*]] = csl.register_address "teardown_exit"
      %e = csl.register_address "teardown_exit"
      // CHECK: csl.register_address "route"[%{{.*}}]
      %a = csl.register_address "route"[%n]
      // CHECK: csl.get_config %{{.*}} ranges [32544, 32567]
      %v = csl.get_config %a ranges [32544, 32567]
      // CHECK: csl.get_config %{{.*}} unchecked
      %u = csl.get_config %a unchecked
      // CHECK: csl.set_config %[[EXIT]], %{{.*}}
      csl.set_config %e, %n
      // CHECK: csl.set_config %{{.*}}, %{{.*}} unchecked
      csl.set_config %a, %n unchecked
      // CHECK: csl.get_symbol_id @A
      %i = csl.get_symbol_id @A
      // CHECK: csl.get_symbol_value %{{.*}} : f32
      %s = csl.get_symbol_value %i : f32
      // CHECK: csl.get_tensor_ptr %{{.*}}
      %t = csl.get_tensor_ptr %i
      // CHECK: csl.sim_print "x = {d}, y = {f} {{[{][{]}}"(%{{.*}}, %{{.*}}) : i16, f32
      csl.sim_print "x = {d}, y = {f} {{"(%n, %x) : i16, f32
      // CHECK: csl.sim_print "done"
      csl.sim_print "done"
      cf.assert %b, "b holds"
      return
    }
    csl.comptime {
      // CHECK: csl.export_symbol @p as "A"
      csl.export_symbol @p as "A"
      // CHECK: csl.export_symbol @compute
      csl.export_symbol @compute
      %red = csl.constant 4 : !csl.color
      %id = csl.get_data_task_id %red : !csl.color
      // CHECK: csl.rpc %{{.*}}
      csl.rpc %id
      %a = csl.register_address "main_thread_priority"
      %two = arith.constant 2 : i16
      csl.set_config %a, %two
    }
  }
}
