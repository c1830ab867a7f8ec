// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Attention over the cache.

use super::cache::Cache;
use super::*;

/// A head's tokens in the slices.
type Slices = m![Head, Tok];
type PerRow = VrfTensor<f32, Chip, Cluster, Slices, m![1 # 8]>;
type Scores = DmTensor<f32, Chip, Cluster, Slices, m![Ctx]>;

/// q k / sqrt(Dim) + mask, eight keys at a time.
fn scores(ctx: &mut Context, q: &Heads, keys: &Cache, mask: &HbmTensor<f32, Chip, m![Tok, Ctx]>) -> Scores {
    let q: DmTensor<bf16, Chip, Cluster, Slices, m![Dim]> = q.to_dm(&mut ctx.tdma);
    let mask: DmTensor<f32, Chip, Cluster, Slices, m![Ctx]> = mask.to_dm(&mut ctx.tdma);
    let mask: VrfTensor<f32, Chip, Cluster, Slices, m![Ctx]> = ctx
        .sub
        .begin(mask.view())
        .fetch::<m![Ctx / 8], m![Ctx % 8]>()
        .collect::<m![Ctx / 8], m![Ctx % 8]>()
        .to_vrf();
    let mut products: Scores = DmTensor::new();
    for group in 0..Ctx::SIZE / 8 {
        let keys = keys.view().tile::<m![Ctx / 8], 1, m![1 # 16, Ctx % 8, Head, Dim]>(group);
        let keys: DmTensor<bf16, Chip, Cluster, Slices, m![Ctx % 8, Dim]> = keys.to_dm(&mut ctx.tdma);
        let keys: TrfTensor<bf16, Chip, Cluster, Slices, m![Ctx % 8], m![Dim]> = ctx
            .sub
            .begin(keys.view())
            .fetch::<m![Ctx % 8, Dim / 16], m![Dim % 16]>()
            .collect::<m![Ctx % 8, Dim / 16], m![Dim % 16]>()
            .to_trf();
        ctx.main
            .begin(q.view())
            .fetch::<m![Dim / 16], m![Dim % 16]>()
            .collect::<m![Dim / 16], m![Dim % 16]>()
            .contract_outer::<m![Dim / 32], m![Dim % 32], _, _, _>(&keys)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![Ctx % 8]>(LaneMode::Interleaved)
            .commit_trim::<m![Ctx % 8]>()
            .commit_view(products.view_mut().tile::<m![Ctx / 8], 1, m![1 #{!} 16, Ctx % 8]>(group));
    }
    ctx.main
        .begin(products.view())
        .fetch::<m![Ctx / 8], m![Ctx % 8]>()
        .collect::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Ctx / 4], m![Ctx % 4]>()
        .vector_fp_ternary(FpTernaryOp::FmaF, (0.125f32, &mask))
        .vector_widen_concat::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_final()
        .commit_trim::<m![Ctx % 8]>()
        .commit()
}

/// The largest element of each row, or their sum.
fn reduced(ctx: &mut Context, rows: &Scores, op: IntraSliceReduceOpF32) -> PerRow {
    ctx.main
        .begin(rows.view())
        .fetch::<m![Ctx / 8], m![Ctx % 8]>()
        .collect::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Ctx / 8, Ctx / 4 % 2], m![Ctx % 4]>()
        .vector_intra_slice_reduce::<Ctx, m![1], m![1 # 4]>(op)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .to_vrf()
}

/// The softmax of each row.
fn shares(ctx: &mut Context, scores: &Scores) -> DmTensor<bf16, Chip, Cluster, Slices, m![Ctx]> {
    let largest = reduced(ctx, scores, IntraSliceReduceOpF32::Max);
    let powers: Scores = ctx
        .main
        .begin(scores.view())
        .fetch::<m![Ctx / 8], m![Ctx % 8]>()
        .collect::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Ctx / 4], m![Ctx % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, &largest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_widen_concat::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_final()
        .commit_trim::<m![Ctx % 8]>()
        .commit();
    let sums = reduced(ctx, &powers, IntraSliceReduceOpF32::Add);
    ctx.main
        .begin(powers.view())
        .fetch::<m![Ctx / 8], m![Ctx % 8]>()
        .collect::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Ctx / 4], m![Ctx % 4]>()
        .vector_fp_div(&sums)
        .vector_widen_concat::<m![Ctx / 8], m![Ctx % 8]>()
        .vector_final()
        .cast::<bf16, m![Ctx % 8 # 16]>()
        .commit_trim::<m![Ctx % 8]>()
        .commit()
}

/// Four dimensions of a head in every fourth slice.
type Quarters = m![Head, Dim / 4, 1 # 4];

/// The cache with its rows along the elements.
fn columns(ctx: &mut Context, values: &Cache) -> DmTensor<bf16, Chip, Cluster, Quarters, m![Dim % 4, Ctx]> {
    let values: DmTensor<bf16, Chip, Cluster, Quarters, m![Ctx, Dim % 4]> = values.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(values.view())
        .fetch::<m![Ctx], m![Dim % 4]>()
        .collect::<m![Ctx], m![Dim % 4 # 16]>()
        .transpose::<m![Ctx / 4, Dim % 4], m![Ctx % 4 # 16]>()
        .commit_trim::<m![Ctx % 4]>()
        .commit()
}

/// The values weighted by the shares, eight tokens at a time.
fn weighted(
    ctx: &mut Context,
    shares: &HbmTensor<bf16, Chip, m![Head, Tok, Ctx]>,
    values: &DmTensor<bf16, Chip, Cluster, Quarters, m![Dim % 4, Ctx]>,
) -> DmTensor<bf16, Chip, Cluster, Quarters, m![Tok, Dim % 4]> {
    let mut result: DmTensor<bf16, Chip, Cluster, Quarters, m![Dim % 4, Tok]> = DmTensor::new();
    for group in 0..Tok::SIZE / 8 {
        let shares = shares.view().tile::<m![Tok / 8], 1, m![Head, 1 # 8, Tok % 8, Ctx]>(group);
        let shares: DmTensor<bf16, Chip, Cluster, Quarters, m![Tok % 8, Ctx]> = shares.to_dm(&mut ctx.tdma);
        let shares: TrfTensor<bf16, Chip, Cluster, Quarters, m![Tok % 8], m![Ctx]> = ctx
            .sub
            .begin(shares.view())
            .fetch::<m![Tok % 8, Ctx / 16], m![Ctx % 16]>()
            .collect::<m![Tok % 8, Ctx / 16], m![Ctx % 16]>()
            .to_trf();
        ctx.main
            .begin(values.view())
            .fetch::<m![Dim % 4, Ctx / 16], m![Ctx % 16]>()
            .collect::<m![Dim % 4, Ctx / 16], m![Ctx % 16]>()
            .contract_outer::<m![Dim % 4, Ctx / 32], m![Ctx % 32], _, _, _>(&shares)
            .contract_packet::<m![1]>()
            .contract_time::<m![Dim % 4]>()
            .contract_lane::<m![Dim % 4], m![Tok % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![Tok % 8 # 16]>()
            .commit_trim::<m![Tok % 8]>()
            .commit_view(result.view_mut().tile::<m![Tok / 8], 1, m![Dim % 4, 1 #{!} 8, Tok % 8]>(group));
    }
    // Tokens of a dimension become the dimensions of a token.
    ctx.main
        .begin(result.view())
        .fetch::<m![Tok / 4, Dim % 4], m![Tok % 4]>()
        .collect::<m![Tok / 4, Dim % 4], m![Tok % 4 # 16]>()
        .transpose::<m![Tok / 4, Tok % 4], m![Dim % 4 # 16]>()
        .commit_trim::<m![Dim % 4]>()
        .commit()
}

#[device(chip = 1)]
pub fn attend(
    ctx: &mut Context,
    q: &Heads,
    keys: &Cache,
    values: &Cache,
    mask: &HbmTensor<f32, Chip, m![Tok, Ctx]>,
) -> Heads {
    let scores = scores(ctx, q, keys, mask);
    let shares: HbmTensor<bf16, Chip, m![Head, Tok, Ctx]> = shares(ctx, &scores).to_hbm(&mut ctx.tdma);
    let values = columns(ctx, values);
    weighted(ctx, &shares, &values).to_hbm(&mut ctx.tdma)
}
