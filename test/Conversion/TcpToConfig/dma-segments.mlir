// Tensors that do not divide evenly over engines, on four chips: the manual's Example 6
// and its heterogeneous mapping.
//
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python %S/Inputs/descriptors.py | FileCheck %s
// RUN: sequin-run %s --timing-only --report %t.json
// RUN: %python -c "import json; [print(c['name'], c['end'] - c['start'], c['stages']['engines'], c['chips']) for c in json.load(open(r'%t.json'))['commands'] if c['context'] == 'dma']" | FileCheck %s --check-prefix=CYCLES
// ROWS: DMA-07, DMA-09, DMA-19, ERR-33, ERR-41

#axes = #stream.axes<A = 15, B = 32, C = 256, D = 8>
#grid = #tcp.grid<#axes, chip "D / 2", cluster "D % 2", slice "A # 16 / 4, A # 16 / 2 % 2, B">
!Host = !tcp.host<i8, #axes, "D, B, A, C">
!Hbm = !tcp.hbm<i8, #axes, "D / 2", "D % 2, B, A, C">
!Dm = !tcp.dm<i8, #grid, "A # 16 % 2, C">
#abcd = #stream.axes<A = 4, B = 256, C = 256, D = 256>
#parts = #tcp.grid<#abcd, chip "A", cluster "B / 128", slice "C">
!Host9 = !tcp.host<i8, #abcd, "A, B, C, D">
!Hbm9 = !tcp.hbm<i8, #abcd, "A", "B, C, D">

module attributes {tcp.target = #tcp.target<"rngd", chips = 4>} {
  func.func @main(%0: !Host, %1: !Host9) -> !Host {
    %2 = tcp.to_hbm %0 at 0 : !Host -> !Hbm
    %3 = tcp.launch @segments(%2) : (!Hbm) -> !Hbm
    %4 = tcp.to_host %3 : !Hbm -> !Host
    %5 = tcp.to_hbm %1 at 4194304 : !Host9 -> !Hbm9
    tcp.launch @heterogeneous(%5) : (!Hbm9) -> ()
    return %4 : !Host
  }

  // As the manual's streams write it, and as the compiler cuts it: the same pieces.
  // CHECK: ex6.to_hbm: dm 0 -> hbm 0 engine 0: [2:256/256, 32:4194304/3840, 2:134217728/512]:256 @ 0 -> 1048576
  // CHECK: ex6.to_hbm: dm 0 -> hbm 0 engine 1: [2:256/256, 32:4194304/3840, 2:134217728/512]:256 @ 268435456 -> 1049600
  // CHECK: ex6.to_hbm: dm 0 -> hbm 0 engine 2: [2:256/256, 32:4194304/3840, 2:134217728/512]:256 @ 536870912 -> 1050624
  // CHECK: ex6.to_hbm: dm 3 -> hbm 3 engine 6: [2:256/256, 32:4194304/3840, 2:134217728/512]:256
  // CHECK: ex6.to_hbm: dm 0 -> hbm 0 engine 3: [2:256/256, 32:4194304/3840]:256 @ 805306368 -> 1051648
  // CHECK: ex6.to_hbm: dm 0 -> hbm 0 engine 3: [32:4194304/3840]:256 @ 939524096 -> 1052160
  // CHECK: auto.to_hbm: dm 0 -> hbm 0 engine 0: [32:4194304/3840, 2:134217728/512]:512 @ 0 -> 2097152
  // CHECK: auto.to_hbm: dm 0 -> hbm 0 engine 3: [32:4194304/3840]:512 @ 805306368 -> 2100224
  // CHECK: auto.to_hbm: dm 0 -> hbm 0 engine 3: [32:4194304/3840]:256 @ 939524096 -> 2100736
  // CYCLES: ex6.to_hbm 1192 1192 [0, 1, 2, 3]
  // CYCLES: auto.to_hbm 1192 1192 [0, 1, 2, 3]
  func.func @segments(%in: !Hbm) -> !Hbm {
    %dm = tcp.to_dm %in at 0 : !Hbm -> !Dm
    %out = tcp.to_hbm %dm at 1048576 stream [
        #tcp.dma_stream<chip "D / 2", cluster "D % 2", slice "[A # 16 / 4] = 3", time "A # 16 % 2, B, A # 16 / 2 % 2", packet "C">,
        #tcp.dma_stream<chip "D / 2", cluster "D % 2", slice "[A # 16 / 4] @ 3 = 1", time "A # 16 % 2, B, [A # 16 / 2 % 2] = 1", packet "C">,
        #tcp.dma_stream<chip "D / 2", cluster "D % 2", slice "[A # 16 / 4] @ 3 = 1", time "[A # 16 % 2] = 1, B, [A # 16 / 2 % 2] @ 1 = 1", packet "C">]
        : !Dm -> !Hbm loc("ex6")
    %same = tcp.to_hbm %dm at 2097152 : !Dm -> !Hbm loc("auto")
    return %out : !Hbm
  }

  // CHECK: het.to_dm: hbm 0 -> dm 0 engine 0: [32:256/4194304, 128:65536/256, 2:8192/134217728]:256 @ 4194304 -> 0
  // CHECK: het.to_dm: hbm 0 -> dm 0 engine 1: {{.*}} @ 4210688 -> 268435456
  // CHECK: het.to_dm: hbm 0 -> dm 0 engine 4: {{.*}} @ 12582912 -> 1073741824
  // CHECK: het.to_dm: hbm 3 -> dm 3 engine 7: {{.*}}
  func.func @heterogeneous(%in: !Hbm9) {
    %dm = tcp.to_dm %in at 0 stream [#tcp.dma_stream<chip "A", cluster "B / 128", slice "C / 64", time "C % 32, B % 128, C / 32 % 2", packet "D">]
        : !Hbm9 -> !tcp.dm<i8, #parts, "B % 128, D"> loc("het")
    return
  }
}
