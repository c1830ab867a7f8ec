//! Every form of the language of kernels at least once.
#![feature(register_tool)]
#![register_tool(tcp)]

extern crate furiosa_visa_std;
extern crate rand as random;

use ::std::fmt;
use furiosa_visa_std::{self as visa, prelude::*};
pub use inner::{deep::Deep as Deeper, *};

axes![A = 8, B = 0x200];
axes!{ Long = 1_024 }

pub mod inner {
    #![allow(dead_code)]
    pub mod deep {
        pub struct Deep;
        pub struct Pair(pub f32, u8);
    }
    pub(self) const ZERO: usize = 0;
}

#[derive(Clone, Copy, Debug)]
#[doc = "text"]
#[cfg(any(test, not(feature = "x")))]
#[weird(a b => c)]
pub enum Mode {
    Plain,
    Tuple(u8, [i32; 4]),
    Named { x: f32, y: &'static str },
    Number = 7,
}

macro_rules! twice {
    ($x:expr) => { $x + $x }; /* ) in a comment */
}

twice! { 1 }
thread_local!(static X: u8 = 1);

type Padded = m![A #{!} 16, B #{0} 1024, 1 #{*} 2, B # { Long::SIZE }];
type Grouped = m![[A, B] / 2, (A % 4 = 2), { Padded }, 4,];
type Empty = m![];
type Function<T> = fn(&T, usize) -> [T; 2 * 4];

const _: () = assert!(1 + 1 == 2);

impl<'a, T: Clone + 'a, const N: usize> fmt::Debug for Wrapper<'a, T, { N }>
where
    T: ?Sized,
    'a: 'static,
{
    type Item = <T as Iterator>::Item;
    const SIZE: usize = N;
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
    unsafe fn by_value(mut self) -> ! {
        loop {}
    }
}

const fn generic<F: Fn(f32, f32) -> f32, T = i32>(f: impl Fn() -> T + Copy, g: F) -> Option<Vec<Vec<T>>> {
    struct Local {
        x: u8,
    }
    let (a, mut b, ref c): (u8, _, &[u8]) = (1, 2u8, &[3]);
    let Some(d) = Some(1) else { return None };
    let range @ 1..=9 = 3;
    b += 1 << 2 >> 1;
    let ((t), u): ((bool), u8) = (true, 1);
    let e = -a as i32 * (2 + !b as i32) % 3 - 4 & 5 | 6 ^ 7;
    let f = a < b && b >= a || !(a != b) && (a as usize) < 3;
    let g = [[0; 4]; 2][1][..2][0];
    let h = &&mut *c;
    let i = move |x: i32, (y, _): (i32, i32)| -> i32 { x + y };
    let j = || || 1.;
    let k = vec![1, 2].iter().map(|&x| x).zip(vec![0u8; 3]).collect::<Vec<_>>();
    let l = Local { x: 1, ..Default::default() };
    let m = (1,).0 + x.0.1 + 1e-3f32 + 2.5 + 0b1010_1010 as f32 + b'\n' as f32 + '\'' as f32;
    let n = r#"raw "text""#.len() + b"bytes\x00".len() + "two\
        lines\u{1F600}".len();
    let o = <m![A, B]>::SIZE + <Wrapper<'_, T, 3> as M>::SIZE + Vec::<u8>::new().len();
    let p = i![A: 1, B / 2: 3 + x, A % 2, B: 0];
    let q = if let Some(x) = y && x > 0 { x } else if z {} else { S {} };
    'x';
    match q {
        Mode::Plain | Mode::Number => (),
        Mode::Tuple(0, [first, .., last]) if first == last => {}
        Mode::Named { x, y: "text", .. } => {
            println!();
        }
        &Mode::Tuple(-1, _) => return Some(1),
        (.., 3..) => unsafe { f() }.g(),
        r#type => break 3,
    }
    while let Some(x) = stack.pop() {
        continue;
    }
    for i in (0..=3).rev() {
        if i == 2 {
            break;
        }
    }
    #[allow(unused)]
    let block = { 1 };
    #[cfg(test)]
    f();
    async { 1 }.await;
    let s = async move { launch(kernel, (&mut *ctx, &a)).await };
    matches!(x, Some(1 | 2) if y);
    assert_eq!(a, b, "{}", c);
    if a { 1 } else { 2 }
}
