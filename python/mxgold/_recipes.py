# SPDX-License-Identifier: Apache-2.0
"""How a Quantized was made, as the metadata of a file say it, and back.

Keys are the names of the program's options. Of a file whose tensors were made in several ways each key is followed by
the tensor's name: "axis.w" counts before "axis".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, NoReturn

from ._convert import flag_word
from ._names import names as listed
from ._policies import Policy, policy as make_policy
from ._safetensors import FORMATS, TYPES, Reader

if TYPE_CHECKING:
    from ._quantized import Quantized

#: What stands in the metadata of files that hold values, no codes.
_OF_VALUES = ("dequantized_from", "dot_mode", "unit", "mxgold.cast")


def holds_codes(metadata: Mapping[str, str]) -> bool:
    """Are these the metadata of a file of mxgold.save() or of `mxgold quantize`?"""
    return "mxgold_version" in metadata and not any(key in metadata for key in _OF_VALUES)


def described(tensors: Mapping[str, Quantized], version: str) -> dict[str, str]:
    """The metadata of Quantized: fields that all share once, else each followed by the tensor's name."""
    if not tensors:
        return {}
    recipes = {name: _recipe_of(q) for name, q in tensors.items()}
    first, *others = recipes.values()
    metadata = {"mxgold_version": version}
    if all(other == first for other in others):
        metadata.update(first)
    else:
        metadata.update({f"{key}.{name}": text for name, recipe in recipes.items() for key, text in recipe.items()})
    for name, q in tensors.items():
        metadata.update({f"{key}.{name}": text for key, text in _facts_of(q).items()})
    return metadata


def _recipe_of(q: Quantized) -> dict[str, str]:
    last = max(len(q.shape), 1) - 1
    recipe = {"format": str(q.format), "policy": str(q.policy), "axis": str(-1 if q.axis == last else q.axis),
              "block_size": str(q.format.block_size or 32)}
    recipe.update({name: value for name, value in q.policy.items() if name not in ("profile", "blocks_as", "block_size")})
    if "profile" in q.policy:
        recipe["profile"] = name = q.policy["profile"]
        if "blocks_as" in q.policy:
            recipe["profile"] += f"{'+' if ':' in name else ':'}blocks-as={q.policy['blocks_as']}"
    if q.hadamard is not None:
        recipe["hadamard"], recipe["hadamard_signs"] = f"{q.hadamard[0]:04x}", q.hadamard[1]
    return recipe


def _facts_of(q: Quantized) -> dict[str, str]:
    """What is of one tensor alone."""
    facts = {"flags": ",".join(sorted(q.flags))}
    kind = TYPES.get(q._plan.source)
    facts["source_dtype" if kind else "source"] = kind or q._plan.source
    if q._level is not None:
        facts["tensor_amax"] = f"{q._level[0]:08x}"
    return facts


class Fields:
    """What the metadata of a file say of a tensor. ValueError, naming the field, for what they cannot."""

    def __init__(self, file: Reader, tensor: str) -> None:
        self.file, self.tensor = file, tensor

    def _key(self, name: str) -> str:
        own = f"{name}.{self.tensor}"
        return own if own in self.file.metadata else name

    def get(self, name: str) -> str | None:
        """The text of a field, None where there is none."""
        return self.file.metadata.get(self._key(name))

    def need(self, name: str) -> str:
        """The text of a field that has to be there."""
        found = self.get(name)
        if found is None:
            self.file.refuse(f"header: '__metadata__', field {name!r}: missing; the file must come from mxgold.save or mxgold "
                             "quantize")
        return found

    def refuse(self, name: str, problem: object) -> NoReturn:
        """A ValueError that names the field."""
        self.file.refuse(f"header: '__metadata__', field {self._key(name)!r}, value {self.get(name)!r}: {problem}")

    def _number(self, name: str, base: int, least: int, most: int) -> int:
        text = self.need(name)
        try:
            number = int(text, base)
        except ValueError:
            self.refuse(name, "not a whole number" if base == 10 else "no hexadecimal digits")
        if not least <= number <= most:
            self.refuse(name, f"outside {least}..{most}")
        return number

    def axis(self, dimensions: int) -> int:
        """The axis of blocks, counted from 0; an array of no dimensions has one."""
        rank = max(dimensions, 1)
        return self._number("axis", 10, -rank, rank - 1) % rank

    def source(self) -> str:
        """The format of what was quantized."""
        kind = self.get("source_dtype")
        return self.get("source") or FORMATS.get(kind or "F32", "fp32")

    def flags(self) -> int:
        """What happened on the way, as a word."""
        given = self.get("flags") or ""
        try:
            return flag_word(name for name in given.split(",") if name)
        except ValueError as error:
            self.refuse("flags", error)

    def amax(self) -> int:
        """The largest magnitude of the tensor as a binary32 pattern, 0 where it is not said."""
        return 0 if self.get("tensor_amax") is None else self._number("tensor_amax", 16, 0, 0x7F7FFFFF)

    def hadamard(self) -> tuple[int, str] | None:
        """The transform that the values are under."""
        if self.get("hadamard") is None:
            return None
        signs = self.get("hadamard_signs") or "first"
        if signs not in ("first", "last"):
            self.refuse("hadamard_signs", "first or last")
        return self._number("hadamard", 16, 0, 0xFFFF), signs

    def shape(self) -> tuple[int, ...]:
        """The shape of codes that are packed flat."""
        text = self.need("shape")
        lengths = text.split(",") if text else []
        if not all(length.isascii() and length.isdigit() for length in lengths):
            self.refuse("shape", "not a list of lengths")
        return tuple(int(length) for length in lengths)

    def policy(self, block_size: int | None) -> Policy:
        """The policy that chose the codes; the program writes every field of it."""
        text = self.get("policy")
        try:
            return make_policy(self._settings(block_size) if text is None else text)
        except ValueError as error:
            self.file.refuse(f"header: '__metadata__': {error}")

    def _settings(self, block_size: int | None) -> dict[str, str]:
        settings = {name: text for name in listed("policies") if (text := self.get(name)) is not None}
        if not settings.get("rounding", "").startswith("stochastic"):
            settings.pop("random_bits", None)
        elif (bits := self.get("random_bits")) is not None:
            settings["random_bits"] = bits
        size = self.get("block_size")
        if block_size is not None and size is not None and size != str(block_size):
            settings["block_size"] = size
        profile, _, variant = (self.get("profile") or "mxgold-default").partition(":")
        if profile != "mxgold-default":
            own = [part for part in variant.split("+") if part and not part.startswith("blocks-as=")]
            settings["profile"] = profile + (":" + "+".join(own) if own else "")
            settings.update({"blocks_as": part[len("blocks-as="):] for part in variant.split("+")
                             if part.startswith("blocks-as=")})
        return settings
