// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Attention of one query over 64 keys in four heads: the scores of a head, their
//! softmax, and the values weighted by it. A slice holds one key of one head, or one
//! of 64 dimensions of the result; what moves between these two goes by way of HBM.

use furiosa_visa_std::prelude::*;

axes![N = 4, K = 64, D = 64];

type Chip = m![1];
type Cluster = m![1 # 2];
/// A key of a head.
type KeySlice = m![N, K];
/// A dimension of a head's values.
type ValueSlice = m![N, D];
/// A head, in every 64th slice.
type HeadSlice = m![N, 1 # 64];
type Scores = DmTensor<f32, Chip, Cluster, HeadSlice, m![K]>;
type PerHead = VrfTensor<f32, Chip, Cluster, HeadSlice, m![1 # 8]>;

/// The product of each key with the query of its head, divided by the root of D.
fn scores(
    ctx: &mut Context,
    query: &HbmTensor<bf16, Chip, m![N, D]>,
    keys: &HbmTensor<bf16, Chip, m![N, K, D]>,
) -> HbmTensor<f32, Chip, m![N, K]> {
    let query_dm = query.to_dm::<Cluster, KeySlice, m![D]>(&mut ctx.tdma, 0);
    let keys_dm = keys.to_dm::<Cluster, KeySlice, m![D]>(&mut ctx.tdma, 0x1000);
    let query_trf: TrfTensor<bf16, Chip, Cluster, KeySlice, m![1], m![D]> = ctx
        .sub
        .begin(query_dm.view())
        .fetch::<bf16, m![1], m![D]>()
        .collect::<m![D / 16], m![D % 16]>()
        .to_trf(TrfAddress::Full);
    let products: DmTensor<f32, Chip, Cluster, KeySlice, m![1 # 8]> = ctx
        .main
        .begin(keys_dm.view())
        .fetch::<bf16, m![D / 32], m![D % 32]>()
        .collect::<m![D / 16], m![D % 16]>()
        .align::<m![D / 32], m![D % 32], _, _>(&query_trf)
        .contract::<m![1]>()
        .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_trim_way4::<m![1 # 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 0.125f32)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .commit(0x2000);
    products.to_hbm(&mut ctx.tdma, 0x10_0000)
}

fn reduce(ctx: &mut Context, scores: &Scores, op: IntraSliceReduceOpF32) -> PerHead {
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

/// The softmax of the scores of each head, as bf16.
fn shares(
    ctx: &mut Context,
    scores: &HbmTensor<f32, Chip, m![N, K]>,
) -> HbmTensor<bf16, Chip, m![N, K]> {
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
    let shares: DmTensor<bf16, Chip, Cluster, HeadSlice, m![K]> = ctx
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
        .cast::<bf16, m![K % 8 # 16]>()
        .commit(0x2000);
    shares.to_hbm(&mut ctx.tdma, 0x11_0000)
}

/// The sum of the values, each weighted by its share. Values lie as `N, D, K`, so
/// that a slice has one dimension of all keys.
#[device(chip = 1)]
pub fn attention(
    ctx: &mut Context,
    query: &HbmTensor<bf16, Chip, m![N, D]>,
    keys: &HbmTensor<bf16, Chip, m![N, K, D]>,
    values: &HbmTensor<bf16, Chip, m![N, D, K]>,
) -> HbmTensor<f32, Chip, m![N, D]> {
    let scores = scores(ctx, query, keys);
    let shares = shares(ctx, &scores);
    let shares_dm = shares.to_dm::<Cluster, ValueSlice, m![K]>(&mut ctx.tdma, 0);
    let values_dm = values.to_dm::<Cluster, ValueSlice, m![K]>(&mut ctx.tdma, 0x1000);
    let shares_trf: TrfTensor<bf16, Chip, Cluster, ValueSlice, m![1], m![K]> = ctx
        .sub
        .begin(shares_dm.view())
        .fetch::<bf16, m![1], m![K]>()
        .collect::<m![K / 16], m![K % 16]>()
        .to_trf(TrfAddress::Full);
    let sums: DmTensor<f32, Chip, Cluster, ValueSlice, m![1 # 8]> = ctx
        .main
        .begin(values_dm.view())
        .fetch::<bf16, m![K / 32], m![K % 32]>()
        .collect::<m![K / 16], m![K % 16]>()
        .align::<m![K / 32], m![K % 32], _, _>(&shares_trf)
        .contract::<m![1]>()
        .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
        .commit(0x2000);
    sums.to_hbm(&mut ctx.tdma, 0x12_0000)
}
