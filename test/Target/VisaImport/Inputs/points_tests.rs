#[path = "points.rs"]
mod points;

use furiosa_opt_std::prelude::*;
use points::{K, R, T};

macro_rules! subtracts {
    ($($kernel:ident: $d:ty, |$i:ident| $number:expr, $x_point:literal, $w_point:literal;)+) => {
        $(
            #[tokio::test]
            async fn $kernel() {
                let mut ctx = Context::acquire();
                let numbers = |n: usize, step: usize| {
                    (0..n).map(|i| { let $i = i * step; $number }).collect::<Vec<$d>>()
                };
                let x = HostTensor::<$d, m![T, K]>::from_vec(numbers(<m![T, K]>::SIZE, 7));
                let w = HostTensor::<$d, m![R, K]>::from_vec(numbers(<m![R, K]>::SIZE, 11));
                let x_hbm = x.to_hbm(&mut ctx.pdma).await;
                let w_hbm = w.to_hbm(&mut ctx.pdma).await;
                let found = launch(points::$kernel, (&mut *ctx, &x_hbm, &w_hbm)).await;
                let x = x.into_inner().map(|v| i32::from(v) - $x_point);
                let w = w.into_inner().map(|v| i32::from(v) - $w_point);
                let expected: Tensor<i32, m![T, R]> =
                    Tensor::contraction_prewidened::<m![T, R, K], _, _>(&x, &w);
                assert_eq!(found.to_host::<m![T, R]>(&mut ctx.pdma).await.into_inner(), expected);
            }
        )+
    };
}

subtracts! {
    stream: i8, |i| (i % 256) as i8, -100, 0;
    weights: i8, |i| (i % 256) as i8, 0, 77;
    both: i8, |i| (i % 256) as i8, -100, 77;
    halves: i4, |i| i4::from_i32((i % 16) as i32 - 8), -8, 0;
}
