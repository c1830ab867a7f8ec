// Where rows go that are scattered: into the argument, if nobody reads its old value any
// more, else into a copy; the group's record says which.
//
// RUN: sequin-opt %s --tcp-plan-form-groups=target=rngd --verify-roundtrip --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: plan.program @here
// CHECK-SAME: returns [@arg0]
// CHECK: plan.group scatter of "tensor.scatter" note "in the memory of argument 0" loops [#plan.loop<extent = 2>, #plan.loop<extent = 3>, #plan.loop<extent = 8>] {
// CHECK: %[[ROWS:.*]] = plan.read @arg1 affine_map<(d0, d1, d2) -> (d0, d1, d2)> : f32
// CHECK: %[[PLACES:.*]] = plan.read @arg2 affine_map<(d0, d1, d2) -> (d0, 0)> : i32
// CHECK: %[[HEAD:.*]] = plan.head %[[ROWS]], %[[PLACES]] : (f32, i32) -> f32
// CHECK: plan.write %[[HEAD]] to @arg0 affine_map<(d0, d1, d2) -> (d1, 0, d2)> : f32
// CHECK-NOT: plan.group
func.func @here(%cache: tensor<3x16x8xf32>, %rows: tensor<2x3x8xf32>, %places: tensor<2x1xi32>) -> tensor<3x16x8xf32> {
  %0 = tensor.scatter %rows into %cache[%places] scatter_dims([1]) unique : (tensor<2x3x8xf32>, tensor<3x16x8xf32>, tensor<2x1xi32>) -> tensor<3x16x8xf32>
  return %0 : tensor<3x16x8xf32>
}

// A reader before the write reads the old value; one behind it, through whatever view,
// keeps the memory as it is.
// CHECK-LABEL: plan.program @before
// CHECK: plan.group stream of "linalg.generic"
// CHECK: plan.group scatter {{.*}} note "in the memory of argument 0"
// CHECK-NOT: plan.group
func.func @before(%cache: tensor<16x8xf32>, %rows: tensor<1x8xf32>, %places: tensor<1x1xi32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %e = tensor.empty() : tensor<16x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%cache : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<16x8xf32>
  %0 = tensor.scatter %rows into %cache[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  return %0, %x : tensor<16x8xf32>, tensor<16x8xf32>
}
// CHECK-LABEL: plan.program @view
// CHECK: plan.group stream of "tensor.scatter"
// CHECK: plan.write %{{.*}} to @[[COPY:.*]] affine_map
// CHECK: plan.group scatter {{.*}} note "into a copy: the old value is read afterwards"
// CHECK: plan.write %{{.*}} to @[[COPY]] affine_map<(d0, d1) -> (0, d1)>
func.func @view(%cache: tensor<16x8xf32>, %rows: tensor<1x8xf32>, %places: tensor<1x1xi32>) -> (tensor<16x8xf32>, tensor<2x8xf32>) {
  %v = tensor.extract_slice %cache[2, 0] [2, 8] [1, 1] : tensor<16x8xf32> to tensor<2x8xf32>
  %0 = tensor.scatter %rows into %cache[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  return %0, %v : tensor<16x8xf32>, tensor<2x8xf32>
}

// Rows of the cache itself are copied out of it first; the second write goes into what the
// first has written.
// CHECK-LABEL: plan.program @own
// CHECK-SAME: returns [@arg0]
// CHECK: plan.group scatter {{.*}} note "in the memory of argument 0"
// CHECK: plan.group stream of "tensor.scatter" {{.*}} {
// CHECK: plan.read @arg0 affine_map<(d0) -> (2, d0)> : f32
// CHECK: plan.write %{{.*}} to @[[ROW:.*]] affine_map
// CHECK: plan.group scatter {{.*}} note "in the memory of argument 0"
// CHECK: plan.read @[[ROW]]
func.func @own(%cache: tensor<16x8xf32>, %rows: tensor<1x8xf32>, %places: tensor<1x1xi32>) -> tensor<16x8xf32> {
  %0 = tensor.scatter %rows into %cache[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  %v = tensor.extract_slice %0[2, 0] [1, 8] [1, 1] : tensor<16x8xf32> to tensor<1x8xf32>
  %1 = tensor.scatter %v into %0[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Other values than arguments.
// CHECK-LABEL: plan.program @others
// CHECK: plan.group scatter {{.*}} note "into a copy: the old value is no tensor of its own"
// CHECK: plan.group scatter {{.*}} note "into a copy: the old value is a constant"
// CHECK: plan.group scatter {{.*}} note "in place"
// CHECK: plan.group scatter {{.*}} note "into a copy: the old value is computed by the program"
func.func @others(%a: tensor<16x8xf32>, %rows: tensor<1x8xf32>, %places: tensor<1x1xi32>) -> (tensor<16x8xf32>, tensor<2x8xf32>, tensor<16x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = tensor.scatter %rows into %z[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  %c = arith.constant dense<[[0., 1., 2., 3., 4., 5., 6., 7.], [0., 1., 2., 3., 4., 5., 6., 8.]]> : tensor<2x8xf32>
  %1 = tensor.scatter %rows into %c[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<2x8xf32>, tensor<1x1xi32>) -> tensor<2x8xf32>
  %2 = tensor.scatter %rows into %1[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<2x8xf32>, tensor<1x1xi32>) -> tensor<2x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%b: f32, %o: f32):
    %n = math.exp %b : f32
    linalg.yield %n : f32
  } -> tensor<16x8xf32>
  %3 = tensor.scatter %rows into %x[%places] scatter_dims([0]) unique : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x1xi32>) -> tensor<16x8xf32>
  return %0, %2, %3 : tensor<16x8xf32>, tensor<2x8xf32>, tensor<16x8xf32>
}
