//! Two layers of a perceptron with a rectifier between them; the weights of
//! either stay in the register file while the rows of the input stream by.

#![expect(clippy::type_complexity)]

use furiosa_visa_std::prelude::*;

axes![B = 64, K = 256, H = 512, O = 32];

pub type Chip = m![1];
pub type Cluster = m![1 # 2];
type Hidden = m![H / 8, { Fours }];
type Fours = m![1 # 4];

mod layout {
    use super::{B, H, K, O};
    use furiosa_visa_std::prelude::*;

    pub type Input = m![B, K];
    pub(super) type Middle = m![[B, H]];
    pub type Output = m![O, B];
    pub const BASES: [u64; 3] = [0x0, 0x8_000, 1 << 16];
}

struct Weights<'a> {
    first: &'a HbmTensor<bf16, Chip, m![H, K]>,
    second: &'a HbmTensor<bf16, Chip, m![O, H]>,
}

/// One layer: `rows` and `columns` are known when the kernel is compiled.
fn layer<'l, const ROWS: usize, const RELU: bool, In: M, Out>(
    ctx: &mut Context,
    input: &DmTensor<bf16, Chip, Cluster, m![H / 2], m![B, K]>,
    weights: &'l HbmTensor<bf16, Chip, m![H, K]>,
    address: u64,
) -> DmTensor<bf16, Chip, Cluster, m![H / 2], m![H % 2, B]>
where
    In: M,
    Out: M + Sized,
{
    let weights: TrfTensor<bf16, Chip, Cluster, m![H / 2], m![H % 2], m![K]> = ctx
        .sub
        .begin(weights.to_dm::<Cluster, m![H / 2], m![H % 2, K]>(&mut ctx.tdma, address).view())
        .fetch::<bf16, m![H % 2], m![K]>()
        .collect::<m![H % 2, K / 16], m![K % 16]>()
        .to_trf(if ROWS > 4 { TrfAddress::Full } else { TrfAddress::FirstHalf });

    let sums = ctx
        .main
        .begin(input.view())
        .fetch::<bf16, m![B], m![K]>()
        .switch::<_, m![B, 1]>(SwitchConfig::Broadcast01 { slice1: 1, slice0: 256, time0: 1 })
        .collect::<m![B, K / 16], m![K % 16]>()
        .align::<m![B, K / 32], m![K % 32], _, _>(&weights)
        .contract::<m![1]>()
        .accumulate::<m![B], m![H % 2 # 8]>(AccumulationKind::Interleaved)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional);
    if RELU {
        sums.vector_clip(ClipBinaryOpF32::Max, 0.0f32)
            .vector_final()
            .cast::<bf16, m![H % 2 # 16]>()
            .commit(address + 0x100)
    } else {
        sums.vector_final().cast::<bf16, m![H % 2 # 16]>().commit(address + 0x100)
    }
}

#[device(chip = 1)]
pub fn mlp(
    ctx: &mut Context,
    x: &HbmTensor<bf16, Chip, layout::Input>,
    w: (&HbmTensor<bf16, Chip, m![H, K]>, &HbmTensor<bf16, Chip, m![O, H]>),
) -> HbmTensor<bf16, Chip, layout::Output> {
    const { assert!(<m![H]>::SIZE % 256 == 0, "a slice has the same number of rows") };
    let weights = Weights { first: w.0, second: w.1 };
    let x = x.to_dm(&mut ctx.tdma, layout::BASES[0]);
    let mut hidden = unsafe { DmTensor::<bf16, Chip, Cluster, m![H / 2], m![H % 2, B]>::from_addr(0x2_0000) };
    for (step, address) in layout::BASES.iter().enumerate() {
        let tile = match step {
            0 => 0,
            1 | 2 => step * 8,
            _ => unreachable!(),
        };
        let part = layer::<8, true, layout::Input, _>(ctx, &x, weights.first, *address + tile as u64 * 2);
        part.view().tile::<m![B], 8, m![H % 2, B = 8 # 64]>(tile).to_dm_view(&mut ctx.tdma, hidden.view_mut());
    }
    let _ = weights.second;
    hidden.to_hbm(&mut ctx.tdma, { 1 << 28 })
}
