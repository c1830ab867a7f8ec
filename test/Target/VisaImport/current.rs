// What release 0.6 of the crate refuses, and where it says so.
// RUN: not sequin-translate --import-visa --entry asserts %s 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not sequin-translate --import-visa --entry index %s 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not sequin-translate --import-visa --entry chosen %s 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: not sequin-translate --import-visa --entry cast %s 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: not sequin-translate --import-visa --entry any_axis %s 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not sequin-translate --import-visa --entry whole_chip %s 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not sequin-translate --import-visa --entry trimmed %s 2>&1 | FileCheck %s --check-prefix=TRIM
// RUN: not sequin-translate --import-visa --entry untrimmed %s 2>&1 | FileCheck %s --check-prefix=UNTRIMMED
// RUN: not sequin-translate --import-visa --entry odd_table %s 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not sequin-translate --import-visa --entry never %s 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not sequin-translate --import-visa --entry half_full %s 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not sequin-translate --import-visa --visa=v0.1 --entry half_full %s 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: sequin-translate --import-visa --entry small::one %s 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: sequin-translate --import-visa --entry small::two %s 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not sequin-translate --import-visa --entry small::three %s 2>&1 | FileCheck %s --check-prefix=MACRO
use furiosa_opt_std::prelude::*;

axes![A = 2048, B = 64];

type Chip = m![1];
type Cluster = m![1 # 2];
type Hbm = HbmTensor<i32, Chip, m![A]>;
type Dm = DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]>;

// RELEASE: error: '{{.*}}' is for release 0.6 of the crate, not for 0.1

fn add(ctx: &mut Context, x: &Dm, amount: i32) -> Dm {
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        // INDEX: [[@LINE+3]]:42: error: an operand of 'vector_fxp' stands in the instruction and is a constant; it depends on the index of a loop
        // CHOSEN: [[@LINE+2]]:42: error: an operand of 'vector_fxp' stands in the instruction and is a constant; an 'if' decides it when the kernel runs
        // CAST: [[@LINE+1]]:42: error: an operand of 'vector_fxp' stands in the instruction and is a constant; an 'as' outside of 'const { .. }' makes it
        .vector_fxp(FxpBinaryOp::AddFxp, amount)
        .vector_final()
        .commit_trim::<m![A % 8]>()
        .commit()
}

#[device(chip = 1)]
fn asserts(ctx: &mut Context, x: &Hbm) {
    const { assert!(A::SIZE == 2048) };
    // ASSERT: [[@LINE+1]]:5: error: 'assert!' when the kernel runs is not in release 0.6
    assert!(A::SIZE == 2048);
}

#[device(chip = 1)]
fn index(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    for i in 0..2 {
        add(ctx, &x, i + 1);
    }
}

#[device(chip = 1)]
fn chosen(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    for i in 0..2 {
        let amount = if i == 0 { 3 } else { 4 };
        add(ctx, &x, amount);
    }
}

#[device(chip = 1)]
fn cast(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    add(ctx, &x, const { A::SIZE as i32 });
    add(ctx, &x, A::SIZE as i32);
}

#[device(chip = 1)]
// GENERIC: [[@LINE+1]]:4: error: what a host launches has no generic parameters; write a function that calls 'any_axis' with their values
fn any_axis<X: AxisName>(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![X]>) {}

#[device(chip = 1, pe = 1)]
fn whole_chip(ctx: &mut Context, x: &Hbm) {
    // PART: [[@LINE+1]]:30: error: slice mapping "A / 8" has size 256, the processing elements of this kernel have 64
    let y = x.to_dm::<m![1], m![A / 8], m![A % 8]>(&mut ctx.tdma);
}

#[device(chip = 1)]
fn trimmed(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let flits = ctx
        .main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>();
    // TRIM: [[@LINE+1]]:11: error: m![A / 8 % 4] is not what a packet "A % 8" begins with
    flits.commit_trim::<m![A / 8 % 4]>();
}

#[device(chip = 1)]
fn untrimmed(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let flits = ctx
        .main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>();
    // UNTRIMMED: [[@LINE+1]]:11: error: 'CollectTensor' has no method 'commit' in release 0.6 of the crate, only in 0.1
    flits.commit::<m![A % 8]>();
}

#[device(chip = 1)]
fn odd_table(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    let packets = ctx.main.begin(x.view()).fetch::<m![1], m![A % 8]>();
    // TABLE: [[@LINE+1]]:13: error: there is no table from 'i32' to 'bf16'
    packets.fetch_table_lookup::<bf16>();
}

#[device(chip = 1)]
fn never(ctx: &mut Context, x: &Hbm) {
    let x: Dm = x.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(0), Cmp::False, Cmp::False, Cmp::False]))
        // NEVER: [[@LINE+1]]:42: error: no element has a tag that this guard admits
        .vector_fxp(FxpBinaryOp::AddFxp, Branched::imm(TagGuard::not_matches([BitReq::Ignore, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]), 1));
}

#[device(chip = 1)]
fn half_full(ctx: &mut Context, x: &Hbm) {
    let mut y: Dm = DmTensor::new();
    // HALF: [[@LINE+1]]:64: error: 'memset' fills a whole DmTensor, found a part
    y.view_mut().tile::<m![A % 8], 4, m![A % 8 = 4 #{!} 8]>(0).memset(1, &mut ctx.sub);
}

mod small {
    use super::*;

    axes![P = 256];

    // Kernels for one processing element, by a macro.
    macro_rules! adding {
        ($($name:ident: $amount:expr),+ $(,)?) => {
            $(
                #[device(chip = 1, pe = 1)]
                fn $name(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![P]>) -> HbmTensor<i32, m![1], m![P]> {
                    let x: DmTensor<i32, m![1], m![1], m![P / 4], m![P % 4]> = x.to_dm(&mut ctx.tdma);
                    let y: DmTensor<i32, m![1], m![1], m![P / 4], m![P % 4]> = ctx
                        .main
                        .begin(x.view())
                        .fetch::<m![1], m![P % 4]>()
                        .collect::<m![1], m![P % 4 # 8]>()
                        .vector_init()
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_fxp(FxpBinaryOp::AddFxp, $amount)
                        .vector_final()
                        .commit_trim::<m![P % 4]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }
            )+
        };
    }

    // SMALL: cluster "1 # 2", slice "P / 4 # 256"
    adding!(one: 1, two: 1 + 1);
    // MACRO: current.rs (adding! of line [[@LINE+1]]:5):{{[0-9]+}}:{{[0-9]+}}: error: an operand of 'vector_fxp' on 'i32' is a number of it
    adding!(three: 3.0f32);
}
