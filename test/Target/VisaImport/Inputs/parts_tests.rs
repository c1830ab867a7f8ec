//! What parts.rs moves.

#[path = "parts.rs"]
mod parts;

use furiosa_opt_std::prelude::*;
use parts::{A, B, N, S};

macro_rules! moves {
    ($($kernel:ident: $chip:ty, [$($i:tt)*] -> [$($o:tt)*], |$at:ident| $from:expr;)+) => {
        $(
            #[tokio::test]
            async fn $kernel() {
                let mut ctx = Context::acquire();
                let values: Vec<i32> = (0..<m![$($i)*]>::SIZE as i32).collect();
                let x = HostTensor::<i32, m![$($i)*]>::from_vec(values).to_hbm(&mut ctx.pdma).await;
                let y = launch(parts::$kernel, (&mut *ctx, &x)).await;
                let expected: Vec<i32> = (0..<m![$($o)*]>::SIZE).map(|$at| ($from) as i32).collect();
                assert_eq!(y.to_host::<m![$($o)*]>(&mut ctx.pdma).await.into_vec(), expected);
            }
        )+
    };
}

const CHIPS: [usize; 4] = [2, 2, 0, 1];
const EIGHTS: [usize; 4] = [3, 0, 1, 2];

moves! {
    clusters_change_places: m![1], [A, B] -> [A, B], |at| (at + 128 * 32) % (256 * 32);
    second_cluster: m![1], [A, B] -> [A % 128, B], |at| at + 128 * 32;
    pass_of_a_cluster: m![1], [A, B] -> [A % 128, B], |at| at + 128 * 32 + 1;
    slices_in_between: m![1], [A, B] -> [A = 64, B], |at| at + 96 * 32;
    every_fourth_slice: m![1], [A, B] -> [A / 4, B], |at| (at / 32 * 4 + 2) * 32 + at % 32;
    part_of_parts: m![1], [A, B] -> [A = 32, B = 8], |at| (128 + 32 + at / 8) * 32 + 16 + at % 8;
    chips_by_chips: m![N], [N, S, B] -> [N, S, B],
        |at| CHIPS[at / 2048] * 2048 + at % 2048;
    hbm_of_chips: m![N], [N, S, B] -> [N, S, B],
        |at| CHIPS[at / 2048] * 2048 + at % 2048;
    copies_by_cluster: m![1], [A, B] -> [A, B / 4],
        |at| at / 8 * 32 + at % 8 * 4 + if at < 1024 { 3 } else { 1 };
    copies_by_chip: m![N], [N, S, B] -> [N, S, B % 8],
        |at| at / 8 * 32 + EIGHTS[at / 512] * 8 + at % 8;
    tiles_of_tiles: m![1], [A, B] -> [A, B],
        |at| if at % 32 >= 8 && at % 32 < 16 { at + 16 } else { at };
}
