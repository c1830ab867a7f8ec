func.func @main(%x: tensor<5x41xi32>, %y: tensor<5x41xi32>) -> tensor<5x41xi32> {
  %empty = tensor.empty() : tensor<5x41xi32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<5x41xi32>, tensor<5x41xi32>) outs(%empty : tensor<5x41xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %m = arith.constant 0 : i32
    %c0 = arith.cmpi eq, %a, %b : i32
    %e0 = arith.extui %c0 : i1 to i32
    %k0 = arith.constant 0 : i32
    %s0 = arith.shli %e0, %k0 : i32
    %o0 = arith.ori %m, %s0 : i32
    %c1 = arith.cmpi ne, %a, %b : i32
    %e1 = arith.extui %c1 : i1 to i32
    %k1 = arith.constant 1 : i32
    %s1 = arith.shli %e1, %k1 : i32
    %o1 = arith.ori %o0, %s1 : i32
    %c2 = arith.cmpi slt, %a, %b : i32
    %e2 = arith.extui %c2 : i1 to i32
    %k2 = arith.constant 2 : i32
    %s2 = arith.shli %e2, %k2 : i32
    %o2 = arith.ori %o1, %s2 : i32
    %c3 = arith.cmpi sle, %a, %b : i32
    %e3 = arith.extui %c3 : i1 to i32
    %k3 = arith.constant 3 : i32
    %s3 = arith.shli %e3, %k3 : i32
    %o3 = arith.ori %o2, %s3 : i32
    %c4 = arith.cmpi sgt, %a, %b : i32
    %e4 = arith.extui %c4 : i1 to i32
    %k4 = arith.constant 4 : i32
    %s4 = arith.shli %e4, %k4 : i32
    %o4 = arith.ori %o3, %s4 : i32
    %c5 = arith.cmpi sge, %a, %b : i32
    %e5 = arith.extui %c5 : i1 to i32
    %k5 = arith.constant 5 : i32
    %s5 = arith.shli %e5, %k5 : i32
    %o5 = arith.ori %o4, %s5 : i32
    %c6 = arith.cmpi ult, %a, %b : i32
    %e6 = arith.extui %c6 : i1 to i32
    %k6 = arith.constant 6 : i32
    %s6 = arith.shli %e6, %k6 : i32
    %o6 = arith.ori %o5, %s6 : i32
    %c7 = arith.cmpi ule, %a, %b : i32
    %e7 = arith.extui %c7 : i1 to i32
    %k7 = arith.constant 7 : i32
    %s7 = arith.shli %e7, %k7 : i32
    %o7 = arith.ori %o6, %s7 : i32
    %c8 = arith.cmpi ugt, %a, %b : i32
    %e8 = arith.extui %c8 : i1 to i32
    %k8 = arith.constant 8 : i32
    %s8 = arith.shli %e8, %k8 : i32
    %o8 = arith.ori %o7, %s8 : i32
    %c9 = arith.cmpi uge, %a, %b : i32
    %e9 = arith.extui %c9 : i1 to i32
    %k9 = arith.constant 9 : i32
    %s9 = arith.shli %e9, %k9 : i32
    %o9 = arith.ori %o8, %s9 : i32
    %z = arith.constant 0 : i32
    %r = arith.ori %o9, %z : i32
    linalg.yield %r : i32
  } -> tensor<5x41xi32>
  return %0 : tensor<5x41xi32>
}
