//! Tiles of chips, clusters and slices.

use furiosa_opt_std::prelude::*;

axes![A = 256, B = 32, N = 4, S = 64];

type Chip = m![1];

/// Clusters change places, by tiles.
#[device(chip = 1)]
pub fn clusters_change_places(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A, B]> {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = DmTensor::new();
    for i in 0..2 {
        let from = x.view().cluster_tile::<m![A / 128], 1, m![1 # 2]>(i);
        let to = y.view_mut().cluster_tile::<m![A / 128], 1, m![1 #{!} 2]>(1 - i);
        from.to_dm_view(&mut ctx.tdma, to);
    }
    y.to_hbm(&mut ctx.tdma)
}

/// One of two clusters.
#[device(chip = 1)]
pub fn second_cluster(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A % 128, B]> {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: HbmTensor<i32, Chip, m![A % 128, B]> = HbmTensor::new();
    x.view().cluster_tile::<m![A / 128], 1, m![1 # 2]>(1).to_hbm_view(&mut ctx.tdma, y.view_mut());
    y
}

/// A pass on it.
#[device(chip = 1)]
pub fn pass_of_a_cluster(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A % 128, B]> {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, Chip, m![1 # 2], m![A % 128, 1 # 2], m![B]> = ctx.main.begin(x.view()
        .cluster_tile::<m![A / 128], 1, m![1 # 2]>(1))
        .fetch::<m![B / 8], m![B % 8]>().collect::<m![B / 8], m![B % 8]>()
        .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, 1)
            .vector_final()
            .commit_trim::<m![B % 8]>()
            .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// Slices from the middle.
#[device(chip = 1)]
pub fn slices_in_between(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A = 64, B]> {
    let x: DmTensor<i32, Chip, m![1 # 2], m![A], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: HbmTensor<i32, Chip, m![A = 64, B]> = HbmTensor::new();
    x.view().slice_tile::<m![A], 64, m![A = 64 # 256]>(96).to_hbm_view(&mut ctx.tdma, y.view_mut());
    y
}

/// Every fourth slice, from the third on.
#[device(chip = 1)]
pub fn every_fourth_slice(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A / 4, B]> {
    let x: DmTensor<i32, Chip, m![1 # 2], m![A], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: HbmTensor<i32, Chip, m![A / 4, B]> = HbmTensor::new();
    for i in 2..3 { x.view()
        .slice_tile::<m![A % 4], 1, m![A / 4, 1 # 4]>(i)
        .to_hbm_view(&mut ctx.tdma, y.view_mut()); }
    y
}

/// A part of a part of a part.
#[device(chip = 1)]
pub fn part_of_parts(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A = 32, B = 8]> {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: HbmTensor<i32, Chip, m![A = 32, B = 8]> = HbmTensor::new();
    x.view()
        .cluster_tile::<m![A / 128], 1, m![1 # 2]>(1)
        .slice_tile::<m![A % 128], 32, m![A % 128 = 32 # 128, 1 # 2]>(32)
        .tile::<m![B], 8, m![B = 8 # 32]>(16)
        .to_hbm_view(&mut ctx.tdma, y.view_mut());
    y
}

/// What lies in data memory, chip by chip; a chip may be read twice.
#[device(chip = 4)]
pub fn chips_by_chips(
    ctx: &mut Context,
    x: &HbmTensor<i32, m![N], m![S, B]>,
) -> HbmTensor<i32, m![N], m![S, B]> {
    let x: DmTensor<i32, m![N], m![1 # 2], m![S, 1 # 4], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<i32, m![N], m![1 # 2], m![S, 1 # 4], m![B]> = DmTensor::new();
    for (to, from) in [2, 2, 0, 1].iter().enumerate() {
        x.view()
            .chip_tile::<m![N], 1, m![1 # 4]>(*from)
            .to_dm_view(&mut ctx.tdma, y.view_mut()
            .chip_tile::<m![N], 1, m![1 #{!} 4]>(to));
    }
    y.to_hbm(&mut ctx.tdma)
}

/// The same in HBM.
#[device(chip = 4)]
pub fn hbm_of_chips(
    ctx: &mut Context,
    x: &HbmTensor<i32, m![N], m![S, B]>,
) -> HbmTensor<i32, m![N], m![S, B]> {
    let mut y: HbmTensor<i32, m![N], m![S, B]> = HbmTensor::new();
    for (to, from) in [2, 2, 0, 1].iter().enumerate() {
        x.view()
            .chip_tile::<m![N], 1, m![1 # 4]>(*from)
            .to_hbm_view(&mut ctx.tdma, y.view_mut()
            .chip_tile::<m![N], 1, m![1 #{!} 4]>(to));
    }
    y
}

/// Each cluster copies a part of its own.
#[device(chip = 1)]
pub fn copies_by_cluster(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![A, B]>,
) -> HbmTensor<i32, Chip, m![A, B / 4]> {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let y = ctx.sub.parallel_copy_cluster_slice::<2, m![B % 4], m![B / 4, 1 # 4], m![B / 4], _, _, _, _, _>(x.view(), &[3, 1]);
    y.to_hbm(&mut ctx.tdma)
}

/// Each chip does.
#[device(chip = 4)]
pub fn copies_by_chip(
    ctx: &mut Context,
    x: &HbmTensor<i32, m![N], m![S, B]>,
) -> HbmTensor<i32, m![N], m![S, B % 8]> {
    let x: DmTensor<i32, m![N], m![1 # 2], m![S, 1 # 4], m![B]> = x.to_dm(&mut ctx.tdma);
    let y = ctx.sub.parallel_copy_chip_slice::<4, m![B / 8], m![1 # 4, B % 8], m![B % 8], _, _, _, _, _>(x.view(), &[3, 0, 1, 2]);
    y.to_hbm(&mut ctx.tdma)
}

/// A copy that would leave its cluster.
#[device(chip = 1)]
pub fn copies_across(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A, B]>) {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = DmTensor::new();
    x.view()
        .cluster_tile::<m![A / 128], 1, m![1 # 2]>(0)
        // ACROSS: [[@LINE+1]]:10: error: a parallel copy stays in its slices: the source begins at cluster 0, the destination at 1
        .to_dm_view_pcopy(&mut ctx.sub, y.view_mut()
        .cluster_tile::<m![A / 128], 1, m![1 #{!} 2]>(1));
}

/// One more cluster than there is.
#[device(chip = 1)]
pub fn third_cluster(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A, B]>) {
    let x: DmTensor<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]> = x.to_dm(&mut ctx.tdma);
    let mut y: HbmTensor<i32, Chip, m![A % 128, B]> = HbmTensor::new();
    // THIRD: [[@LINE+2]]:10: error: tile [2, 3) of "A / 128", which has 2
    x.view()
        .cluster_tile::<m![A / 128], 1, m![1 # 2]>(2)
        .to_hbm_view(&mut ctx.tdma, y.view_mut());
}

/// A tile of a tile, copied to one.
#[device(chip = 1)]
pub fn tiles_of_tiles(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A, B]>) -> HbmTensor<i32, Chip, m![A, B]> {
    let x = x.to_dm::<m![A / 128], m![A % 128, 1 # 2], m![B]>(&mut ctx.tdma);
    let mut y = DmTensor::<i32, Chip, m![A / 128], m![A % 128, 1 # 2], m![B]>::new();
    x.view().to_dm_view(&mut ctx.tdma, y.view_mut());
    let from = x
        .view()
        .tile::<m![B], 16, m![B = 16 # 32]>(16)
        .tile::<m![B = 16 # 32], 8, m![B = 8 # 32]>(8);
    let to = y
        .view_mut()
        .tile::<m![B], 16, m![B = 16 #{!} 32]>(0)
        .tile::<m![B = 16 #{!} 32], 8, m![B = 8 #{!} 32]>(8);
    from.to_dm_view(&mut ctx.tdma, to);
    y.to_hbm(&mut ctx.tdma)
}
