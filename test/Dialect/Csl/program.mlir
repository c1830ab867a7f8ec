// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: TSK-001, TSK-006, TSK-015, TSK-016, TSK-017, TSK-020, TSK-022, TSK-024
// ROWS: TSK-026, BLT-001, BLT-010, BLT-011, BLT-012, BLT-032, BLT-033, BLT-034
// ROWS: BLT-035, BLT-036, BLT-037, BLT-038, BLT-050, BLT-051, BLT-071, BLT-072

module attributes {csl.target = #csl.target<"wse2">} {
  // CHECK-LABEL: csl.program @pe {
  csl.program @pe {
    // CHECK: csl.param @tx : !csl.color
    csl.param @tx : !csl.color
    // CHECK: csl.var @buffer : memref<4x5xf32> align(16)
    csl.var @buffer : memref<4x5xf32> align(16)
    // CHECK: csl.var const @table unsigned : memref<3xi16> = dense<[1, 2, 3]> : tensor<3xi16>
    csl.var const @table unsigned : memref<3xi16> = dense<[1, 2, 3]> : tensor<3xi16>
    // CHECK: csl.var @shared : memref<8xi16> section(".mine") linkname("there") export("here") extern
    csl.var @shared : memref<8xi16> section(".mine") linkname("there") export("here") extern
    // CHECK: csl.var @d : memref<!csl.dsd<mem1d>>
    csl.var @d : memref<!csl.dsd<mem1d>>
    // CHECK: csl.var @c : memref<2x!csl.color> = dense<[3, 4]> : tensor<2xi16>
    csl.var @c : memref<2x!csl.color> = dense<[3, 4]> : tensor<2xi16>

    // CHECK: csl.task data @one(%{{.*}}: f32) {
    csl.task data @one(%data: f32) {
      csl.return
    }
    // CHECK: csl.task data @two(%{{.*}}: i16, %{{.*}}: i16) {
    csl.task data @two(%data: i16, %index: i16) {
      csl.return
    }
    // CHECK: csl.task data @packed(%{{.*}}: !csl.struct<packed "w" {low : i8, high : i8}>) {
    csl.task data @packed(%data: !csl.struct<packed "w" {low : i8, high : i8}>) {
      csl.return
    }
    // CHECK: csl.task control @ctl(%{{.*}}: i16, %{{.*}}: i16) {
    csl.task control @ctl(%data: i16, %index: i16) {
      csl.return
    }
    // CHECK: csl.task local @main() {
    csl.task local @main() {
      // CHECK: %[[TX:.*]] = csl.get_param @tx : !csl.color
      %tx = csl.get_param @tx : !csl.color
      // CHECK: csl.get_int %[[TX]] : !csl.color -> i16
      %n = csl.get_int %tx : !csl.color -> i16
      // CHECK: %[[C:.*]] = csl.make_id %{{.*}} : !csl.color
      %c = csl.make_id %n : !csl.color
      // CHECK: csl.same %[[C]], %[[TX]] : !csl.color
      %b = csl.same %c, %tx : !csl.color
      // CHECK: csl.get_var @buffer : memref<4x5xf32>
      %A = csl.get_var @buffer : memref<4x5xf32>
      // CHECK: %[[ID:.*]] = csl.task_id @main : !csl.local_task_id
      %id = csl.task_id @main : !csl.local_task_id
      // CHECK: csl.activate %[[ID]]
      csl.activate %id
      // CHECK: csl.block %[[TX]] : !csl.color
      csl.block %tx : !csl.color
      // CHECK: csl.unblock %[[ID]] : !csl.local_task_id
      csl.unblock %id : !csl.local_task_id
      cf.br ^bb1
    ^bb1:
      csl.return
    }
    func.func @torn() {
      return
    }

    // CHECK: csl.comptime {
    csl.comptime {
      // CHECK: %[[RED:.*]] = csl.constant 3 : !csl.color
      %red = csl.constant 3 : !csl.color
      // CHECK: csl.get_data_task_id %[[RED]] : !csl.color
      %data = csl.get_data_task_id %red : !csl.color
      %local = csl.constant 30 : !csl.local_task_id
      %control = csl.constant 63 : !csl.control_task_id
      // CHECK: csl.bind_data_task @one to
      csl.bind_data_task @one to %data
      // CHECK: csl.bind_local_task @main to
      csl.bind_local_task @main to %local
      // CHECK: csl.bind_control_task @ctl to
      csl.bind_control_task @ctl to %control
      %in = csl.constant 7 : !csl.input_queue
      %out = csl.constant 5 : !csl.output_queue
      // CHECK: csl.initialize_queue %{{.*}} : !csl.input_queue color %[[RED]] priority medium
      csl.initialize_queue %in : !csl.input_queue color %red priority medium
      // CHECK: csl.initialize_queue %{{.*}} : !csl.output_queue
      csl.initialize_queue %out : !csl.output_queue
      // CHECK: csl.local_color_config %[[RED]] routes <rx [RAMP] tx [EAST]> teardown
      csl.local_color_config %red routes <rx RAMP tx EAST> teardown
      // CHECK: csl.set_teardown_handler @torn, %[[RED]]
      csl.set_teardown_handler @torn, %red
      %f = csl.get_filter_id %red
      csl.block %red : !csl.color
      csl.activate %local
    }
  }
}
