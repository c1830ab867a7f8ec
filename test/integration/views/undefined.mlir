// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A view of what nobody has written is no harm, nor is moving it, until the host
// asks for it.
// RUN: rm -rf %t && %python %S/Inputs/views.py make strides %t
// RUN: sequin-run %s --input %t/in0.npy --output %t/out.npy --verify
// RUN: sed 's/at 32 as/at 33 as/' %s > %t/moved.mlir
// RUN: not sequin-run %t/moved.mlir --input %t/in0.npy --output %t/none.npy --verify 2>&1 | FileCheck %s --check-prefix=READ
// READ: moved.mlir:{{.*}}: error: 'tcp.to_host' op reads index {}, which its operand does not hold: nobody has written it or what it is computed from
// One element under two positions is one value.
// RUN: sed 's/launch @kernel/launch @same/' %s > %t/same.mlir
// RUN: not sequin-run %t/same.mlir --input %t/in0.npy --output %t/none.npy --verify 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: same.mlir:{{.*}}: error: 'tcp.view' op finds two values of one element, the second at position {{[0-9]+}} of the source

#source = #stream.axes<A = 64>
#part = #stream.axes<X = 16>
!Hbm = !tcp.hbm<f32, #source, "1", "A">
!Part = !tcp.hbm<f32, #part, "1", "X">
!Same = !tcp.hbm<f32, #part, "1", "16">
module attributes {tcp.target = #tcp.target<"rngd", chips = 1>} {
  func.func @main(%a: !tcp.host<f32, #source, "A">) -> !tcp.host<f32, #part, "X"> {
    %h = tcp.to_hbm %a at 0 : !tcp.host<f32, #source, "A"> -> !Hbm
    %r = tcp.launch @kernel(%h) : (!Hbm) -> !Part
    %o = tcp.to_host %r : !Part -> !tcp.host<f32, #part, "X">
    return %o : !tcp.host<f32, #part, "X">
  }
  func.func @kernel(%in: !Hbm) -> !Part {
    %out = tcp.from_address 8192 : !Hbm
    %nothing = tcp.view %out at 0 : !Hbm -> !Part
    %first = tcp.view %in at 8 : !Hbm -> !Part
    %new = tcp.to_hbm_view %first into %out at 32 as !Part : !Part, !Hbm
    %second = tcp.view %new at 32 : !Hbm -> !Part
    %r = tcp.to_hbm %second at 4096 : !Part -> !Part
    return %r : !Part
  }  func.func @same(%in: !Hbm) -> !Part {
    %v = tcp.view %in at 8 : !Hbm -> !Same
    %0 = tcp.to_hbm %v at 4096 : !Same -> !Same
    %r = tcp.view %0 at 0 : !Same -> !Part
    return %r : !Part
  }
}
