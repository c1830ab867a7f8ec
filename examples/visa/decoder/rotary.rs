// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Rotary positions: each head's dimensions turn in pairs, half a head apart.

use super::*;

/// A token's heads in a slice.
type Turned<D> = DmTensor<D, Chip, Cluster, TokSlice, m![Head, Dim]>;

pub struct Angles {
    cos: VrfTensor<f32, Chip, Cluster, TokSlice, m![Dim]>,
    sin: VrfTensor<f32, Chip, Cluster, TokSlice, m![Dim]>,
}

impl Angles {
    /// The rows of the tables at these positions.
    pub fn at(
        ctx: &mut Context,
        positions: &DmTensor<i32, Chip, Cluster, m![Tok / 2, 1 # 8], m![Tok % 2]>,
        cos: &HbmTensor<bf16, Chip, m![Ctx, Dim]>,
        sin: &HbmTensor<bf16, Chip, m![Ctx, Dim]>,
    ) -> Self {
        let mut load = |table: &HbmTensor<bf16, Chip, m![Ctx, Dim]>| {
            let rows: DmTensor<bf16, Chip, Cluster, TokSlice, m![Dim]> = table.dma_gather_unscaled(positions);
            let row: VrfTensor<f32, Chip, Cluster, TokSlice, m![Dim]> = ctx
                .sub
                .begin(rows.view())
                .fetch::<m![Dim / 8], m![Dim % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![Dim / 8], m![Dim % 8]>()
                .to_vrf();
            row
        };
        let (cos, sin) = (load(cos), load(sin));
        Self { cos, sin }
    }
}

/// (-second half, first half) of each head.
fn quarter_turn(ctx: &mut Context, x: &Turned<bf16>) -> Turned<bf16> {
    let mut turned: Turned<bf16> = DmTensor::new();
    for half in 0..2 {
        let from = if half == 0 { 32 } else { 0 };
        let part = x.view().tile::<m![Dim], 32, m![Head, Dim = 32 # 64]>(from);
        let place = turned.view_mut().tile::<m![Dim], 32, m![Head, Dim = 32 #{!} 64]>(32 - from);
        let flits = ctx
            .main
            .begin(part)
            .fetch::<m![Head, Dim = 32 / 8], m![Dim = 32 % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![Head, Dim = 32 / 8], m![Dim = 32 % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero);
        if half == 0 {
            flits
                .vector_narrow_split::<m![Head, Dim = 32 / 4], m![Dim = 32 % 4]>()
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), -1.0f32)
                .vector_widen_concat::<m![Head, Dim = 32 / 8], m![Dim = 32 % 8]>()
                .vector_final()
                .cast::<bf16, m![Dim = 32 % 8 # 16]>()
                .commit_trim::<m![Dim = 32 % 8]>()
                .commit_view(place);
        } else {
            flits
                .vector_final()
                .cast::<bf16, m![Dim = 32 % 8 # 16]>()
                .commit_trim::<m![Dim = 32 % 8]>()
                .commit_view(place);
        }
    }
    turned
}

/// x cos + quarter_turn(x) sin.
pub fn turn(ctx: &mut Context, x: &Turned<bf16>, angles: &Angles) -> Turned<bf16> {
    let turned = quarter_turn(ctx, x);
    let turned: DmTensor<f32, Chip, Cluster, TokSlice, m![Head, Dim]> = ctx
        .main
        .begin(turned.view())
        .fetch::<m![Head, Dim / 8], m![Dim % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Head, Dim / 8], m![Dim % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Head, Dim / 4], m![Dim % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &angles.sin)
        .vector_widen_concat::<m![Head, Dim / 8], m![Dim % 8]>()
        .vector_final()
        .commit_trim::<m![Dim % 8]>()
        .commit();
    let turned: VrfTensor<f32, Chip, Cluster, TokSlice, m![Head, Dim]> = ctx
        .sub
        .begin(turned.view())
        .fetch::<m![Head, Dim / 8], m![Dim % 8]>()
        .collect::<m![Head, Dim / 8], m![Dim % 8]>()
        .to_vrf();
    ctx.main
        .begin(x.view())
        .fetch::<m![Head, Dim / 8], m![Dim % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Head, Dim / 8], m![Dim % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Head, Dim / 4], m![Dim % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &angles.cos)
        .vector_widen_concat::<m![Head, Dim / 8], m![Dim % 8]>()
        .vector_clip(ClipBinaryOpF32::Add, &turned)
        .vector_final()
        .cast::<bf16, m![Dim % 8 # 16]>()
        .commit_trim::<m![Dim % 8]>()
        .commit()
}

#[device(chip = 1)]
pub fn rotate(
    ctx: &mut Context,
    q: &Heads,
    k: &Heads,
    positions: &HbmTensor<i32, Chip, m![Tok]>,
    tables: (&HbmTensor<bf16, Chip, m![Ctx, Dim]>, &HbmTensor<bf16, Chip, m![Ctx, Dim]>),
) -> (Heads, Heads) {
    let positions = positions.to_dm(&mut ctx.tdma);
    let angles = Angles::at(ctx, &positions, tables.0, tables.1);
    let q = q.to_dm(&mut ctx.tdma);
    let k = k.to_dm(&mut ctx.tdma);
    let (q, k) = (turn(ctx, &q, &angles), turn(ctx, &k, &angles));
    (q.to_hbm(&mut ctx.tdma), k.to_hbm(&mut ctx.tdma))
}
