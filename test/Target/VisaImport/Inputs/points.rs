//! Zero points of the stream, of the weights, or of both.

use furiosa_opt_std::prelude::*;

axes![T = 8, R = 8, K = 64];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![1 # 256];
type Product = DmTensor<i32, Chip, Cluster, Slice, m![T, R]>;

macro_rules! product {
    ($name:ident: $d:ty, $flit:literal, $pair:literal, |$stream:ident| $fetched:expr, |$weights:ident| $loaded:expr) => {
        #[device(chip = 1)]
        pub fn $name(
            ctx: &mut Context,
            x: &HbmTensor<$d, Chip, m![T, K]>,
            w: &HbmTensor<$d, Chip, m![R, K]>,
        ) -> HbmTensor<i32, Chip, m![T, R]> {
            let x: DmTensor<$d, Chip, Cluster, Slice, m![T, K]> = x.to_dm(&mut ctx.tdma);
            let w: DmTensor<$d, Chip, Cluster, Slice, m![R, K]> = w.to_dm(&mut ctx.tdma);
            let $weights = ctx.sub.begin(w.view()).fetch::<m![R, K / $flit], m![K % $flit]>();
            let weights: TrfTensor<_, Chip, Cluster, Slice, m![R], m![K]> =
                $loaded.collect::<m![R, K / $flit], m![K % $flit]>().to_trf();
            let $stream = ctx.main.begin(x.view()).fetch::<m![T, K / $flit], m![K % $flit]>();
            let y: Product = $fetched
                .collect::<m![T, K / $flit], m![K % $flit]>()
                .contract_outer::<m![T, K / $pair], m![K % $pair], _, _, _>(&weights)
                .contract_packet::<m![1]>()
                .contract_time::<m![T]>()
                .contract_lane::<m![T], m![R]>(LaneMode::Interleaved)
                .commit_trim::<m![R]>()
                .commit();
            y.to_hbm(&mut ctx.tdma)
        }
    };
}

product!(stream: i8, 32, 64, |s| s.fetch_zero_point_sub::<i9>(-100), |w| w);
product!(weights: i8, 32, 64, |s| s, |w| w.fetch_zero_point_sub::<i9>(77));
product!(both: i8, 32, 64, |s| s.fetch_zero_point_sub::<i9>(-100), |w| w.fetch_zero_point_sub::<i9>(77));
product!(halves: i4, 64, 64, |s| s.fetch_zero_point_sub::<i5>(-8), |w| w);
