//! Methods of the vector engine and of views that the other tests do not call.

use furiosa_opt_std::prelude::*;

axes![S = 64, E = 16, I = 2, N = 4, P = 24];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![S, 1 # 4];
type Hbm<D> = HbmTensor<D, Chip, m![S, E]>;
type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![E]>;

/// max(3 (20 - (x & 15)), 30).
#[device(chip = 1)]
pub fn modes(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_logic_with_mode(LogicBinaryOpI32::BitAnd, BinaryArgMode::Mode10, 15)
        .vector_fxp_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, 20)
        .vector_fxp(FxpBinaryOp::MulInt, 3)
        .vector_clip_with_mode(ClipBinaryOpI32::Max, BinaryArgMode::Mode01, 30)
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// Pairs of numbers, joined.
macro_rules! zipped {
    ($($name:ident: |$pair:ident| $joined:expr;)+) => {
        $(
            #[device(chip = 1)]
            pub fn $name(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> Hbm<i32> {
                let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
                let y: Dm<i32> = y.to_dm(&mut ctx.tdma);
                let $pair = ctx
                    .main
                    .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
                    .fetch::<m![E / 8, I], m![E % 8]>()
                    .collect::<m![E / 8, I], m![E % 8]>()
                    .vector_init()
                    .vector_intra_slice_unzip::<I, m![E / 8, 1 # 2], m![E / 8]>();
                let z: Dm<i32> =
                    $joined.vector_final().commit_trim::<m![E % 8]>().commit();
                z.to_hbm(&mut ctx.tdma)
            }
        )+
    };
}

zipped! {
    sums: |pair| pair.vector_fxp_zip(FxpBinaryOp::AddFxp);
    differences: |pair| pair.vector_fxp_zip_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10);
    bits: |pair| pair.vector_logic(LogicBinaryOpI32::BitAnd, 12, 10).vector_logic_zip(LogicBinaryOpI32::BitOr);
    first_bits: |pair| pair.vector_logic_zip_with_mode(LogicBinaryOpI32::BitXor, BinaryArgMode::Mode01);
    smallest: |pair| pair
        .vector_fxp(FxpBinaryOp::AddFxp, 1, ())
        .vector_clip_zip_with_mode(ClipBinaryOpI32::Min, BinaryArgMode::Mode01);
}

/// x / 2 + 1 as a float, and back.
#[device(chip = 1)]
pub fn fixed(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp_to_fp(31)
        .vector_narrow_split::<m![E / 4], m![E % 4]>()
        .vector_fp_ternary_with_mode(FpTernaryOp::FmaF, TernaryArgMode::Mode012, (0.5f32, 1.0f32))
        .vector_widen_concat::<m![E / 8], m![E % 8]>()
        .vector_fp_to_fxp(31)
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// The root of one times the other.
#[device(chip = 1)]
pub fn products(ctx: &mut Context, x: &Hbm<f32>, y: &Hbm<f32>) -> Hbm<f32> {
    let x: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = y.to_dm(&mut ctx.tdma);
    let z: Dm<f32> = ctx
        .main
        .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
        .fetch::<m![E / 8, I], m![E % 8]>()
        .collect::<m![E / 8, I], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<I, m![E / 8, 1 # 2], m![E / 8]>()
        .vector_narrow_split::<m![E / 4], m![E % 4]>()
        .vector_fp_unary(FpUnaryOp::Sqrt, true, false)
        .vector_fp_zip_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode01)
        .vector_widen_concat::<m![E / 8], m![E % 8]>()
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    z.to_hbm(&mut ctx.tdma)
}

/// A short tensor and a longer one, paired at the longer one's extent.
#[device(chip = 1)]
pub fn padded(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![S, P]>,
    y: &HbmTensor<i32, Chip, m![S, P]>,
) -> HbmTensor<i32, Chip, m![S, P]> {
    let x: DmTensor<i32, Chip, Cluster, Slice, m![P]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, Chip, Cluster, Slice, m![P # 32]> = y.to_dm(&mut ctx.tdma);
    let z: DmTensor<i32, Chip, Cluster, Slice, m![P]> = ctx
        .main
        .begin_interleaved::<I, _, _, _, _, _>(x.view().pad::<m![P # 32]>(), y.view())
        .fetch::<m![P / 8, I], m![P % 8]>()
        .collect::<m![P / 8, I], m![P % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<I, m![P / 8, 1 # 2], m![P / 8]>()
        .vector_fxp_zip(FxpBinaryOp::AddFxp)
        .vector_final()
        .commit_trim::<m![P % 8]>()
        .commit();
    z.to_hbm(&mut ctx.tdma)
}

/// The live part of what is staged at a wider extent.
#[device(chip = 1)]
pub fn live(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, P]>) -> HbmTensor<i32, Chip, m![S, P]> {
    let x: DmTensor<i32, Chip, Cluster, Slice, m![P # 32]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, Chip, Cluster, Slice, m![P]> = ctx
        .main
        .begin(x.view().unpad::<m![P]>())
        .fetch::<m![P / 8], m![P % 8]>()
        .collect::<m![P / 8], m![P % 8]>()
        .commit_trim::<m![P % 8]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// The eight of sixteen that are not negative.
#[device(chip = 1)]
pub fn kept(ctx: &mut Context, x: &Hbm<i32>) -> HbmTensor<i32, Chip, m![S, E % 8]> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, Chip, Cluster, Slice, m![E % 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![E / 8], m![E % 8]>()
        .collect::<m![E / 8], m![E % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(0), Cmp::False, Cmp::False, Cmp::False]))
        .vector_filter::<m![1]>(TagGuard::matches([BitReq::Zero, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]))
        .vector_final()
        .commit_trim::<m![E % 8]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// Chips in a circle, in HBM.
#[device(chip = 4)]
pub fn circle(ctx: &mut Context, x: &HbmTensor<i32, m![N], m![S, E]>) -> HbmTensor<i32, m![N], m![S, E]> {
    x.view().hbm_chip_shuffle::<4, { Dma::Tensor }>(&mut ctx.tdma, &[1, 2, 3, 0])
}

/// Written under other axes: in data memory and in HBM.
pub mod named_anew {
    use super::*;

    axes![Row = 8, Col = 2];

    type Split = m![Row, Col];

    #[device(chip = 1)]
    pub fn parts(ctx: &mut Context, x: &Hbm<i32>, out: &mut Hbm<i32>) -> Hbm<i32> {
        let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
        let x: DmTensor<i32, Chip, Cluster, Slice, Split> = unsafe { x.reshape() };
        let mut y: Dm<i32> = DmTensor::new();
        for i in 0..2 {
            let half = x.view().tile::<m![Row / 4], 1, m![1 # 2, Row % 4, Col]>(i);
            let place = unsafe { y.view_mut().reshape::<Chip, Cluster, Slice, Split>() };
            ctx.main
                .begin(half)
                .fetch::<m![1], m![Row % 4, Col]>()
                .collect::<m![1], m![Row % 4, Col]>()
                .commit_trim::<m![Row % 4, Col]>()
                .commit_view(place.tile::<m![Row / 4], 1, m![1 #{!} 2, Row % 4, Col]>(1 - i));
        }
        let whole = unsafe { out.view_mut().reshape::<Chip, m![S, Row, Col]>() };
        let split: DmTensor<i32, Chip, Cluster, Slice, Split> = x;
        split.view().to_hbm_view(&mut ctx.tdma, whole);
        y.to_hbm(&mut ctx.tdma)
    }
}
