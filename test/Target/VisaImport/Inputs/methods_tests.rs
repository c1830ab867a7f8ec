//! What methods.rs computes.

#[path = "methods.rs"]
mod methods;

use furiosa_opt_std::prelude::*;
use methods::{E, N, P, S};

macro_rules! of_one {
    ($($kernel:ident: $d:ty, $chip:ty, [$($i:tt)*] -> [$($o:tt)*], |$x:ident, $at:ident| $expected:expr;)+) => {
        $(
            #[tokio::test]
            async fn $kernel() {
                let mut ctx = Context::acquire();
                let $x: Vec<$d> = (0..<m![$($i)*]>::SIZE).map(|i| (i * 5 % 64) as $d).collect();
                let x = HostTensor::<$d, m![$($i)*]>::from_vec($x.clone()).to_hbm(&mut ctx.pdma).await;
                let y = launch(methods::$kernel, (&mut *ctx, &x)).await;
                let expected: Vec<$d> = (0..<m![$($o)*]>::SIZE).map(|$at| $expected).collect();
                assert_eq!(y.to_host::<m![$($o)*]>(&mut ctx.pdma).await.into_vec(), expected);
            }
        )+
    };
}

macro_rules! of_two {
    ($($kernel:ident: $d:ty, [$($i:tt)*], |$x:ident, $y:ident| $expected:expr;)+) => {
        $(
            #[tokio::test]
            async fn $kernel() {
                let mut ctx = Context::acquire();
                let xs: Vec<$d> = (0..<m![$($i)*]>::SIZE).map(|i| (i % 8 * (i % 8)) as $d).collect();
                let ys: Vec<$d> = (0..<m![$($i)*]>::SIZE).map(|i| (i * 3 % 50) as $d).collect();
                let x = HostTensor::<$d, m![$($i)*]>::from_vec(xs.clone()).to_hbm(&mut ctx.pdma).await;
                let y = HostTensor::<$d, m![$($i)*]>::from_vec(ys.clone()).to_hbm(&mut ctx.pdma).await;
                let z = launch(methods::$kernel, (&mut *ctx, &x, &y)).await;
                let expected: Vec<$d> =
                    xs.iter().zip(ys).map(|(x, y)| { let ($x, $y) = (*x, y); $expected }).collect();
                assert_eq!(z.to_host::<m![$($i)*]>(&mut ctx.pdma).await.into_vec(), expected);
            }
        )+
    };
}

of_one! {
    modes: i32, m![1], [S, E] -> [S, E], |x, at| (3 * (20 - (x[at] & 15))).max(30);
    fixed: i32, m![1], [S, E] -> [S, E], |x, at| x[at] / 2 + 1 + x[at] % 2;
    live: i32, m![1], [S, P] -> [S, P], |x, at| x[at];
    circle: i32, m![N], [N, S, E] -> [N, S, E], |x, at| x[(at + 1024) % 4096];
}

of_two! {
    sums: i32, [S, E], |x, y| x + y;
    differences: i32, [S, E], |x, y| y - x;
    bits: i32, [S, E], |x, y| (x & 12) | (y & 10);
    first_bits: i32, [S, E], |x, y| x ^ y;
    smallest: i32, [S, E], |x, y| (x + 1).min(y);
    products: f32, [S, E], |x, y| x.sqrt() * y;
    padded: i32, [S, P], |x, y| x + y;
}

#[tokio::test]
async fn kept() {
    let mut ctx = Context::acquire();
    let values: Vec<i32> =
        (0..<m![S, E]>::SIZE as i32).map(|i| if i % 2 == 0 { -1 } else { i }).collect();
    let x = HostTensor::<i32, m![S, E]>::from_vec(values).to_hbm(&mut ctx.pdma).await;
    let y = launch(methods::kept, (&mut *ctx, &x)).await;
    let expected: Vec<i32> = (0..<m![S, E % 8]>::SIZE as i32).map(|i| 2 * i + 1).collect();
    assert_eq!(y.to_host::<m![S, E % 8]>(&mut ctx.pdma).await.into_vec(), expected);
}

#[tokio::test]
async fn parts_have_other_names() {
    let mut ctx = Context::acquire();
    let values: Vec<i32> = (0..<m![S, E]>::SIZE as i32).collect();
    let x = HostTensor::<i32, m![S, E]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let mut out = HostTensor::<i32, m![S, E]>::zero().to_hbm(&mut ctx.pdma).await;
    let y = launch(methods::named_anew::parts, (&mut *ctx, &x, &mut out)).await;
    let expected: Vec<i32> = values.iter().map(|v| v / 16 * 16 + (v + 8) % 16).collect();
    assert_eq!(y.to_host::<m![S, E]>(&mut ctx.pdma).await.into_vec(), expected);
    assert_eq!(out.to_host::<m![S, E]>(&mut ctx.pdma).await.into_vec(), values);
}
