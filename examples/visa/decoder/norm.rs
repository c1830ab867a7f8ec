// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Norm of rows by the root of their mean square.

use super::*;

const EPSILON: f32 = 1e-5;

/// What multiplies each row: 1 / sqrt(mean(x^2) + EPSILON), in the registers.
fn scale<A: AxisName>(
    ctx: &mut Context,
    x: &DmTensor<bf16, Chip, Cluster, TokSlice, m![A]>,
) -> VrfTensor<f32, Chip, Cluster, TokSlice, m![1 # 8]> {
    const SHARE: f32 = 1.0 / 256.0;
    let squares: DmTensor<f32, Chip, Cluster, TokSlice, m![1 # 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![A / 8], m![A % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![A / 8], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_stash()
        .vector_narrow_split::<m![A / 4], m![A % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash)
        .vector_intra_slice_reduce::<A, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .commit_trim::<m![1 # 8]>()
        .commit();
    ctx.main
        .begin(squares.view())
        .fetch::<m![1], m![1 # 8]>()
        .collect::<m![1], m![1 # 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_trim::<m![1 # 4]>()
        .vector_fp_ternary(FpTernaryOp::FmaF, (SHARE, EPSILON))
        .vector_fp_unary(FpUnaryOp::Sqrt)
        .vector_fp_div_with_mode(BinaryArgMode::Mode10, 1.0f32)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .to_vrf()
}

/// A row of weights, in the registers of every slice.
pub fn registers<A: AxisName>(
    ctx: &mut Context,
    row: &HbmTensor<bf16, Chip, m![A]>,
) -> VrfTensor<f32, Chip, Cluster, TokSlice, m![A]> {
    let row: DmTensor<bf16, Chip, Cluster, TokSlice, m![A]> = row.to_dm(&mut ctx.tdma);
    ctx.sub
        .begin(row.view())
        .fetch::<m![A / 8], m![A % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![A / 8], m![A % 8]>()
        .to_vrf()
}

pub fn normed(ctx: &mut Context, x: &Rows<bf16>, weight: &HbmTensor<bf16, Chip, m![Hid]>) -> Rows<bf16> {
    const { assert!(Hid::SIZE == 256, "a row's share is 1 / 256") };
    let weight = registers(ctx, weight);
    let scale = scale(ctx, x);
    ctx.main
        .begin(x.view())
        .fetch::<m![Hid / 8], m![Hid % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![Hid / 8], m![Hid % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![Hid / 4], m![Hid % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &weight)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &scale)
        .vector_widen_concat::<m![Hid / 8], m![Hid % 8]>()
        .vector_final()
        .commit_trim::<m![Hid % 8]>()
        .commit_cast::<bf16>()
        .commit()
}

#[device(chip = 1)]
pub fn norm(ctx: &mut Context, x: &Hidden, weight: &HbmTensor<bf16, Chip, m![Hid]>) -> Hidden {
    let x: Rows<bf16> = x.to_dm(&mut ctx.tdma);
    normed(ctx, &x, weight).to_hbm(&mut ctx.tdma)
}
