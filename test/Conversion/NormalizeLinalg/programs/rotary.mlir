// ORACLE: close
func.func @main(%x: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %e = tensor.empty() : tensor<2x6x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(h, s, d) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<2x6x8xf32>) {
  ^bb0(%out: f32):
    %h = linalg.index 0 : index
    %s = linalg.index 1 : index
    %d = linalg.index 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %m = arith.addi %d, %c4 : index
    %p = arith.remui %m, %c8 : index
    %low = arith.cmpi ult, %d, %c4 : index
    %v = tensor.extract %x[%h, %s, %d] : tensor<2x6x8xf32>
    %w = tensor.extract %x[%h, %s, %p] : tensor<2x6x8xf32>
    %n = arith.negf %w : f32
    %rot = arith.select %low, %n, %w : f32
    %si = arith.index_cast %s : index to i32
    %sf = arith.sitofp %si : i32 to f32
    %cos = math.cos %sf : f32
    %sin = math.sin %sf : f32
    %a = arith.mulf %v, %cos : f32
    %b = arith.mulf %rot, %sin : f32
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x6x8xf32>
  return %0 : tensor<2x6x8xf32>
}
