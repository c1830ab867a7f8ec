# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cerebras.sdk.sdk_utils, and the records of <debug>."""

import numpy as np
import pytest
from cerebras.sdk import sdk_utils

from sequin.errors import HostError, HostTypeError
from sequin.host.trace import decode_fp16, decode_trace, encode_trace


@pytest.mark.rows("HST-075", "WEX-059", "HST-078")
def test_calculate_cycles():
    start, end = (0x1111, 0x2222, 0x3333), (0x4444, 0x5555, 0x6666)
    (s0, s1, s2), (e0, e1, e2) = start, end
    words = np.uint32([s1 << 16 | s0, e0 << 16 | s2, e2 << 16 | e1]).view(np.float32)
    cycles = sdk_utils.calculate_cycles(words)
    assert isinstance(cycles, np.int64)
    assert cycles == 0x666655554444 - 0x333322221111
    assert sdk_utils.calculate_cycles(words.astype(">f4")) == cycles
    assert sdk_utils.make_u48(end) == 0x666655554444
    assert sdk_utils.sub_ts(np.uint16([*start, *end])) == cycles
    for wrong in (words[:2], words.astype(np.float64), np.zeros(6, np.uint16)):
        with pytest.raises(HostError, match="expected 3 of 32 bits"):
            sdk_utils.calculate_cycles(wrong)


@pytest.mark.rows("HST-076")
def test_memcpy_view():
    words = np.uint32([0xABCD3C00, 0x00004000, 0xFFFFC000])
    halves = sdk_utils.memcpy_view(words, np.float16)
    assert halves.dtype == np.float16 and halves.tolist() == [1.0, 2.0, -2.0]
    assert sdk_utils.memcpy_view(words, np.uint8).tolist() == [0, 0, 0]
    assert sdk_utils.memcpy_view(words, np.int32).tolist() == words.view(np.int32).tolist()
    halves[0] = 3.0  # a view
    assert words[0] == 0xABCD4200
    # In the other order of bytes it is the low half too.
    swapped = words.astype(">u4")
    for order in "<>":
        low = sdk_utils.memcpy_view(swapped, f"{order}f2")
        assert low.dtype == ">f2" and low.tolist() == [3.0, 2.0, -2.0]
        assert sdk_utils.memcpy_view(swapped, f"{order}u4").tolist() == words.tolist()
    assert sdk_utils.memcpy_view(swapped, np.uint8).tolist() == [0, 0, 0]
    low[1] = 1.0
    assert swapped[1] == 0x3C00
    assert sdk_utils.memcpy_view(words.reshape(3, 1), np.int16).shape == (3, 1)
    with pytest.raises(HostTypeError, match="datatype is float64 with 8 bytes"):
        sdk_utils.memcpy_view(words, np.float64)
    with pytest.raises(HostTypeError, match="arr is float16 with 2 bytes per element, expected 4"):
        sdk_utils.memcpy_view(halves.copy(), np.float16)


@pytest.mark.rows("HST-077")
def test_input_array_to_u32():
    halves = np.float16([1, -1, 2, 4]).reshape(2, 2)
    plain = sdk_utils.input_array_to_u32(np_arr=halves, sentinel=None, fast_dim_sz=2)
    assert plain.dtype == np.uint32
    assert plain.tolist() == [0x3C00, 0xBC00, 0x4000, 0x4400]
    numbered = sdk_utils.input_array_to_u32(np_arr=halves, sentinel=0, fast_dim_sz=2)
    assert numbered.tolist() == [0x3C00, 0x1BC00, 0x4000, 0x14400]
    words = sdk_utils.input_array_to_u32(np.float32([1.0]), None, 1)
    assert words.tolist() == [0x3F800000]
    for kind, array in (("f2", halves), ("f4", np.float32([1.0]))):
        swapped = sdk_utils.input_array_to_u32(array.astype(f">{kind}"), 0, 2)
        assert swapped.tolist() == sdk_utils.input_array_to_u32(array, 0, 2).tolist()
    with pytest.raises(HostTypeError, match="8 bytes per element, expected 2 or 4"):
        sdk_utils.input_array_to_u32(np.float64([1.0]), None, 1)
    with pytest.raises(HostError, match="fast_dim_sz is 0"):
        sdk_utils.input_array_to_u32(halves, 1, 0)


@pytest.mark.rows("HST-078")
def test_bits_of_scalars():
    assert sdk_utils.float_to_hex(1.0) == "0x3f800000"
    assert sdk_utils.cast_uint32(1.0) == 0x3F800000
    assert sdk_utils.cast_uint32(np.float16(1.0)) == 0x3C00
    assert sdk_utils.cast_uint32(np.int16(-1)) == 0xFFFF
    assert sdk_utils.cast_uint32(-1) == 0xFFFFFFFF
    with pytest.raises(HostTypeError, match="no number of 16 or 32 bits"):
        sdk_utils.cast_uint32(np.float64(1.0))


def test_traces():
    records = [("string", "début"), ("bool", 1), ("i8", 0xFF), ("u16", 65535), ("i16", 0x8000),
               ("f16", 0x3C00), ("u32", 1 << 31), ("i32", 0xFFFFFFFE), ("f32", 0x40200000),
               ("timestamp", 1 << 40 | 7), ("string", "")]
    values = ["début", True, -1, 65535, -32768, 1.0, 1 << 31, -2, 2.5, 1 << 40 | 7, ""]
    data = encode_trace(records)
    assert decode_trace(data + b"\x05\x00", "f16") == values
    assert decode_trace(b"", "f16") == [] and decode_trace(bytes(8), "f16") == []
    with pytest.raises(HostError, match="says that it has 99 words, its buffer has 1"):
        decode_trace(bytes([99, 0, 0, 0]), "f16")
    with pytest.raises(HostError, match="has tag 77 at word 1"):
        decode_trace(bytes([2, 0, 77, 0, 0, 0]), "f16")
    with pytest.raises(HostError, match="ends within a record"):
        decode_trace(bytes([2, 0, 6, 0, 0, 0]), "f16")


@pytest.mark.parametrize(
    ("fp16", "bits", "value"),
    [
        ("f16", 0x0001, 2.0**-24),
        ("f16", 0xFC00, float("-inf")),
        ("bf16", 0x3FC0, 1.5),
        ("cb16", 42 << 9 | 1 << 8, 1.5),
        ("cb16", 1 << 15 | 43 << 9, -2.0),
    ],
)
def test_floats_of_16_bits(fp16, bits, value):
    assert decode_fp16(bits, fp16) == value
