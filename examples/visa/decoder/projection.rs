// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Products of rows with weights: outputs on the slices, eight tokens on the lanes.

use super::*;

/// What belongs to the projections in front of the attention.
#[derive(DeviceSend)]
pub struct Weights<'a> {
    pub query: &'a HbmTensor<bf16, Chip, m![Head, Dim, Hid]>,
    pub key: &'a HbmTensor<bf16, Chip, m![Head, Dim, Hid]>,
    pub value: &'a HbmTensor<bf16, Chip, m![Head, Dim, Hid]>,
}

/// x times the transpose of a weight whose outputs are `Out`, spread over the slices.
pub fn product<Out: M>(
    ctx: &mut Context,
    x: &Hidden,
    weight: &HbmTensor<bf16, Chip, m![{ Out }, Hid]>,
) -> DmTensor<bf16, Chip, Cluster, Out, m![Tok]> {
    const { assert!(Out::SIZE == 256, "the outputs fill the slices") };
    let weight: DmTensor<bf16, Chip, Cluster, Out, m![Hid]> = weight.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<bf16, Chip, Cluster, Out, m![Tok]> = DmTensor::new();
    for group in 0..Tok::SIZE / 8 {
        let rows = x
            .view()
            .tile::<m![Tok / 8], 1, m![1 # { Tok::SIZE / 8 }, Tok % 8, Hid]>(group);
        let rows: DmTensor<bf16, Chip, Cluster, Out, m![Tok % 8, Hid]> = rows.to_dm(&mut ctx.tdma);
        let rows: TrfTensor<bf16, Chip, Cluster, Out, m![Tok % 8], m![Hid]> = ctx
            .sub
            .begin(rows.view())
            .fetch::<m![Tok % 8, Hid / 16], m![Hid % 16]>()
            .collect::<m![Tok % 8, Hid / 16], m![Hid % 16]>()
            .to_trf();
        ctx.main
            .begin(weight.view())
            .fetch::<m![Hid / 16], m![Hid % 16]>()
            .collect::<m![Hid / 16], m![Hid % 16]>()
            .contract_outer::<m![Hid / 32], m![Hid % 32], m![Tok % 8], m![Hid], _>(&rows)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![Tok % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![Tok % 8 # 16]>()
            .commit_trim::<m![Tok % 8]>()
            .commit_view(
                y.view_mut()
                    .tile::<m![Tok / 8], 1, m![1 #{!} { Tok::SIZE / 8 }, Tok % 8]>(group),
            );
    }
    y
}

impl Weights<'_> {
    /// The three products of a prompt.
    fn products(&self, ctx: &mut Context, x: &Hidden) -> [DmTensor<bf16, Chip, Cluster, HeadSlice, m![Tok]>; 3] {
        [self.query, self.key, self.value].map(|weight| product::<m![Head, Dim]>(ctx, x, weight))
    }
}

#[device(chip = 1)]
pub fn project(ctx: &mut Context, x: &Hidden, weights: Weights<'_>) -> (Heads, Heads, Heads) {
    let [q, k, v] = weights.products(ctx, x);
    (q.to_hbm(&mut ctx.tdma), k.to_hbm(&mut ctx.tdma), v.to_hbm(&mut ctx.tdma))
}
