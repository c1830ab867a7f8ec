//! Variables of macros and of where they are called.

use furiosa_opt_std::prelude::*;

axes![A = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Hbm = HbmTensor<i32, Chip, m![A]>;
type Dm = DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]>;

struct Pair {
    amount: i32,
    other: i32,
}

fn add(ctx: &mut Context, x: &Dm, amount: i32) -> Dm {
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, amount)
        .vector_final()
        .commit_trim::<m![A % 8]>()
        .commit()
}

/// 100 more than what is given, with variables that a call may have too.
macro_rules! more {
    ($amount:expr) => {{
        let amount = 100;
        let pair = Pair { amount, other: $amount };
        let Pair { amount: first, other } = pair;
        first + other + pair.amount - amount
    }};
}

/// The largest of some.
macro_rules! largest {
    ($first:expr $(, $x:expr)*) => {{
        let mut best = $first;
        $(
            let x = $x;
            best = if x > best { x } else { best };
        )*
        best
    }};
}

/// By a closure, a loop and a match.
macro_rules! summed {
    ($n:expr, $x:expr) => {{
        let f = |x: i32| x + $x;
        let mut sum = 0;
        for i in [1, 2] {
            sum = sum + f(i) + $n;
        }
        match sum {
            0 => 0,
            n => n + $n,
        }
    }};
}

#[device(chip = 1)]
pub fn apart(ctx: &mut Context, x: &Hbm) -> Hbm {
    let (amount, best, first) = (3, 4, 5);
    let v: Dm = x.to_dm(&mut ctx.tdma);
    let v = add(ctx, &v, more!(amount));
    let v = add(ctx, &v, more!(first));
    let x = 7;
    let v = add(ctx, &v, largest!(best, x, best + x));
    let (i, n, sum) = (10, 20, 30);
    let v = add(ctx, &v, summed!(n, x) + summed!(i, sum) + more!(more!(amount)));
    v.to_hbm(&mut ctx.tdma)
}
