// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Parts of a layer of a language model, for release 0.6 of the crate: a
//! residual sum, a norm, a projection, a gated activation, a rotation of halves,
//! rows of a table, and a cache that grows.

use furiosa_opt_std::prelude::*;

// Tokens, hidden size, outputs of the projection, and what pairs two tensors.
axes![Tok = 256, Hid = 256, Out = 32, Pair = 2];

type Chip = m![1];
type Cluster = m![1 # 2];

type Rows<D> = DmTensor<D, Chip, Cluster, m![Tok], m![Hid]>;
type Stream = HbmTensor<bf16, Chip, m![Tok, Hid]>;

/// x + y, in f32 inside.
#[device(chip = 1)]
pub fn residual(ctx: &mut Context, x: &Stream, y: &Stream) -> Stream {
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let y: Rows<bf16> = y.to_dm(&mut ctx.tdma);
    let sum: Rows<bf16> = ctx
        .main
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
        .commit();
    sum.to_hbm(&mut ctx.tdma)
}

/// A row's values in the registers of the vector engine, as f32.
fn to_registers(
    ctx: &mut Context,
    row: &HbmTensor<bf16, Chip, m![Hid]>,
) -> VrfTensor<f32, Chip, Cluster, m![Tok], m![Hid]> {
    let row: Rows<bf16> = row.to_dm(&mut ctx.tdma);
    ctx.sub
        .begin(row.view())
        .fetch::<m![1], m![Hid]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .to_vrf()
}

/// x / sqrt(mean(x^2) + 1e-5) times a weight.
#[device(chip = 1)]
pub fn norm(ctx: &mut Context, x: &Stream, weight: &HbmTensor<bf16, Chip, m![Hid]>) -> Stream {
    const { assert!(Hid::SIZE % 8 == 0, "a row is made of whole flits") };
    const SHARE: f32 = 1.0 / Hid::SIZE as f32;
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let weight = to_registers(ctx, weight);

    // Sums of squares, then their means' roots.
    let squares: DmTensor<f32, Chip, Cluster, m![Tok], m![1 # 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Hid / 4], m![Hid % 4]>()
        .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00, 0.0f32)
        .vector_intra_slice_reduce::<Hid, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .commit_trim::<m![1 # 8]>()
        .commit();
    let roots: VrfTensor<f32, Chip, Cluster, m![Tok], m![1 # 8]> = ctx
        .main
        .begin(squares.view())
        .fetch::<m![1], m![1 # 8]>()
        .collect::<m![1], m![1 # 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_trim::<m![1 # 4]>()
        .vector_fp_ternary(FpTernaryOp::FmaF, (SHARE, 1e-5f32))
        .vector_fp_unary(FpUnaryOp::Sqrt)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .to_vrf();

    let scaled: Rows<bf16> = ctx
        .main
        .begin(x.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Hid / 8, Hid / 4 % 2], m![Hid % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &weight)
        .vector_fp_div(&roots)
        .vector_widen_concat::<m![Hid / 8], m![Hid % 8]>()
        .vector_final()
        .cast::<bf16, m![Hid % 8 # 16]>()
        .commit_trim::<m![Hid % 8]>()
        .commit();
    scaled.to_hbm(&mut ctx.tdma)
}

/// x times the transpose of a weight, eight outputs at a time.
#[device(chip = 1)]
pub fn project(
    ctx: &mut Context,
    x: &Stream,
    weight: &HbmTensor<bf16, Chip, m![Out, Hid]>,
) -> HbmTensor<bf16, Chip, m![Tok, Out]> {
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<bf16, Chip, Cluster, m![Tok], m![Out]> = DmTensor::new();
    for group in 0..Out::SIZE / 8 {
        let rows = weight
            .view()
            .tile::<m![Out / 8], 1, m![1 # { Out::SIZE / 8 }, Out % 8, Hid]>(group);
        let rows: DmTensor<bf16, Chip, Cluster, m![Tok], m![Out % 8, Hid]> =
            rows.to_dm(&mut ctx.tdma);
        let rows: TrfTensor<bf16, Chip, Cluster, m![Tok], m![Out % 8], m![Hid]> = ctx
            .sub
            .begin(rows.view())
            .fetch::<m![Out % 8], m![Hid]>()
            .collect::<m![Out % 8, Hid / 16], m![Hid % 16]>()
            .to_trf();
        let place = y
            .view_mut()
            .tile::<m![Out / 8], 1, m![1 #{!} { Out::SIZE / 8 }, Out % 8]>(group);
        ctx.main
            .begin(x.view())
            .fetch::<m![Hid / 16], m![Hid % 16]>()
            .collect::<m![Hid / 16], m![Hid % 16]>()
            .contract_outer::<m![Hid / 32], m![Hid % 32], _, _, _>(&rows)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![Out % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![Out % 8 # 16]>()
            .commit_trim::<m![Out % 8]>()
            .commit_view(place);
    }
    y.to_hbm(&mut ctx.tdma)
}

/// gate * sigmoid(gate) * up.
#[device(chip = 1)]
pub fn swish(ctx: &mut Context, gate: &Stream, up: &Stream) -> Stream {
    let gate: Rows<bf16> = gate.to_dm(&mut ctx.tdma);
    let up: Rows<bf16> = up.to_dm(&mut ctx.tdma);
    let up: VrfTensor<f32, Chip, Cluster, m![Tok], m![Hid]> = ctx
        .sub
        .begin(up.view())
        .fetch::<m![1], m![Hid]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .to_vrf();
    let share: VrfTensor<f32, Chip, Cluster, m![Tok], m![Hid]> = ctx
        .main
        .begin(gate.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Hid / 4], m![Hid % 4]>()
        .vector_fp_unary(FpUnaryOp::Sigmoid)
        .vector_widen_concat::<m![Hid / 8], m![Hid % 8]>()
        .vector_final()
        .to_vrf();
    let product: Rows<bf16> = ctx
        .main
        .begin(gate.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Hid / 4], m![Hid % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &share)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &up)
        .vector_widen_concat::<m![Hid / 8], m![Hid % 8]>()
        .vector_final()
        .commit_trim::<m![Hid % 8]>()
        .commit_cast::<bf16>()
        .commit();
    product.to_hbm(&mut ctx.tdma)
}

/// The halves of every row, exchanged.
#[device(chip = 1)]
pub fn exchange_halves(ctx: &mut Context, x: &Stream) -> Stream {
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let mut y: Rows<bf16> = DmTensor::new();
    for half in 0..2 {
        let from = if half == 0 { 0 } else { 128 };
        let source = x.view().tile::<m![Hid], 128, m![Hid = 128 # 256]>(from);
        let place = y
            .view_mut()
            .tile::<m![Hid], 128, m![Hid = 128 #{!} 256]>(128 - from);
        ctx.main
            .begin(source)
            .fetch::<m![1], m![Hid = 128]>()
            .collect::<m![Hid = 128 / 16], m![Hid = 128 % 16]>()
            .commit_trim::<m![Hid = 128 % 16]>()
            .commit_view(place);
    }
    y.to_hbm(&mut ctx.tdma)
}

/// min(2 |x|, 1), by the bits of the numbers.
#[device(chip = 1)]
pub fn doubled_size(ctx: &mut Context, x: &Stream) -> Stream {
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    let y: Rows<bf16> = ctx
        .main
        .begin(x.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_reinterpret::<i32>()
        .vector_logic(LogicBinaryOpI32::BitAnd, 0x7fff_ffff)
        .vector_fxp(FxpBinaryOp::AddFxp, 1 << 23)
        .vector_reinterpret::<f32>()
        .vector_clip(ClipBinaryOpF32::Min, 1.0f32)
        .vector_final()
        .commit_trim::<m![Hid % 8]>()
        .commit_cast::<bf16>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// Rows under other axes: heads and their elements.
pub mod heads {
    use super::*;

    axes![Head = 8, Elt = 32];

    #[device(chip = 1)]
    pub fn split(ctx: &mut Context, x: &Stream) -> HbmTensor<bf16, Chip, m![Head, Tok, Elt]> {
        let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
        let heads: DmTensor<bf16, Chip, Cluster, m![Tok], m![Head, Elt]> = unsafe { x.reshape() };
        heads.to_hbm(&mut ctx.tdma)
    }
}

pub mod table {
    use furiosa_opt_std::prelude::*;

    // The rows have a size that is no power of two.
    axes![Voc = 32, Seq = 8, Dim = 96];

    type Chip = m![1];
    type Cluster = m![1 # 2];
    type Slice = m![1 # 256];
    type Rows = DmTensor<bf16, Chip, Cluster, Slice, m![Seq, Dim]>;

    /// Rows by where they begin, in bytes.
    #[device(chip = 1)]
    pub fn rows_by_offset(
        ctx: &mut Context,
        table: &HbmTensor<bf16, Chip, m![Voc, Dim]>,
        offsets: &HbmTensor<i32, Chip, m![Seq]>,
    ) -> HbmTensor<bf16, Chip, m![Seq, Dim]> {
        let rows: Rows = table.dma_gather_scaled(offsets);
        rows.to_hbm(&mut ctx.tdma)
    }

    /// Rows by their numbers, which are on the chip.
    #[device(chip = 1)]
    pub fn rows_by_number(
        ctx: &mut Context,
        table: &HbmTensor<bf16, Chip, m![Voc, Dim]>,
        numbers: &HbmTensor<i32, Chip, m![Seq]>,
    ) -> HbmTensor<bf16, Chip, m![Seq, Dim]> {
        let numbers: DmTensor<i32, Chip, Cluster, Slice, m![Seq]> = numbers.to_dm(&mut ctx.tdma);
        let rows: Rows = table.dma_gather_unscaled(&numbers);
        rows.to_hbm(&mut ctx.tdma)
    }

    /// New rows in a cache, each at its offset.
    #[device(chip = 1)]
    pub fn remember(
        ctx: &mut Context,
        rows: &HbmTensor<bf16, Chip, m![Seq, Dim]>,
        offsets: &HbmTensor<i32, Chip, m![Seq]>,
        cache: &mut HbmTensor<bf16, Chip, m![Voc, Dim]>,
    ) {
        let rows: Rows = rows.to_dm(&mut ctx.tdma);
        rows.dma_scatter::<m![Seq], _, _>(offsets, cache);
    }

    /// One row of two tables, each chosen by the host.
    #[device(chip = 1)]
    pub fn move_row(
        ctx: &mut Context,
        from: HbmTensorView<'_, bf16, Chip, m![1 # 32, Dim]>,
        to: HbmTensorViewMut<'_, bf16, Chip, m![1 #{!} 32, Dim]>,
    ) {
        from.to_hbm_view(&mut ctx.tdma, to);
    }

    /// What belongs together, as one argument.
    #[derive(DeviceSend)]
    pub struct Halves<'a> {
        pub first: &'a HbmTensor<bf16, Chip, m![Seq, Dim]>,
        pub second: &'a HbmTensor<bf16, Chip, m![Seq, Dim]>,
    }

    /// The second tensor of a pair, and the first.
    #[device(chip = 1)]
    pub fn exchanged(
        ctx: &mut Context,
        halves: Halves<'_>,
    ) -> (HbmTensor<bf16, Chip, m![Seq, Dim]>, HbmTensor<bf16, Chip, m![Seq, Dim]>) {
        let first: Rows = halves.first.to_dm(&mut ctx.tdma);
        let second: Rows = halves.second.to_dm(&mut ctx.tdma);
        (second.to_hbm(&mut ctx.tdma), first.to_hbm(&mut ctx.tdma))
    }

    /// A tensor of ones, and the same number everywhere in integers.
    #[device(chip = 1)]
    pub fn constants(
        ctx: &mut Context,
    ) -> (HbmTensor<bf16, Chip, m![Seq, Dim]>, HbmTensor<i32, Chip, m![Seq, Dim]>) {
        let mut ones: Rows = DmTensor::new();
        ones.view_mut().memset(const { bf16::from_f32(1.0) }, &mut ctx.sub);
        let mut sevens: DmTensor<i32, Chip, Cluster, Slice, m![Seq, Dim]> = DmTensor::new();
        sevens.view_mut().memset(7, &mut ctx.sub);
        (ones.to_hbm(&mut ctx.tdma), sevens.to_hbm(&mut ctx.tdma))
    }
}
