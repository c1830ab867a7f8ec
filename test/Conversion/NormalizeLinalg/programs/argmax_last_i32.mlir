// ORACLE: low=-3 high=3
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<12x37xi32>) -> tensor<12xi32> {
  %best = arith.constant dense<-2147483648> : tensor<12xi32>
  %first = arith.constant dense<0> : tensor<12xi32>
  %0:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<12x37xi32>) outs(%best, %first : tensor<12xi32>, tensor<12xi32>) {
  ^bb0(%in: i32, %out: i32, %at: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %beyond = arith.cmpi slt, %out, %in : i32
    %same = arith.cmpi eq, %in, %out : i32
    %after = arith.cmpi slt, %at, %n : i32
    %tie = arith.andi %after, %same : i1
    %takes = arith.ori %tie, %beyond : i1
    %m = arith.maxsi %in, %out : i32
    %p = arith.select %takes, %n, %at : i32
    linalg.yield %m, %p : i32, i32
  } -> (tensor<12xi32>, tensor<12xi32>)
  return %0#1 : tensor<12xi32>
}
