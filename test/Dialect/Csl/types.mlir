// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: TSK-004, TSK-005, FAB-001, ASY-021, DSD-001, DSD-004, DSD-024, DSD-037
// ROWS: DSD-044, DSD-050, DSR-001, DSR-002, DSD-064, DSD-066, DOP-006

// CHECK-LABEL: csl.target = #csl.target<"wse3", fp16 = bf16, memcpy = true>
module attributes {csl.target = #csl.target<"wse3", fp16 = bf16, memcpy = true>} {
  // CHECK: func.func private @ids(!csl.color, !csl.input_queue, !csl.output_queue, !csl.data_task_id, !csl.local_task_id, !csl.control_task_id, !csl.ut_id, !csl.direction)
  func.func private @ids(!csl.color, !csl.input_queue, !csl.output_queue, !csl.data_task_id, !csl.local_task_id, !csl.control_task_id, !csl.ut_id, !csl.direction)
  // CHECK: func.func private @dsds(!csl.dsd<mem1d>, !csl.dsd<mem4d>, !csl.dsd<circbuf>, !csl.dsd<fabin>, !csl.dsd<fabout>, !csl.fifo<i16>)
  func.func private @dsds(!csl.dsd<mem1d>, !csl.dsd<mem4d>, !csl.dsd<circbuf>, !csl.dsd<fabin>, !csl.dsd<fabout>, !csl.fifo<i16>)
  // CHECK: func.func private @registers(!csl.dsr<dest>, !csl.dsr<src0>, !csl.dsr<src1>, !csl.dsr<fifo_dest>, !csl.dsr<fifo_src1>, !csl.xdsr, !csl.sr)
  func.func private @registers(!csl.dsr<dest>, !csl.dsr<src0>, !csl.dsr<src1>, !csl.dsr<fifo_dest>, !csl.dsr<fifo_src1>, !csl.xdsr, !csl.sr)
  // CHECK: func.func private @pointers(!csl.ptr<f32>, !csl.ptr<const f32>, !csl.ptr<many i16>, !csl.ptr<const many i16>, !csl.ptr<!csl.array<4x5xf32>>, !csl.ptr<none>, !csl.ptr<const (i16) -> f32>)
  func.func private @pointers(!csl.ptr<f32>, !csl.ptr<const f32>, !csl.ptr<many i16>, !csl.ptr<const many i16>, !csl.ptr<!csl.array<4x5xf32>>, !csl.ptr<none>, !csl.ptr<const (i16) -> f32>)
  // CHECK: func.func private @aggregates(!csl.array<3xi16>, !csl.struct<"point" {x : i16, y : f32}>, !csl.struct<packed "word" {low : i8, high : i8}>, !csl.struct<extern union "bits" {f : f32, u : i32}>, !csl.struct<"" {"0" : i16, "1" : !csl.color}>)
  func.func private @aggregates(!csl.array<3xi16>, !csl.struct<"point" {x : i16, y : f32}>, !csl.struct<packed "word" {low : i8, high : i8}>, !csl.struct<extern union "bits" {f : f32, u : i32}>, !csl.struct<"" {"0" : i16, "1" : !csl.color}>)
  // CHECK: func.func private @enums(!csl.enum<"rgb" : i16 {red = 0, white = 4, blue = 1}>, !csl.cb16)
  func.func private @enums(!csl.enum<"rgb" : i16 {red = 0, white = 4, blue = 1}>, !csl.cb16)
  // CHECK: func.func private @memory(memref<4x!csl.color>, memref<!csl.dsd<mem1d>>, memref<2x!csl.ptr<f32>>, memref<8x!csl.cb16>)
  func.func private @memory(memref<4x!csl.color>, memref<!csl.dsd<mem1d>>, memref<2x!csl.ptr<f32>>, memref<8x!csl.cb16>)
}
