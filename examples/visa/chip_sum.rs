// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! A sum over four chips (manual, section "Chip/Cluster Reduce"): every chip gets
//! what the three others hold and adds it to its own, two tensors at a time.

use furiosa_visa_std::prelude::*;

axes![C = 4, N = 2048, I = 2];

type Chip = m![C];
type Cluster = m![1 # 2];
type Slice = m![N / 8];
type Part = DmTensor<i32, Chip, Cluster, Slice, m![N % 8]>;

fn add(ctx: &mut Context, left: &Part, right: &Part) -> Part {
    ctx.main
        .begin_interleaved::<I, _, _, _, _, _>(left.view(), right.view())
        .fetch::<i32, m![I], m![N % 8]>()
        .collect::<m![I], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
        .vector_clip_zip(ClipBinaryOpI32::AddFxp)
        .vector_final()
        .commit(0)
}

/// On every chip the sum of all four; the host sees the four copies.
#[device(chip = 4)]
pub fn all_reduce(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![N]>,
) -> HbmTensor<i32, Chip, m![N]> {
    let own: Part = x.to_dm(&mut ctx.tdma, 0);
    let mut sum = add_shuffled(ctx, &own, &own, [1, 2, 3, 0]);
    for pattern in [[2, 3, 0, 1], [3, 0, 1, 2]] {
        sum = add_shuffled(ctx, &sum, &own, pattern);
    }
    sum.to_hbm(&mut ctx.tdma, 0x1000)
}

fn add_shuffled(ctx: &mut Context, sum: &Part, own: &Part, pattern: [usize; 4]) -> Part {
    let other = ctx
        .tdma
        .dm_chip_shuffle::<_, 4, _, _, _, _>(own.view(), &pattern);
    add(ctx, sum, &other)
}
