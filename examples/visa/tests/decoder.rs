// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Run with `sequin-visa-test tests/decoder.rs`.

#[path = "../decoder/mod.rs"]
mod decoder;

use decoder::*;
use furiosa_opt_std::prelude::*;
use rand::{SeedableRng, rngs::SmallRng};

type Flat = Vec<f32>;

fn floats<E: M>(tensor: HostTensor<bf16, E>) -> Flat {
    tensor.into_vec().into_iter().map(f32::from).collect()
}

fn random<E: M>(seed: u64) -> HostTensor<bf16, E> {
    HostTensor::rand(&mut SmallRng::seed_from_u64(seed))
}

/// Small integers, whose sums of products are exact in bf16 as long as they are small.
fn digits<E: M>(step: usize) -> HostTensor<bf16, E> {
    HostTensor::from_vec((0..E::SIZE).map(|i| bf16::from_f32((i * step % 3) as f32 - 1.0)))
}

fn near(found: Flat, expected: Flat, step: f32) {
    assert_eq!(found.len(), expected.len());
    let worst = found
        .iter()
        .zip(&expected)
        .map(|(f, e)| (f - e).abs() / e.abs().max(1.0))
        .fold(0.0f32, |a, b| a.max(b));
    assert!(worst <= step, "further than {step} away: {worst}");
}

fn normed(x: Flat, weight: &Flat) -> Flat {
    let mut result = vec![];
    for row in x.chunks_exact(Hid::SIZE) {
        let mean = row.iter().map(|v| v * v).sum::<f32>() / Hid::SIZE as f32;
        let root = (mean + 1e-5).sqrt();
        result.extend(row.iter().zip(weight).map(|(v, w)| v / root * w));
    }
    result
}

#[tokio::test]
async fn words_have_rows() {
    let mut ctx = Context::acquire();
    let words: Vec<i32> = (0..Tok::SIZE).map(|i| ((i * 37 + 5) % Voc::SIZE) as i32).collect();
    let table = random::<m![Voc, Hid]>(1);
    let words_hbm = HostTensor::<i32, m![Tok]>::from_vec(words.clone()).to_hbm(&mut ctx.pdma).await;
    let table_hbm = table.to_hbm(&mut ctx.pdma).await;
    let found = launch(embedding::embed, (&mut *ctx, &words_hbm, &table_hbm)).await;
    let table = table.into_vec();
    let expected: Vec<bf16> = words
        .iter()
        .flat_map(|w| table[*w as usize * Hid::SIZE..(*w as usize + 1) * Hid::SIZE].to_vec())
        .collect();
    assert_eq!(found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await.into_vec(), expected);
}

#[tokio::test]
async fn rows_are_normed() {
    let mut ctx = Context::acquire();
    let (x, weight) = (random::<m![Tok, Hid]>(2), random::<m![Hid]>(3));
    let x_hbm = x.to_hbm(&mut ctx.pdma).await;
    let weight_hbm = weight.to_hbm(&mut ctx.pdma).await;
    let found = launch(norm::norm, (&mut *ctx, &x_hbm, &weight_hbm)).await;
    let expected = normed(floats(x), &floats(weight));
    near(floats(found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await), expected, 0.01);
}

#[tokio::test]
async fn heads_are_products() {
    let mut ctx = Context::acquire();
    let x = digits::<m![Tok, Hid]>(5);
    let weights = [7, 11, 13].map(|step| digits::<m![Head, Dim, Hid]>(step));
    let x_hbm = x.to_hbm(&mut ctx.pdma).await;
    let query = weights[0].to_hbm(&mut ctx.pdma).await;
    let key = weights[1].to_hbm(&mut ctx.pdma).await;
    let value = weights[2].to_hbm(&mut ctx.pdma).await;
    let all = projection::Weights { query: &query, key: &key, value: &value };
    let (q, k, v) = launch(projection::project, (&mut *ctx, &x_hbm, all)).await;
    let x = x.into_inner().map(|v| f32::from(v));
    for (found, weight) in [q, k, v].iter().zip(weights) {
        let weight = weight.into_inner().map(|v| f32::from(v));
        let expected: Tensor<f32, m![Tok, Head, Dim]> =
            Tensor::contraction_prewidened::<m![Tok, Head, Dim, Hid], _, _>(&x, &weight);
        let found = found.to_host::<m![Tok, Head, Dim]>(&mut ctx.pdma).await;
        assert_eq!(found.into_inner(), expected.map(|v| bf16::from_f32(v)));
    }
}

#[tokio::test]
async fn heads_turn() {
    let mut ctx = Context::acquire();
    let (q, k) = (random::<m![Tok, Head, Dim]>(4), random::<m![Tok, Head, Dim]>(5));
    let positions: Vec<i32> = (0..Tok::SIZE).map(|i| ((i * 3 + 40) % Ctx::SIZE) as i32).collect();
    let angle = |i: usize| (i / Dim::SIZE) as f32 * 0.25f32.powf((i % (Dim::SIZE / 2)) as f32 / 8.0);
    let cos: Vec<bf16> = (0..<m![Ctx, Dim]>::SIZE).map(|i| bf16::from_f32(angle(i).cos())).collect();
    let sin: Vec<bf16> = (0..<m![Ctx, Dim]>::SIZE).map(|i| bf16::from_f32(angle(i).sin())).collect();
    let cos_hbm = HostTensor::<bf16, m![Ctx, Dim]>::from_vec(cos.clone()).to_hbm(&mut ctx.pdma).await;
    let sin_hbm = HostTensor::<bf16, m![Ctx, Dim]>::from_vec(sin.clone()).to_hbm(&mut ctx.pdma).await;
    let q_hbm = q.to_hbm(&mut ctx.pdma).await;
    let k_hbm = k.to_hbm(&mut ctx.pdma).await;
    let positions_hbm = HostTensor::<i32, m![Tok]>::from_vec(positions.clone()).to_hbm(&mut ctx.pdma).await;
    let (turned_q, turned_k) =
        launch(rotary::rotate, (&mut *ctx, &q_hbm, &k_hbm, &positions_hbm, (&cos_hbm, &sin_hbm))).await;
    for (before, after) in [(q, turned_q), (k, turned_k)] {
        let x = floats(before);
        let found = floats(after.to_host::<m![Tok, Head, Dim]>(&mut ctx.pdma).await);
        let expected = (0..<m![Tok, Head, Dim]>::SIZE)
            .map(|i| {
                let (token, dim) = (i / <m![Head, Dim]>::SIZE, i % Dim::SIZE);
                let at = positions[token] as usize * Dim::SIZE + dim;
                let half = Dim::SIZE / 2;
                let other = if dim < half { -x[i + half] } else { x[i - half] };
                x[i] * f32::from(cos[at]) + other * f32::from(sin[at])
            })
            .collect();
        near(found, expected, 0.01);
    }
}

#[tokio::test]
async fn caches_grow() {
    let mut ctx = Context::acquire();
    let (k, v) = (random::<m![Tok, Head, Dim]>(6), random::<m![Tok, Head, Dim]>(7));
    let positions: Vec<i32> = (0..Tok::SIZE).map(|i| (i + 48) as i32).collect();
    let k_hbm = k.to_hbm(&mut ctx.pdma).await;
    let v_hbm = v.to_hbm(&mut ctx.pdma).await;
    let positions_hbm = HostTensor::<i32, m![Tok]>::from_vec(positions).to_hbm(&mut ctx.pdma).await;
    let old = random::<m![Ctx, Head, Dim]>(8);
    let mut keys = old.to_hbm(&mut ctx.pdma).await;
    let mut values = old.to_hbm(&mut ctx.pdma).await;
    launch(cache::append, (&mut *ctx, (&k_hbm, &v_hbm), &positions_hbm, &mut keys, &mut values)).await;
    let old = old.into_vec();
    let row = <m![Head, Dim]>::SIZE;
    for (new, cache) in [(k, keys), (v, values)] {
        let mut expected = old[..48 * row].to_vec();
        expected.extend(new.into_vec());
        expected.extend_from_slice(&old[112 * row..]);
        assert_eq!(cache.to_host::<m![Ctx, Head, Dim]>(&mut ctx.pdma).await.into_vec(), expected);
    }
}

#[tokio::test]
async fn tokens_attend() {
    let mut ctx = Context::acquire();
    let q = random::<m![Tok, Head, Dim]>(9);
    let (keys, values) = (random::<m![Ctx, Head, Dim]>(10), random::<m![Ctx, Head, Dim]>(11));
    // Each token sees what came before it.
    let mask: Flat = (0..<m![Tok, Ctx]>::SIZE)
        .map(|i| if i % Ctx::SIZE <= i / Ctx::SIZE + 32 { 0.0 } else { -1e9 })
        .collect();
    let q_hbm = q.to_hbm(&mut ctx.pdma).await;
    let keys_hbm = keys.to_hbm(&mut ctx.pdma).await;
    let values_hbm = values.to_hbm(&mut ctx.pdma).await;
    let mask_hbm = HostTensor::<f32, m![Tok, Ctx]>::from_vec(mask.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(attention::attend, (&mut *ctx, &q_hbm, &keys_hbm, &values_hbm, &mask_hbm)).await;
    let q = q.into_inner().map(|v| f32::from(v));
    let keys = keys.into_inner().map(|v| f32::from(v));
    let values = values.into_inner().map(|v| f32::from(v));
    let scores: Tensor<f32, m![Head, Tok, Ctx]> =
        Tensor::contraction_prewidened::<m![Head, Tok, Ctx, Dim], _, _>(&q, &keys);
    let mut shares = vec![];
    for (row, scores) in scores.into_vec().chunks_exact(Ctx::SIZE).enumerate() {
        let mask = &mask[row % Tok::SIZE * Ctx::SIZE..(row % Tok::SIZE + 1) * Ctx::SIZE];
        let powers: Flat = scores.iter().zip(mask).map(|(s, m)| (s * 0.125 + m).exp()).collect();
        let sum = powers.iter().sum::<f32>();
        shares.extend(powers.iter().map(|p| p / sum));
    }
    let shares = Tensor::<f32, m![Head, Tok, Ctx]>::from_vec(shares);
    let expected: Tensor<f32, m![Tok, Head, Dim]> =
        Tensor::contraction_prewidened::<m![Tok, Head, Dim, Ctx], _, _>(&shares, &values);
    near(floats(found.to_host::<m![Tok, Head, Dim]>(&mut ctx.pdma).await), expected.into_vec(), 0.02);
}

#[tokio::test]
async fn rows_are_fed_forward() {
    let mut ctx = Context::acquire();
    let (x, weight) = (random::<m![Tok, Hid]>(12), random::<m![Hid]>(13));
    let scaled = |v: bf16| bf16::from_f32((f32::from(v) - 0.5) / 8.0);
    let gate: HostTensor<bf16, m![Inner, Hid]> =
        HostTensor::from_vec(random::<m![Inner, Hid]>(14).into_vec().into_iter().map(scaled));
    let up: HostTensor<bf16, m![Inner, Hid]> =
        HostTensor::from_vec(random::<m![Inner, Hid]>(15).into_vec().into_iter().map(scaled));
    let down: HostTensor<bf16, m![Hid, Inner]> =
        HostTensor::from_vec(random::<m![Hid, Inner]>(16).into_vec().into_iter().map(scaled));
    let x_hbm = x.to_hbm(&mut ctx.pdma).await;
    let weight_hbm = weight.to_hbm(&mut ctx.pdma).await;
    let gate_hbm = gate.to_hbm(&mut ctx.pdma).await;
    let up_hbm = up.to_hbm(&mut ctx.pdma).await;
    let down_hbm = down.to_hbm(&mut ctx.pdma).await;
    let found = launch(
        feed_forward::feed_forward,
        (&mut *ctx, &x_hbm, &weight_hbm, &gate_hbm, &up_hbm, &down_hbm),
    )
    .await;
    let x = floats(x);
    let rows = Tensor::<f32, m![Tok, Hid]>::from_vec(normed(x.clone(), &floats(weight)));
    let inner = |weight: HostTensor<bf16, m![Inner, Hid]>| {
        let weight = weight.into_inner().map(|v| f32::from(v));
        let y: Tensor<f32, m![Tok, Inner]> =
            Tensor::contraction_prewidened::<m![Tok, Inner, Hid], _, _>(&rows, &weight);
        y.into_vec()
    };
    let gated: Flat =
        inner(gate).iter().zip(inner(up)).map(|(g, u)| g / (1.0 + (-g).exp()) * u).collect();
    let gated = Tensor::<f32, m![Tok, Inner]>::from_vec(gated);
    let down = down.into_inner().map(|v| f32::from(v));
    let y: Tensor<f32, m![Tok, Hid]> =
        Tensor::contraction_prewidened::<m![Tok, Hid, Inner], _, _>(&gated, &down);
    let expected = x.iter().zip(y.into_vec()).map(|(x, y)| x + y).collect();
    near(floats(found.to_host::<m![Tok, Hid]>(&mut ctx.pdma).await), expected, 0.04);
}
