"""Small integers inside, names on disk and on the wire: one codec, generated from the annotations of the structs."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import UnionType
from typing import Any, Final

import msgspec

from foedus.kernel.rulebook import did_you_mean
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits

_UNKNOWN_WORD: Final = "?"
Encoder = Callable[[Any], Any]
Decoder = Callable[[Any, str], Any]


class CodecError(ValueError):
    """Data cannot be read; the message names the thing and the place (a path such as `siege.by`)."""


class Codec:
    """Turns structs into plain data (dicts, lists, strings, numbers) and back.

    `names`: kind -> names by small integer. `families`: base struct -> its subclasses, told apart by the key "do".
    A field of a kind is written as its name, a mask as a list of names, unknown as "?", nobody as null. Fields at
    their defaults are left out. `inside`: what hidden fields hold in the structs that are read, by field name.
    `state`: the type of the state, by whose fields the changes of a correction are written.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[str]],
        families: Mapping[type, Iterable[type]],
        inside: Mapping[str, Any] | None = None,
        state: type | None = None,
    ) -> None:
        self._names = names
        self._state = state
        self._hints: dict[str, Any] | None = None
        self._inside = inside or {}
        self._index = {kind: {name: i for i, name in enumerate(table)} for kind, table in names.items()}
        self._families: dict[type, dict[str, type]] = {base: {} for base in families}
        for base, members in families.items():
            for one in members:
                if self._families[base].setdefault(one.__name__, one) is not one:
                    raise ValueError(f"two kinds of {base.__name__.lower()} are named {one.__name__}")
        self._members = {one for members in self._families.values() for one in members.values()}
        self._encoders: dict[Any, Encoder] = {}
        self._decoders: dict[Any, Decoder] = {}

    def encode(self, value: msgspec.Struct) -> dict[str, Any]:
        """The plain data of a struct; a member of a family says its class under "do"."""
        data: dict[str, Any] = self._struct_encoder(type(value))(value)
        return {"do": type(value).__name__, **data} if type(value) in self._members else data

    def decode(self, data: Any, base: type) -> Any:
        """The struct of `base` (or of its family) that `data` holds. Raises `CodecError`."""
        return self._decoder(base)(data, "")

    # encoding

    def _encoder(self, annotation: Any) -> Encoder:
        key = annotation
        found = self._encoders.get(key)
        if found is None:
            found = self._encoders[key] = self._make_encoder(annotation)
        return found

    def _make_encoder(self, annotation: Any) -> Encoder:
        kind, mask = _kind(annotation)
        if kind is not None:
            names = self._names[kind]
            if mask:
                return lambda value: _UNKNOWN_WORD if value == UNKNOWN else [names[i] for i in bits(value)]
            return lambda value: _UNKNOWN_WORD if value == UNKNOWN else None if value == NONE else names[value]
        if _extra(annotation).get("changes"):
            return self._encode_changes
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                each = self._encoder(arguments[0])
                return lambda value: [each(one) for one in value]
            parts = [self._encoder(argument) for argument in arguments]
            return lambda value: [part(one) for part, one in zip(parts, value, strict=True)]
        if origin in (typing.Union, UnionType):
            (other,) = [argument for argument in arguments if argument is not type(None)]
            inner = self._encoder(other)
            return lambda value: None if value is None else inner(value)
        if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
            return self.encode if annotation in self._families else self._struct_encoder(annotation)
        return lambda value: value

    def _struct_encoder(self, cls: type) -> Encoder:
        found = self._encoders.get(cls)
        if found is not None:
            return found
        hints = typing.get_type_hints(cls, include_extras=True)
        table: list[tuple[str, Encoder, Any]] = []

        def encode(value: Any) -> Any:
            data = {}
            for name, encoder, default in table:
                part = getattr(value, name)
                if default is msgspec.NODEFAULT or part != default:
                    data[name] = encoder(part)
            return data

        self._encoders[cls] = encode  # before its fields: a struct may hold itself
        for field in msgspec.structs.fields(cls):
            if not hidden(hints[field.name]):
                table.append((field.name, self._encoder(hints[field.name]), field.default))
        return encode

    # changes of a state's fields: [field, index, value], the index null for the whole field

    def _place(self, name: Any, index: Any, place: str) -> Any:
        if self._hints is None:
            self._hints = {} if self._state is None else typing.get_type_hints(self._state, include_extras=True)
        hints = self._hints
        annotation = hints.get(name) if isinstance(name, str) else None
        if annotation is None or hidden(annotation):
            raise CodecError(f"{place}: unknown field {str(name)[:80]!r}{did_you_mean(str(name), hints)}")
        if index is None or index < 0:
            return annotation
        if typing.get_origin(annotation) is not tuple or typing.get_args(annotation)[1:] != (Ellipsis,):
            raise CodecError(f"{place}: {name} has no places to number")
        return typing.get_args(annotation)[0]

    def _encode_changes(self, value: Any) -> Any:
        found = []
        for name, index, part in value:
            encoder = self._encoder(self._place(name, index, "changes"))
            found.append([name, None if index < 0 else index, encoder(part)])
        return found

    def _decode_changes(self, data: Any, place: str) -> Any:
        if not isinstance(data, list):
            raise CodecError(f"{place}: a list is needed")
        found = []
        for i, one in enumerate(data):
            where = f"{place}[{i}]"
            if not isinstance(one, list) or len(one) != 3:
                raise CodecError(f"{where}: a field, an index and a value are needed")
            name, index, part = one
            if index is not None and (not isinstance(index, int) or isinstance(index, bool) or index < 0):
                raise CodecError(f"{where}: the index must be a whole number or null")
            decoder = self._decoder(self._place(name, index, where))
            found.append((name, UNKNOWN if index is None else index, decoder(part, f"{where}.{name}")))
        return tuple(found)

    # decoding

    def _decoder(self, annotation: Any) -> Decoder:
        found = self._decoders.get(annotation)
        if found is None:
            found = self._decoders[annotation] = self._make_decoder(annotation)
        return found

    def _make_decoder(self, annotation: Any) -> Decoder:
        kind, mask = _kind(annotation)
        if kind is not None:
            return self._mask_decoder(kind) if mask else self._name_decoder(kind)
        if _extra(annotation).get("changes"):
            return self._decode_changes
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is tuple:
            return self._tuple_decoder(arguments)
        if origin in (typing.Union, UnionType):
            (other,) = [argument for argument in arguments if argument is not type(None)]
            inner = self._decoder(other)
            return lambda data, place: None if data is None else inner(data, place)
        if annotation in self._families:
            return self._family_decoder(annotation)
        if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
            return self._struct_decoder(annotation)
        if annotation in (int, str, bool):
            return _plain_decoder(annotation)
        return lambda data, place: data

    def _name_decoder(self, kind: str) -> Decoder:
        index = self._index[kind]

        def decode(data: Any, place: str) -> int:
            if data is None:
                return NONE
            if data == _UNKNOWN_WORD:
                return UNKNOWN
            if not isinstance(data, str) or data not in index:
                raise CodecError(f"{place}: unknown {kind} {str(data)[:80]!r}{did_you_mean(str(data), index)}")
            return index[data]

        return decode

    def _mask_decoder(self, kind: str) -> Decoder:
        one = self._name_decoder(kind)

        def decode(data: Any, place: str) -> int:
            if data == _UNKNOWN_WORD:
                return UNKNOWN
            if not isinstance(data, list):
                raise CodecError(f"{place}: a list of names of {kind} is needed")
            mask = 0
            for i, item in enumerate(data):
                value = one(item, f"{place}[{i}]")
                if value < 0:
                    raise CodecError(f"{place}[{i}]: the name of a {kind} is needed, not {str(item)!r}")
                mask |= 1 << value
            return mask

        return decode

    def _tuple_decoder(self, arguments: tuple[Any, ...]) -> Decoder:
        many = len(arguments) == 2 and arguments[1] is Ellipsis
        parts = [self._decoder(argument) for argument in (arguments[:1] if many else arguments)]

        def decode(data: Any, place: str) -> tuple[Any, ...]:
            if not isinstance(data, list):
                raise CodecError(f"{place}: a list is needed")
            if many:
                return tuple(parts[0](one, f"{place}[{i}]") for i, one in enumerate(data))
            if len(data) != len(parts):
                raise CodecError(f"{place}: {len(parts)} values are needed")
            return tuple(part(one, f"{place}[{i}]") for i, (part, one) in enumerate(zip(parts, data, strict=True)))

        return decode

    def _family_decoder(self, base: type) -> Decoder:
        members = self._families[base]

        def decode(data: Any, place: str) -> Any:
            if not isinstance(data, dict) or not isinstance(data.get("do"), str):
                raise CodecError(f"{place or base.__name__}: an object with the key 'do' is needed")
            name = data["do"]
            if name not in members:
                raise CodecError(
                    f"{place or base.__name__}: unknown {base.__name__.lower()} {name[:80]!r}"
                    f"{did_you_mean(name, members)}"
                )
            return self._struct_decoder(members[name])({k: v for k, v in data.items() if k != "do"}, place or name)

        return decode

    def _struct_decoder(self, cls: type) -> Decoder:
        found = self._decoders.get((cls, "struct"))
        if found is not None:
            return found
        hints = typing.get_type_hints(cls, include_extras=True)
        table: dict[str, tuple[Decoder, bool]] = {}
        inside: dict[str, Any] = {}

        def decode(data: Any, place: str) -> Any:
            if not isinstance(data, dict):
                raise CodecError(f"{place or cls.__name__}: an object is needed")
            for key in data:
                if key not in table:
                    where = place or cls.__name__
                    raise CodecError(f"{where}: unknown key {str(key)[:80]!r}{did_you_mean(str(key), table)}")
            values = dict(inside)
            for name, (decoder, required) in table.items():
                if name in data:
                    values[name] = decoder(data[name], f"{place}.{name}" if place else name)
                elif required:
                    raise CodecError(f"{place or cls.__name__}: '{name}' is missing")
            return cls(**values)

        self._decoders[(cls, "struct")] = decode
        for field in msgspec.structs.fields(cls):
            if not hidden(hints[field.name]):
                table[field.name] = (self._decoder(hints[field.name]), field.required)
            elif field.name in self._inside:
                inside[field.name] = self._inside[field.name]
        return decode


def _plain_decoder(wanted: type) -> Decoder:
    def decode(data: Any, place: str) -> Any:
        if not isinstance(data, wanted) or (wanted is int and isinstance(data, bool)):
            raise CodecError(f"{place}: {wanted.__name__} is needed, not {str(data)[:80]!r}")
        return data

    return decode


def _extra(annotation: Any) -> Mapping[str, Any]:
    for meta in getattr(annotation, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.extra:
            return meta.extra
    return {}


def _kind(annotation: Any) -> tuple[str | None, bool]:
    extra = _extra(annotation)
    return extra.get("kind"), bool(extra.get("mask"))


def mask_field(annotation: Any) -> bool:
    """Is the field a bit mask over the names of its kind?"""
    return _kind(annotation)[1]


def kind_of_field(annotation: Any) -> str | None:
    """The kind that a field's annotation names, if any."""
    return _kind(annotation)[0]


def hidden(annotation: Any) -> bool:
    """Is the field kept inside and never written?"""
    return bool(_extra(annotation).get("hidden"))
