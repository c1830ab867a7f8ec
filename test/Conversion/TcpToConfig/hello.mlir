// The configurations derived for the manual's hello kernels.
//
// RUN: sequin-opt %src/examples/tcp/constant_add.mlir --tcp-to-config | FileCheck %s --check-prefix=ADD
// RUN: sequin-opt %src/examples/tcp/elementwise_multiply.mlir --tcp-to-config | FileCheck %s --check-prefix=MUL
// RUN: sequin-opt %src/examples/tcp/dot_product.mlir --tcp-to-config | FileCheck %s --check-prefix=DOT
// RUN: sequin-opt %src/examples/tcp/gemv.mlir --tcp-to-config | FileCheck %s --check-prefix=GEMV
// RUN: sequin-opt %src/examples/tcp/gemm.mlir --tcp-to-config | FileCheck %s --check-prefix=GEMM
// ROWS: HEL-06, HEL-07, HEL-08, HEL-09, HEL-11, HEL-13, HEL-14, TRF-11

// Four engines serve 64 slices each.
// ADD-LABEL: tcp.config @main target "rngd" chips 1
// ADD: tcp.config_transfer "to_hbm"
// ADD: tcp.config_dma "to_dm"
// ADD-SAME: engine = 0,
// ADD-SAME: entries = {{\[\[}}64, 32, 4194304]], packet_bytes = 32
// ADD-SAME: engine = 3,
// ADD: tcp.config_exec "commit"
// ADD-SAME: main chip 0
// ADD-SAME: collect <packet_bytes = 32, flits_per_packet = 1>
// ADD-SAME: opcode = AddFxp, operand = <constant = 1>
// ADD-SAME: commit <{{.*}}sequencer = #stream.sequencer<[8 : 1] packet 1 at 4096>, commit_in_bytes = 32
// ADD: tcp.config_dma "to_hbm.1"
// ADD: tcp.config_transfer "to_host"
// ADD-NOT: "A

// The sub context fetches 8 bytes at a time.
// MUL-LABEL: tcp.config @main
// MUL: tcp.config_exec "to_vrf"
// MUL-SAME: sub chip 0
// MUL-SAME: access_bytes = 8
// MUL-SAME: to_vrf <address = 0, bytes = 32>
// MUL: tcp.config_exec "commit"
// MUL-SAME: opcode = MulInt, operand = <vrf = #stream.sequencer<[8 : 1] packet 1 at 0>>

// One slice; 128 flits become 64 packets of 64 bytes.
// DOT-LABEL: tcp.config @main
// DOT: tcp.config_exec "to_trf"
// DOT-SAME: slices ["0000000000000000000000000000000000000000000000000000000000000001",
// DOT-SAME: to_trf <address = full, rows = 1, bytes_per_row = 4096, short_command = true>
// DOT: tcp.config_exec "commit"
// DOT-SAME: flits_per_packet = 128
// DOT-SAME: collect_flits = 2
// DOT-SAME: trf = #stream.sequencer<[64 : 32] packet 0 at 0>
// DOT-SAME: depth = 5, columns = 1
// DOT-SAME: loops = [<size = 64, slot_stride = 0, reduced = true>]
// DOT-SAME: sequencer = #stream.sequencer<[8 : 1] packet 1 at 8192>, commit_in_bytes = 16

// The move to DM broadcasts the vector: source stride 0. Requests alternate between the
// two networks of an engine.
// GEMV-LABEL: tcp.config @main
// GEMV: tcp.config_dma "to_dm.1"
// GEMV-SAME: entries = {{\[\[}}32, 0, 4194304], [16, 256, 256], [2, 0, 134217728]], packet_bytes = 256
// GEMV: tcp.config_exec "commit"
// GEMV-SAME: sequencer = #stream.sequencer<[64 : 32, 32 : 1] packet 1 at 0>
// GEMV-SAME: flits_per_packet = 2

// [32:32, 4:8, 8:1] with 16 bytes of each flit.
// GEMM-LABEL: tcp.config @main
// GEMM-SAME: macs 268435456 bf16
// GEMM: tcp.config_exec "to_trf"
// GEMM-SAME: to_trf <address = full, rows = 8, bytes_per_row = 8192>
// GEMM: tcp.config_exec "commit"
// GEMM-SAME: trf = #stream.sequencer<[32 : 0, 4 : 1024, 32 : 32] packet 0 at 0>
// GEMM-SAME: sequencer = #stream.sequencer<[32 : 32, 4 : 8, 8 : 1] packet 1 at 262144>, commit_in_bytes = 16, access_bytes = 16
