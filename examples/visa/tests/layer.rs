// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Run with `sequin-visa-test tests/layer.rs`.

#[path = "../layer.rs"]
mod layer;

use furiosa_opt_std::prelude::*;
use layer::{Hid, Out, Tok};
use rand::{SeedableRng, rngs::SmallRng};

type Chip = m![1];

fn near(found: &[bf16], expected: &[f32], step: f32) {
    assert_eq!(found.len(), expected.len());
    let is_near = |(f, e): (&bf16, &f32)| (f32::from(*f) - e).abs() <= step * e.abs().max(1.0);
    assert!(found.iter().zip(expected).all(is_near), "further than {step} away");
}

/// Makes a test of a kernel on two tensors of random numbers.
macro_rules! elementwise {
    ($test:ident, $kernel:path, |$x:ident, $y:ident| $expected:expr) => {
        #[tokio::test]
        async fn $test() {
            let mut ctx = Context::acquire();
            let mut rng = SmallRng::seed_from_u64(7);
            let x = HostTensor::<bf16, m![Tok, Hid]>::rand(&mut rng);
            let y = HostTensor::<bf16, m![Tok, Hid]>::rand(&mut rng);
            let x_hbm = x.to_hbm(&mut ctx.pdma).await;
            let y_hbm = y.to_hbm(&mut ctx.pdma).await;
            let found = launch($kernel, (&mut *ctx, &x_hbm, &y_hbm)).await;
            let expected: Vec<f32> = x
                .into_vec()
                .iter()
                .zip(y.into_vec())
                .map(|(x, y)| {
                    let ($x, $y) = (f32::from(*x), f32::from(y));
                    $expected
                })
                .collect();
            near(&found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await.into_vec(), &expected, 0.01);
        }
    };
}

elementwise!(sums, layer::residual, |x, y| x + y);
elementwise!(gates, layer::swish, |x, y| x / (1.0 + (-x).exp()) * y);

#[tokio::test]
async fn rows_have_length_one() {
    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(3);
    let x = HostTensor::<bf16, m![Tok, Hid]>::rand(&mut rng);
    let weight = HostTensor::<bf16, m![Hid]>::rand(&mut rng);
    let x_hbm = x.to_hbm(&mut ctx.pdma).await;
    let weight_hbm = weight.to_hbm(&mut ctx.pdma).await;
    let found = launch(layer::norm, (&mut *ctx, &x_hbm, &weight_hbm)).await;

    let weight: Vec<f32> = weight.into_vec().into_iter().map(f32::from).collect();
    let mut expected = vec![];
    for row in x.into_vec().chunks_exact(Hid::SIZE) {
        let row: Vec<f32> = row.iter().map(|v| f32::from(*v)).collect();
        let mean = row.iter().map(|v| v * v).sum::<f32>() / Hid::SIZE as f32;
        let root = (mean + 1e-5).sqrt();
        expected.extend(row.iter().zip(&weight).map(|(v, w)| v / root * w));
    }
    near(&found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await.into_vec(), &expected, 0.01);
}

#[tokio::test]
async fn projects() {
    let mut ctx = Context::acquire();
    // Small integers, whose sums are exact in every order.
    let digits = |n: usize| (0..n).map(|i| bf16::from_f32((i * 5 % 3) as f32 - 1.0)).collect::<Vec<_>>();
    let x = HostTensor::<bf16, m![Tok, Hid]>::from_vec(digits(<m![Tok, Hid]>::SIZE));
    let weight = HostTensor::<bf16, m![Out, Hid]>::from_vec(digits(<m![Out, Hid]>::SIZE));
    let x_hbm = x.to_hbm::<Chip, m![Tok, Hid]>(&mut ctx.pdma).await;
    let weight_hbm = weight.to_hbm::<Chip, m![Out, Hid]>(&mut ctx.pdma).await;
    let found = launch(layer::project, (&mut *ctx, &x_hbm, &weight_hbm)).await;
    let x = x.into_inner().map(|v| f32::from(v));
    let weight = weight.into_inner().map(|v| f32::from(v));
    let expected: Tensor<f32, m![Tok, Out]> =
        Tensor::contraction_prewidened::<m![Tok, Out, Hid], _, _>(&x, &weight);
    assert_eq!(
        found.to_host::<m![Tok, Out]>(&mut ctx.pdma).await.into_vec(),
        expected.map(|v| bf16::from_f32(v)).into_vec()
    );
}

#[tokio::test]
async fn sizes_are_doubled() {
    let mut ctx = Context::acquire();
    let values: Vec<bf16> = (0..<m![Tok, Hid]>::SIZE).map(|i| bf16::from_f32((i % 201) as f32 / 128.0 - 0.75)).collect();
    let x = HostTensor::<bf16, m![Tok, Hid]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(layer::doubled_size, (&mut *ctx, &x)).await;
    let expected: Vec<bf16> =
        values.iter().map(|v| bf16::from_f32((2.0 * f32::from(*v).abs()).min(1.0))).collect();
    // The bits of 0 are no power of two: twice as much is the smallest number.
    let (zero, found) = (bf16::from_f32(0.0), found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await.into_vec());
    assert!(found.iter().zip(expected).zip(values).all(|((f, e), v)| v == zero || *f == e));
}

#[tokio::test]
async fn heads_are_split() {
    use layer::heads::{Elt, Head};

    let mut ctx = Context::acquire();
    let values: Vec<bf16> = (0..<m![Tok, Hid]>::SIZE).map(|i| bf16::from_f32((i % 253) as f32)).collect();
    let x = HostTensor::<bf16, m![Tok, Hid]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(layer::heads::split, (&mut *ctx, &x)).await;
    let expected: Tensor<bf16, m![Head, Tok, Elt]> =
        Tensor::<bf16, m![Tok, Head, Elt]>::from_vec(values).transpose(false);
    assert_eq!(found.to_host::<m![Head, Tok, Elt]>(&mut ctx.pdma).await.into_inner(), expected);
}

#[tokio::test]
async fn halves_change_places() {
    let mut ctx = Context::acquire();
    let values: Vec<bf16> = (0..<m![Tok, Hid]>::SIZE).map(|i| bf16::from_f32((i % 251) as f32)).collect();
    let x = HostTensor::<bf16, m![Tok, Hid]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(layer::exchange_halves, (&mut *ctx, &x)).await;
    let half = Hid::SIZE / 2;
    let expected: Vec<bf16> = values
        .chunks_exact(Hid::SIZE)
        .flat_map(|row| row[half..].iter().chain(&row[..half]).copied())
        .collect();
    assert_eq!(expected, found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await.into_vec());
}

mod rows {
    use super::layer::table::*;
    use furiosa_opt_std::prelude::*;
    use rand::{SeedableRng, rngs::SmallRng};

    const ROWS: [usize; 8] = [3, 0, 31, 7, 8, 30, 1, 12];

    fn rising() -> Vec<bf16> {
        (0..<m![Voc, Dim]>::SIZE).map(|i| bf16::from_f32((i / 96) as f32 + (i % 7) as f32 / 8.0)).collect()
    }

    #[tokio::test]
    async fn are_found() {
        let mut ctx = Context::acquire();
        let table = HostTensor::<bf16, m![Voc, Dim]>::from_vec(rising()).to_hbm(&mut ctx.pdma).await;
        let offsets = HostTensor::<i32, m![Seq]>::from_vec(ROWS.iter().map(|r| (*r * 192) as i32))
            .to_hbm(&mut ctx.pdma)
            .await;
        let numbers = HostTensor::<i32, m![Seq]>::from_vec(ROWS.iter().map(|r| *r as i32))
            .to_hbm(&mut ctx.pdma)
            .await;
        let by_offset = launch(rows_by_offset, (&mut *ctx, &table, &offsets)).await;
        let by_number = launch(rows_by_number, (&mut *ctx, &table, &numbers)).await;
        let expected: Vec<bf16> = ROWS
            .iter()
            .flat_map(|r| rising()[r * Dim::SIZE..(r + 1) * Dim::SIZE].to_vec())
            .collect();
        assert_eq!(by_offset.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_vec(), expected);
        assert_eq!(by_number.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_vec(), expected);
    }

    #[tokio::test]
    async fn are_remembered() {
        let mut ctx = Context::acquire();
        let rows: Vec<bf16> = (0..<m![Seq, Dim]>::SIZE).map(|i| bf16::from_f32((i % 64) as f32)).collect();
        let new = HostTensor::<bf16, m![Seq, Dim]>::from_vec(rows.clone()).to_hbm(&mut ctx.pdma).await;
        let offsets = HostTensor::<i32, m![Seq]>::from_vec(ROWS.iter().map(|r| (*r * 192) as i32))
            .to_hbm(&mut ctx.pdma)
            .await;
        let mut cache = HostTensor::<bf16, m![Voc, Dim]>::from_vec(rising()).to_hbm(&mut ctx.pdma).await;
        launch(remember, (&mut *ctx, &new, &offsets, &mut cache)).await;
        let mut expected = rising();
        for (i, r) in ROWS.iter().enumerate() {
            for d in 0..Dim::SIZE {
                expected[r * Dim::SIZE + d] = rows[i * Dim::SIZE + d];
            }
        }
        assert_eq!(cache.to_host::<m![Voc, Dim]>(&mut ctx.pdma).await.into_vec(), expected);
    }

    #[tokio::test]
    async fn are_chosen_by_the_host() {
        let mut ctx = Context::acquire();
        let table = HostTensor::<bf16, m![Voc, Dim]>::from_vec(rising()).to_hbm(&mut ctx.pdma).await;
        let mut other = HostTensor::<bf16, m![Voc, Dim]>::zero().to_hbm(&mut ctx.pdma).await;
        for (from, to) in [(3, 5), (31, 0)] {
            let row = table.view().tile::<m![Voc], 1, m![1 # 32, Dim]>(from);
            let place = other.view_mut().tile::<m![Voc], 1, m![1 #{!} 32, Dim]>(to);
            launch(move_row, (&mut *ctx, row, place)).await;
        }
        let found = other.to_host::<m![Voc, Dim]>(&mut ctx.pdma).await.into_vec();
        for r in 0..Voc::SIZE {
            let wanted = [(5, 3), (0, 31)].iter().find(|(to, _)| *to == r).map_or(
                vec![bf16::from_f32(0.0); Dim::SIZE],
                |(_, from)| rising()[from * Dim::SIZE..(from + 1) * Dim::SIZE].to_vec(),
            );
            assert_eq!(found[r * Dim::SIZE..(r + 1) * Dim::SIZE], wanted, "row {r}");
        }
    }

    #[tokio::test]
    async fn come_in_one_argument() {
        let mut ctx = Context::acquire();
        let mut rng = SmallRng::seed_from_u64(5);
        let first = HostTensor::<bf16, m![Seq, Dim]>::rand(&mut rng);
        let second = HostTensor::<bf16, m![Seq, Dim]>::rand(&mut rng);
        let halves = Halves {
            first: &first.to_hbm(&mut ctx.pdma).await,
            second: &second.to_hbm(&mut ctx.pdma).await,
        };
        let (one, other) = launch(exchanged, (&mut *ctx, halves)).await;
        assert_eq!(one.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_inner(), second.into_inner());
        assert_eq!(other.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_inner(), first.into_inner());
    }

    #[tokio::test]
    async fn are_filled() {
        let mut ctx = Context::acquire();
        let (ones, sevens) = launch(constants, (&mut *ctx,)).await;
        assert_eq!(
            ones.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_vec(),
            vec![bf16::from_f32(1.0); <m![Seq, Dim]>::SIZE]
        );
        assert_eq!(
            sevens.to_host::<m![Seq, Dim]>(&mut ctx.pdma).await.into_vec(),
            vec![7i32; <m![Seq, Dim]>::SIZE]
        );
    }
}
