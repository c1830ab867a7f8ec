# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that reduce, at sizes to choose: split over tensors, and level by level.

DM addresses are bytes in a slice; a pass never writes what it still reads.
"""

from builder import Kernel, Stream, Tensor

KB = 1024


def of_ones(kernel: Kernel, ones: Tensor, at: int, axis: str) -> Tensor:
    """Ones in the TRF: what a contraction sums by."""
    dm = kernel.to_dm(ones, at, axis, "ones_dm")
    stream = kernel.begin(dm, context="sub").fetch("bf16", "1", axis)
    return stream.collect(f"{axis} / 16", f"{axis} % 16").to_trf("1", axis, "ones_trf")


def sums(kernel: Kernel, tensor: Tensor, ones: Tensor, kept: str, axis: str) -> Stream:
    """Sums over an axis: 32 elements of a packet in the adder tree, packets in the accumulator."""
    stream = kernel.begin(tensor).fetch("bf16", kept, axis).collect(f"{kept}, {axis} / 16", f"{axis} % 16")
    return stream.contract(ones, "1", (f"{kept}, {axis} / 32", f"{axis} % 32"), "1", kept, "1 # 8")


def pair(kernel: Kernel, first: Tensor, second: Tensor, time: str, packet: str, element_type: str = "f32") -> Stream:
    """Two tensors in turn, as the two groups of the vector engine."""
    time = "I" if time == "1" else f"{time}, I"
    stream = kernel.begin(first, second).fetch(element_type, time, packet.replace("# 8", "# 2"))
    return stream.collect(time, packet).init().unzip()


def joined(stream: Stream, op: str) -> Stream:
    """One operation on both groups, on eight lanes."""
    return stream.op("vector_clip_zip", op, "vector_clip").final()


def single(kernel: Kernel, tensor: Tensor, time: str, packet: str) -> Stream:
    stream = kernel.begin(tensor).fetch("f32", time, packet.replace("1 # 8", "1 # 2"))
    return stream.collect(time, packet).init()


def to_vrf(kernel: Kernel, tensor: Tensor, at: int, time: str, name: str) -> Tensor:
    """One f32 per flit."""
    stream = kernel.begin(tensor, context="sub").fetch("f32", time, "1 # 2").collect(time, "1 # 8")
    return stream.to_vrf(at, f"{time}, 1 # 8", name)


def squares(kernel: Kernel, tensor: Tensor, mean: Tensor, kept: str, axis: str, at: int, name: str) -> Tensor:
    """Squared distances from the mean, summed over an axis in the vector engine."""
    stream = single(kernel, tensor, f"{kept}, {axis} / 8", f"{axis} % 8").branch().split()
    stream = stream.binary("SubF", mean).binary("MulF0 mode Mode00 (0.0 : f32)")
    return stream.reduce("Add", axis, kept, "1 # 4").pad().final().commit(at, f"{kept}, 1 # 2", name)


def split_reduce(rows: int = 16) -> Kernel:
    kernel = Kernel(f"A = {rows}, B = 2048, I = 2", "B / 8", comment="""\
Split reduce (TCP manual): two tensors that hold parts of one axis are read in
turn, and the vector engine adds what comes first to what comes second. The
axis I, which says which tensor, is innermost in time.""")
    tensors = [kernel.argument(f"tensor_{i}", "bf16", "A, B") for i in (0, 1)]
    first, second = (kernel.to_dm(t, 4 * KB * i, "A, B % 8", f"dm_{i}") for i, t in enumerate(tensors))
    kernel.note("dm_0, dm_1, dm_0, dm_1, ...: a packet of one, a packet of the other.")
    stream = joined(pair(kernel, first, second, "A", "B % 8"), "Add")
    kernel.result(stream.cast("bf16", "B % 8 # 16").commit(8 * KB, "A, B % 8", "sum"), "A, B")
    return kernel


def layer_norm(batch: int = 8, length: int = 64, half: int = 256, normalize: bool = True) -> Kernel:
    tokens = batch * length // 256  # of a slice
    kept = f"S % {tokens}"
    kernel = Kernel(f"B = {batch}, S = {length}, K = {half}, I = 2", f"B, S / {tokens}", comment="""\
Layer normalization with the hidden axis in two tensors of K elements (TCP
manual, Split Reduce): the sums of both are formed apart and combined by
interleaved fetch, first for the mean, then for the variance.

  mean = (sum_0 + sum_1) / (2 K),  std = sqrt(squares / (2 K) + epsilon)""")
    chunks = [kernel.argument(f"chunk_{i}", "bf16", "B, S, K") for i in (0, 1)]
    ones = kernel.argument("ones", "bf16", "K")
    size = 2 * half * tokens
    dm = [kernel.to_dm(c, size * i, f"{kept}, K", f"dm_{i}") for i, c in enumerate(chunks)]
    trf = of_ones(kernel, ones, 2 * size, "K")
    place = (4 if normalize else 2) * size + 16 * KB
    kernel.note("Step 1: the sum of each chunk, in packets and in time by contraction with ones.")
    parts = [sums(kernel, t, trf, kept, "K").commit(place + KB * i, f"{kept}, 1 # 2", f"sum_{i}")
             for i, t in enumerate(dm)]
    kernel.note("Step 2: both sums in turn, added, and divided by the size of the whole axis.")
    stream = pair(kernel, *parts, kept, "1 # 8").trim().op("vector_fp_zip", "AddF", "vector_fp")
    stream = stream.binary(f"MulF0 ({1 / (2 * half)!r} : f32)").pad().final()
    mean = stream.commit(place + 2 * KB, f"{kept}, 1 # 2", "mean")
    mean_vrf = to_vrf(kernel, mean, 0, kept, "mean_vrf")
    kernel.note("Step 3: squared distances from the mean, chunk by chunk, then both sums in turn.")
    parts = [squares(kernel, t, mean_vrf, kept, "K", place + KB * (3 + i), f"squares_{i}") for i, t in enumerate(dm)]
    stream = joined(pair(kernel, *parts, kept, "1 # 8"), "Add")
    total = stream.commit(place + 5 * KB, f"{kept}, 1 # 2", "squares")
    stream = single(kernel, total, kept, "1 # 8").branch().trim()
    stream = stream.op("vector_fp_ternary", f"FmaF ({1 / (2 * half)!r} : f32, 1.0e-05 : f32)", "vector_fp")
    stream = stream.op("vector_fp_unary", "Sqrt", "vector_fp").pad().final()
    std = stream.commit(place + 6 * KB, f"{kept}, 1 # 2", "std")
    kernel.result(mean, "B, S")
    kernel.result(std, "B, S")
    if normalize:
        std_vrf = to_vrf(kernel, std, 4 * KB, kept, "std_vrf")
        kernel.note("Both chunks with the statistics of the whole axis.")
        for i, t in enumerate(dm):
            stream = single(kernel, t, f"{kept}, K / 8", "K % 8").branch().split().binary("SubF", mean_vrf)
            stream = stream.op("vector_fp_div", f"DivF, {std_vrf.value}", "vector_fp_div", f", {std_vrf.type}")
            stream = stream.concat().final().cast("bf16", "K % 8 # 16")
            kernel.result(stream.commit(size * (2 + i) + 16 * KB, f"{kept}, K", f"normalized_{i}"), "B, S, K")
    return kernel


def partial_sums(batch: int = 32, length: int = 128) -> Kernel:
    """The combining pass of layer_norm alone, all tokens in one slice."""
    kernel = Kernel(f"B = {batch}, S = {length}, I = 2")
    size = 8 * batch * length
    parts = [kernel.to_dm(kernel.argument(f"sum_{i}", "f32", "B, S", "B, S, 1 # 2"), size * i, "B, S, 1 # 2")
             for i in (0, 1)]
    stream = joined(pair(kernel, *parts, "B, S", "1 # 8"), "Add")
    kernel.result(stream.commit(2 * size, "B, S, 1 # 2"), "B, S", "B, S, 1 # 2")
    return kernel


def batch_norm(channels: int = 4, pixels: int = 32) -> Kernel:
    kernel = Kernel(f"N = 256, C = {channels}, P = {pixels}, I = 2", "N", comment="""\
Statistics of a batch of 512 images in two tensors of 256 (TCP manual, Split
Reduce): N images on the slices, C channels, P pixels. Both batches have one
size, so that the mean of their means is the mean of all.""")
    alone = kernel.grid("#alone", "1 # 256")
    batches = [kernel.argument(f"batch_{i}", "bf16", "N, C, P") for i in (0, 1)]
    ones = kernel.argument("ones", "bf16", "P")
    dm = [kernel.to_dm(b, 16 * KB * i, "C, P", f"dm_{i}") for i, b in enumerate(batches)]
    trf = of_ones(kernel, ones, 32 * KB, "P")
    scale = f"MulF0 ({1 / pixels!r} : f32)"
    kernel.note("The mean over the pixels, of every image and channel.")
    means = [sums(kernel, t, trf, "C", "P").init().branch().trim().binary(scale).pad().final()
             .commit(40 * KB + KB * i, "C, 1 # 2", f"means_{i}") for i, t in enumerate(dm)]
    kernel.note("Split reduce: the mean of both batches, which still has an axis of images.")
    stream = pair(kernel, *means, "C", "1 # 8").trim().op("vector_fp_zip", "AddF", "vector_fp")
    both = stream.binary("MulF0 (0.5 : f32)").pad().final().commit(44 * KB, "C, 1 # 2", "both")

    def over_images(tensor: Tensor, factor: float, at: int, name: str) -> Tensor:
        found = single(kernel, tensor, "C", "1 # 8")
        found = found.op("vector_inter_slice_reduce", 'Add "1 # 256", "C"', "vector_inter_first", grid=alone)
        return found.branch().trim().binary(f"MulF0 ({factor!r} : f32)").pad().final().commit(at, "C, 1 # 2", name)

    kernel.note("The images are on slices: the inter-slice block adds them.")
    mean = over_images(both, 1 / 256, 48 * KB, "mean")
    kernel.note("Through HBM to all slices.")
    everywhere = kernel.to_dm(kernel.to_hbm(mean, 15 << 28, "C # 8"), 52 * KB, "C # 8", "mean_dm")
    stream = kernel.begin(everywhere, context="sub").fetch("f32", "1", "C # 8").collect("1", "C # 8")
    mean_vrf = stream.to_vrf(0, "C # 8", "mean_vrf")
    kernel.note("The variance: squared distances over pixels, batches and images.")
    parts = [squares(kernel, t, mean_vrf, "C", "P", 56 * KB + KB * i, f"squares_{i}") for i, t in enumerate(dm)]
    total = joined(pair(kernel, *parts, "C", "1 # 8"), "Add").commit(60 * KB, "C, 1 # 2", "squares")
    variance = over_images(total, 1 / (512 * pixels), 64 * KB, "variance")
    kernel.result(both, "N, C")
    kernel.result(mean, "C")
    kernel.result(variance, "C")
    return kernel


def mixture() -> Kernel:
    kernel = Kernel("T = 256, H = 64, I = 2", "T", comment="""\
The weighted sum of two experts' outputs (TCP manual, Split Reduce, Mixture of
Experts): tokens T on the slices, each with H features. Each group of the pair
has its own weight.""")
    experts = [kernel.argument(f"expert_{i}", "bf16", "T, H") for i in (0, 1)]
    first, second = (kernel.to_dm(e, 16 * KB * i, "H", f"dm_{i}") for i, e in enumerate(experts))
    kernel.note("Both outputs in turn, times their weights, then their sum.")
    stream = pair(kernel, first, second, "H / 8", "H % 8").split().binary("MulF0 (0.7 : f32 | 0.3 : f32)")
    stream = stream.op("vector_fp_zip", "AddF", "vector_fp").concat().final()
    kernel.result(stream.commit(32 * KB, "H", "combined"), "T, H")
    return kernel


def temporal_max() -> Kernel:
    kernel = Kernel("T = 128, F = 2048, I = 2", "F / 8", comment="""\
The maximum over a sequence in four chunks of 128 steps (TCP manual, Split
Reduce): T steps of F features, which are on the slices. An interleaved fetch
takes two tensors, so the four maxima are joined as a tree of pairs.""")
    chunks = [kernel.argument(f"chunk_{i}", "bf16", "T, F") for i in range(4)]
    dm = [kernel.to_dm(c, 8 * KB * i, "T, F % 8", f"dm_{i}") for i, c in enumerate(chunks)]
    kernel.note("The maximum of each chunk over its steps.")
    best = [single(kernel, t, "T", "F % 8").branch().split().reduce("Max", "T", "F / 4 % 2", "F % 4").concat()
            .final().commit(32 * KB + KB * i, "F % 8", f"max_{i}") for i, t in enumerate(dm)]

    kernel.note("Pairs, then the pair of pairs.")

    def join(first: Tensor, second: Tensor, at: int, name: str) -> Tensor:
        return joined(pair(kernel, first, second, "1", "F % 8"), "Max").commit(at, "F % 8", name)

    low = join(best[0], best[1], 40 * KB, "max_01")
    high = join(best[2], best[3], 41 * KB, "max_23")
    kernel.result(join(low, high, 42 * KB, "max"), "F")
    return kernel


def splits(count: int, work: str) -> Kernel:
    """1, 2 or 4 tensors added; `floats` computes on four lanes before the sum, which takes
    the vector engine longer than the fetch engine."""
    kernel = Kernel("A = 64, B = 2048, I = 2", "B / 8")
    parts = [kernel.to_dm(kernel.argument(f"tensor_{i}", "f32", "A, B"), 4 * KB * i, "A, B % 8") for i in range(count)]
    at = 16 * KB

    def finished(stream: Stream) -> Tensor:
        nonlocal at
        at += 4 * KB
        return stream.final().commit(at, "A, B % 8")

    if count == 1:
        stream = single(kernel, parts[0], "A", "B % 8").branch()
        if work == "floats":
            stream = stream.split().binary("MulF0 (2.0 : f32)").concat()
        else:
            stream = stream.op("vector_clip", "Add (1.0 : f32)", "vector_clip")
        parts = [finished(stream)]
    while len(parts) > 1:
        stream = pair(kernel, parts[0], parts[1], "A", "B % 8")
        if work == "floats":
            stream = stream.split().binary("MulF0 (2.0 : f32 | 2.0 : f32)")
            stream = stream.op("vector_fp_zip", "AddF", "vector_fp").concat()
        else:
            stream = stream.op("vector_clip_zip", "Add", "vector_clip")
        parts = parts[2:] + [finished(stream)]
    kernel.result(parts[0], "A, B")
    return kernel


def vrf(elements: int, address: int) -> Kernel:
    """f32 elements into the VRF."""
    kernel = Kernel(f"A = {elements}")
    dm = kernel.to_dm(kernel.argument("a", "f32", "A"), 0, "A")
    kernel.begin(dm, context="sub").fetch("f32", "A / 8", "A % 8").collect("A / 8", "A % 8").to_vrf(address, "A")
    kernel.result(dm, "A")
    return kernel


def flit(elements: int) -> Kernel:
    """f32 elements as the flit of a tile."""
    kernel = Kernel(f"M = {8 * elements}", "1 # 256")
    dm = kernel.to_dm(kernel.argument("a", "f32", "M"), 0, "M")
    stream = kernel.begin(dm).fetch("f32", f"M / {elements}", f"M % {elements}")
    kernel.result(stream.collect(f"M / {elements}", f"M % {elements}").commit(KB, "M"), "M")
    return kernel


def level_packet_time() -> Kernel:
    """Rows of matrices times ones: K is in packets and in time, J on the TRF's rows."""
    kernel = Kernel("M = 4, K = 128, J = 8")
    data = kernel.to_dm(kernel.argument("data", "bf16", "M, K"), 0, "M, K")
    weights = kernel.to_dm(kernel.argument("weights", "bf16", "J, K"), 16 * KB, "J, K")
    stream = kernel.begin(weights, context="sub").fetch("bf16", "J", "K").collect("J, K / 16", "K % 16")
    trf = stream.to_trf("J", "K")
    stream = kernel.begin(data).fetch("bf16", "M", "K").collect("M, K / 16", "K % 16")
    stream = stream.contract(trf, "J", ("M, K / 32", "K % 32"), "1", "M", "J")
    kernel.result(stream.commit(32 * KB, "M, J"), "M, J")
    return kernel


def level_slice() -> Kernel:
    """R is on slices."""
    kernel = Kernel("R = 4, A = 512", "A / 8, R")
    alone = kernel.grid("#alone", "A / 8, 1 # 4")
    dm = kernel.to_dm(kernel.argument("data", "i32", "R, A"), 0, "A % 8")
    stream = kernel.begin(dm).fetch("i32", "1", "A % 8").collect("1", "A % 8").init()
    stream = stream.op("vector_inter_slice_reduce", 'AddSat "A / 8, 1 # 4", "1"', "vector_inter_first", grid=alone)
    kernel.result(stream.final().commit(KB, "A % 8"), "A")
    return kernel


def level_cluster() -> Kernel:
    """C is on clusters: both parts go to both clusters by DMA, then each adds them."""
    kernel = Kernel("C = 2, B = 2048, I = 2", "B / 8", cluster="C")
    both = kernel.grid("#both", "B / 8", cluster="2")
    parts = kernel.to_dm(kernel.argument("data", "i32", "C, B"), 0, "B % 8", "apart")
    stored = kernel.to_hbm(parts, 14 << 28, "C, B")
    tiles = [kernel.to_dm(kernel.tile(stored, "C", i, "C = 1 # 2, B"), 64 + 64 * i, "B % 8", grid=both) for i in (0, 1)]
    stream = pair(kernel, *tiles, "1", "B % 8", "i32").op("vector_clip_zip", "AddFxp", "vector_clip").final()
    kernel.result(stream.commit(256, "B % 8"), "2, B")
    return kernel
