// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Rows of the embedding table.

use super::*;

/// Bytes of a row.
const ROW: i32 = (Hid::SIZE * 2) as i32;

/// Where the rows of these words begin, in bytes.
fn offsets(ctx: &mut Context, words: &HbmTensor<i32, Chip, m![Tok]>) -> HbmTensor<i32, Chip, m![Tok]> {
    let words: DmTensor<i32, Chip, Cluster, m![1 # 256], m![Tok]> = words.to_dm(&mut ctx.tdma);
    let offsets: DmTensor<i32, Chip, Cluster, m![1 # 256], m![Tok]> = ctx
        .main
        .begin(words.view())
        .fetch::<m![Tok / 8], m![Tok % 8]>()
        .collect::<m![Tok / 8], m![Tok % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::MulInt, ROW)
        .vector_final()
        .commit_trim::<m![Tok % 8]>()
        .commit();
    offsets.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn embed(
    ctx: &mut Context,
    words: &HbmTensor<i32, Chip, m![Tok]>,
    table: &HbmTensor<bf16, Chip, m![Voc, Hid]>,
) -> Hidden {
    let offsets = offsets(ctx, words);
    let rows: Rows<bf16> = table.dma_gather_scaled(&offsets);
    rows.to_hbm(&mut ctx.tdma)
}
