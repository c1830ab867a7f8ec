// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Two layers of a network: 256 hidden values of 128 inputs, rectified, and 16
//! results of the hidden values. A row of weights lies in each slice; the second
//! layer has one row in every sixteenth.

use furiosa_visa_std::prelude::*;

axes![X = 128, H = 256, C = 16];

type Chip = m![1];
type Cluster = m![1 # 2];

fn hidden(
    ctx: &mut Context,
    input: &HbmTensor<bf16, Chip, m![X]>,
    weights: &HbmTensor<bf16, Chip, m![H, X]>,
) -> HbmTensor<bf16, Chip, m![H]> {
    let input_dm = input.to_dm::<Cluster, m![H], m![X]>(&mut ctx.tdma, 0);
    let weights_dm = weights.to_dm::<Cluster, m![H], m![X]>(&mut ctx.tdma, 0x1000);
    let input_trf: TrfTensor<bf16, Chip, Cluster, m![H], m![1], m![X]> = ctx
        .sub
        .begin(input_dm.view())
        .fetch::<bf16, m![1], m![X]>()
        .collect::<m![X / 16], m![X % 16]>()
        .to_trf(TrfAddress::Full);
    let rectified: DmTensor<bf16, Chip, Cluster, m![H], m![1 # 8]> = ctx
        .main
        .begin(weights_dm.view())
        .fetch::<bf16, m![X / 32], m![X % 32]>()
        .collect::<m![X / 16], m![X % 16]>()
        .align::<m![X / 32], m![X % 32], _, _>(&input_trf)
        .contract::<m![1]>()
        .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_clip(ClipBinaryOpF32::Max, 0.0f32)
        .vector_final()
        .cast::<bf16, m![1 # 16]>()
        .commit(0x2000);
    rectified.to_hbm(&mut ctx.tdma, 0x1000)
}

#[device(chip = 1)]
pub fn forward(
    ctx: &mut Context,
    input: &HbmTensor<bf16, Chip, m![X]>,
    first: &HbmTensor<bf16, Chip, m![H, X]>,
    second: &HbmTensor<bf16, Chip, m![C, H]>,
) -> HbmTensor<f32, Chip, m![C]> {
    type Slice = m![C, 1 # 16];
    let hidden = hidden(ctx, input, first);
    let hidden_dm = hidden.to_dm::<Cluster, Slice, m![H]>(&mut ctx.tdma, 0x3000);
    let second_dm = second.to_dm::<Cluster, Slice, m![H]>(&mut ctx.tdma, 0x4000);
    let hidden_trf: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![H]> = ctx
        .sub
        .begin(hidden_dm.view())
        .fetch::<bf16, m![1], m![H]>()
        .collect::<m![H / 16], m![H % 16]>()
        .to_trf(TrfAddress::Full);
    let results: DmTensor<f32, Chip, Cluster, Slice, m![1 # 8]> = ctx
        .main
        .begin(second_dm.view())
        .fetch::<bf16, m![H / 32], m![H % 32]>()
        .collect::<m![H / 16], m![H % 16]>()
        .align::<m![H / 32], m![H % 32], _, _>(&hidden_trf)
        .contract::<m![1]>()
        .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
        .commit(0x5000);
    results.to_hbm(&mut ctx.tdma, 0x2000)
}
