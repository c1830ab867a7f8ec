// What a kernel may do with what is known: every assertion holds, and the constants
// of the program are what Rust computes.
// RUN: sequin-translate --import-visa %s --entry inner::kernel | FileCheck %s
use furiosa_visa_std::prelude::*;

axes![A = 8 * 256, B = OTHER, I = 2];

const OTHER: usize = if SIZE > 3 { 16 } else { 32 };
const SIZE: usize = 1 << 2;
const TABLE: [i32; 3] = [3, 5, 7];

type Chip = m![1];
type Cluster = m![1 # 2];
type Dm<E> = DmTensor<i32, Chip, Cluster, m![A / 8], E>;

#[derive(Clone, Copy)]
enum Mode {
    Plain,
    Scaled(i32),
    Shifted { by: i32 },
}

struct Plan {
    mode: Mode,
    rounds: usize,
}

impl Plan {
    const LIMIT: usize = 10;

    fn new(mode: Mode) -> Self {
        Plan { mode, rounds: Self::LIMIT / 3 }
    }

    fn factor(&self) -> i32 {
        match self.mode {
            Mode::Plain => 1,
            Mode::Scaled(by) if by > 100 => 100,
            Mode::Scaled(by) => by,
            Mode::Shifted { by } => 1 << by,
        }
    }

    fn count(&mut self) -> usize {
        self.rounds += 1;
        self.rounds
    }
}

fn twice<const N: usize, E: M>(ctx: &mut Context, input: &Dm<E>) -> Dm<E> {
    assert_eq!(N, SIZE);
    ctx.main
        .begin(input.view())
        .fetch::<i32, m![1], m![{ E }]>()
        .collect::<m![1], m![{ E }]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, N as i32 * 2)
        .vector_final()
        .commit(0)
}

fn early(x: i32) -> i32 {
    for i in 0..10 {
        if i == 3 {
            continue;
        }
        if i * i > x {
            return i;
        }
    }
    -1
}

pub mod inner {
    use super::*;

    // A second axis of this name.
    axes![B = 4];

    // CHECK: #axes = #stream.axes<A = 2048, B = 16, B_2 = 4>
    // CHECK: func.func @kernel(%{{.*}}: !tcp.hbm<i32, #axes, "1", "A">, %{{.*}}: !tcp.hbm<i8, #axes, "1", "B, B_2">)
    #[device(chip = 1)]
    pub fn kernel(
        ctx: &mut Context,
        x: &HbmTensor<i32, Chip, m![A]>,
        unused: &HbmTensor<i8, Chip, m![{ super::Outer }, B]>,
    ) -> (HbmTensor<i32, Chip, m![A]>, HbmTensor<i32, Chip, m![A]>) {
        let mut plan = Plan::new(Mode::Scaled(7));
        assert_eq!(plan.factor(), 7);
        assert_eq!(Plan::new(Mode::Shifted { by: 4 }).factor(), 16);
        assert_eq!(Plan::new(Mode::Scaled(1000)).factor(), 100);
        assert_eq!(Plan::new(Mode::Plain).factor(), 1);
        assert_eq!((plan.count(), plan.count()), (4, 5));
        assert_eq!(early(20), 5);
        assert_eq!(<m![A / 8]>::SIZE * 2, 512);
        let (mut sum, [first, .., last]) = (0, TABLE);
        for (i, v) in TABLE.iter().enumerate().rev() {
            sum += i as i32 * v;
        }
        assert_eq!(sum, 5 + 14);
        assert_eq!(first + last, 10);
        let mut left = 100u8;
        while left > 10 {
            left /= 3;
        }
        let found = loop {
            left += 1;
            if left % 7 == 0 {
                break left;
            }
        };
        assert_eq!(found, 7);
        let scale = |v: i32| v * plan.factor();
        let doubled: Vec<i32> = (0..4).map(|v| scale(v) + 1).collect();
        assert_eq!(doubled, vec![1, 8, 15, 22]);
        let name = match last {
            0..=6 => 1,
            7 | 8 => 2,
            _ => 3,
        };
        let block = {
            let x = name * 10;
            x + 1
        };
        assert!(block == 21 && !(block < 3));
        let dm: Dm<m![A % 8]> = x.to_dm(&mut ctx.tdma, 0);
        // CHECK: tcp.vector_fxp %{{.*}} AddFxp(8 : i32)
        let y = twice::<SIZE, _>(ctx, &dm);
        // CHECK: tcp.vector_fxp %{{.*}} AddFxp(8 : i32)
        let z = twice::<4, m![A % 8]>(ctx, &y);
        let back = y.to_hbm(&mut ctx.tdma, 0);
        let other = z.to_hbm(&mut ctx.tdma, 0x10000);
        (back, other)
    }
}

type Outer = m![B];
