// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Rows in tiles: a loop over tiles, a function with generic parameters, and a
//! result that is written part by part. 16 rows of 2,048 numbers, two at a time.

use furiosa_visa_std::prelude::*;

axes![T = 16, N = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![N / 8];

const ROWS: usize = 2;
const FACTORS: [i32; 4] = [1, 10, 100, 1000];

fn scale<const ROUND: usize>(
    ctx: &mut Context,
    rows: &DmTensor<i32, Chip, Cluster, Slice, m![T = 2 # 16, N % 8]>,
) -> DmTensor<i32, Chip, Cluster, Slice, m![T = 2 # 16, N % 8]> {
    ctx.main
        .begin(rows.view())
        .fetch::<i32, m![T = 2 # 16], m![N % 8]>()
        .collect::<m![T = 2 # 16], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::MulInt, FACTORS[ROUND % 4])
        .vector_final()
        .commit(0x8000)
}

/// Even pairs of rows times 1, odd ones times 10.
#[device(chip = 1)]
pub fn scale_rows(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![T, N]>,
) -> HbmTensor<i32, Chip, m![T, N]> {
    let mut out = unsafe { HbmTensor::<i32, Chip, m![T, N]>::from_addr(0x100_0000) };
    for (round, first) in (0..16).step_by(ROWS).enumerate() {
        let rows: DmTensor<i32, Chip, Cluster, Slice, m![T = 2 # 16, N % 8]> = x
            .view()
            .tile::<m![T], 2, m![T = 2 # 16, N]>(first)
            .to_dm(&mut ctx.tdma, 0);
        let scaled = if round % 2 == 0 {
            scale::<0>(ctx, &rows)
        } else {
            scale::<1>(ctx, &rows)
        };
        scaled.view().to_hbm_view(
            &mut ctx.tdma,
            out.view_mut().tile::<m![T], 2, m![T = 2 # 16, N]>(first),
        );
    }
    out
}
