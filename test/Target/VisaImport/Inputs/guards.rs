//! Operands for some of the elements, comparisons by the bits, and what becomes of NaN.

use furiosa_opt_std::prelude::BitReq::{Ignore, One, Zero};
use furiosa_opt_std::prelude::*;

axes![S = 64, E = 16, X = 2];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![S, 1 # 4];
type Hbm<D> = HbmTensor<D, Chip, m![S, E]>;
type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![E]>;

/// Adds 1 to numbers below 10, 2 to the others below 20, what the registers hold to the
/// rest; then all that is above 2^31 as a number without sign becomes -7.
#[device(chip = 1)]
pub fn sorted(ctx: &mut Context, x: &Hbm<i32>, y: &HbmTensor<i32, Chip, m![E]>) -> Hbm<i32> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = y.to_dm(&mut ctx.tdma);
    let y: VrfTensor<i32, Chip, Cluster, Slice, m![E]> = ctx
        .sub
        .begin(y.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .to_vrf();
    let low = TagGuard::matches([One, Ignore, Ignore, Ignore]);
    let middle = TagGuard::matches([Ignore, One, Ignore, Ignore]);
    let z: Dm<i32> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([
            Cmp::Less(10),
            Cmp::Less(20),
            Cmp::GreaterUnsigned(0x7fff_ffff),
            Cmp::LessUnsigned(5),
        ]))
        .vector_fxp(
            FxpBinaryOp::AddFxp,
            Branched::imm(low, 1).imm(middle, 2).rf(TagGuard::all(), &y),
        )
        .vector_clip(
            ClipBinaryOpI32::Min,
            Branched::imm(TagGuard::matches([Ignore, Ignore, One, Zero]), -7),
        )
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    z.to_hbm(&mut ctx.tdma)
}

/// 2 x - 1 for what is below -0.0 by its bits, x + 4 for the others that are not equal to 1.
#[device(chip = 1)]
pub fn lines(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
    let x: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([
            Cmp::LessUnsigned(-0.0),
            Cmp::Equal(1.0),
            Cmp::False,
            Cmp::False,
        ]))
        .vector_narrow_split::<m![E / 4], m![E % 4]>()
        .vector_fp_ternary(
            FpTernaryOp::FmaF,
            Branched::imm(TagGuard::matches([One, Zero, Ignore, Ignore]), (2.0f32, -1.0f32))
                .imm(TagGuard::not_matches([Ignore, One, Ignore, Ignore]), (1.0f32, 4.0f32)),
        )
        .vector_widen_concat::<m![E / 8], m![E % 8]>()
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// What is not above 0 is +0; NaN stays.
#[device(chip = 1)]
pub fn relu(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<bf16> {
    let x: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<bf16> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .commit_trim::<m![E % 8]>()
        .commit_cast_relu::<bf16>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// The same behind a transpose of two columns.
#[device(chip = 1)]
pub fn transposed(
    ctx: &mut Context,
    x: &HbmTensor<f32, Chip, m![S, X, E]>,
) -> HbmTensor<bf16, Chip, m![S, E, X]> {
    let x: DmTensor<f32, Chip, Cluster, Slice, m![X, E]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<bf16, Chip, Cluster, Slice, m![E, X # 4]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8, X], m![E % 8]>()
        .collect::<m![E / 8, X], m![E % 8]>()
        .transpose::<m![E / 8, E % 8], m![X # 8]>()
        .commit_trim::<m![X # 4]>()
        .commit_cast_relu::<bf16>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn unreachable_operand(ctx: &mut Context, x: &Hbm<i32>) {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(0), Cmp::False, Cmp::False, Cmp::False]))
        // NOBODY: [[@LINE+1]]:42: error: no element takes operand 2 of these: those before it have them all
        .vector_fxp(FxpBinaryOp::AddFxp, Branched::imm(TagGuard::all(), 1).imm(TagGuard::group(GroupId::One), 2));
}

#[device(chip = 1)]
pub fn too_many(ctx: &mut Context, x: &Hbm<i32>) {
    let bit = |n: i32| n;
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(0), Cmp::Less(1), Cmp::Less(2), Cmp::Less(3)]))
        // MANY: [[@LINE+3]]:13: error: a pass has 3 registers for constants
        .vector_fxp(
            FxpBinaryOp::AddFxp,
            Branched::imm(TagGuard::matches([One, Ignore, Ignore, Ignore]), bit(1))
                .imm(TagGuard::matches([Ignore, One, Ignore, Ignore]), 2)
                .imm(TagGuard::matches([Ignore, Ignore, One, Ignore]), 3)
                .imm(TagGuard::matches([Ignore, Ignore, Ignore, One]), 4),
        );
}
