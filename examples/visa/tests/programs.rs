// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Run with `sequin-visa-test tests/programs.rs`.

#[path = "../attention.rs"]
mod attention;
#[path = "../chip_sum.rs"]
mod chip_sum;
#[path = "../mlp.rs"]
mod mlp;
#[path = "../softmax.rs"]
mod softmax;
#[path = "../split_reduce.rs"]
mod split_reduce;
#[path = "../tiles.rs"]
mod tiles;

use furiosa_visa_std::prelude::*;
use rand::{SeedableRng, rngs::SmallRng};

/// Equal but for what f32 rounds away.
fn assert_close(actual: &[Opt<f32>], expected: &[Opt<f32>]) {
    assert_eq!(actual.len(), expected.len());
    let is_close = |(a, b): (Opt<f32>, Opt<f32>)| {
        let (a, b) = (a.unwrap(), b.unwrap());
        (a - b).abs() <= 1e-5 * (1.0 + b.abs())
    };
    assert!(actual.iter().copied().zip(expected.iter().copied()).all(is_close));
}

#[tokio::test]
async fn every_chip_has_the_sum() {
    use chip_sum::{C, N};

    let mut ctx = Context::acquire();
    let x = HostTensor::<i32, m![C, N]>::from_buf((0..4 * 2048).map(Opt::Init).collect());
    let x_hbm = x.to_hbm::<m![C], m![N]>(&mut ctx.pdma, 0).await;
    let sums = launch(chip_sum::all_reduce, (&mut *ctx, &x_hbm)).await;
    let expected: Vec<_> = (0..4 * 2048)
        .map(|i| i % 2048)
        .map(|n| Opt::Init(4 * n + (1 + 2 + 3) * 2048))
        .collect();
    assert_eq!(sums.to_host::<m![C, N]>(&mut ctx.pdma).await.to_buf(), expected);
}

#[tokio::test]
async fn rows_are_scaled_in_pairs() {
    use tiles::{N, T};

    let mut ctx = Context::acquire();
    let x = HostTensor::<i32, m![T, N]>::from_buf((0..16 * 2048).map(Opt::Init).collect());
    let x_hbm = x.to_hbm(&mut ctx.pdma, 0).await;
    let scaled = launch(tiles::scale_rows, (&mut *ctx, &x_hbm)).await;
    let mut expected = vec![Opt::Uninit; 16 * 2048];
    for row in 0..16 {
        for n in 0..64 {
            let i = row * 2048 + n * 32;
            expected[i] = Opt::Init(i as i32 * if row / 2 % 2 == 0 { 1 } else { 10 });
        }
    }
    let actual = scaled.to_host::<m![T, N]>(&mut ctx.pdma).await.to_buf();
    for (i, value) in expected.iter().enumerate() {
        if let Opt::Init(value) = value {
            assert_eq!(actual[i], Opt::Init(*value), "element {i}");
        }
    }
}

#[tokio::test]
async fn shares_of_a_row_add_up_to_one() {
    use softmax::{K, Q};

    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(3);
    let scores = HostTensor::<f32, m![Q, K]>::rand(&mut rng);
    let scores_hbm = scores.to_hbm(&mut ctx.pdma, 0).await;
    let shares = launch(softmax::softmax, (&mut *ctx, &scores_hbm)).await;
    let shares = shares.to_host::<m![Q, K]>(&mut ctx.pdma).await.into_inner();
    let sums: Tensor<f32, m![Q]> = shares.reduce_add();
    assert_close(&sums.to_buf(), &[Opt::Init(1.0); 256]);

    let powers = scores.into_inner().map(|x| x.map(|x| x.exp()));
    let totals: Tensor<f32, m![Q]> = powers.reduce_add();
    let expected = powers.zip_with(&totals.transpose(true), |a, b| a / b);
    assert_close(&shares.to_buf(), &expected.to_buf());
}

#[tokio::test]
async fn two_layers() {
    use mlp::{C, H, X};

    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(4);
    let input = HostTensor::<bf16, m![X]>::rand(&mut rng);
    let first = HostTensor::<bf16, m![H, X]>::rand(&mut rng);
    let second = HostTensor::<bf16, m![C, H]>::rand(&mut rng);
    let input_hbm = input.to_hbm(&mut ctx.pdma, 0).await;
    let first_hbm = first.to_hbm(&mut ctx.pdma, 0).await;
    let second_hbm = second.to_hbm(&mut ctx.pdma, 0).await;
    let out = launch(
        mlp::forward,
        (&mut *ctx, &input_hbm, &first_hbm, &second_hbm),
    )
    .await;

    let wide = |x: Opt<bf16>| x.map(|x| x.to_f32());
    let hidden: Tensor<f32, m![H]> = Tensor::contraction::<m![H, X], _, _>(
        &first.into_inner().map(|x| wide(*x)),
        &input.into_inner().map(|x| wide(*x)),
    );
    // What the second layer reads is bf16 again.
    let hidden = hidden.map(|x| x.map(|x| bf16::from_f32(x.max(0.0)).to_f32()));
    let expected: Tensor<f32, m![C]> = Tensor::contraction::<m![C, H], _, _>(
        &second.into_inner().map(|x| wide(*x)),
        &hidden,
    );
    let is_near = |(a, b): (Opt<f32>, Opt<f32>)| (a.unwrap() - b.unwrap()).abs() < 0.05;
    let actual = out.to_host::<m![C]>(&mut ctx.pdma).await.to_buf();
    assert!(actual.into_iter().zip(expected.to_buf()).all(is_near));
}

#[tokio::test]
async fn chips_add_up_their_parts() {
    use split_reduce::{C, K, R};

    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(5);
    let matrix = HostTensor::<i8, m![C, R, K]>::rand(&mut rng);
    let vector = HostTensor::<i8, m![C, K]>::rand(&mut rng);
    let matrix_hbm = matrix.to_hbm::<m![C], m![R, K]>(&mut ctx.pdma, 0).await;
    let vector_hbm = vector.to_hbm::<m![C], m![K]>(&mut ctx.pdma, 0).await;
    let out = launch(split_reduce::matrix_vector, (&mut *ctx, &matrix_hbm, &vector_hbm)).await;

    let matrix = matrix.into_inner().map(|x| x.map(|x| x as i32));
    let vector = vector.into_inner().map(|x| x.map(|x| x as i32));
    let sums: Tensor<i32, m![R]> = Tensor::contraction::<m![C, R, K], _, _>(&matrix, &vector);
    let every_chip: Tensor<i32, m![C, R]> = sums.transpose(true);
    assert_eq!(
        out.to_host::<m![C, R]>(&mut ctx.pdma).await.to_buf(),
        every_chip.to_buf()
    );
}

#[tokio::test]
async fn attention_of_four_heads() {
    use attention::{D, K, N};

    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(6);
    let query = HostTensor::<bf16, m![N, D]>::rand(&mut rng);
    let keys = HostTensor::<bf16, m![N, K, D]>::rand(&mut rng);
    let values = HostTensor::<bf16, m![N, D, K]>::rand(&mut rng);
    let query_hbm = query.to_hbm(&mut ctx.pdma, 0).await;
    let keys_hbm = keys.to_hbm(&mut ctx.pdma, 0).await;
    let values_hbm = values.to_hbm(&mut ctx.pdma, 0).await;
    let out = launch(
        attention::attention,
        (&mut *ctx, &query_hbm, &keys_hbm, &values_hbm),
    )
    .await;

    let wide = |x: Opt<bf16>| x.map(|x| x.to_f32());
    let scores: Tensor<f32, m![N, K]> = Tensor::contraction::<m![N, K, D], _, _>(
        &query.into_inner().map(|x| wide(*x)),
        &keys.into_inner().map(|x| wide(*x)),
    );
    let powers = scores.map(|x| x.map(|x| (x * 0.125).exp()));
    let totals: Tensor<f32, m![N]> = powers.reduce_add();
    let shares = powers.zip_with(&totals.transpose(true), |a, b| a / b);
    let expected: Tensor<f32, m![N, D]> = Tensor::contraction::<m![N, D, K], _, _>(
        &shares,
        &values.into_inner().map(|x| wide(*x)),
    );
    // The shares are bf16 in the kernel.
    let is_near = |(a, b): (Opt<f32>, Opt<f32>)| (a.unwrap() - b.unwrap()).abs() < 0.01;
    let actual = out.to_host::<m![N, D]>(&mut ctx.pdma).await.to_buf();
    assert!(actual.into_iter().zip(expected.to_buf()).all(is_near));
}
