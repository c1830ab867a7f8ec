// RUN: sequin-translate --csl-to-wafer %s | FileCheck %s
// RUN: sequin-translate --csl-to-json %s -o %t.json
// RUN: %python -c "import json; p = json.load(open(r'%t.json')); print(p['target'], p['width'], p['height'], len(p['codes']), len(p['pes']), [s['name'] for s in p['symbols']])" | FileCheck %s --check-prefix=JSON

// ROWS: TSK-032, TSK-033, TSK-034, FAB-024, BLT-043, BLT-069
// JSON: wse3 3 1 3 3 ['x', 'run', 'n']

// CHECK-LABEL: wafer program for wse3, 3 x 1 PEs, f16
module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 3 x 1 fabric 10 x 3 at 4, 1 {
    csl.tile_code @send at <0, 0>
    csl.tile_code @recv at <1 to 3, 0> params {last = affine_map<(x, y) -> (x floordiv 2)>}
    csl.color_config 5 at <0, 0> routes <rx RAMP tx EAST>
    csl.color_config 5 at <1, 0> routes <rx WEST tx [RAMP, EAST]> switches <pos2 = #csl.position<tx RAMP>>
    csl.color_config 5 at <2, 0> routes <rx WEST tx RAMP> filter <kind = counter, count_data = true, limit1 = 3>
    csl.export_name "x" : !csl.ptr<many f32> mutable
    csl.export_name "run" : () -> ()
    csl.export_name "n" : i16
  }

  // CHECK: code 'send'
  // CHECK-NEXT: 16 x: 4xfloat32
  // CHECK-NEXT: 32 stack of 1024 bytes
  csl.program @send {
    csl.var @x : memref<4xf32>
    // CHECK: function 'run' arguments 0 results 0
    // CHECK-DAG: dsd_constant r[[X:[0-9]+]], -, -, {{[01]}}  ; mem1d base 16 extent 4
    // CHECK-DAG: dsd_constant r[[OUT:[0-9]+]], -, -, {{[01]}}  ; fabout extent 4 queue 2
    // CHECK: {{[0-9]+}}: dsd -, -, -, 0  ; fmovs dsd r[[OUT]] = dsd r[[X]] async ut 1
    // CHECK-NEXT: {{[0-9]+}}: unblock_command_stream
    // CHECK-NEXT: {{[0-9]+}}: return
    func.func @run() {
      %x = csl.get_var @x : memref<4xf32>
      %d = csl.mem1d_dsd %x : memref<4xf32> access <(i) -> (i), [4]>
      %q = csl.constant 2 : !csl.output_queue
      %o = csl.fabout_dsd queue %q extent 4
      csl.fmovs %o = %d : !csl.dsd<fabout> = !csl.dsd<mem1d> async ut_id 1
      csl.unblock_cmd_stream
      return
    }
    csl.comptime {
      %q = csl.constant 2 : !csl.output_queue
      %c = csl.constant 5 : !csl.color
      csl.initialize_queue %q : !csl.output_queue color %c
      csl.export_symbol @x
      csl.export_symbol @run
      %a = csl.register_address "main_thread_priority"
      %v = arith.constant 3 : i16
      csl.set_config %a, %v
    }
  }

  // CHECK: code 'recv'
  csl.program @recv {
    csl.param @last : i16
    csl.var const @n unsigned : memref<i16> = dense<4> : tensor<i16>
    csl.var @sum : memref<f32> = dense<0.0> : tensor<f32>
    // CHECK: function 'add' arguments 1
    // CHECK: load.32 r[[S:[0-9]+]], -, -, 20
    // CHECK-NEXT: {{[0-9]+}}: float_add.32 r[[T:[0-9]+]], r[[S]], r0, 0
    // CHECK-NEXT: {{[0-9]+}}: store.32 r[[T]], -, -, 20
    // CHECK-NEXT: {{[0-9]+}}: return
    // What the parameter decides is decided in each PE's code.
    // CHECK: code 'recv'
    // CHECK: function 'add' arguments 1
    // CHECK: float_add.32
    // CHECK-NEXT: {{[0-9]+}}: store.32
    // CHECK-NEXT: {{[0-9]+}}: activate
    // CHECK-NEXT: {{[0-9]+}}: return
    csl.task data @add(%x: f32) {
      %sum = csl.get_var @sum : memref<f32>
      %s = memref.load %sum[] : memref<f32>
      %t = arith.addf %s, %x : f32
      memref.store %t, %sum[] : memref<f32>
      %last = csl.get_param @last : i16
      %zero = arith.constant 0 : i16
      %is = arith.cmpi ne, %last, %zero : i16
      scf.if %is {
        %id = csl.task_id @done : !csl.local_task_id
        csl.activate %id
      }
      csl.return
    }
    csl.task local @done() {
      csl.return
    }
    csl.comptime {
      %q = csl.constant 3 : !csl.input_queue
      %c = csl.constant 5 : !csl.color
      csl.initialize_queue %q : !csl.input_queue color %c
      %id = csl.get_data_task_id %q : !csl.input_queue
      csl.bind_data_task @add to %id
      %local = csl.constant 9 : !csl.local_task_id
      csl.bind_local_task @done to %local
      csl.export_symbol @n
      // Only the last PE of the row starts with its local task blocked.
      %last = csl.get_param @last : i16
      %zero = arith.constant 0 : i16
      %is = arith.cmpi ne, %last, %zero : i16
      scf.if %is {
        csl.block %local : !csl.local_task_id
      }
    }
  }
  // CHECK: setup 0 of code 0
  // CHECK-NEXT: output queue 2 color 5
  // Data ids without a task are blocked.
  // CHECK-NEXT: blocked 0x000000ff active 0x00000000
  // CHECK-NEXT: register 0x7e14 = 3
  // CHECK: setup 1 of code 1
  // CHECK-NEXT: data task 3: add
  // CHECK-NEXT: local task 9: done
  // CHECK-NEXT: input queue 3 color 5
  // CHECK-NEXT: blocked 0x000000f7 active 0x00000000
  // CHECK: setup 2 of code 2
  // CHECK: blocked 0x000002f7
  // CHECK: router 0
  // CHECK-NEXT: color 5: 0 [RAMP -> EAST]
  // CHECK: router 1
  // CHECK-NEXT: color 5: 0 [WEST -> EAST RAMP] 2 [WEST -> RAMP]
  // CHECK: router 2
  // CHECK-NEXT: color 5: 0 [WEST -> RAMP] filter 0
}
