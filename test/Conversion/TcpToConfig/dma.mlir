// The manual's DMA examples as descriptors.
//
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json | %python %S/Inputs/descriptors.py | FileCheck %s
// RUN: sequin-run %s --timing-only --report %t.json
// RUN: %python -c "import json; [print(c['name'], c['end'] - c['start'], c['stages']['engines']) for c in json.load(open(r'%t.json'))['commands'] if c['context'] == 'dma']" | FileCheck %s --check-prefix=CYCLES
// ROWS: DMA-04, DMA-07, DMA-08, DMA-10, DMA-11, DMA-14, DMA-15, DMA-16, DMA-17, DMA-18, ERR-31, ERR-32, ERR-35, ERR-37, ERR-39, ERR-40

#nchw = #stream.axes<N = 4, C = 3, H = 8, W = 8>
#ex1 = #stream.axes<A = 8, B = 8, C = 256>
#ex2 = #stream.axes<A = 256, B = 256, C = 256>
#grid2 = #tcp.grid<#ex2, chip "1", cluster "1 # 2", slice "A / 4 # 256">
#ex4 = #stream.axes<A = 64, B = 2048, C = 1024>
#grid4 = #tcp.grid<#ex4, chip "1", cluster "B / 1024", slice "B / 256 % 4, A">
#ex5 = #stream.axes<A = 8, B = 64, C = 8, D = 512>
#grid5 = #tcp.grid<#ex5, chip "1", cluster "A / 4", slice "A % 4, B">

module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%0: !tcp.host<i8, #nchw, "N, C, H, W">, %1: !tcp.host<i8, #ex1, "A, B, C">,
                  %2: !tcp.host<i8, #ex2, "B, A, C">, %4: !tcp.host<i8, #ex4, "A, B, C">,
                  %5: !tcp.host<i8, #ex5, "A, B, C, D">, %6: !tcp.host<i8, #ex2, "A, B, C">) {
    %h0 = tcp.to_hbm %0 at 1024 : !tcp.host<i8, #nchw, "N, C, H, W"> -> !tcp.hbm<i8, #nchw, "1", "N, C, H, W">
    tcp.launch @basic(%h0) : (!tcp.hbm<i8, #nchw, "1", "N, C, H, W">) -> ()
    %h1 = tcp.to_hbm %1 at 0 : !tcp.host<i8, #ex1, "A, B, C"> -> !tcp.hbm<i8, #ex1, "1", "A, B, C">
    tcp.launch @example1(%h1) : (!tcp.hbm<i8, #ex1, "1", "A, B, C">) -> ()
    %h2 = tcp.to_hbm %2 at 0 : !tcp.host<i8, #ex2, "B, A, C"> -> !tcp.hbm<i8, #ex2, "1", "B, A, C">
    tcp.launch @example2(%h2) : (!tcp.hbm<i8, #ex2, "1", "B, A, C">) -> ()
    %h4 = tcp.to_hbm %4 at 0 : !tcp.host<i8, #ex4, "A, B, C"> -> !tcp.hbm<i8, #ex4, "1", "A, B, C">
    tcp.launch @example4(%h4) : (!tcp.hbm<i8, #ex4, "1", "A, B, C">) -> ()
    %h5 = tcp.to_hbm %5 at 0 : !tcp.host<i8, #ex5, "A, B, C, D"> -> !tcp.hbm<i8, #ex5, "1", "A, B, C, D">
    tcp.launch @example5(%h5) : (!tcp.hbm<i8, #ex5, "1", "A, B, C, D">) -> ()
    %h6 = tcp.to_hbm %6 at 0 : !tcp.host<i8, #ex2, "A, B, C"> -> !tcp.hbm<i8, #ex2, "1", "A, B, C">
    tcp.launch @internals(%h6) : (!tcp.hbm<i8, #ex2, "1", "A, B, C">) -> ()
    return
  }

  // CHECK: basic.to_hbm: hbm 0 -> hbm 0 engine 0: [8:8/96, 3:64/32, 4:192/8]:8 @ 1024 -> 2048
  func.func @basic(%in: !tcp.hbm<i8, #nchw, "1", "N, C, H, W">) {
    %out = tcp.to_hbm %in at 2048 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "H, C, N", packet "W">]
        : !tcp.hbm<i8, #nchw, "1", "N, C, H, W"> -> !tcp.hbm<i8, #nchw, "1", "H, C, N, W"> loc("basic")
    return
  }

  // CHECK: ex1.to_hbm: hbm 0 -> hbm 0 engine 0: [8:2048/256, 8:256/2048]:256 @ 0 -> 16384
  // CYCLES: ex1.to_hbm 628 628
  func.func @example1(%in: !tcp.hbm<i8, #ex1, "1", "A, B, C">) {
    %out = tcp.to_hbm %in at 16384 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "A, B", packet "C">]
        : !tcp.hbm<i8, #ex1, "1", "A, B, C"> -> !tcp.hbm<i8, #ex1, "1", "B, A, C"> loc("ex1")
    return
  }

  // CHECK: ex2.to_dm: hbm 0 -> dm 0 engine 0: [256:65536/256, 4:256/65536, 32:1024/4194304, 2:32768/134217728]:256 @ 0 -> 0
  // CHECK: ex3.to_dm: dm 0 -> dm 0 engine 0: [256:256/1024, 4:65536/256, 32:4194304/4194304, 2:134217728/134217728]:256 @ 0 -> 262144
  // CYCLES: ex2.to_dm 66036
  // CYCLES: ex3.to_dm 131572
  func.func @example2(%in: !tcp.hbm<i8, #ex2, "1", "B, A, C">) {
    %dm = tcp.to_dm %in at 0 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "B, A % 4, A / 4 % 32, A / 128", packet "C">]
        : !tcp.hbm<i8, #ex2, "1", "B, A, C"> -> !tcp.dm<i8, #grid2, "A % 4, B, C"> loc("ex2")
    %out = tcp.to_dm %dm at 262144 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "B, A % 4, A / 4 % 32, A / 128", packet "C">]
        : !tcp.dm<i8, #grid2, "A % 4, B, C"> -> !tcp.dm<i8, #grid2, "B, A % 4, C"> loc("ex3")
    return
  }

  // CHECK: ex4.to_dm: hbm 0 -> dm 0 engine 0: [256:1024/1024, 4:256/256, 32:2097152/4194304, 2:67108864/134217728]:256 @ 0 -> 0
  // CHECK: ex4.to_dm: hbm 0 -> dm 0 engine 1: {{.*}} @ 262144 -> 268435456
  // CHECK: ex4.to_dm: hbm 0 -> dm 0 engine 4: {{.*}} @ 1048576 -> 1073741824
  // CHECK: ex4.to_dm: hbm 0 -> dm 0 engine 7: {{.*}} @ 1835008 -> 1879048192
  // CYCLES: ex4.to_dm 655860 66036
  func.func @example4(%in: !tcp.hbm<i8, #ex4, "1", "A, B, C">) {
    %dm = tcp.to_dm %in at 0 stream [#tcp.dma_stream<chip "1", cluster "B / 1024", slice "B / 256 % 4", time "B % 256, C / 256, A % 32, A / 32", packet "C % 256">]
        : !tcp.hbm<i8, #ex4, "1", "A, B, C"> -> !tcp.dm<i8, #grid4, "B % 256, C"> loc("ex4")
    return
  }

  // CHECK: ex5.to_dm: hbm 0 -> dm 0 engine 0: [8:512/256, 32:4096/4194304, 2:131072/134217728]:256 @ 0 -> 0
  // CHECK: ex5.to_dm: hbm 0 -> dm 0 engine 7: {{.*}} @ 1835008 -> 1879048192
  // CYCLES: ex5.to_dm {{18(57|58|59|60|61|62|63|64|65|66)}} 1012
  func.func @example5(%in: !tcp.hbm<i8, #ex5, "1", "A, B, C, D">) {
    %dm = tcp.to_dm %in at 0 stream [#tcp.dma_stream<chip "1", cluster "A / 4", slice "A % 4", time "C, B % 32, B / 32", packet "D % 256">]
        : !tcp.hbm<i8, #ex5, "1", "A, B, C, D"> -> !tcp.dm<i8, #grid5, "C, D % 256"> loc("ex5")
    return
  }

  // Copies inside one memory read and write in turn (ERR-36): twice 65536.
  // CHECK: internals.to_hbm: hbm 0 -> hbm 0 engine 0: [256:65536/256, 256:256/65536]:256 @ 0 -> 16777216
  // CYCLES: internals.to_hbm {{[0-9]+}} 131572
  func.func @internals(%in: !tcp.hbm<i8, #ex2, "1", "A, B, C">) {
    %out = tcp.to_hbm %in at 16777216 stream [#tcp.dma_stream<chip "1", cluster "1", slice "1", time "A, B", packet "C">]
        : !tcp.hbm<i8, #ex2, "1", "A, B, C"> -> !tcp.hbm<i8, #ex2, "1", "B, A, C"> loc("internals")
    return
  }
}
