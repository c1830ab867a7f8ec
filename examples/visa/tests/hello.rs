// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Run with `sequin-visa-test tests/hello.rs`.

#[path = "../hello.rs"]
mod hello;

use furiosa_visa_std::prelude::*;
use rand::{SeedableRng, rngs::SmallRng};

#[tokio::test]
async fn three_x_plus_five() {
    use hello::N;

    let mut ctx = Context::acquire();
    let x = HostTensor::<i32, m![N]>::from_buf((0..2048).map(Opt::Init).collect());
    let x_hbm = x.to_hbm(&mut ctx.pdma, 0).await;
    let y = launch(hello::scale_and_shift, (&mut *ctx, &x_hbm)).await;
    let expected: Vec<_> = (0..2048).map(|x| Opt::Init(3 * x + 5)).collect();
    assert_eq!(y.to_host::<m![N]>(&mut ctx.pdma).await.to_buf(), expected);
}

#[tokio::test]
async fn products_wrap() {
    use hello::N;

    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(1);
    let x = HostTensor::<i32, m![N]>::rand(&mut rng);
    let y = HostTensor::<i32, m![N]>::rand(&mut rng);
    let x_hbm = x.to_hbm(&mut ctx.pdma, 0).await;
    let y_hbm = y.to_hbm(&mut ctx.pdma, 1 << 28).await;
    let product = launch(hello::multiply, (&mut *ctx, &x_hbm, &y_hbm)).await;
    let expected = x
        .into_inner()
        .zip_with(&y.into_inner(), |a, b| a.zip_map(b, |x, y| x.wrapping_mul(y)));
    assert_eq!(
        expected.to_buf(),
        product.to_host::<m![N]>(&mut ctx.pdma).await.to_buf()
    );
}

#[tokio::test]
async fn matrix_times_vector() {
    use hello::gemv::{K, R};

    let mut ctx = Context::acquire();
    // Small integers, whose sums are exact in every order.
    let digits = |n: usize| (0..n).map(|i| Opt::Init(bf16::from_f32((i * 7 % 5) as f32 - 2.0)));
    let matrix = HostTensor::<bf16, m![R, K]>::from_buf(digits(256 * 128).collect());
    let vector = HostTensor::<bf16, m![K]>::from_buf(digits(128).collect());
    let matrix_hbm = matrix.to_hbm(&mut ctx.pdma, 0).await;
    let vector_hbm = vector.to_hbm(&mut ctx.pdma, 1 << 28).await;
    let sums = launch(hello::gemv::matrix_vector, (&mut *ctx, &matrix_hbm, &vector_hbm)).await;
    let expected: Tensor<bf16, m![R]> =
        Tensor::contraction::<m![R, K], _, _>(&matrix.into_inner(), &vector.into_inner());
    assert_eq!(
        sums.to_host::<m![R]>(&mut ctx.pdma).await.to_buf(),
        expected.to_buf()
    );
}
