"""Configurations of quantized layers. spec S6.6."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from .._mode import setting
from . import dtypes

__all__ = ["MXConfig", "QAttentionConfig", "QLinearConfig"]


@dataclasses.dataclass(frozen=True)
class MXConfig:
    """A tensor's quantization.

    elem_dtype_name: a name of dtypes.SUPPORTED_ELEM_DTYPES. block_size: elements of a block, at least 1. ValueError
    otherwise.
    """

    elem_dtype_name: str
    block_size: int = 32

    def __post_init__(self) -> None:
        if self.elem_dtype_name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
            raise ValueError(f"Unsupported element dtype name: {self.elem_dtype_name}. "
                             f"Supported names are: {tuple(dtypes.STR_TO_SUPPORTED_ELEM_DTYPE)}")
        if self.block_size < 1:
            raise ValueError(f"Block size must be at least 1, got {self.block_size}")

    @property
    def elem_dtype(self) -> dtypes.DType:
        """The element type of that name."""
        return dtypes.STR_TO_SUPPORTED_ELEM_DTYPE[self.elem_dtype_name]

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> MXConfig:
        """The configuration of a dictionary that to_dict() made."""
        return cls(**config_dict)

    def to_dict(self) -> dict[str, Any]:
        """Names and values, as load_from_dict() takes them."""
        return {"elem_dtype_name": self.elem_dtype_name, "block_size": self.block_size}


@dataclasses.dataclass(frozen=True)
class QLinearConfig:
    """A linear layer's quantization: of its weights and of its activations."""

    weights_config: MXConfig
    activations_config: MXConfig

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> QLinearConfig:
        """The configuration of a dictionary that to_dict() made."""
        return cls(MXConfig.load_from_dict(config_dict["weights_config"]),
                   MXConfig.load_from_dict(config_dict["activations_config"]))

    def to_dict(self) -> dict[str, Any]:
        """Names and dictionaries of both configurations, as load_from_dict() takes them."""
        return {"weights_config": self.weights_config.to_dict(),
                "activations_config": self.activations_config.to_dict()}


_TENSORS = ("query_config", "key_config", "value_config", "attention_weights_config")


@dataclasses.dataclass(frozen=True)
class QAttentionConfig:
    """An attention layer's quantization: of its projections, and of all or none of q, k, v and attention weights.

    strict: AssertionError for some of the four; compat accepts them, and to_dict() raises AttributeError.
    """

    projection_config: QLinearConfig
    query_config: Optional[MXConfig] = None
    key_config: Optional[MXConfig] = None
    value_config: Optional[MXConfig] = None
    attention_weights_config: Optional[MXConfig] = None

    def _given(self) -> list[str]:
        return [name for name in _TENSORS if getattr(self, name) is not None]

    def __post_init__(self) -> None:
        if 0 < len(self._given()) < len(_TENSORS) and setting()[0] == "strict":
            raise AssertionError("Either all or none of the q,k,v and attention_weights config must be provided")

    @property
    def is_qkv_quantization_enabled(self) -> bool:
        """Are all four there?"""
        return len(self._given()) == len(_TENSORS)

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> QAttentionConfig:
        """The configuration of a dictionary that to_dict() made."""
        projection = QLinearConfig.load_from_dict(config_dict["projection_config"])
        if not config_dict.get("query_config") and (setting()[0] == "compat" or
                                                    not any(config_dict.get(name) for name in _TENSORS)):
            return cls(projection)
        return cls(projection, *(MXConfig.load_from_dict(config_dict[name]) for name in _TENSORS))

    def to_dict(self) -> dict[str, Any]:
        """Names and dictionaries of the configurations, as load_from_dict() takes them."""
        result = {"projection_config": self.projection_config.to_dict()}
        if self._given():
            result.update((name, getattr(self, name).to_dict()) for name in _TENSORS)
        return result
