#[path = "numbers.rs"]
mod numbers;

use furiosa_opt_std::prelude::*;
use numbers::{A, Choice, R};

#[tokio::test]
async fn are_passed() {
    let mut ctx = Context::acquire();
    let rows = HostTensor::<i32, m![R, A]>::from_vec((0..<m![R, A]>::SIZE as i32).collect::<Vec<i32>>());
    let rows = rows.to_hbm(&mut ctx.pdma).await;
    for (row, times, more, sum) in [(3usize, 2, true, 2), (7, 3, true, 3), (0, 5, false, 0)] {
        let choice = Choice { rows: &rows, row };
        let y = launch(numbers::chosen, (&mut *ctx, choice, times, more, 0.5f32)).await;
        let expected: Vec<i32> = (0..A::SIZE as i32).map(|i| row as i32 * 2048 + i + sum).collect();
        assert_eq!(y.to_host::<m![A]>(&mut ctx.pdma).await.into_vec(), expected);
    }
}
