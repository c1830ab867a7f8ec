// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Host tensors that the program brings along, beside an argument. Their data is in
// the configuration: it runs without more inputs than the program has.
// RUN: rm -rf %t && %python %S/Inputs/views.py make constant %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: %python %S/Inputs/views.py check constant %t out.npy | FileCheck %s
// RUN: sequin-opt %s --tcp-to-config | sequin-translate --tcp-to-json > %t/config.json
// RUN: FileCheck %s --check-prefix=CONFIG < %t/config.json
// RUN: sequin-run %t/config.json --input %t/in0.npy --output %t/config.npy
// RUN: %python %S/Inputs/views.py check constant %t config.npy | FileCheck %s
// RUN: sequin-translate --json-to-tcp %t/config.json | sequin-translate --tcp-to-json > %t/again.json
// RUN: cmp %t/config.json %t/again.json
// CHECK: constant: 24 results equal NumPy's
// The bytes of -2.5 (00 00 20 c0) and so on; of a splat one element, 1.5.
// CONFIG: "constants": [
// CONFIG: "data": "AAAgwAAAwL8AAAC/AAAAPwAAwD8AACBAAABgQAAAkEA="
// CONFIG-NEXT: "name": "constant0"
// CONFIG: "data": "AADAPw=="
// CONFIG-NEXT: "name": "constant1"

#axes = #stream.axes<M = 4, N = 2>
#out = #stream.axes<T = 3, M = 4, N = 2>
#in = #stream.axes<M = 4, B = 8>
!Host = !tcp.host<f32, #axes, "M, N">
!Hbm = !tcp.hbm<f32, #axes, "1", "M, N">
!In = !tcp.hbm<f32, #in, "1", "M, B">
!Out = !tcp.hbm<f32, #out, "1", "T, M, N">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<f32, #in, "M, B">) -> !tcp.host<f32, #out, "T, M, N"> {
    %ramp = tcp.constant dense<[[-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5], [3.5, 4.5]]> : tensor<4x2xf32> : !Host
    // Nobody uses it.
    %unused = tcp.constant dense<7.0> : tensor<8xf32> : !Host
    %same = tcp.constant dense<1.5> : tensor<8xf32> : !Host
    %h = tcp.to_hbm %a at 0 : !tcp.host<f32, #in, "M, B"> -> !In
    %i = tcp.to_hbm %ramp at 4096 : !Host -> !Hbm
    %j = tcp.to_hbm %same at 8192 : !Host -> !Hbm
    %r = tcp.launch @kernel(%h, %i, %j) : (!In, !Hbm, !Hbm) -> !Out
    %o = tcp.to_host %r : !Out -> !tcp.host<f32, #out, "T, M, N">
    return %o : !tcp.host<f32, #out, "T, M, N">
  }
  func.func @kernel(%in: !In, %ramp: !Hbm, %same: !Hbm) -> !Out {
    %out = tcp.from_address 16384 : !Out
    %v = tcp.view %in at 0 : !In -> !tcp.hbm<f32, #axes, "1", "M, N # 8">
    %0 = tcp.to_hbm_view %v into %out at 0 as !Hbm : !tcp.hbm<f32, #axes, "1", "M, N # 8">, !Out
    %1 = tcp.to_hbm_view %ramp into %0 at 8 as !Hbm : !Hbm, !Out
    %2 = tcp.to_hbm_view %same into %1 at 16 as !Hbm : !Hbm, !Out
    return %2 : !Out
  }
}
