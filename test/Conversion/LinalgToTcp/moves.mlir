// RUN: sequin-opt %s --convert-linalg-to-tcp=target=rngd --split-input-file | FileCheck %s
// RUN: sequin-opt %s --linalg-to-tcp=target=rngd --split-input-file --verify-roundtrip -o /dev/null

// ROWS: DMA-03

// Operations that move elements, and stores that must not write past their end.

// What only names elements anew moves nothing: the reader of a slice of a transposed
// tensor reads that tensor, at an offset. The only command from HBM is the sum's.

// CHECK-LABEL: func.func @view_kernel
// CHECK: tcp.view %arg0 at 1024 :
// CHECK-COUNT-1: tcp.to_dm
// CHECK-NOT: tcp.to_dm
// CHECK: tcp.vector_intra_slice_reduce
func.func @view(%a: tensor<64x64xf32>) -> tensor<48xf32> {
  %empty = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.transpose ins(%a : tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) permutation = [1, 0]
  %1 = tensor.extract_slice %0[0, 16] [64, 48] [1, 1]
      : tensor<64x64xf32> to tensor<64x48xf32>
  %zero = arith.constant dense<0.0> : tensor<48xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<64x48xf32>)
      outs(%zero : tensor<48xf32>) dimensions = [0]
  return %2 : tensor<48xf32>
}

// -----

// An insertion copies what it inserts into, and then writes its part: 20 elements of
// each row, at row 3 and column 7. The packets' loop is cut to the extent in HBM.

// CHECK-LABEL: func.func @insert_kernel
// CHECK: %[[COPY:.*]] = tcp.to_hbm_view {{.*}} "D, D1">
// CHECK: tcp.commit %{{.*}} "D1" : {{.*}} "D1 / 8", "D1 % 8"
// CHECK: tcp.to_hbm_view %{{.*}} into %[[COPY]] at 151 as !tcp.hbm<f32, #{{.*}}, "1", "D, D1 = 20 # 48">
func.func @insert(%a: tensor<6x20xf32>, %b: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %0 = tensor.insert_slice %a into %b[3, 7] [6, 20] [1, 1]
      : tensor<6x20xf32> into tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}

// -----

// Pieces side by side go into one tensor without a copy in between.

// CHECK-LABEL: func.func @concatenate_kernel
// CHECK: %[[OUT:.*]] = tcp.from_address
// CHECK: %[[ONE:.*]] = tcp.to_hbm_view %{{.*}} into %[[OUT]] at 0 as {{.*}}"D, D1 = 20 # 32">
// CHECK: %[[TWO:.*]] = tcp.to_hbm_view %{{.*}} into %[[ONE]] at 192 as {{.*}}"D, D1 = 20 # 32">
// CHECK-NEXT: return %[[TWO]]
func.func @concatenate(%a: tensor<6x20xf32>, %b: tensor<10x20xf32>)
    -> tensor<16x20xf32> {
  %empty = tensor.empty() : tensor<16x20xf32>
  %0 = tensor.insert_slice %a into %empty[0, 0] [6, 20] [1, 1]
      : tensor<6x20xf32> into tensor<16x20xf32>
  %1 = tensor.insert_slice %b into %0[6, 0] [10, 20] [1, 1]
      : tensor<10x20xf32> into tensor<16x20xf32>
  return %1 : tensor<16x20xf32>
}

// -----

// A tensor that is read again afterwards is copied before somebody writes into it.

// CHECK-LABEL: func.func @kept_kernel
// CHECK: %[[WIDE:.*]] = tcp.to_hbm_view {{.*}} !tcp.hbm<f32, #{{.*}}, "1", "D0, D1">
// CHECK: tcp.view %[[WIDE]]
// CHECK: %[[COPY:.*]] = tcp.to_hbm_view
// CHECK: %[[NEW:.*]] = tcp.to_hbm_view %{{.*}} into %[[COPY]] at 144
// CHECK: return %[[WIDE]], %[[NEW]]
func.func @kept(%a: tensor<32x48xf32>, %b: tensor<2x48xf32>)
    -> (tensor<32x48xf32>, tensor<32x48xf32>) {
  %empty = tensor.empty() : tensor<32x48xf32>
  %0 = linalg.square ins(%a : tensor<32x48xf32>)
      outs(%empty : tensor<32x48xf32>) -> tensor<32x48xf32>
  %1 = tensor.insert_slice %b into %0[3, 0] [2, 48] [1, 1]
      : tensor<2x48xf32> into tensor<32x48xf32>
  return %0, %1 : tensor<32x48xf32>, tensor<32x48xf32>
}

// -----

// Padding is a fill with a constant that the host sends, and an insertion. DMA
// writes single bytes, so the insertion may start at an odd one.

// CHECK-LABEL: func.func @pad_kernel
// CHECK-SAME: (%[[C:[^:]*]]: !tcp.hbm<i8, #{{.*}}, "1", "1 # 64">
// CHECK: tcp.view %[[C]]
// CHECK: tcp.fetch %{{.*}} i8 "1", "D1"
// CHECK: %[[FILLED:.*]] = tcp.to_hbm_view
// CHECK: tcp.to_hbm_view %{{.*}} into %[[FILLED]] at 66 as !tcp.hbm<i8, #{{.*}}, "1", "D, D1 = 13 # 64">
// CHECK-LABEL: func.func @pad(
// CHECK: %[[SEVEN:.*]] = tcp.constant dense<7> : tensor<i8> : !tcp.host<i8, #{{.*}}, "1">
// CHECK: tcp.to_hbm %[[SEVEN]]
func.func @pad(%a: tensor<10x13xi8>) -> tensor<14x16xi8> {
  %c = arith.constant 7 : i8
  %0 = tensor.pad %a low[1, 2] high[3, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i8
  } : tensor<10x13xi8> to tensor<14x16xi8>
  return %0 : tensor<14x16xi8>
}

// -----

// Joined dimensions are written at a sum of two loops, neither of which may run past
// its end. Packets along the five elements of a row are cut.

// CHECK-LABEL: func.func @collapse_kernel
// CHECK: tcp.to_hbm_view {{.*}} as !tcp.hbm<f32, #{{.*}}, "1", "D, D1, D2 = 5 # 16"> : {{.*}}, !tcp.hbm<f32, #{{.*}}, "1", "D0, D1 # 16">
func.func @collapse(%a: tensor<6x20x5xf32>) -> tensor<120x5xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]]
      : tensor<6x20x5xf32> into tensor<120x5xf32>
  return %0 : tensor<120x5xf32>
}

// -----

// A dimension in two is a view: one copy, for the result that leaves the function.

// CHECK-LABEL: func.func @expand_kernel
// CHECK: tcp.view %arg0 at 0 : {{.*}} "D0, D1"> -> !tcp.hbm<f32, #{{.*}}, "1", "D, D1, D2">
// CHECK-COUNT-1: tcp.commit
// CHECK-NOT: tcp.commit
// CHECK: return
func.func @expand(%a: tensor<120x64xf32>) -> tensor<6x20x64xf32> {
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [6, 20, 64]
      : tensor<120x64xf32> into tensor<6x20x64xf32>
  return %0 : tensor<6x20x64xf32>
}

// -----

// One loop in two dimensions steps over a row and an element at once. Every element
// has a word of its own, and the last step ends behind the last row.

// CHECK-LABEL: func.func @diagonal_kernel
// CHECK-SAME: (%[[A:[^:]*]]: !tcp.hbm<f32, #axes, "1", "[D0, D1, 1 # 2] # {{[0-9]+}}">)
// CHECK: %[[V:.*]] = tcp.view %[[A]] at 0 : {{.*}} "D, 1 # [[STEP:[0-9]+]]">
// CHECK: tcp.to_dm %[[V]] {{.*}} "D % 8, 1 # 2">
// CHECK: tcp.fetch %{{.*}} f32 "1", "D % 8"
// CHECK-NOT: scf.for
// CHECK: return
func.func @diagonal(%a: tensor<24x24xf32>) -> tensor<24xf32> {
  %empty = tensor.empty() : tensor<24xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a : tensor<24x24xf32>) outs(%empty : tensor<24xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// A dimension backwards has no mapping: a loop over tiles of one row each.

// CHECK-LABEL: func.func @reversed_kernel
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: tcp.view %arg0 at %[[I]] * -48 + 720 : {{.*}} "D1">
func.func @reversed(%a: tensor<16x40xf32>) -> tensor<16x40xf32> {
  %empty = tensor.empty() : tensor<16x40xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (15 - i, j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x40xf32>) outs(%empty : tensor<16x40xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<16x40xf32>
  return %0 : tensor<16x40xf32>
}

// -----

// Of a window's two loops the longer one is a tile, the other one goes over it.

// CHECK-LABEL: func.func @window_kernel
// CHECK: %[[N:.*]] = arith.constant 5 : index
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N]]
// CHECK: tcp.view %arg0 at %[[I]] * 64 : {{.*}} "D, D2">
// CHECK: tcp.to_hbm_view %{{.*}} at %[[I]] * 64 as !tcp.hbm<bf16, #{{.*}}, "1", "D, D2 # 320">
func.func @window(%a: tensor<40x64xbf16>) -> tensor<36x5x64xbf16> {
  %empty = tensor.empty() : tensor<36x5x64xbf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i + j, k)>,
                       affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<40x64xbf16>) outs(%empty : tensor<36x5x64xbf16>) {
  ^bb0(%x: bf16, %out: bf16):
    linalg.yield %x : bf16
  } -> tensor<36x5x64xbf16>
  return %0 : tensor<36x5x64xbf16>
}

// -----

// A gather is one command of the DMA engine, from HBM to HBM.

// CHECK-LABEL: func.func @gather_kernel
// CHECK-SAME: (%[[T:[^:]*]]: !tcp.hbm<bf16, {{.*}}>, %[[I:[^:]*]]: !tcp.hbm<i32, {{.*}}>)
// CHECK: %[[ROWS:.*]] = tcp.view %[[T]] at 0 : {{.*}} "V, D1 # 32">
// CHECK: %[[PLACES:.*]] = tcp.view %[[I]] at 0
// CHECK: tcp.gather %[[ROWS]][%[[PLACES]]] "V" at 0 : {{.*}} "D, D1 # 32">
// CHECK-NOT: tcp.to_dm
// CHECK: return
func.func @gather(%t: tensor<100x24xbf16>, %i: tensor<9x1xi32>) -> tensor<9x24xbf16> {
  %0 = tensor.gather %t[%i] gather_dims([0])
      : (tensor<100x24xbf16>, tensor<9x1xi32>) -> tensor<9x24xbf16>
  return %0 : tensor<9x24xbf16>
}

// -----

// Rows of a slice that leaves out columns are not where they lie: copied first.

// CHECK-LABEL: func.func @gather_of_slice_kernel
// CHECK: %[[COPY:.*]] = tcp.to_hbm_view
// CHECK: %[[ROWS:.*]] = tcp.view %[[COPY]]
// CHECK: tcp.gather %[[ROWS]]
func.func @gather_of_slice(%t: tensor<100x24xbf16>, %i: tensor<9x1xi32>)
    -> tensor<9x8xbf16> {
  %0 = tensor.extract_slice %t[0, 8] [100, 8] [1, 1]
      : tensor<100x24xbf16> to tensor<100x8xbf16>
  %1 = tensor.gather %0[%i] gather_dims([0])
      : (tensor<100x8xbf16>, tensor<9x1xi32>) -> tensor<9x8xbf16>
  return %1 : tensor<9x8xbf16>
}
