//! What rows.rs and fill.rs compute.

#[path = "rows.rs"]
mod rows;
#[path = "fill.rs"]
mod fill;
use furiosa_opt_std::prelude::*;
use rows::*;
type Chip = m![1];

fn table<E: M>() -> HostTensor<bf16, E> { HostTensor::from_vec((0..E::SIZE).map(|i| bf16::from_f32((i / 128) as f32 + (i % 7) as f32 / 8.0))) }
fn rows_of<E: M>(rows: usize, scale: usize) -> HostTensor<i32, E> { HostTensor::from_vec((0..E::SIZE).map(|i| ((i * 37 + 5) % rows * scale) as i32)) }

/// Tests of kernels that gather; `at` is a position of the result.
macro_rules! gathers {
    ($(
        $test:ident: $kernel:path, [$($t:tt)*], $rows:expr, $scale:expr, [$($i:tt)*], [$($o:tt)*],
        |$table:ident, $index:ident, $at:ident| $expected:expr;
    )+) => { $(
    #[tokio::test]
    async fn $test() {
        let mut ctx = Context::acquire();
        let t = table::<m![$($t)*]>();
        let i = rows_of::<m![$($i)*]>($rows, $scale);
        let t_hbm = t.to_hbm(&mut ctx.pdma).await;
        let i_hbm = i.to_hbm(&mut ctx.pdma).await;
        let found = launch($kernel, (&mut *ctx, &t_hbm, &i_hbm)).await;
        let $table = t.into_vec();
        let $index: Vec<usize> = i.into_vec().into_iter().map(|v| v as usize / $scale).collect();
        let expected: Vec<bf16> = (0..<m![$($o)*]>::SIZE).map(|$at| $table[$expected]).collect();
        assert_eq!(found.to_host::<m![$($o)*]>(&mut ctx.pdma).await.into_vec(), expected);
    }
)+ } }
gathers! {
    g_min: rows::gather_min, [K, D], 512, 256, [G], [G, D], |table, index, at| index[at / 128] * 128 + at % 128;
    g_un: rows::gather_unscaled, [K, D], 512, 1, [CL, G], [CL, G, D], |table, index, at| index[at / 128] * 128 + at % 128;
    g_split: rows::gather_split, [K, D], 512, 1, [G], [G, D], |table, index, at| index[at / 128] * 128 + at % 128;
    g_two: rows::gather_two_axes, [K, D], 512, 256, [N, V], [N, V, D], |table, index, at| index[at / 128] * 128 + at % 128;
    g_pre: rows::gather_pre, [N, W, D], 128, 1024, [V], [N, V, D], |table, index, at| (at / (64 * 128)) * 128 * 128 + index[at / 128 % 64] * 128 + at % 128;
    g_pages: rows::pages, [W, D], 8, 4096, [N], [N, W % 16, D], |table, index, at| index[at / 2048] * 2048 + at % 2048;
    g_small_pages: rows::small_pages, [W, D], 32, 1, [V], [V, W % 4, D], |table, index, at| index[at / 512] * 512 + at % 512;
    g_cols: rows::gather_cols, [K, D], 512, 256, [N], [N, D], |table, index, at| index[at / 128] * 128 + at % 128;
    g_padidx: rows::gather_padded, [K, D], 512, 256, [V], [V, D], |table, index, at| index[at / 128] * 128 + at % 128;
}
#[tokio::test]
async fn s_min() {
    let mut ctx = Context::acquire();
    let data = table::<m![K, D]>();
    let old: HostTensor<bf16, m![C, D]> = HostTensor::from_vec((0..<m![C, D]>::SIZE).map(|i| bf16::from_f32((i % 5) as f32)));
    let rows: Vec<usize> = (0..512).map(|i| (i * 37 + 5) % 612).collect();
    let index = HostTensor::<i32, m![K]>::from_vec(rows.iter().map(|r| (*r * 256) as i32)).to_hbm(&mut ctx.pdma).await;
    let d = data.to_hbm(&mut ctx.pdma).await;
    let mut out = old.to_hbm(&mut ctx.pdma).await;
    launch(rows::scatter_min, (&mut *ctx, &d, &index, &mut out)).await;
    let (data, mut expected) = (data.into_vec(), old.into_vec());
    for (k, r) in rows.iter().enumerate() { for i in 0..128 { expected[r * 128 + i] = data[k * 128 + i]; } }
    assert_eq!(out.to_host::<m![C, D]>(&mut ctx.pdma).await.into_vec(), expected);
}
#[tokio::test]
async fn s_pages() {
    let mut ctx = Context::acquire();
    let data = table::<m![N, W % 16, D]>();
    let places = [5usize, 0, 7, 2];
    let index = HostTensor::<i32, m![N]>::from_vec(places.iter().map(|p| (*p * 4096) as i32)).to_hbm(&mut ctx.pdma).await;
    let d = data.to_hbm(&mut ctx.pdma).await;
    let mut out = HostTensor::<bf16, m![W, D]>::zero().to_hbm(&mut ctx.pdma).await;
    launch(rows::put_pages, (&mut *ctx, &d, &index, &mut out)).await;
    let (data, mut expected) = (data.into_vec(), vec![bf16::from_f32(0.0); <m![W, D]>::SIZE]);
    for (n, p) in places.iter().enumerate() { for i in 0..2048 { expected[p * 2048 + i] = data[n * 2048 + i]; } }
    assert_eq!(out.to_host::<m![W, D]>(&mut ctx.pdma).await.into_vec(), expected);
}
#[tokio::test]
async fn s_read() {
    let mut ctx = Context::acquire();
    let data = table::<m![K, D]>();
    let index = HostTensor::<i32, m![K]>::from_vec((0..512).map(|i| ((i * 37 + 5) % 612 * 256) as i32)).to_hbm(&mut ctx.pdma).await;
    let d = data.to_hbm(&mut ctx.pdma).await;
    let mut out = HostTensor::<bf16, m![C, D]>::zero().to_hbm(&mut ctx.pdma).await;
    let back = launch(rows::scatter_read, (&mut *ctx, &d, &index, &mut out)).await;
    assert_eq!(back.to_host::<m![K, D]>(&mut ctx.pdma).await.into_vec(), data.into_vec());
}
macro_rules! fills { ($($test:ident: $kernel:path, $d:ty, [$($o:tt)*], $value:expr;)+) => { $(
    #[tokio::test]
    async fn $test() {
        let mut ctx = Context::acquire();
        let found = launch($kernel, (&mut *ctx,)).await;
        assert_eq!(found.to_host::<m![$($o)*]>(&mut ctx.pdma).await.into_vec(), vec![$value; <m![$($o)*]>::SIZE]);
    }
)+ } }
mod fills { use super::*; use super::fill::{A, B, S, V, Odd};
fills! {
    bf: fill::f_bf16, bf16, [A, B], bf16::from_f32(1.5);
    f: fill::f_f32, f32, [A, B], -2.25f32;
    i: fill::f_i32, i32, [A, B], 7i32;
    i16_: fill::f_i16, i16, [A, B], -300i16;
    i8_: fill::f_i8, i8, [A, B], -100i8;
    i4_: fill::f_i4, i4, [A, B], i4::from_i32(-3);
    f8_: fill::f_f8, f8e4m3, [A, B], f8e4m3::from_f32(0.5);
    odd: fill::f_odd, i32, [S, Odd], 3i32;
    oddbf: fill::f_oddbf, bf16, [S, Odd], bf16::from_f32(1.0);
    inf: fill::f_inf, f32, [S, B], f32::NEG_INFINITY;
    max: fill::f_max, i32, [S, B], i32::MAX;
    one: fill::f_one, i8, [S], 1i8;
    big: fill::f_big, bf16, [S, V, A], bf16::from_f32(-1.0);
    pe1: fill::pe1, i32, [S, B], 5i32;
    helper: fill::by_helper, f32, [S, B], 1.5f32;
    constant: fill::by_const, bf16, [S, B], bf16::from_f32(1.0);
    as_i8: fill::as_i8, i8, [S, B], 44i8;
} }
