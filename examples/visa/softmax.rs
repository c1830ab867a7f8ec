// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! The softmax of attention scores, a row of 64 in each slice: the largest score of
//! a row, the exponentials of the distances to it, their sum, the quotients.

use furiosa_visa_std::prelude::*;

axes![Q = 256, K = 64];

type Chip = m![1];
type Cluster = m![1 # 2];
type Scores = DmTensor<f32, Chip, Cluster, m![Q], m![K]>;
type PerRow = VrfTensor<f32, Chip, Cluster, m![Q], m![1 # 8]>;

fn reduce(ctx: &mut Context, scores: &Scores, op: IntraSliceReduceOpF32) -> PerRow {
    ctx.main
        .begin(scores.view())
        .fetch::<f32, m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![K / 8, K / 4 % 2], m![K % 4]>()
        .vector_intra_slice_reduce::<K, m![1], m![1 # 4]>(op)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .to_vrf(0)
}

#[device(chip = 1)]
pub fn softmax(
    ctx: &mut Context,
    scores: &HbmTensor<f32, Chip, m![Q, K]>,
) -> HbmTensor<f32, Chip, m![Q, K]> {
    let scores: Scores = scores.to_dm(&mut ctx.tdma, 0);
    let largest = reduce(ctx, &scores, IntraSliceReduceOpF32::Max);
    let powers: Scores = ctx
        .main
        .begin(scores.view())
        .fetch::<f32, m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![K / 8, K / 4 % 2], m![K % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, &largest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_concat::<m![K / 8], m![K % 8]>()
        .vector_final()
        .commit(0x1000);
    let sum = reduce(ctx, &powers, IntraSliceReduceOpF32::Add);
    let shares: Scores = ctx
        .main
        .begin(powers.view())
        .fetch::<f32, m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![K / 8, K / 4 % 2], m![K % 4]>()
        .vector_fp_div(FpDivBinaryOp::DivF, &sum)
        .vector_concat::<m![K / 8], m![K % 8]>()
        .vector_final()
        .commit(0x2000);
    shares.to_hbm(&mut ctx.tdma, 0x1000_0000)
}
