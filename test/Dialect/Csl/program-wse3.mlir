// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: TSK-007, TSK-046, TSK-047, TSK-048, BLT-049, BLT-052, BLT-053, BLT-054
// ROWS: BLT-074, BLT-075, BLT-076, BLT-077, BLT-078, ASY-019, ASY-028

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.task data @recv(%data: i32) {
      csl.return
    }
    csl.task control @other() {
      csl.return
    }
    func.func @empty() {
      // CHECK: csl.queue_flush %{{.*}} : !csl.output_queue
      %q = csl.constant 7 : !csl.output_queue
      csl.queue_flush %q : !csl.output_queue
      // CHECK: %[[UT:.*]] = csl.constant 7 : !csl.ut_id
      %ut = csl.constant 7 : !csl.ut_id
      // CHECK: csl.block %[[UT]] : !csl.ut_id
      csl.block %ut : !csl.ut_id
      return
    }
    csl.comptime {
      %red = csl.constant 3 : !csl.color
      %in = csl.constant 7 : !csl.input_queue
      %out = csl.constant 7 : !csl.output_queue
      // CHECK: %[[ID:.*]] = csl.get_data_task_id %{{.*}} : !csl.input_queue
      %id = csl.get_data_task_id %in : !csl.input_queue
      // CHECK: csl.initialize_queue %{{.*}} : !csl.input_queue color %{{.*}} ctrl_table_id 1 dense_mode
      csl.initialize_queue %in : !csl.input_queue color %red ctrl_table_id 1 dense_mode
      // CHECK: csl.initialize_queue %{{.*}} : !csl.output_queue color %{{.*}} dense_mode
      csl.initialize_queue %out : !csl.output_queue color %red dense_mode
      // CHECK: csl.set_empty_queue_handler @empty, %{{.*}} : !csl.output_queue
      csl.set_empty_queue_handler @empty, %out : !csl.output_queue
      // CHECK: csl.set_control_task_table instructions 8 stride 7
      csl.set_control_task_table instructions 8 stride 7
      // CHECK: csl.bind_rotating_tasks @recv, @other to %[[ID]] limit 10 init 5
      csl.bind_rotating_tasks @recv, @other to %id limit 10 init 5
      %ctl = csl.constant 0 : !csl.control_task_id
      // CHECK: csl.bind_control_task @other to %{{.*}} table 1
      csl.bind_control_task @other to %ctl table 1
      csl.block %in : !csl.input_queue
      %ut = csl.constant 0 : !csl.ut_id
      csl.block %ut : !csl.ut_id
    }
  }
}
