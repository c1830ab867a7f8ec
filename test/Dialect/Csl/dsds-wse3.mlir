// RUN: sequin-opt %s --verify-roundtrip | FileCheck %s

// ROWS: DSD-049, DSD-051, DSD-055, FIF-011, FIF-012, FIF-021, ASY-031, AMB-006

module attributes {csl.target = #csl.target<"wse3">} {
  csl.program @pe {
    csl.var @buffer : memref<32xi16>
    // CHECK: csl.fifo @f over @buffer empty suspend full fault priority low
    csl.fifo @f over @buffer empty suspend full fault priority low
    func.func @fabric() {
      %in = csl.constant 2 : !csl.input_queue
      %out = csl.constant 7 : !csl.output_queue
      // CHECK: csl.fabin_dsd queue %{{.*}} extent 16 priority medium simd simd_max
      %a = csl.fabin_dsd queue %in extent 16 priority medium simd simd_max
      // CHECK: csl.fabout_dsd queue %{{.*}} extent 16 priority low simd simd_off zero second_source
      %b = csl.fabout_dsd queue %out extent 16 priority low simd simd_off zero second_source
      return
    }
  }
}
