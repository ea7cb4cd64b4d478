"""qtorch.optim: an optimizer whose weights, gradients, momenta and accumulators are quantised. Needs torch.

Source: spec S4.9.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

from .._mode import setting

__all__ = ["OptimLP"]

_Quantization = Callable[[torch.Tensor], torch.Tensor]
_MOMENTA = ((torch.optim.SGD, ("momentum_buffer",)), (torch.optim.Adam, ("exp_avg", "exp_avg_sq")))


class OptimLP(torch.optim.Optimizer):
    """Steps of another optimizer, between quantisations.

    optim: a torch.optim.SGD or Adam (AssertionError for others), whose parameter groups are used. grad_scaling: > 0
    (AssertionError); gradients are multiplied by it before grad_quant. weight_quant, grad_quant, momentum_quant,
    acc_quant: functions of tensors, such as quantizer() returns, or None for none. acc_quant: the weights that are
    stepped are copies of their own, quantised by it; the model's are quantised from them.

    >>> optimizer = OptimLP(torch.optim.SGD(model.parameters(), lr=0.1), weight_quant=quantizer(FloatingPoint(5, 2)))
    """

    def __init__(self, optim: torch.optim.Optimizer, weight_quant: _Quantization | None = None,
                 grad_scaling: float = 1.0, grad_quant: _Quantization | None = None, momentum_quant: _Quantization | None = None,
                 acc_quant: _Quantization | None = None) -> None:
        keys = [keys for kind, keys in _MOMENTA if isinstance(optim, kind)]
        if not keys:
            raise AssertionError("the optimizer is neither SGD nor Adam")
        if not grad_scaling > 0:
            raise AssertionError("gradient scaling must be positive")
        super().__init__(optim.param_groups, optim.defaults)
        self.param_groups: list[dict[str, Any]] = optim.param_groups
        self.optim: torch.optim.Optimizer = optim
        self.grad_scaling: float = grad_scaling
        self.weight_quant: _Quantization | None = weight_quant
        self.grad_quant: _Quantization | None = grad_quant
        self.momentum_quant: _Quantization | None = momentum_quant
        self.acc_quant: _Quantization | None = acc_quant
        self.momentum_keys: list[str] = list(keys[0])
        if acc_quant is not None:
            self.weight_acc: dict[torch.Tensor, torch.Tensor] = {p: p.detach().clone() for p in self._parameters()}

    def _parameters(self) -> list[torch.Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Quantises gradients, steps, then quantises accumulators, weights and momenta, in this order.

        closure: strict evaluates it first, with gradients, and returns its loss; compat, as the package, leaves it.
        """
        loss = None
        if closure is not None and setting()[0] == "strict":
            with torch.enable_grad():
                loss = closure()
        if self.grad_quant is not None:
            for p in self._parameters():
                if p.grad is not None:
                    p.grad.data = self.grad_quant(p.grad.data * self.grad_scaling)
        if self.acc_quant is not None:
            for p in self._parameters():
                p.data = self.weight_acc[p].data
        self.optim.step()
        if self.acc_quant is not None:
            for p in self._parameters():
                p.data = self.weight_acc[p].data = self.acc_quant(p.data).data
        if self.weight_quant is not None:
            for p in self._parameters():
                p.data = self.weight_quant(p.data).data
        if self.momentum_quant is not None:
            self._quantize_momenta(self.momentum_quant)
        return loss

    def _quantize_momenta(self, quantize: _Quantization) -> None:
        for group in self.param_groups:
            if isinstance(self.optim, torch.optim.SGD) and group["momentum"] == 0:
                continue
            for p in group["params"]:
                if p.grad is not None:
                    state = self.optim.state[p]
                    for key in self.momentum_keys:
                        state[key] = quantize(state[key])

    def __repr__(self) -> str:
        return f"LP Optimizer: {self.optim!r}"

    def __str__(self) -> str:
        return f"LP Optimizer: {self.optim}"
