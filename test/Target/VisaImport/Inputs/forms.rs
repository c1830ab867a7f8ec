//! Kernels that add a number to what they are given, each written in other forms of
//! the language.

use furiosa_opt_std::prelude::*;

axes![A = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Hbm = HbmTensor<i32, Chip, m![A]>;
type Dm = DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]>;

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

struct Layer<'a> {
    weight: &'a Hbm,
    bias: Option<&'a Hbm>,
}

impl<'a> Layer<'a> {
    const AMOUNT: i32 = 5;

    fn new(weight: &'a Hbm) -> Self {
        Layer { weight, bias: None }
    }

    fn with_bias(self, bias: &'a Hbm) -> Self {
        Self { bias: Some(bias), ..self }
    }

    fn forward(&self, ctx: &mut Context) -> Dm {
        if let Some(bias) = self.bias {
            let bias = bias.to_dm(&mut ctx.tdma);
            return add(ctx, &bias, Self::AMOUNT);
        }
        self.weight.to_dm(&mut ctx.tdma)
    }
}

#[device(chip = 1)]
pub fn methods(ctx: &mut Context, x: &Hbm) -> Hbm {
    let plain = Layer::new(x).forward(ctx);
    let whole: Hbm = plain.to_hbm(&mut ctx.tdma);
    Layer::new(x).with_bias(&whole).forward(ctx).to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn lists(ctx: &mut Context, x: &Hbm) -> Hbm {
    let x = x.to_dm(&mut ctx.tdma);
    let parts: [Dm; 3] = std::array::from_fn(|_| add(ctx, &x, 1));
    let mut kept = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        if i != 1 {
            kept.push(add(ctx, part, 2));
        }
    }
    let mut sum = kept.pop().unwrap();
    while let Some(_) = kept.pop() {
        sum = add(ctx, &sum, 4);
    }
    sum.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn exchanges(ctx: &mut Context, x: &Hbm) -> Hbm {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let (mut now, mut next) = (add(ctx, &x, 1), add(ctx, &x, 2));
    std::mem::swap(&mut now, &mut next);
    let old = std::mem::replace(&mut now, next);
    let mut last = Some(add(ctx, &old, 3));
    let taken = last.take().expect("was there");
    if last.is_none() { add(ctx, &taken, 1) } else { now }.to_hbm(&mut ctx.tdma)
}

enum Step {
    Nothing,
    By(i32),
    Twice { first: i32, second: i32 },
}

impl Step {
    fn apply(&self, ctx: &mut Context, x: &Dm) -> Dm {
        match self {
            Step::Nothing => add(ctx, x, 0),
            Step::By(amount) => add(ctx, x, *amount),
            Self::Twice { first, second } => {
                let y = add(ctx, x, *first);
                add(ctx, &y, *second)
            }
        }
    }
}

#[device(chip = 1)]
pub fn variants(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut y = x.to_dm(&mut ctx.tdma);
    for step in &[Step::Nothing, Step::By(4), Step::Twice { first: 1, second: 2 }] {
        y = step.apply(ctx, &y);
    }
    y.to_hbm(&mut ctx.tdma)
}

/// What repeats a pass, by the parameters of a struct.
struct Repeated<E: AxisName, const N: usize> {
    amount: i32,
    marker: std::marker::PhantomData<E>,
}

impl<E: AxisName, const N: usize> Repeated<E, N> {
    const TIMES: usize = N / 4;

    fn same(
        ctx: &mut Context,
        x: &DmTensor<i32, Chip, Cluster, m![E / { N }], m![E % { N }]>,
    ) -> DmTensor<i32, Chip, Cluster, m![E / { N }], m![E % { N }]> {
        let mut y = x.to_dm::<m![E / { N }], m![E % { N }]>(&mut ctx.tdma);
        for _ in 1..Self::TIMES {
            y = y.to_dm::<m![E / { N }], m![E % { N }]>(&mut ctx.tdma);
        }
        y
    }
}

#[device(chip = 1)]
pub fn parameters(ctx: &mut Context, x: &Hbm) -> Hbm {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let y = Repeated::<A, 8>::same(ctx, &x);
    let mut z = add(ctx, &y, 1);
    for _ in 0..Repeated::<A, 16>::TIMES {
        z = add(ctx, &z, 1);
    }
    z.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn contexts(ctx: &mut Context, x: &Hbm) -> Hbm {
    let y = {
        let x: Dm = x.to_dm(&mut ctx.tdma);
        let by = |ctx: &mut Context, amount: i32| -> Dm { add(ctx, &x, amount) };
        by(ctx, 4)
    };
    let Context { tdma, .. } = ctx;
    y.to_hbm(tdma)
}

#[device(chip = 1)]
pub fn options(ctx: &mut Context, x: &Hbm) -> Hbm {
    let some: Option<i32> = Some(3);
    let Some(three) = some else { panic!("there is one") };
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let mut kept: Option<Dm> = None;
    for _ in 0..2 {
        kept = match kept {
            None => Some(add(ctx, &x, three.pow(2))),
            Some(ref before) => Some(add(ctx, before, some.map(|v| v * 2).unwrap_or(0))),
        };
    }
    kept.as_ref().unwrap().to_hbm(&mut ctx.tdma)
}

/// Registers that an `if` chooses when the kernel runs are no constants.
#[device(chip = 1)]
pub fn registers(ctx: &mut Context, x: &Hbm) -> Hbm {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let mut load = |dm: &Dm| -> VrfTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]> {
        ctx.sub.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().to_vrf()
    };
    let once = load(&x);
    let mut y: Dm = x.to_dm::<m![A / 8], m![A % 8]>(&mut ctx.tdma);
    let other = add(ctx, &x, 3);
    let three = ctx.sub.begin(other.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>();
    let three: VrfTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]> = three.to_vrf();
    for i in 0..2 {
        let operand = if i == 0 { &once } else { &three };
        y = ctx
            .main
            .begin(y.view())
            .fetch::<m![1], m![A % 8]>()
            .collect::<m![1], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(if i == 0 { FxpBinaryOp::SubFxp } else { FxpBinaryOp::AddFxp }, operand)
            .vector_final()
            .commit_trim::<m![A % 8]>()
            .commit();
    }
    y.to_hbm(&mut ctx.tdma)
}

/// Sums a constant that a table holds: the index is known when the kernel runs only.
#[device(chip = 1)]
pub fn table(ctx: &mut Context, x: &Hbm) {
    const AMOUNTS: [i32; 2] = [1, 2];
    let x: Dm = x.to_dm(&mut ctx.tdma);
    for i in 0..2 {
        add(ctx, &x, AMOUNTS[i]);
    }
}

/// The same by a match.
#[device(chip = 1)]
pub fn matched(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    for i in 0..2 {
        let amount = match i {
            0 => 1,
            _ => 2,
        };
        add(ctx, &x, amount);
    }
}
