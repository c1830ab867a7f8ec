//! Tensors of one number.

use furiosa_opt_std::prelude::*;
axes![A = 512, B = 32, S = 64, V = 96, Odd = 20];
type Chip = m![1];
type Cluster = m![1 # 2];
macro_rules! whole {
    ($($name:ident: $d:ty, $cluster:ty, $slice:ty, $element:ty, [$($hbm:tt)*], $value:expr;)+) => { $(
        #[device(chip = 1)]
        pub fn $name(ctx: &mut Context) -> HbmTensor<$d, Chip, m![$($hbm)*]> {
            let mut x: DmTensor<$d, Chip, $cluster, $slice, $element> = DmTensor::new();
            x.view_mut().memset($value, &mut ctx.sub);
            x.to_hbm(&mut ctx.tdma)
        }
    )+ };
}
whole! {
    f_bf16: bf16, m![A / 256], m![A % 256], m![B], [A, B], const { bf16::from_f32(1.5) };
    f_f32: f32, m![A / 256], m![A % 256], m![B], [A, B], -2.25f32;
    f_i32: i32, m![A / 256], m![A % 256], m![B], [A, B], 7;
    f_i32neg: i32, m![1 # 2], m![1 # 256], m![A, B], [A, B], -7i32;
    f_i16: i16, m![A / 256], m![A % 256], m![B], [A, B], -300;
    f_i8: i8, m![A / 256], m![A % 256], m![B], [A, B], -100i8;
    f_i4: i4, m![A / 256], m![A % 256], m![B], [A, B], const { i4::from_i32(-3) };
    f_f8: f8e4m3, m![A / 256], m![A % 256], m![B], [A, B], const { f8e4m3::from_f32(0.5) };
    f_f8b: f8e5m2, m![A / 256], m![A % 256], m![B], [A, B], const { f8e5m2::from_f32(0.5) };
    f_odd: i32, m![1 # 2], m![S # 256], m![Odd], [S, Odd], 3;
    f_oddbf: bf16, m![1 # 2], m![S, 1 # 4], m![Odd # 32], [S, Odd], const { bf16::from_f32(1.0) };
    f_inf: f32, m![1 # 2], m![S, 1 # 4], m![B], [S, B], f32::NEG_INFINITY;
    f_max: i32, m![1 # 2], m![S, 1 # 4], m![B], [S, B], i32::MAX;
    f_nan: f32, m![1 # 2], m![S, 1 # 4], m![B], [S, B], f32::MIN;
    f_cexpr: f32, m![1 # 2], m![S, 1 # 4], m![B], [S, B], const { 1.0f32 / 3.0 };
    f_one: i8, m![1 # 2], m![S, 1 # 4], m![1 # 8], [S], 1;
    f_big: bf16, m![1 # 2], m![S, 1 # 4], m![V, A], [S, V, A], const { bf16::from_f32(-1.0) };
}
/// A part is filled by no single command.
#[device(chip = 1)]
pub fn part(ctx: &mut Context) {
    let mut x: DmTensor<i32, Chip, m![A / 256], m![A % 256], m![B]> = DmTensor::new();
    // PART: [[@LINE+1]]:57: error: 'memset' fills a whole DmTensor, found a part
    x.view_mut().tile::<m![B], 8, m![B = 8 #{!} 32]>(8).memset(7, &mut ctx.sub);
}

#[device(chip = 1)]
pub fn not_const(ctx: &mut Context) {
    let mut x: DmTensor<bf16, Chip, m![A / 256], m![A % 256], m![B]> = DmTensor::new();
    // CALL: [[@LINE+1]]:25: error: what 'memset' writes stands in the instruction and is a constant; a call outside of 'const { .. }' makes it
    x.view_mut().memset(bf16::from_f32(1.0), &mut ctx.sub);
}

#[device(chip = 1)]
pub fn index(ctx: &mut Context) {
    let mut x: DmTensor<i32, Chip, m![A / 256], m![A % 256], m![B]> = DmTensor::new();
    for i in 0..2 {
        // INDEX: [[@LINE+1]]:29: error: what 'memset' writes stands in the instruction and is a constant; it depends on the index of a loop
        x.view_mut().memset(i, &mut ctx.sub);
    }
}
/// One processing element.
#[device(chip = 1, pe = 1)]
pub fn pe1(ctx: &mut Context) -> HbmTensor<i32, Chip, m![S, B]> {
    let mut x: DmTensor<i32, Chip, m![1], m![S], m![B]> = DmTensor::new();
    x.view_mut().memset(5, &mut ctx.sub);
    x.to_hbm(&mut ctx.tdma)
}

#[device(chip = 4)]
pub fn chips(ctx: &mut Context) -> HbmTensor<i32, m![A / 128], m![A % 128, B]> {
    let mut x: DmTensor<i32, m![A / 128], m![1 # 2], m![A % 128, 1 # 2], m![B]> = DmTensor::new();
    x.view_mut().memset(5, &mut ctx.sub);
    x.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn twice(ctx: &mut Context, y: &HbmTensor<f32, Chip, m![S, B]>) -> HbmTensor<f32, Chip, m![S, B]> {
    let mut x: DmTensor<f32, Chip, Cluster, m![S, 1 # 4], m![B]> = y.to_dm(&mut ctx.tdma);
    x.view_mut().memset(1.0, &mut ctx.sub);
    let mut v = x.view_mut();
    v.memset(2.0, &mut ctx.sub);
    x.to_hbm(&mut ctx.tdma)
}

fn filled<D: MaterializableScalar>(
    ctx: &mut Context,
    x: &mut DmTensor<D, Chip, Cluster, m![S, 1 # 4], m![B]>,
    value: D,
) {
    x.view_mut().memset(value, &mut ctx.sub);
}

#[device(chip = 1)]
pub fn by_helper(ctx: &mut Context) -> HbmTensor<f32, Chip, m![S, B]> {
    let mut x: DmTensor<f32, Chip, Cluster, m![S, 1 # 4], m![B]> = DmTensor::new();
    filled(ctx, &mut x, 1.5);
    x.to_hbm(&mut ctx.tdma)
}

const ONE: bf16 = bf16::from_f32(1.0);

#[device(chip = 1)]
pub fn by_const(ctx: &mut Context) -> HbmTensor<bf16, Chip, m![S, B]> {
    let mut x: DmTensor<bf16, Chip, Cluster, m![S, 1 # 4], m![B]> = DmTensor::new();
    x.view_mut().memset(ONE, &mut ctx.sub);
    x.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn as_i8(ctx: &mut Context) -> HbmTensor<i8, Chip, m![S, B]> {
    let mut x: DmTensor<i8, Chip, Cluster, m![S, 1 # 4], m![B]> = DmTensor::new();
    x.view_mut().memset(const { 300i32 as i8 }, &mut ctx.sub);
    x.to_hbm(&mut ctx.tdma)
}

/// Codes of four bits that stand for floats.
#[device(chip = 1)]
pub fn codes(ctx: &mut Context) {
    let mut x: DmTensor<f4e2m1, Chip, Cluster, m![S, 1 # 4], m![B]> = DmTensor::new();
    // CODES: error: 'memset' writes i4, i8, i16, i32, f8e4m3, f8e5m2, bf16 and f32, this tensor holds f4e2m1
    x.view_mut().memset(const { f4e2m1::from_f32(0.5) }, &mut ctx.sub);
}
