//! Numbers that the host passes when it launches a kernel, and tests of them.

use furiosa_opt_std::prelude::*;

axes![A = 2048, R = 8];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Rows = HbmTensor<i32, Chip, m![R, A]>;
type Row = HbmTensor<i32, Chip, m![A]>;

/// What the host says of a kernel.
#[derive(DeviceSend)]
pub struct Choice<'a> {
    pub rows: &'a Rows,
    pub row: usize,
}

fn add(ctx: &mut Context, x: &DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>) -> DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> {
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, 1)
        .vector_final()
        .commit_trim::<m![A % 8]>()
        .commit()
}

/// Row `choice.row`, and 1 more `times` times if `more`.
#[device(chip = 1)]
pub fn chosen(ctx: &mut Context, choice: Choice<'_>, times: i32, more: bool, share: f32) -> Row {
    let row = choice.rows.view().tile::<m![R], 1, m![1 # 8, A]>(choice.row);
    let mut x: DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> = row.to_dm(&mut ctx.tdma);
    if more && share > 0.25 {
        for _ in 0..times {
            x = add(ctx, &x);
        }
    }
    x.to_hbm(&mut ctx.tdma)
}

/// A number of the host in an instruction.
#[device(chip = 1)]
pub fn in_instruction(ctx: &mut Context, x: &Row, amount: i32) {
    let x: DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> = x.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        // INSTRUCTION: [[@LINE+1]]:42: error: an operand of 'vector_fxp' stands in the instruction and is a constant; the host passes it when it launches the kernel
        .vector_fxp(FxpBinaryOp::AddFxp, amount);
}
