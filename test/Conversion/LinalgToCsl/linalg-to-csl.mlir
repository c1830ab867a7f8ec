// RUN: sequin-opt %s --linalg-to-csl="grid=4,4 target=wse3 distribution=y,x;y,x entry=gemm" | FileCheck %s --check-prefix=GEMM
// RUN: sequin-opt %s --linalg-to-csl="grid=4,4 target=wse2 distribution=y,x;y,x entry=gemm" | FileCheck %s --check-prefix=GEMM2
// RUN: sequin-opt %s --linalg-to-csl="grid=4,2 target=wse3 distribution=y,x;x entry=matvec" | FileCheck %s --check-prefix=MATVEC
// RUN: sequin-opt %s --linalg-to-csl="grid=4,1 target=wse3 distribution=x entry=stencil" | FileCheck %s --check-prefix=STENCIL
// RUN: sequin-opt %s --linalg-to-csl="grid=3,1 target=wse3 distribution=x entry=sum" | FileCheck %s --check-prefix=SUM
// RUN: sequin-opt %s --linalg-to-csl="grid=2,2 target=wse3 distribution=xy;xy entry=axpy first-color=4" | FileCheck %s --check-prefix=AXPY

// Nothing to say: warnings of the check would come out on stderr.
// RUN: sequin-opt %s --linalg-to-csl="grid=4,4 target=wse3 distribution=y,x;y,x entry=gemm" 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN-NOT: warning

// SUMMA: four channels with switches, panels received on microthreads.
// GEMM: csl.entry = #csl.entry<"gemm" ("arg0", "arg1") -> ("result0")>
// GEMM: csl.layout 4 x 4
// GEMM: csl.color_config 0 at <1 to 3, 0 to 4> routes <rx [RAMP] tx [WEST]> switches <pos1 = <rx [EAST] tx [WEST, RAMP]>, pop = pop_on_advance>
// GEMM: csl.color_config 2 at <0, 0 to 4> routes <rx [RAMP] tx [EAST, RAMP]>
// GEMM: csl.color_config 2 at <1 to 3, 0 to 4> routes <rx [WEST] tx [EAST, RAMP]> switches <pos1 = <rx [RAMP]>, pop = always_pop>
// GEMM: csl.export_name "arg0" {{.*}}csl.distribution = #csl.distribution<[10 on y by 3, 12 on x by 3]>
// GEMM: csl.export_name "result0" {{.*}}csl.distribution = #csl.distribution<[10 on y by 3, 16 on x by 4]>
// GEMM: csl.var @panel_a0 : memref<18xf32>
// GEMM: func.func @gemm()
// GEMM: call @receive_panels0
// GEMM: call @send_panels0
// GEMM: func.func @receive_panels0
// GEMM: csl.fmovs {{.*}} async activate
// GEMM: csl.fmovs {{.*}} async unblock
// GEMM: func.func @send_panels0
// GEMM: csl.fabout_dsd queue {{.*}} extent 1 control
// GEMM: csl.task local @product0
// GEMM: csl.load_to_dsr {{.*}} save_address
// GEMM: csl.fmacs
// GEMM: func.func @after_product0
// GEMM: csl.unblock_cmd_stream

// There a position has one side, so a root hears itself.
// GEMM2: csl.color_config 0 at <1 to 3, 0 to 4> routes <rx [RAMP] tx [WEST, RAMP]> switches <pos1 = <rx [EAST]>, pop = pop_on_advance>
func.func @gemm(%A: tensor<10x12xf32>, %B: tensor<12x16xf32>) -> tensor<10x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<10x16xf32>) -> tensor<10x16xf32>
  %c = linalg.matmul ins(%A, %B : tensor<10x12xf32>, tensor<12x16xf32>)
    outs(%f : tensor<10x16xf32>) -> tensor<10x16xf32>
  return %c : tensor<10x16xf32>
}

// The vector goes down the columns, sums go to the west.
// MATVEC: csl.color_config 0 at <0 to 4, 0> routes <rx [RAMP] tx [SOUTH]>
// MATVEC: csl.color_config 0 at <0 to 4, 1> routes <rx [NORTH] tx [RAMP]>
// MATVEC: csl.color_config 1 at <2, 0 to 2> routes <rx [RAMP] tx [WEST]>
// MATVEC: csl.export_name "arg1" {{.*}}#csl.distribution<[8 on x by 2]>
// MATVEC: csl.export_name "result0" {{.*}}#csl.distribution<[6 on y by 3]>
// MATVEC: func.func @matvec
// MATVEC: csl.fabout_dsd
// MATVEC: csl.fmacs
// MATVEC: csl.fadds {{.*}} : !csl.dsd<fabout> = !csl.dsd<fabin>, !csl.dsd<mem1d>
func.func @matvec(%A: tensor<6x8xf32>, %x: tensor<8xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %c = linalg.matvec ins(%A, %x : tensor<6x8xf32>, tensor<8xf32>)
    outs(%y : tensor<6xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// One margin on each side, sent by microthreads.
// STENCIL: csl.export_name "arg0" {{.*}}#csl.distribution<[14 on x by 4 at 1 of 6]>
// STENCIL: csl.export_name "result0" {{.*}}#csl.distribution<[12 on x by 4 from 1]>
// STENCIL: func.func @stencil
// STENCIL: csl.fmovs {{.*}} async activate
// STENCIL: csl.fmovs {{.*}} async unblock
// STENCIL: csl.task local @arg0_halo_0()
// STENCIL: csl.mem1d_dsd {{.*}} extent 4{{$}}
// STENCIL: csl.mem1d_dsd {{.*}} extent 4 offset 2
// STENCIL: csl.fadds
func.func @stencil(%a: tensor<14xf32>) -> tensor<12xf32> {
  %l = tensor.extract_slice %a[0] [12] [1] : tensor<14xf32> to tensor<12xf32>
  %r = tensor.extract_slice %a[2] [12] [1] : tensor<14xf32> to tensor<12xf32>
  %e = tensor.empty() : tensor<12xf32>
  %s = linalg.add ins(%l, %r : tensor<12xf32>, tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  return %s : tensor<12xf32>
}

// What the last PE has beyond the data must not count: it is zero from the
// host; squares of it too, but that is not looked into.
// SUM: csl.export_name "arg0" {{.*}}#csl.distribution<[7 on x by 3]>
// SUM: func.func @sum
// SUM: csl.fmuls
// SUM: scf.if
// SUM: csl.mem1d_dsd {{.*}} extent 2 offset 1
// SUM: csl.fadds {{.*}} : !csl.ptr<f32> = f32, !csl.dsd<mem1d>
func.func @sum(%a: tensor<7xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
    ins(%a : tensor<7xf32>) outs(%s : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %q = arith.mulf %x, %x : f32
    %d = arith.addf %o, %q : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// A vector on all PEs; the factor is a constant, so it is one operation.
// AXPY: csl.export_name "arg0" {{.*}}#csl.distribution<[10 on xy by 3]>
// AXPY: func.func @axpy
// AXPY-NEXT: arith.constant 2.0
// AXPY: csl.fmacs
// AXPY-NOT: csl.f
// AXPY: csl.unblock_cmd_stream
func.func @axpy(%x: tensor<10xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<10xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%x, %y : tensor<10xf32>, tensor<10xf32>) outs(%e : tensor<10xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %b, %p : f32
    linalg.yield %s : f32
  } -> tensor<10xf32>
  return %r : tensor<10xf32>
}
