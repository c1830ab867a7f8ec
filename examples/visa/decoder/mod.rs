// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! A layer of a decoder for release 0.6 of the crate, a module for each part: rows of
//! the embedding table, norms, projections, rotary positions, a cache of keys and
//! values, attention over it, and a gated feed-forward network.

use furiosa_opt_std::prelude::*;

pub mod attention;
pub mod cache;
pub mod embedding;
pub mod feed_forward;
pub mod norm;
pub mod projection;
pub mod rotary;

// Tokens of a prompt, hidden size, heads and their dimensions, rows of the cache, the
// feed-forward network's size, words, and what pairs two tensors.
axes![Tok = 64, Hid = 256, Head = 4, Dim = 64, Ctx = 128, Inner = 512, Voc = 320, Pair = 2];

pub type Chip = m![1];
pub type Cluster = m![1 # 2];
/// A token in every fourth slice.
pub type TokSlice = m![Tok, 1 # 4];
/// A dimension of a head in each slice.
pub type HeadSlice = m![Head, Dim];

pub type Hidden = HbmTensor<bf16, Chip, m![Tok, Hid]>;
pub type Heads = HbmTensor<bf16, Chip, m![Tok, Head, Dim]>;
pub type Rows<D> = DmTensor<D, Chip, Cluster, TokSlice, m![Hid]>;
