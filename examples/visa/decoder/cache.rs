// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Keys and values of earlier tokens, each at its position.

use super::*;

pub type Cache = HbmTensor<bf16, Chip, m![Ctx, Head, Dim]>;

/// Bytes of a token's heads.
const ROW: i32 = 512;

/// Puts new rows into both caches.
#[device(chip = 1)]
pub fn append(
    ctx: &mut Context,
    rows: (&Heads, &Heads),
    positions: &HbmTensor<i32, Chip, m![Tok]>,
    keys: &mut Cache,
    values: &mut Cache,
) {
    const { assert!(ROW as usize == <m![Head, Dim]>::SIZE * 2) };
    let positions: DmTensor<i32, Chip, Cluster, m![Tok / 8, 1 # 32], m![Tok % 8]> =
        positions.to_dm(&mut ctx.tdma);
    let offsets: DmTensor<i32, Chip, Cluster, m![Tok / 8, 1 # 32], m![Tok % 8]> = ctx
        .main
        .begin(positions.view())
        .fetch::<m![1], m![Tok % 8]>()
        .collect::<m![1], m![Tok % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::MulInt, ROW)
        .vector_final()
        .commit_trim::<m![Tok % 8]>()
        .commit();
    let offsets: HbmTensor<i32, Chip, m![Tok]> = offsets.to_hbm(&mut ctx.tdma);
    for (new, cache) in [(rows.0, keys), (rows.1, values)] {
        let new: DmTensor<bf16, Chip, Cluster, TokSlice, m![Head, Dim]> = new.to_dm(&mut ctx.tdma);
        new.dma_scatter::<m![Tok], _, _>(&offsets, cache);
    }
}
