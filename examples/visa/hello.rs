// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Three first kernels: add a constant, multiply two vectors, a matrix times a
//! vector. Each runs with
//!
//!     sequin-run hello.rs --entry scale_and_shift --input x.npy --output y.npy

use furiosa_visa_std::prelude::*;

axes![N = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![N / 8];

/// 3 x + 5, eight numbers in each slice.
#[device(chip = 1)]
pub fn scale_and_shift(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![N]>,
) -> HbmTensor<i32, Chip, m![N]> {
    let x_dm = x.to_dm::<Cluster, Slice, m![N % 8]>(&mut ctx.tdma, 0);
    let y = ctx
        .main
        .begin(x_dm.view())
        .fetch::<i32, m![1], m![N % 8]>()
        .collect::<m![1], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::MulInt, 3)
        .vector_fxp(FxpBinaryOp::AddFxp, 5)
        .vector_final()
        .commit::<m![N % 8]>(0x1000);
    y.to_hbm(&mut ctx.tdma, 0x1000_0000)
}

/// The product of two vectors, element by element: one of them waits in the
/// registers of the vector engine.
#[device(chip = 1)]
pub fn multiply(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![N]>,
    y: &HbmTensor<i32, Chip, m![N]>,
) -> HbmTensor<i32, Chip, m![N]> {
    let x_dm = x.to_dm::<Cluster, Slice, m![N % 8]>(&mut ctx.tdma, 0);
    let y_dm = y.to_dm::<Cluster, Slice, m![N % 8]>(&mut ctx.tdma, 0x1000);
    let y_vrf: VrfTensor<i32, Chip, Cluster, Slice, m![N % 8]> = ctx
        .sub
        .begin(y_dm.view())
        .fetch::<i32, m![1], m![N % 8]>()
        .collect::<m![1], m![N % 8]>()
        .to_vrf(0);
    let product: DmTensor<i32, Chip, Cluster, Slice, m![N % 8]> = ctx
        .main
        .begin(x_dm.view())
        .fetch::<i32, m![1], m![N % 8]>()
        .collect::<m![1], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::MulInt, &y_vrf)
        .vector_final()
        .commit(0x2000);
    product.to_hbm(&mut ctx.tdma, 0x2000_0000)
}

pub mod gemv {
    use furiosa_visa_std::prelude::*;

    axes![R = 256, K = 128];

    type Chip = m![1];
    type Cluster = m![1 # 2];

    /// A matrix times a vector: each slice has one row and the whole vector.
    #[device(chip = 1)]
    pub fn matrix_vector(
        ctx: &mut Context,
        matrix: &HbmTensor<bf16, Chip, m![R, K]>,
        vector: &HbmTensor<bf16, Chip, m![K]>,
    ) -> HbmTensor<bf16, Chip, m![R]> {
        let matrix_dm = matrix.to_dm::<Cluster, m![R], m![K]>(&mut ctx.tdma, 0);
        let vector_dm = vector.to_dm::<Cluster, m![R], m![K]>(&mut ctx.tdma, 0x1000);
        let vector_trf: TrfTensor<bf16, Chip, Cluster, m![R], m![1], m![K]> = ctx
            .sub
            .begin(vector_dm.view())
            .fetch::<bf16, m![1], m![K]>()
            .collect::<m![K / 16], m![K % 16]>()
            .to_trf(TrfAddress::Full);
        let sums: DmTensor<bf16, Chip, Cluster, m![R], m![1 # 8]> = ctx
            .main
            .begin(matrix_dm.view())
            .fetch::<bf16, m![K / 32], m![K % 32]>()
            .collect::<m![K / 16], m![K % 16]>()
            .align::<m![K / 32], m![K % 32], _, _>(&vector_trf)
            .contract::<m![1]>()
            .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
            .cast::<bf16, m![1 # 16]>()
            .commit(0x2000);
        sums.to_hbm(&mut ctx.tdma, 0x2000_0000)
    }
}
