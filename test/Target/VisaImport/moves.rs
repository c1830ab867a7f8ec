// Calls that need more than one operation, with the remark that says so.
// RUN: sequin-translate --import-visa --entry behind_fetch %s 2>&1 | FileCheck %s --check-prefix=FETCH
// RUN: sequin-translate --import-visa --entry copies %s 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: sequin-translate --import-visa --entry renamed %s 2>&1 | FileCheck %s --check-prefix=RENAME
// RUN: sequin-translate --import-visa --entry reduced %s 2>&1 | FileCheck %s --check-prefix=REDUCE
// RUN: sequin-translate --import-visa --entry first_slice %s 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: sequin-translate --import-visa --entry later_slice %s 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: sequin-translate --import-visa --entry scattered %s 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: sequin-translate --import-visa --entry gathered %s 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: sequin-translate --import-visa --entry clusters::swapped %s 2>&1 | FileCheck %s --check-prefix=SWAP
// RUN: sequin-translate --import-visa --entry shifted %s 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: rm -rf %t && mkdir %t && sequin-translate --import-visa --entry renamed %s -o %t/renamed.mlir
// RUN: sequin-run %t/renamed.mlir --timing-only
use furiosa_visa_std::prelude::*;

axes![A = 2048, B = 8, C = 256, D = 256, E = 8, S = 64, V = 100, W = 48, X = 256];

type Chip = m![1];
type Cluster = m![1 # 2];
type Dm = DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]>;

#[device(chip = 1)]
fn behind_fetch(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    let dm: Dm = x.to_dm(&mut ctx.tdma, 0);
    // FETCH: [[@LINE+1]]:76: remark: inserts collect::<m![1], m![A % 8]>() between the fetch and 'commit'
    let y: Dm = ctx.main.begin(dm.view()).fetch::<i32, m![1], m![A % 8]>().commit(0);
    // FETCH: tcp.collect
    y.to_hbm(&mut ctx.tdma, 0)
}

#[device(chip = 1)]
fn copies(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, out: &mut HbmTensor<i32, Chip, m![A]>) {
    let dm: Dm = x.to_dm(&mut ctx.tdma, 0);
    let mut copy: Dm = unsafe { DmTensor::from_addr(0x100) };
    // COPY: [[@LINE+1]]:8: remark: 'to_dm_pcopy' is a pass of the sub context
    dm.to_dm_pcopy(&mut ctx.sub, &mut copy);
    // COPY: func.func @main(%{{[a-z0-9]*}}: !tcp.host<i32, #axes, "A"> {tcp.name = "x"}) -> (!tcp.host<i32, #axes, "A"> {tcp.name = "out"})
    // COPY: tcp.begin sub
    copy.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
}

#[device(chip = 1)]
fn renamed(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![D, E]> {
    let dm: Dm = x.to_dm(&mut ctx.tdma, 0);
    // RENAME: tcp.bitcast
    let other: DmTensor<i32, Chip, Cluster, m![D], m![E]> = unsafe { dm.reshape() };
    other.to_hbm(&mut ctx.tdma, 0)
}

#[device(chip = 1)]
fn reduced(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![C, B]>) -> HbmTensor<i32, Chip, m![B]> {
    let dm = x.to_dm::<Cluster, m![C], m![B]>(&mut ctx.tdma, 0);
    let sums: DmTensor<i32, Chip, Cluster, m![X], m![B]> = ctx
        .main
        .begin(dm.view())
        .fetch::<i32, m![1], m![B]>()
        .collect::<m![1], m![B]>()
        .vector_init()
        .vector_inter_slice_reduce::<m![X], m![1]>(InterSliceReduceOpI32::Add)
        .vector_final()
        .commit(0);
    let mut out = unsafe { HbmTensor::from_addr(0x1000) };
    // REDUCE: [[@LINE+3]]:10: remark: the pass commits the slices m![1 # 256] only, which this tile reads
    sums
        .view()
        .slice_tile::<m![X], 1, m![1 # 256]>(0)
        .to_hbm_view(&mut ctx.tdma, out.view_mut());
    // REDUCE: tcp.commit %{{.*}} "B" slices "1 # 256"
    out
}

#[device(chip = 1)]
fn first_slice(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![C, B]>) -> HbmTensor<i32, Chip, m![B]> {
    let dm = x.to_dm::<Cluster, m![C], m![B]>(&mut ctx.tdma, 0);
    let mut out = unsafe { HbmTensor::from_addr(0x1000) };
    // SLICE: [[@LINE+3]]:10: remark: a pass of the sub context copies the slices m![1 # 256], which this tile reads
    dm.view()
        .tile::<m![B], 8, m![B]>(0)
        .slice_tile::<m![C], 1, m![1 # 256]>(0)
        .to_hbm_view(&mut ctx.tdma, out.view_mut());
    // SLICE: tcp.begin sub
    // SLICE: tcp.commit %{{.*}} "B" slices "1 # 256"
    out
}

#[device(chip = 1)]
fn later_slice(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![C, B]>) -> HbmTensor<i32, Chip, m![B]> {
    let dm = x.to_dm::<Cluster, m![C], m![B]>(&mut ctx.tdma, 0);
    let mut out = unsafe { HbmTensor::from_addr(0x1000) };
    // LATER: [[@LINE+2]]:10: remark: a part of the slices is moved by way of HBM
    dm.view()
        .slice_tile::<m![C], 1, m![1 # 256]>(3)
        .to_hbm_view(&mut ctx.tdma, out.view_mut());
    out
}

#[device(chip = 1)]
fn scattered(
    ctx: &mut Context,
    rows: &HbmTensor<i32, Chip, m![S, B]>,
    places: &HbmTensor<i32, Chip, m![S]>,
    table: &mut HbmTensor<i32, Chip, m![V, B]>,
) {
    let dm = rows.to_dm::<Cluster, m![S, 1 # 4], m![B]>(&mut ctx.tdma, 0);
    // SCATTER: [[@LINE+1]]:35: remark: divides the byte offsets by 32, the bytes of a row
    dm.dma_scatter::<m![S], _, _>(places, table, true);
    // SCATTER: func.func @main(%{{.*}}: !tcp.host<i32, #axes, "S, B"> {tcp.name = "rows"}, %{{.*}}: !tcp.host<i32, #axes, "S"> {tcp.name = "places"}, %{{.*}}: !tcp.host<i32, #axes, "V, B"> {tcp.name = "table"}) -> (!tcp.host<i32, #axes, "V, B"> {tcp.name = "table"})
    // SCATTER: LogicRightShift(5 : i32)
    // SCATTER: tcp.scatter
}

#[device(chip = 1)]
fn gathered(
    ctx: &mut Context,
    table: &HbmTensor<i32, Chip, m![V, W]>,
    places: &HbmTensor<i32, Chip, m![S]>,
) {
    // GATHER: [[@LINE+1]]:84: remark: divides the byte offsets by 192, the bytes of a row, in a pass of its own
    let rows: DmTensor<i32, Chip, Cluster, m![S, 1 # 4], m![W]> = table.dma_gather(places, 0);
}

#[device(chip = 1)]
fn shifted(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    let dm = x.to_dm::<Cluster, m![A / 8], m![A % 8]>(&mut ctx.tdma, 0);
    let y: DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]> = ctx
        .main
        .begin(dm.view())
        // SHIFT: tcp.fetch %{{.*}} i32 "1", "A % 8" zero_points [10]
        .fetch_with_zero_point::<i32, m![1], m![A % 8]>(10)
        .collect::<m![1], m![A % 8]>()
        .commit(0);
    y.to_hbm(&mut ctx.tdma, 0)
}

pub mod clusters {
    use furiosa_visa_std::prelude::*;

    axes![G = 2, N = 256, P = 2, M = 8];

    type Whole = DmTensor<i32, m![1], m![G], m![N], m![P, M]>;

    // Cluster 0 gets what cluster 1 has, and the other way round.
    #[device(chip = 1)]
    pub fn swapped(
        ctx: &mut Context,
        x: &HbmTensor<i32, m![1], m![G, N, P, M]>,
    ) -> HbmTensor<i32, m![1], m![G, N, P, M]> {
        let dm: Whole = x.to_dm(&mut ctx.tdma, 0);
        // SWAP: [[@LINE+1]]:37: remark: the clusters exchange their parts by way of HBM
        let other: Whole = ctx.tdma.dm_cluster_shuffle::<_, 2, _, _, _, _>(dm.view(), &[1, 0]);
        other.to_hbm(&mut ctx.tdma, 0)
    }

    // Cluster 0 keeps P = 1, cluster 1 keeps P = 0.
    #[device(chip = 1)]
    pub fn parts(
        ctx: &mut Context,
        x: &HbmTensor<i32, m![1], m![G, N, P, M]>,
    ) -> HbmTensor<i32, m![1], m![G, N, M]> {
        let dm: Whole = x.to_dm(&mut ctx.tdma, 0);
        let part: DmTensor<i32, m![1], m![G], m![N], m![M]> = ctx
            .sub
            .parallel_copy_cluster_slice::<2, m![P], m![1 # 2, M], _, _, _, _, _, _>(
                dm.view(),
                &[1, 0],
            );
        part.to_hbm(&mut ctx.tdma, 0)
    }
}
