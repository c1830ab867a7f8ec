// RUN: not sequin-translate --import-visa --entry nothing_known %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sequin-translate --import-visa --entry wrong_size %s 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not sequin-translate --import-visa --entry wrong_type %s 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not sequin-translate --import-visa --entry no_method %s 2>&1 | FileCheck %s --check-prefix=METHOD
// RUN: not sequin-translate --import-visa --entry too_far %s 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not sequin-translate --import-visa --entry too_large %s 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not sequin-translate --import-visa --entry endless %s 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not sequin-translate --import-visa --entry itself %s 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not sequin-translate --import-visa --entry two %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sequin-translate --import-visa %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not sequin-translate --import-visa --entry absent %s 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not sequin-translate --import-visa --entry overlapping --addresses=given %s 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: sequin-translate --import-visa --entry overlapping %s 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not sequin-translate --import-visa --entry of_no_type %s 2>&1 | FileCheck %s --check-prefix=NOTYPE
use furiosa_visa_std::prelude::*;

axes![A = 2048, B = 64];

type Chip = m![1];
type Cluster = m![1 # 2];
type Hbm = HbmTensor<i32, Chip, m![A]>;

// SEVERAL: error: '{{.*}}' has several kernels; name a function with --entry, there are: nothing_known,
// ABSENT: error: '{{.*}}' has no function 'absent'

#[device(chip = 1)]
fn nothing_known(ctx: &mut Context, x: &Hbm) {
    // UNKNOWN: [[@LINE+1]]:15: error: 'Cluster' of 'to_dm' is not known; write to_dm::<Cluster, Slice, Element>() or the type of its value
    let y = x.to_dm(&mut ctx.tdma, 0);
    // UNKNOWN-NOT: error
    y.to_hbm::<m![A]>(&mut ctx.tdma, 0);
}

#[device(chip = 1)]
fn wrong_size(ctx: &mut Context, x: &Hbm) -> Hbm {
    // SIZE: [[@LINE+1]]:32: error: mapping "A / 7": cannot split
    let y = x.to_dm::<Cluster, m![A / 7], m![A % 8]>(&mut ctx.tdma, 0);
    // SIZE-NOT: error
    y.to_hbm(&mut ctx.tdma, 0)
}

#[device(chip = 1)]
fn wrong_type(ctx: &mut Context, x: &Hbm) -> HbmTensor<i8, Chip, m![A]> {
    let y = x.to_dm::<Cluster, m![A / 8], m![A % 8]>(&mut ctx.tdma, 0);
    // TYPE: [[@LINE+1]]:5: error: the element type of this HbmTensor is 'i32', expected 'i8'
    y.to_hbm(&mut ctx.tdma, 0)
}

#[device(chip = 1)]
fn no_method(ctx: &mut Context, x: &Hbm) {
    let y = x.to_dm::<Cluster, m![A / 8], m![A % 8]>(&mut ctx.tdma, 0);
    // METHOD: [[@LINE+1]]:30: error: 'BeginTensor' has no method 'fech'
    ctx.main.begin(y.view()).fech::<i32, m![1], m![A % 8]>();
}

#[device(chip = 1)]
fn too_far(ctx: &mut Context, x: &Hbm) {
    for i in 0..3 {
        // FAR: [[@LINE+1]]:18: error: 'tcp.tile' op tile [2, 3) of "A / 1024", which has 2
        x.view().tile::<m![A / 1024], 1, m![1 # 2, A % 1024]>(i);
    }
}

#[device(chip = 1)]
fn too_large(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A, B]>) {
    let first = x.to_dm::<Cluster, m![1 # 256], m![A, B]>(&mut ctx.tdma, 0);
    // LARGE: [[@LINE+1]]:20: error: this tensor has 524288 bytes per slice and DM 524288, of which others that are still needed take 524288
    let second = x.to_dm::<Cluster, m![1 # 256], m![B, A]>(&mut ctx.tdma, 0);
    // LARGE: [[@LINE-3]]:19: note: a tensor of 524288 bytes
    // LARGE-NOT: error
    first.to_hbm::<m![A, B]>(&mut ctx.tdma, 0);
}

#[device(chip = 1)]
fn endless(ctx: &mut Context, x: &Hbm) {
    // ENDLESS: [[@LINE+1]]:5: error: the kernel takes more steps to import than the limit
    loop {}
}

#[device(chip = 1)]
fn itself(ctx: &mut Context, x: &Hbm) {
    // ITSELF: [[@LINE+1]]:5: error: calls are nested deeper than 128
    itself(ctx, x)
}

#[device(chip = 1)]
fn two(ctx: &mut Context, x: &Hbm) {
    // TWO: [[@LINE+1]]:17: error: 1 / 0 has no value of 63 bits
    let first = 1 / 0;
    let unused = first + 1;
    // TWO: [[@LINE+1]]:18: error: assertion failed: 1 == 2
    let second = assert_eq!(1, 2);
    // TWO-NOT: error
}

#[device(chip = 1)]
fn overlapping(ctx: &mut Context, x: &Hbm, y: &Hbm) -> Hbm {
    let left = x.to_dm::<Cluster, m![A / 8], m![A % 8]>(&mut ctx.tdma, 64);
    // OVERLAP: [[@LINE+2]]:19: error: 'tcp.to_dm' op DM tensor at bytes [64, 96) overlaps one at [64, 96) that is still needed
    // OVERLAP: [[@LINE-2]]:18: note: other tensor placed here
    let right = y.to_dm::<Cluster, m![A / 8], m![A % 8]>(&mut ctx.tdma, 64);
    // APART: tcp.to_dm %{{.*}} at 0
    // APART: tcp.to_dm %{{.*}} at 64
    right.to_hbm::<m![A]>(&mut ctx.tdma, 0x1000);
    left.to_hbm(&mut ctx.tdma, 0x10000)
}

#[device(chip = 1)]
// NOTYPE: [[@LINE+2]]:37: error: an argument of a kernel is a tensor or a Context, found '&!'
// NOTYPE-NOT: error
fn of_no_type(ctx: &mut Context, x: &!) {
    let y = x.view();
}
