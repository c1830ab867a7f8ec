//! What the kernels of forms.rs add.

#[path = "forms.rs"]
mod forms;

use forms::A;
use furiosa_opt_std::prelude::*;

macro_rules! adds {
    ($($kernel:ident: $amount:expr,)+) => {
        $(
            #[tokio::test]
            async fn $kernel() {
                let mut ctx = Context::acquire();
                let values: Vec<i32> = (0..A::SIZE as i32).collect();
                let x = HostTensor::<i32, m![A]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
                let y = launch(forms::$kernel, (&mut *ctx, &x)).await;
                let expected: Vec<i32> = values.iter().map(|v| v + $amount).collect();
                assert_eq!(y.to_host::<m![A]>(&mut ctx.pdma).await.into_vec(), expected);
            }
        )+
    };
}

adds! {
    methods: 5,
    lists: 7,
    exchanges: 6,
    variants: 7,
    parameters: 5,
    contexts: 4,
    options: 15,
    registers: 3,
}

#[path = "hygiene.rs"]
mod hygiene;

mod variables {
    use super::hygiene::{A, apart};
    use furiosa_opt_std::prelude::*;

    #[tokio::test]
    async fn are_apart() {
        let mut ctx = Context::acquire().bind(apart.device());
        let values: Vec<i32> = (0..A::SIZE as i32).collect();
        let x = HostTensor::<i32, m![A]>::from_vec(values.clone()).to_hbm(&mut ctx.pdma).await;
        let y = launch(apart, (&mut *ctx, &x)).await;
        let expected: Vec<i32> = values.iter().map(|v| v + 592).collect();
        assert_eq!(y.to_host::<m![A]>(&mut ctx.pdma).await.into_vec(), expected);
    }
}
