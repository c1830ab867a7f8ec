// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! A matrix of 2,048 x 512 times a vector, over four chips: each has a quarter of the
//! columns and of the vector. Its sums are a part of the result, which the chips send
//! around and add up. Eight rows lie in the registers of each slice, so that a packet
//! has eight sums: the DMA moves no less than 8 bytes at a time.

use furiosa_visa_std::prelude::*;

axes![C = 4, R = 2048, K = 128, I = 2];

type Chip = m![C];
type Cluster = m![1 # 2];
type Slice = m![R / 8];
type Sums = DmTensor<i32, Chip, Cluster, Slice, m![R % 8]>;

/// The sums of a chip's own columns.
fn partial(
    ctx: &mut Context,
    matrix: &HbmTensor<i8, Chip, m![R, K]>,
    vector: &HbmTensor<i8, Chip, m![K]>,
) -> Sums {
    let matrix_dm = matrix.to_dm::<Cluster, Slice, m![R % 8, K]>(&mut ctx.tdma, 0);
    let vector_dm = vector.to_dm::<Cluster, Slice, m![K]>(&mut ctx.tdma, 0x1000);
    let rows: TrfTensor<i8, Chip, Cluster, Slice, m![R % 8], m![K]> = ctx
        .sub
        .begin(matrix_dm.view())
        .fetch::<i8, m![R % 8], m![K]>()
        .collect::<m![R % 8, K / 32], m![K % 32]>()
        .to_trf(TrfAddress::Full);
    ctx.main
        .begin(vector_dm.view())
        .fetch::<i8, m![K / 64], m![K % 64]>()
        .collect::<m![K / 32], m![K % 32]>()
        .align::<m![K / 64], m![K % 64], _, _>(&rows)
        .contract::<m![1]>()
        .accumulate::<m![1], m![R % 8]>(AccumulationKind::Interleaved)
        .commit(0x2000)
}

fn add(ctx: &mut Context, left: &Sums, right: &Sums) -> Sums {
    ctx.main
        .begin_interleaved::<I, _, _, _, _, _>(left.view(), right.view())
        .fetch::<i32, m![I], m![R % 8]>()
        .collect::<m![I], m![R % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
        .vector_clip_zip(ClipBinaryOpI32::AddFxp)
        .vector_final()
        .commit(0x3000)
}

/// The whole result, on every chip.
#[device(chip = 4)]
pub fn matrix_vector(
    ctx: &mut Context,
    matrix: &HbmTensor<i8, Chip, m![R, K]>,
    vector: &HbmTensor<i8, Chip, m![K]>,
) -> HbmTensor<i32, Chip, m![R]> {
    let own = partial(ctx, matrix, vector);
    let mut sum = add_shuffled(ctx, &own, &own, [1, 2, 3, 0]);
    for pattern in [[2, 3, 0, 1], [3, 0, 1, 2]] {
        sum = add_shuffled(ctx, &sum, &own, pattern);
    }
    sum.to_hbm(&mut ctx.tdma, 0x1000)
}

fn add_shuffled(ctx: &mut Context, sum: &Sums, own: &Sums, pattern: [usize; 4]) -> Sums {
    let other = ctx
        .tdma
        .dm_chip_shuffle::<_, 4, _, _, _, _>(own.view(), &pattern);
    add(ctx, sum, &other)
}
