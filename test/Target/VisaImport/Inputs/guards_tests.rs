//! What guards.rs computes.

#[path = "guards.rs"]
mod guards;

use furiosa_opt_std::prelude::*;
use guards::{E, S, X};

#[tokio::test]
async fn sorted() {
    let mut ctx = Context::acquire();
    let values: Vec<i32> = (0..<m![S, E]>::SIZE as i32).map(|i| i % 40 - 6).collect();
    let others: Vec<i32> = (0..E::SIZE as i32).map(|i| 100 * i).collect();
    let x = HostTensor::<i32, m![S, E]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let y = HostTensor::<i32, m![E]>::from_vec(others.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(guards::sorted, (&mut *ctx, &x, &y)).await;
    let expected: Vec<i32> = values
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let sum = if *v < 10 { v + 1 } else if *v < 20 { v + 2 } else { v + others[i % 16] };
            if *v < 0 { sum.min(-7) } else { sum }
        })
        .collect();
    assert_eq!(found.to_host::<m![S, E]>(&mut ctx.pdma).await.into_vec(), expected);
}

#[tokio::test]
async fn lines() {
    let mut ctx = Context::acquire();
    let values: Vec<f32> = (0..<m![S, E]>::SIZE).map(|i| (i % 9) as f32 / 2.0 - 2.0).collect();
    let x = HostTensor::<f32, m![S, E]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(guards::lines, (&mut *ctx, &x)).await;
    let expected: Vec<f32> = values
        .iter()
        .map(|v| if *v == 1.0 { 1.0 } else if *v >= 0.0 { 2.0 * v - 1.0 } else { v + 4.0 })
        .collect();
    assert_eq!(found.to_host::<m![S, E]>(&mut ctx.pdma).await.into_vec(), expected);
}

#[tokio::test]
async fn relu() {
    let mut ctx = Context::acquire();
    let some = [1.5f32, -1.5, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -3e-39];
    let values: Vec<f32> = (0..<m![S, E]>::SIZE).map(|i| some[i % 8]).collect();
    let x = HostTensor::<f32, m![S, E]>::from_vec(values).to_hbm(&mut ctx.pdma).await;
    let found = launch(guards::relu, (&mut *ctx, &x)).await;
    let found: Vec<f32> =
        found.to_host::<m![S, E]>(&mut ctx.pdma).await.into_vec().into_iter().map(f32::from).collect();
    let expected = [1.5f32, 0.0, 0.0, 0.0, f32::INFINITY, 0.0, f32::NAN, 0.0];
    assert!((0..<m![S, E]>::SIZE).all(|i| found[i].to_bits() == expected[i % 8].to_bits()));
}

#[tokio::test]
async fn transposed() {
    let mut ctx = Context::acquire();
    let values: Vec<f32> = (0..<m![S, X, E]>::SIZE).map(|i| (i % 37) as f32 - 9.0).collect();
    let x = HostTensor::<f32, m![S, X, E]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
    let found = launch(guards::transposed, (&mut *ctx, &x)).await;
    let expected: Vec<bf16> = (0..<m![S, E, X]>::SIZE)
        .map(|i| {
            let (s, e, x) = (i / 32, i / 2 % 16, i % 2);
            bf16::from_f32(values[s * 32 + x * 16 + e].max(0.0))
        })
        .collect();
    assert_eq!(found.to_host::<m![S, E, X]>(&mut ctx.pdma).await.into_vec(), expected);
}
