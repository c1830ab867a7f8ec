// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Forms of Rust that tests of kernels have; no kernel is launched. Tests below `fails`
//! fail, with the message that test_visa_tests.py expects.

use furiosa_visa_std::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

axes![A = 12, B = 4];

#[derive(Clone, Copy)]
struct Near(pub f32);

impl Near {
    const EPSILON: f32 = 0.5;

    fn of(x: f32) -> Self {
        Near(x)
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        (self.0 - other.0).abs() < Self::EPSILON || (self.0.is_nan() && other.0.is_nan())
    }
}

struct Point {
    x: i32,
    y: i32,
}

impl Point {
    fn sum(&self) -> i32 {
        self.x + self.y
    }
}

const LIMIT: usize = 3;

fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[test]
fn control_flow() {
    let mut total = 0;
    for i in 0..10 {
        if i == 2 {
            continue;
        }
        if i > 5 {
            break;
        }
        total += i;
    }
    assert_eq!(total, 0 + 1 + 3 + 4 + 5);
    let mut n = 1;
    while n < 100 {
        n *= 3;
    }
    assert_eq!(n, 243);
    let found = loop {
        n -= 1;
        if n % 7 == 0 {
            break n;
        }
    };
    assert_eq!(found, 238);
    assert_eq!(factorial(10), 3628800);
    let Point { x, y } = Point { x: 3, y: 4 };
    assert_eq!(Point { x, y }.sum(), 7, "x is {x} and y is {}", y);
    let word = match total {
        0 => "nothing",
        1..=9 => "few",
        _ => "many",
    };
    assert_eq!(word, "many");
}

#[test]
fn integers_wrap_and_saturate() {
    assert_eq!(i8::MAX.wrapping_add(1), i8::MIN);
    assert_eq!(200u8.saturating_add(100), 255);
    assert_eq!((-7i32) / 2, -3);
    assert_eq!((-7i32) % 2, -1);
    assert_eq!((-7i32).rem_euclid(2), 1);
    assert_eq!(300 as u8, 44);
    assert_eq!(-1i32 as u32, u32::MAX);
    assert_eq!(1e10f32 as i32, i32::MAX);
    assert_eq!(f32::NAN as i32, 0);
    assert_eq!(-1.5f32 as u8, 0);
    assert_eq!(1u32 << 4 | 3, 19);
    assert_eq!(5i32.pow(3), 125);
    assert_eq!(i4::from_i32(9).to_i32(), -7);
    assert_eq!(std::mem::size_of::<bf16>(), 2);
}

#[test]
fn floats_round() {
    assert_eq!(bf16::from_f32(1.00390625).to_f32(), 1.0);
    assert_eq!(bf16::from_f32(1.01171875).to_f32(), 1.015625);
    assert_eq!(f8e4m3::from_f32(1000.0).to_f32(), 448.0);
    assert_eq!(f8e4m3::from_f32(0.001).to_f32(), 0.001953125);
    assert_eq!(2.5f32.round(), 3.0);
    assert_eq!((-2.5f32).round(), -3.0);
    assert_eq!(16777217i32 as f32, 16777216.0);
    assert_eq!(f32::max(1.0, f32::NAN), 1.0);
    // One rounding: the product alone is no f32.
    assert_eq!(16777215f32.mul_add(16777215.0, -281474943156224.0), 1.0);
    assert!(Near::of(1.25) == Near(1.5));
}

#[test]
fn iterators() {
    let squares: Vec<i32> = (1..=5).map(|x| x * x).collect();
    assert_eq!(squares, vec![1, 4, 9, 16, 25]);
    assert_eq!(squares.iter().sum::<i32>(), 55);
    assert_eq!(squares.iter().rev().step_by(2).copied().collect::<Vec<_>>(), [25, 9, 1]);
    assert_eq!(squares.iter().filter(|x| *x % 2 == 0).count(), 2);
    assert_eq!(squares.iter().fold(0, |a, b| a * 2 + b), 141);
    assert!(squares.iter().zip(&squares[1..]).all(|(a, b)| a < b));
    assert!(!squares.iter().any(|&x| x > 25));
    let pairs: Vec<_> = (0..3).flat_map(|x| [x, 10 * x]).collect();
    assert_eq!(pairs, [0, 0, 1, 10, 2, 20]);
    let largest = [1.5f32, 7.0, -2.0]
        .iter()
        .enumerate()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .unwrap()
        .0;
    assert_eq!(largest, 1);
    let turned: Vec<usize> = (0..4).map(|i| [1, 2, 3, 0][i as usize]).collect();
    assert_eq!(turned, [1, 2, 3, 0]);
    let halves: Vec<_> = (0..4).map(|x| if x < 2 { Opt::Init(x) } else { Opt::Uninit }).collect();
    assert_eq!(halves, vec![Opt::Init(0), Opt::Init(1), Opt::Uninit, Opt::Uninit]);
    let mut grown = Vec::new();
    (0..LIMIT).for_each(|x| grown.push(x));
    assert_eq!(grown.len(), LIMIT);
}

#[test]
fn tensors_by_their_axes() {
    let t = HostTensor::<i32, m![A, B]>::from_buf((0..48).map(Opt::Init).collect());
    let turned: Tensor<i32, m![B, A]> = t.into_inner().transpose(false);
    let expected: Vec<_> = (0..4)
        .flat_map(|b| (0..12).map(move |a| Opt::Init(a * 4 + b)))
        .collect();
    assert_eq!(turned.to_buf(), expected);
    let sums: Tensor<i32, m![A]> = t.into_inner().reduce_add();
    assert_eq!(sums.to_buf()[2], Opt::Init(8 + 9 + 10 + 11));
    let rows = HostTensor::<i32, m![A % 4, B # 8]>::from_buf((0..16).map(Opt::Init).collect());
    assert_eq!(rows.to_buf().len(), 16);
    assert_eq!(<m![A % 4, B # 8]>::SIZE, 32);
    let largest: Tensor<i32, m![B]> = t
        .into_inner()
        .reduce(|a, b| a.zip_map(b, |x, y| x.max(y)), Opt::Init(i32::MIN));
    assert_eq!(largest.to_buf(), (44..48).map(Opt::Init).collect::<Vec<_>>());
}

#[test]
fn panics_are_caught() {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let nothing: Option<i32> = None;
        nothing.unwrap()
    }));
    assert!(result.is_err());
}

#[test]
#[should_panic(expected = "no more than 3")]
fn panic_is_expected() {
    for n in 0.. {
        assert!(n <= LIMIT, "no more than {}, found {n:?}", LIMIT);
    }
}

#[test]
#[ignore = "takes years"]
fn ignored() {
    loop {}
}

mod fails {
    use super::*;

    #[test]
    fn difference() {
        let left: Vec<i32> = (0..10).collect();
        let mut right = left.clone();
        right[7] = 0;
        assert_eq!(left, right);
    }

    #[test]
    fn other_panic() {
        assert!(1 + 1 == 3);
    }

    #[test]
    #[should_panic(expected = "something")]
    fn no_panic() {}

    #[test]
    #[should_panic(expected = "something")]
    fn another_panic() {
        panic!("nothing");
    }

    #[test]
    fn out_of_bounds() {
        let list = [1, 2, 3];
        let at = list.len();
        assert_eq!(list[at], 0);
    }

    #[test]
    fn endless() {
        loop {}
    }

    fn deeper(n: i32) -> i32 {
        deeper(n + 1) + 1
    }

    #[test]
    fn deep() {
        assert_eq!(deeper(0), 0);
    }

    #[test]
    fn unknown_method() {
        assert_eq!([1, 2].iter().rotate(), 0);
    }

    #[test]
    fn wrong_mapping() {
        let t = HostTensor::<i32, m![A]>::from_buf((0..11).map(Opt::Init).collect());
        assert_eq!(t.to_buf().len(), 12);
    }

    #[test]
    fn other_axes() {
        let t = HostTensor::<i32, m![A]>::zero();
        let turned: Tensor<i32, m![B]> = t.into_inner().transpose(true);
        assert_eq!(turned.to_buf().len(), 4);
    }
}
