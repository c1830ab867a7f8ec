# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading a model's file: the protobuf, its tensors, data beside it.

Of the `onnx` package only the protobuf classes are used. Nothing in a file is believed:
sizes are compared with what is there, and data beside the model is read only from its
own folder.
"""

from __future__ import annotations

import math
import mmap
import os
import stat
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .types import BY_CODE, ElementType

__all__ = ["IR_VERSIONS", "OPSETS", "TensorReader", "read_model"]

Array = NDArray[Any]

#: Versions of the format, the least and the greatest.
IR_VERSIONS = (3, 11)
#: Versions of the operators of ONNX.
OPSETS = (7, 23)
#: Domains that mean ONNX's own operators.
OWN_DOMAINS = ("", "ai.onnx")

#: TensorProto fields that hold a type's elements if raw_data does not.
FIELDS = {
    "float32": "float_data",
    "float64": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
}


def protobuf() -> Any:
    """The protobuf classes of the `onnx` package."""
    try:
        from onnx import onnx_ml_pb2
    except ImportError as error:
        raise ModelError(
            "models are read by the classes of the package 'onnx', which Python does not "
            f"find ({error}): install python3-onnx"
        ) from error
    return onnx_ml_pb2


def read_model(path: str | os.PathLike[str]) -> Any:
    """The ModelProto of a file."""
    place = Path(path)
    classes = protobuf()
    try:
        if not stat.S_ISREG(os.stat(place).st_mode):
            raise ModelError(f"'{place}': is no file")
        with open(place, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise ModelError(f"'{place}': has 0 bytes that are no ONNX model")
            # Embedded weights are copied once, by the parser.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return parse_model(data, str(place), classes)
    except OSError as error:
        raise ModelError(f"'{place}': {error.strerror or error}") from error


def parse_model(data: bytes | mmap.mmap, name: str, classes: Any = None) -> Any:
    """The ModelProto in the bytes of a file, its versions checked."""
    from google.protobuf.message import DecodeError

    model = (classes or protobuf()).ModelProto()
    try:
        # Of data that it does not understand the library warns only.
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.ParseFromString(data)
        if said:
            raise DecodeError(str(said[0].message))
    except (DecodeError, ValueError, RuntimeError) as error:
        what = f"{len(data)} bytes that are no ONNX model: {error}"
        raise ModelError(f"'{name}': has {what}") from error
    if not model.HasField("graph") or not model.graph.output:
        raise ModelError(f"'{name}': has no graph with outputs, so it is no ONNX model")
    _check_text(model, name)
    low, high = IR_VERSIONS
    if not low <= model.ir_version <= high:
        raise ModelError(
            f"'{name}': has IR version {model.ir_version}, versions {low} to {high} are read"
        )
    return model


def _check_text(message: Any, name: str) -> None:
    """Strings that are no UTF-8 come as bytes; names must be text."""
    if message.DESCRIPTOR.name == "TensorProto":  # whose data are not to be copied for this
        fields = [(message.DESCRIPTOR.fields_by_name["name"], message.name)]
    else:
        fields = message.ListFields()
    for field, value in fields:
        values = value if field.label == field.LABEL_REPEATED else [value]
        if field.type == field.TYPE_MESSAGE:
            for inner in values:
                _check_text(inner, name)
        elif field.type == field.TYPE_STRING:
            for text in values:
                if not isinstance(text, str):
                    raise ModelError(f"'{name}': has a {field.name} that is no UTF-8, {text!r}")


def opset_of(imports: Any, name: str) -> dict[str, int]:
    """The version of each domain's operators."""
    versions = {entry.domain: entry.version for entry in imports}
    own = [versions[domain] for domain in OWN_DOMAINS if domain in versions]
    low, high = OPSETS
    if not own:
        raise ModelError(
            f"'{name}': imports no operators of ONNX, of which {low} to {high} are "
            "known"
        )
    if not low <= own[0] <= high:
        raise ModelError(
            f"'{name}': imports version {own[0]} of ONNX's operators, versions {low} to {high} "
            "are known"
        )
    return {**versions, "": own[0]}


def kind_of(code: int, what: str) -> ElementType:
    """The element type of a TensorProto.DataType."""
    kind = BY_CODE.get(code)
    if kind is None:
        raise ModelError(f"{what} has element type {code}, which is no type of ONNX")
    return kind


class TensorReader:
    """Makes arrays of TensorProtos; those beside the model are memory-mapped."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)

    def read(self, proto: Any, what: str) -> tuple[Array, ElementType]:
        """The elements of a TensorProto (or their bits) and their type. `what` says
        whose it is, for messages."""
        kind = kind_of(proto.data_type, what)
        shape = tuple(proto.dims)
        if any(size < 0 for size in shape):
            raise ModelError(f"{what} has shape {list(shape)}, a size is at least 0")
        if kind.kind == "other":
            raise ModelError(f"{what} is of {kind}, for which the machine has no type")
        count = math.prod(shape)
        if proto.HasField("segment"):
            raise ModelError(f"{what} is a segment of a tensor, only whole ones are read")
        if proto.data_location == proto.EXTERNAL:
            return self._external(proto, kind, shape, what), kind
        if proto.HasField("raw_data"):
            return self._raw(proto.raw_data, kind, shape, what), kind
        field = getattr(proto, FIELDS.get(kind.name, "int32_data"))
        packed = 2 if kind.bits == 4 else 1
        if len(field) != -(-count // packed):
            raise ModelError(
                f"{what} has {len(field)} elements, its shape {list(shape)} {count}"
            )
        if kind.bits == 4:
            return self._nibbles(np.array(field, np.int64).astype(np.uint8), kind, shape), kind
        if kind.is_float and kind.name not in FIELDS:
            wide = np.array(field, np.int64)
            bits = wide.astype(np.dtype(f"uint{kind.bits}"))
            return bits.view(kind.dtype).reshape(shape), kind
        return np.array(field).astype(kind.dtype).reshape(shape), kind

    def _raw(self, data: bytes, kind: ElementType, shape: tuple[int, ...], what: str) -> Array:
        needed = _bytes_of(kind, math.prod(shape))
        if len(data) != needed:
            raise ModelError(
                f"{what} has {len(data)} bytes, its shape {list(shape)} of {kind} takes {needed}"
            )
        if kind.bits == 4:
            return self._nibbles(np.frombuffer(data, np.uint8), kind, shape)
        return np.frombuffer(data, kind.dtype.newbyteorder("<")).reshape(shape)

    @staticmethod
    def _nibbles(pairs: Array, kind: ElementType, shape: tuple[int, ...]) -> Array:
        both = np.stack([pairs & 15, pairs >> 4], -1).reshape(-1)[: math.prod(shape)]
        if kind.kind == "int":
            return (((both ^ 8).astype(np.int8)) - 8).reshape(shape)
        return both.astype(kind.dtype).reshape(shape)

    def _external(self, proto: Any, kind: ElementType, shape: tuple[int, ...], what: str) -> Array:
        keys = {entry.key: entry.value for entry in proto.external_data}
        place = self._place(keys.get("location", ""), what)
        needed = _bytes_of(kind, math.prod(shape))
        try:
            offset = int(keys.get("offset", 0))
            length = int(keys.get("length", needed))
        except ValueError:
            raise ModelError(
                f"{what} has offset {keys.get('offset')!r} and length {keys.get('length')!r} "
                "in its file, expected numbers"
            ) from None
        if length != needed:
            raise ModelError(
                f"{what} has {length} bytes in '{place.name}', its shape {list(shape)} of {kind} "
                f"takes {needed}"
            )
        try:
            info = os.stat(place)
        except OSError as error:
            raise ModelError(f"{what} is in '{place.name}': {error.strerror}") from error
        if not stat.S_ISREG(info.st_mode):
            raise ModelError(f"{what} is in '{place.name}', which is no file")
        if offset < 0 or offset + needed > info.st_size:
            raise ModelError(
                f"{what} has bytes {offset} to {offset + needed} of '{place.name}', which has "
                f"{info.st_size}"
            )
        if needed == 0:
            return np.empty(shape, kind.dtype)
        if kind.bits == 4:
            pairs = np.memmap(place, np.uint8, "r", offset, (needed,))
            return self._nibbles(pairs, kind, shape)
        return np.memmap(place, kind.dtype.newbyteorder("<"), "r", offset, shape)

    def _place(self, location: str, what: str) -> Path:
        """A file in the model's folder and nowhere else."""
        if self.path is None:
            raise ModelError(f"{what} is in a file beside the model, which is in none")
        parts = location.replace("\\", "/").split("/")
        leaves = os.path.isabs(location) or ".." in parts or ":" in parts[0]
        if not location or "\0" in location or leaves:
            raise ModelError(
                f"{what} is in {location!r}, data beside a model must be a file in its folder"
            )
        place = self.path.parent / location
        homes = {os.path.realpath(self.path.parent), os.path.dirname(os.path.realpath(self.path))}
        real = os.path.realpath(place)
        if not any(real.startswith(os.path.join(home, "")) for home in homes):
            raise ModelError(
                f"{what} is in {location!r}, a link out of the model's folder, where data "
                "beside a model must be"
            )
        return place


def _bytes_of(kind: ElementType, count: int) -> int:
    return (count + 1) // 2 if kind.bits == 4 else count * kind.dtype.itemsize
