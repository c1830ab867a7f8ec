// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// CHECK: #[[$MAP:.+]] = affine_map<(d0, d1) -> (d0)>
// ROWS: FAB-003, FAB-005, FAB-006, FAB-007, FAB-008, FAB-009, FAB-010, FAB-011
// ROWS: FAB-012, FAB-013, FAB-022, FAB-033, FAB-034, FAB-035, FAB-036, FAB-050
// ROWS: FAB-064, FAB-072, BLT-068, BLT-069, BLT-070

module attributes {csl.target = #csl.target<"wse2">} {
  csl.program @pe {
    csl.param @size : i16 = 4 : i16
    csl.param @x : i16
    csl.param @tx : !csl.color = 3 : i16
    csl.param @weight : f32 = 1.0 : f32
  }
  csl.program @edge {}

  // CHECK-LABEL: csl.layout 4 x 2 fabric 11 x 4 at 4, 1 {
  csl.layout 4 x 2 fabric 11 x 4 at 4, 1 {
    // CHECK: csl.tile_code @pe at <0 to 3, 0 to 2> params {size = 16 : i16, tx = 5 : i16, weight = dense<{{.*}}> : tensor<2x3xf32>, x = #[[$MAP]]}
    csl.tile_code @pe at <0 to 3, 0 to 2> params {
      size = 16 : i16, x = affine_map<(x, y) -> (x)>, tx = 5 : i16,
      weight = dense<[[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]> : tensor<2x3xf32>}
    // CHECK: csl.tile_code @edge at <3, 0 to 2>
    csl.tile_code @edge at <3, 0 to 2>

    // CHECK: csl.color_config 1 at <0 to 4 step 2, 1> routes <rx [WEST] tx [EAST, RAMP]>
    csl.color_config 1 at <0 to 4 step 2, 1> routes <rx [WEST] tx [RAMP, EAST]>
    // The manual's vectors: RX_WEST | TX_RAMP | TX_EAST and RX_RAMP | TX_RAMP.
    // CHECK: csl.color_config 2 at <0, 0> routes <rx [WEST] tx [EAST, RAMP]>
    csl.color_config 2 at <0, 0> routes <0x241>
    // CHECK: csl.color_config 2 at <1, 0> routes <rx [RAMP] tx [RAMP]>
    csl.color_config 2 at <1, 0> routes <0x210>
    // CHECK: csl.color_config 2 at <2, 0> routes <>
    csl.color_config 2 at <2, 0> routes <>
    // CHECK: csl.color_config 2 at <3, 0> routes <rx [NORTH]>
    csl.color_config 2 at <3, 0> routes <rx NORTH>
    // CHECK: csl.color_config 3 at <3, 1> routes <rx [EAST] tx [WEST] swap_x swap_y>
    csl.color_config 3 at <3, 1> routes <rx EAST tx WEST swap_x swap_y>
    // CHECK: csl.color_config 4 at <0, 0> routes <rx [RAMP] tx [NORTH]> switches <pos1 = <tx [WEST]>, pos2 = <tx [EAST]>, pos3 = <tx [SOUTH]>, current = 1, ring = true, pop = pop_on_advance>
    csl.color_config 4 at <0, 0> routes <rx RAMP tx NORTH>
      switches <pos1 = #csl.position<tx WEST>, pos2 = #csl.position<tx [EAST]>,
                pos3 = #csl.position<tx SOUTH>, current = 1, ring = true, pop = pop_on_advance>
    // CHECK: csl.color_config 5 at <0, 0> routes <rx [WEST] tx [RAMP]> filter <kind = counter, count_data = true, limit1 = 14, max_counter = 1>
    csl.color_config 5 at <0, 0> routes <rx WEST tx RAMP>
      filter <kind = counter, count_data = true, limit1 = 14, max_counter = 1>
    // CHECK: csl.color_config 6 at <0, 0> routes <rx [WEST] tx [RAMP]> filter <kind = sparse_counter, count_control = true, limit1 = 4, limit2 = 6>
    csl.color_config 6 at <0, 0> routes <rx WEST tx RAMP>
      filter <kind = sparse_counter, count_control = true, limit1 = 4, limit2 = 6>
    // CHECK: csl.color_config 7 at <0, 0> routes <rx [WEST] tx [RAMP]> filter <kind = range, min_idx = 3, max_idx = 5> teardown
    csl.color_config 7 at <0, 0> routes <rx WEST tx RAMP>
      filter <kind = range, min_idx = 3, max_idx = 5> teardown

    // CHECK: csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "A" : !csl.ptr<many f32> mutable
    // CHECK: csl.export_name "B" unsigned : !csl.ptr<const many i16>
    csl.export_name "B" unsigned : !csl.ptr<const many i16>
    // CHECK: csl.export_name "compute" : (i16, f32) -> ()
    csl.export_name "compute" : (i16, f32) -> ()
    // CHECK: csl.stream "in" color 8 to_device
    csl.stream "in" color 8 to_device
    // CHECK: csl.stream "rx" color 9 to_host at 3, 0 EAST
    csl.stream "rx" color 9 to_host at 3, 0 EAST
  }
}
