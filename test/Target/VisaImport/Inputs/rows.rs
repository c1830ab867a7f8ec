//! Rows of tables by an index, and rows into tables.

use furiosa_opt_std::prelude::*;

axes![K = 512, D = 128, C = 612, G = 512, CL = 2, N = 4, V = 64, W = 128, Long = 32768, Most = 16384];

type Chip = m![1];
type Cluster = m![1 # 2];

/// Rows to their places.
#[device(chip = 1)]
pub fn scatter_min(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![K]>,
    output: &mut HbmTensor<bf16, Chip, m![C, D]>,
) {
    let data_dm: DmTensor<bf16, Chip, Cluster, m![K / 2], m![K % 2, D]> = data.to_dm(&mut ctx.tdma);
    data_dm.dma_scatter::<m![K], _, _>(index, output);
}

/// Rows by where they begin.
#[device(chip = 1)]
pub fn gather_min(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![G]>,
) -> HbmTensor<bf16, Chip, m![G, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![G / 2], m![G % 2, D]> = table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Rows by their numbers, on the chip.
#[device(chip = 1)]
pub fn gather_unscaled(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![CL, G]>,
) -> HbmTensor<bf16, Chip, m![CL, G, D]> {
    let index_dm: DmTensor<i32, Chip, m![CL], m![G / 2], m![G % 2]> = index.to_dm(&mut ctx.tdma);
    let x: DmTensor<bf16, Chip, m![CL], m![G / 2], m![G % 2, D]> =
        table.dma_gather_unscaled(&index_dm);
    x.to_hbm(&mut ctx.tdma)
}

/// An index that is too long, a part at a time.
#[device(chip = 1)]
pub fn gather_split(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![G]>,
) -> HbmTensor<bf16, Chip, m![G, D]> {
    let mut out = HbmTensor::<bf16, Chip, m![G, D]>::new();
    for i in 0..4 {
        let part = index.view().tile::<m![G / 128], 1, m![1 # 4, G % 128]>(i);
        let index_dm: DmTensor<i32, Chip, Cluster, m![G % 128 / 2, 1 # 4], m![G % 2]> =
            part.to_dm(&mut ctx.tdma);
        let x: DmTensor<bf16, Chip, Cluster, m![G % 128 / 2, 1 # 4], m![G % 2, D]> =
            table.dma_gather_unscaled(&index_dm);
        x.view().to_hbm_view(&mut ctx.tdma, out.view_mut().tile::<m![G / 128], 1, m![1 #{!} 4, G % 128, D]>(i));
    }
    out
}

/// An index of two axes.
#[device(chip = 1)]
pub fn gather_two_axes(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![N, V]>,
) -> HbmTensor<bf16, Chip, m![N, V, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![V, N], m![D]> = table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Rows in several parts: an offset counts them all.
#[device(chip = 1)]
pub fn gather_pre(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![N, W, D]>,
    index: &HbmTensor<i32, Chip, m![V]>,
) -> HbmTensor<bf16, Chip, m![N, V, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![V, 1 # 4], m![N, D]> = table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Columns on the slices.
#[device(chip = 1)]
pub fn gather_cols(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![N]>,
) -> HbmTensor<bf16, Chip, m![N, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![D / 4, 1 # 8], m![N, D % 4]> =
        table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Columns on the slices, rows in each.
#[device(chip = 1)]
pub fn scatter_elem_key(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![N, D]>,
    index: &HbmTensor<i32, Chip, m![N]>,
    out: &mut HbmTensor<bf16, Chip, m![C, D]>,
) {
    let x: DmTensor<bf16, Chip, Cluster, m![D / 4, 1 # 8], m![N, D % 4]> =
        data.to_dm(&mut ctx.tdma);
    x.dma_scatter::<m![N], _, _>(index, out);
}

/// Rows that are spread over clusters.
#[device(chip = 1)]
pub fn scatter_bad_key(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![K]>,
    out: &mut HbmTensor<bf16, Chip, m![C, D]>,
) {
    let x: DmTensor<bf16, Chip, m![K / 256], m![K % 256], m![D]> = data.to_dm(&mut ctx.tdma);
    // SPREAD: [[@LINE+1]]:7: error: axis 'K' of the key m![K] is not in the slices and elements of the source alone
    x.dma_scatter::<m![K], _, _>(index, out);
}

/// Rows to places that are on the chip.
#[device(chip = 1)]
pub fn scatter_unscaled(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![K]>,
    out: &mut HbmTensor<bf16, Chip, m![C, D]>,
) {
    let x: DmTensor<bf16, Chip, Cluster, m![K / 2], m![K % 2, D]> = data.to_dm(&mut ctx.tdma);
    let i: DmTensor<i32, Chip, Cluster, m![K / 2], m![K % 2]> = index.to_dm(&mut ctx.tdma);
    x.dma_scatter_unscaled::<m![K], _, _, _, _>(&i, out);
}

/// What was written is read.
#[device(chip = 1)]
pub fn scatter_read(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![K]>,
    out: &mut HbmTensor<bf16, Chip, m![C, D]>,
) -> HbmTensor<bf16, Chip, m![K, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![K / 2], m![K % 2, D]> = data.to_dm(&mut ctx.tdma);
    x.dma_scatter::<m![K], _, _>(index, out);
    let y: DmTensor<bf16, Chip, Cluster, m![K / 2], m![K % 2, D]> = out.dma_gather_scaled(index);
    y.to_hbm(&mut ctx.tdma)
}

/// A table and an index on each chip.
#[device(chip = 4)]
pub fn gather_chips(
    ctx: &mut Context,
    table: &HbmTensor<bf16, m![N], m![W, D]>,
    index: &HbmTensor<i32, m![N], m![V]>,
) -> HbmTensor<bf16, m![N], m![V, D]> {
    let x: DmTensor<bf16, m![N], Cluster, m![V, 1 # 4], m![D]> = table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Rows that have padding behind them.
#[device(chip = 1)]
pub fn gather_padded(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![K, D]>,
    index: &HbmTensor<i32, Chip, m![V]>,
) -> HbmTensor<bf16, Chip, m![V, D]> {
    let mut t = HbmTensor::<bf16, Chip, m![K, D # 192]>::new();
    table.view().to_hbm_view(&mut ctx.tdma, t.view_mut());
    let x: DmTensor<bf16, Chip, Cluster, m![V, 1 # 4], m![D]> = t.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// As many numbers as a scratchpad holds.
#[device(chip = 1)]
pub fn longest(
    ctx: &mut Context,
    table: &HbmTensor<i32, Chip, m![K, V]>,
    index: &HbmTensor<i32, Chip, m![Most]>,
) {
    let index: DmTensor<i32, Chip, m![Most / 8192], m![Most / 32 % 256], m![Most % 32]> =
        index.to_dm(&mut ctx.tdma);
    let rows: DmTensor<i32, Chip, m![Most / 8192], m![Most / 32 % 256], m![Most % 32, V]> =
        table.dma_gather_unscaled(&index);
}

/// One more than that.
#[device(chip = 1)]
pub fn too_long(
    ctx: &mut Context,
    table: &HbmTensor<i32, Chip, m![K, V]>,
    index: &HbmTensor<i32, Chip, m![Long]>,
) {
    let index: DmTensor<i32, Chip, m![Long / 16384], m![Long / 64 % 256], m![Long % 64]> =
        index.to_dm(&mut ctx.tdma);
    // LONG: [[@LINE+2]]:35: error: the index of 'dma_gather_unscaled' has 131072 bytes, a scratchpad holds 65536; take byte offsets from HBM, or a part of the index at a time
    let rows: DmTensor<i32, Chip, m![Long / 16384], m![Long / 64 % 256], m![Long % 64, V]> =
        table.dma_gather_unscaled(&index);
}

/// Pages of 16 rows by their offsets.
#[device(chip = 1)]
pub fn pages(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![W, D]>,
    index: &HbmTensor<i32, Chip, m![N]>,
) -> HbmTensor<bf16, Chip, m![N, W % 16, D]> {
    let x: DmTensor<bf16, Chip, Cluster, m![N, W % 16, 1 # 4], m![D]> = table.dma_gather_scaled(index);
    x.to_hbm(&mut ctx.tdma)
}

/// Pages of 4 rows by their numbers.
#[device(chip = 1)]
pub fn small_pages(
    ctx: &mut Context,
    table: &HbmTensor<bf16, Chip, m![W, D]>,
    index: &HbmTensor<i32, Chip, m![V]>,
) -> HbmTensor<bf16, Chip, m![V, W % 4, D]> {
    let index: DmTensor<i32, Chip, Cluster, m![1 # 256], m![V]> = index.to_dm(&mut ctx.tdma);
    let x: DmTensor<bf16, Chip, Cluster, m![V, W % 4], m![D]> = table.dma_gather_unscaled(&index);
    x.to_hbm(&mut ctx.tdma)
}

/// Pages to their places.
#[device(chip = 1)]
pub fn put_pages(
    ctx: &mut Context,
    data: &HbmTensor<bf16, Chip, m![N, W % 16, D]>,
    index: &HbmTensor<i32, Chip, m![N]>,
    table: &mut HbmTensor<bf16, Chip, m![W, D]>,
) {
    let x: DmTensor<bf16, Chip, Cluster, m![N, W % 16, 1 # 4], m![D]> = data.to_dm(&mut ctx.tdma);
    x.dma_scatter::<m![N], _, _>(index, table);
}
