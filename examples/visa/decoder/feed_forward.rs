// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! A gated feed-forward network with what is added to its input.

use super::norm::normed;
use super::projection::product;
use super::*;

/// Half of the inner rows fill the slices.
type Half = HbmTensor<bf16, Chip, m![Inner % 256, Hid]>;

#[derive(Clone, Copy, PartialEq)]
pub enum Gate {
    Swish,
    Relu,
}

/// gate(x) * up, element by element.
fn gated<const SWISH: bool>(
    ctx: &mut Context,
    gate: &DmTensor<bf16, Chip, Cluster, m![Inner % 256], m![Tok]>,
    up: &DmTensor<bf16, Chip, Cluster, m![Inner % 256], m![Tok]>,
) -> DmTensor<bf16, Chip, Cluster, m![Inner % 256], m![Tok]> {
    let passed: DmTensor<bf16, Chip, Cluster, m![Inner % 256], m![Tok]> = if SWISH {
        ctx.main
            .begin(gate.view())
            .fetch::<m![Tok / 8], m![Tok % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![Tok / 8], m![Tok % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_stash()
            .vector_narrow_split::<m![Tok / 4], m![Tok % 4]>()
            .vector_fp_unary(FpUnaryOp::Sigmoid)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash)
            .vector_widen_concat::<m![Tok / 8], m![Tok % 8]>()
            .vector_final()
            .commit_trim::<m![Tok % 8]>()
            .commit_cast::<bf16>()
            .commit()
    } else {
        ctx.main
            .begin(gate.view())
            .fetch::<m![Tok / 8], m![Tok % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![Tok / 8], m![Tok % 8]>()
            .commit_trim::<m![Tok % 8]>()
            .commit_cast_relu::<bf16>()
            .commit()
    };
    ctx.main
        .begin_interleaved::<Pair, _, _, _, _, _>(passed.view(), up.view())
        .fetch::<m![Tok / 8, Pair], m![Tok % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Tok / 8, Pair], m![Tok % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<Pair, m![Tok / 8, 1 # 2], m![Tok / 8]>()
        .vector_narrow_split::<m![Tok / 4], m![Tok % 4]>()
        .vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))
        .vector_widen_concat::<m![Tok / 8], m![Tok % 8]>()
        .vector_final()
        .cast::<bf16, m![Tok % 8 # 16]>()
        .commit_trim::<m![Tok % 8]>()
        .commit()
}

#[device(chip = 1)]
pub fn feed_forward(
    ctx: &mut Context,
    x: &Hidden,
    weight: &HbmTensor<bf16, Chip, m![Hid]>,
    gate: &HbmTensor<bf16, Chip, m![Inner, Hid]>,
    up: &HbmTensor<bf16, Chip, m![Inner, Hid]>,
    down: &HbmTensor<bf16, Chip, m![Hid, Inner]>,
) -> Hidden {
    const GATE: Gate = Gate::Swish;
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let rows: Hidden = normed(ctx, &x, weight).to_hbm(&mut ctx.tdma);
    let mut inner = HbmTensor::<bf16, Chip, m![Tok, Inner]>::new();
    for half in 0..2 {
        let mut part = |weight: &HbmTensor<bf16, Chip, m![Inner, Hid]>| {
            let rows_of = weight.view().tile::<m![Inner / 256], 1, m![1 # 2, Inner % 256, Hid]>(half);
            let mut copy: Half = HbmTensor::new();
            rows_of.to_hbm_view(&mut ctx.tdma, copy.view_mut());
            product::<m![Inner % 256]>(ctx, &rows, &copy)
        };
        let (gate, up) = (part(gate), part(up));
        let gated = match GATE {
            Gate::Swish => gated::<true>(ctx, &gate, &up),
            Gate::Relu => gated::<false>(ctx, &gate, &up),
        };
        let place = inner.view_mut().tile::<m![Inner / 256], 1, m![Tok, 1 #{!} 2, Inner % 256]>(half);
        gated.view().to_hbm_view(&mut ctx.tdma, place);
    }
    let y = lowered(ctx, &inner, down);
    sum(ctx, &x, &y).to_hbm(&mut ctx.tdma)
}

/// The product with the last weight, whose rows are as long as the inner ones.
fn lowered(
    ctx: &mut Context,
    inner: &HbmTensor<bf16, Chip, m![Tok, Inner]>,
    down: &HbmTensor<bf16, Chip, m![Hid, Inner]>,
) -> Hidden {
    let down: DmTensor<bf16, Chip, Cluster, m![Hid], m![Inner]> = down.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<bf16, Chip, Cluster, m![Hid], m![Tok]> = DmTensor::new();
    for group in 0..Tok::SIZE / 8 {
        let rows = inner.view().tile::<m![Tok / 8], 1, m![1 # 8, Tok % 8, Inner]>(group);
        let rows: DmTensor<bf16, Chip, Cluster, m![Hid], m![Tok % 8, Inner]> = rows.to_dm(&mut ctx.tdma);
        let rows: TrfTensor<bf16, Chip, Cluster, m![Hid], m![Tok % 8], m![Inner]> = ctx
            .sub
            .begin(rows.view())
            .fetch::<m![Tok % 8, Inner / 16], m![Inner % 16]>()
            .collect::<m![Tok % 8, Inner / 16], m![Inner % 16]>()
            .to_trf();
        ctx.main
            .begin(down.view())
            .fetch::<m![Inner / 32], m![Inner % 32]>()
            .collect::<m![Inner / 16], m![Inner % 16]>()
            .contract_outer::<m![Inner / 32], m![Inner % 32], _, _, _>(&rows)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![Tok % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![Tok % 8 # 16]>()
            .commit_trim::<m![Tok % 8]>()
            .commit_view(y.view_mut().tile::<m![Tok / 8], 1, m![1 #{!} 8, Tok % 8]>(group));
    }
    y.to_hbm(&mut ctx.tdma)
}

/// x + y, row by row.
fn sum(ctx: &mut Context, x: &Rows<bf16>, y: &Hidden) -> Rows<bf16> {
    let y: Rows<bf16> = y.to_dm(&mut ctx.tdma);
    ctx.main
        .begin_interleaved::<Pair, _, _, _, _, _>(x.view(), y.view())
        .fetch::<m![Hid / 8, Pair], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8, Pair], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<Pair, m![Hid / 8, 1 # 2], m![Hid / 8]>()
        .vector_clip_zip(ClipBinaryOpF32::Add)
        .vector_final()
        .cast::<bf16, m![Hid % 8 # 16]>()
        .commit_trim::<m![Hid % 8]>()
        .commit()
}
