// ORACLE: low=-3 high=3
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<12x37xf32>) -> tensor<12xi32> {
  %best = arith.constant dense<0xFF800000> : tensor<12xf32>
  %first = arith.constant dense<0> : tensor<12xi32>
  %0:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<12x37xf32>) outs(%best, %first : tensor<12xf32>, tensor<12xi32>) {
  ^bb0(%in: f32, %out: f32, %at: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %beyond = arith.cmpf ogt, %out, %in : f32
    %nan = arith.cmpf une, %out, %out : f32
    %keeps = arith.ori %beyond, %nan : i1
    %same = arith.cmpf oeq, %out, %in : f32
    %before = arith.cmpi slt, %at, %n : i32
    %tie = arith.andi %same, %before : i1
    %stays = arith.ori %keeps, %tie : i1
    %m = arith.select %keeps, %out, %in : f32
    %p = arith.select %stays, %at, %n : i32
    linalg.yield %m, %p : f32, i32
  } -> (tensor<12xf32>, tensor<12xi32>)
  return %0#1 : tensor<12xi32>
}
