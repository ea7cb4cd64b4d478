"""What two sides told while they did the same: tensors and texts under names, compared entry by entry."""

import numpy as np
import torch

INTEGERS = {torch.float32: torch.int32, torch.bfloat16: torch.int16, torch.float16: torch.int16}


def words(tensor):
    """Patterns of a tensor, every NaN the same; it need not be contiguous."""
    plain = tensor.detach().as_subclass(torch.Tensor).contiguous()
    if plain.dtype not in INTEGERS:
        return plain.numpy()
    return np.where(torch.isnan(plain).numpy(), 0x7FFF, plain.view(INTEGERS[plain.dtype]).numpy())


class Diary:
    """What one side told."""

    def __init__(self):
        self.told = []

    def tensor(self, name, value):
        self.told.append((f"{name}: {value.dtype}", tuple(value.shape), words(value)))

    def text(self, name, value):
        self.told.append((f"{name}: {value}", (), np.zeros((), int)))

    def state(self, name, module):
        for key, value in sorted(module.state_dict().items()):
            if isinstance(value, dict):
                for part, extra in value.items():
                    self.tensor(f"{name} {key} {part}", extra)
            else:
                self.tensor(f"{name} {key}", value)

    def gradients(self, name, module):
        for key, parameter in module.named_parameters():
            if parameter.grad is None:
                self.text(f"{name} {key}", None)
            else:
                self.tensor(f"{name} {key}", parameter.grad)

    def error(self, name, function):
        """The class of what a call raises."""
        try:
            function()
            self.text(name, "nothing")
        except Exception as error:
            self.text(name, type(error).__name__)


def compare(judge, what, ours, theirs, sees_wrong=True):
    """The two diaries; `sees_wrong`: under --wrong they have to differ."""
    before, notices = judge.mismatches, []
    judge.same(f"{what}: entries", [0], [len(ours.told)], [len(theirs.told)], False)
    for mine, other in zip(ours.told, theirs.told):
        fits = mine[:2] == other[:2]
        if not fits:
            notices.append(f"    {what}: mxgold {mine[0]} {mine[1]}, the package {other[0]} {other[1]}")
        expected = np.asarray(other[2]).astype(np.int64)
        judge.same(f"{what}, {other[0].splitlines()[0]}", expected, mine[2] if fits else expected + 1, expected, False)
    print("\n".join(notices[:8]))
    if judge.args.wrong and sees_wrong and judge.mismatches == before:
        judge.unnoticed.append(what)
