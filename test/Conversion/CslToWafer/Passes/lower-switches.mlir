// RUN: sequin-opt %s --pass-pipeline="builtin.module(csl.program(func.func(csl-lower-switches)))" | FileCheck %s

// A switch asks for one value after another.

module attributes {csl.target = #csl.target<"wse3">} {
  csl.layout 1 x 1 {
    csl.tile_code @pe at <0, 0>
  }
  csl.program @pe {
    func.func @f(%x: i16) -> i16 {
      %a = arith.constant 1 : i16
      cf.switch %x : i16, [
        default: ^rest(%x : i16),
        3: ^rest(%a : i16),
        7: ^seven
      ]
    ^seven:
      return %a : i16
    ^rest(%y: i16):
      return %y : i16
    }
  }
}

// CHECK: func.func @f([[A0:%[a-z0-9_-]+]]: i16) -> i16 {
// CHECK-NEXT: [[V1:%[a-z0-9_-]+]] = arith.constant 1 : i16
// CHECK-NEXT: [[V2:%[a-z0-9_-]+]] = arith.constant 3 : i16
// CHECK-NEXT: [[V3:%[a-z0-9_-]+]] = arith.cmpi eq, [[A0]], [[V2]] : i16
// CHECK-NEXT: cf.cond_br [[V3]], [[B4:\^bb[0-9]+]]([[V1]] : i16), [[B5:\^bb[0-9]+]]
// CHECK-NEXT: [[B5]]:{{.*}}
// CHECK-NEXT: [[V6:%[a-z0-9_-]+]] = arith.constant 7 : i16
// CHECK-NEXT: [[V7:%[a-z0-9_-]+]] = arith.cmpi eq, [[A0]], [[V6]] : i16
// CHECK-NEXT: cf.cond_br [[V7]], [[B8:\^bb[0-9]+]], [[B9:\^bb[0-9]+]]
// CHECK-NEXT: [[B9]]:{{.*}}
// CHECK-NEXT: cf.br [[B4]]([[A0]] : i16)
// CHECK-NEXT: [[B8]]:{{.*}}
// CHECK-NEXT: return [[V1]] : i16
// CHECK-NEXT: [[B4]]([[V10:%[a-z0-9_-]+]]: i16):{{.*}}
// CHECK-NEXT: return [[V10]] : i16
// CHECK-NEXT: }
