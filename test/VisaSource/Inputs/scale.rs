//! y = 3 x + 1 on integers: one kernel, its host program and its tests.

use furiosa_visa_std::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;

axes![N = 4096];

type Chip = m![1];
type Cluster = m![1 # 2]; // one of the two
type Slice = m![N / 16 # 256];
type Element = m![N % 16];

/// Where the result of a chunk goes.
const OUT: u64 = 0x4_000;
const FACTORS: [i32; 2] = [3, 1];

#[device(chip = 1)]
pub fn scale(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![N]>) -> HbmTensor<i32, Chip, m![N]> {
    let x: DmTensor<i32, Chip, Cluster, Slice, Element> = x.to_dm(&mut ctx.tdma, 0);
    let [factor, offset] = FACTORS;
    let y = ctx
        .main
        .begin(x.view())
        .fetch::<i32, m![N / 8 % 2], m![N % 8]>()
        .collect::<m![N / 8 % 2], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::MulInt, factor)
        .vector_fxp(FxpBinaryOp::AddFxp, offset)
        .vector_final()
        .commit::<Element>(OUT);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}

#[tokio::main]
async fn main() {
    let mut ctx = Context::acquire();
    let mut rng = SmallRng::seed_from_u64(7);
    let x = HostTensor::<i32, m![N]>::rand(&mut rng).to_hbm(&mut ctx.pdma, 0).await;
    let y = launch(scale, (&mut *ctx, &x)).await;
    println!("{:?}", y.to_host::<m![N]>(&mut ctx.pdma).await.to_buf());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_element_is_scaled() {
        let mut ctx = Context::acquire();
        let values = (0..<m![N]>::SIZE).map(|i| Opt::Init(i as i32 - 5)).collect();
        let x: HostTensor<i32, m![N]> = HostTensor::from_buf(values);
        let y = launch(scale, (&mut *ctx, &x.to_hbm(&mut ctx.pdma, 0).await)).await;
        for (i, y) in y.to_host::<m![N]>(&mut ctx.pdma).await.to_buf().into_iter().enumerate() {
            match y {
                Opt::Init(y) if y < 0 => assert!(i < 5, "only the first are negative, not {i}"),
                Opt::Init(y) => assert_eq!(y, 3 * (i as i32 - 5) + 1),
                _ => panic!("element {i} was not written"),
            }
        }
    }

    #[test]
    #[should_panic(expected = "must divide")]
    fn a_wrong_mapping() {
        let _ = <m![N / 3]>::SIZE;
    }
}
