"""What the judges share: counting, reporting, stimuli, exit codes.

Exit codes: 0 every comparison agreed, 1 a mismatch, 5 nothing was compared, 77 skipped (a package is missing).
With --wrong the judge compares a deliberately wrong policy and must end in 1: every comparison that can see it has
to differ, otherwise it ends in 5.
"""

import argparse
import importlib
import sys

SKIP = 77


def need(*modules):
    """Imports modules, or ends the run as skipped, saying what is missing and what installs it."""
    found = []
    for name in modules:
        try:
            found.append(importlib.import_module(name))
        except ImportError as error:
            print(f"SKIP {sys.argv[0].rsplit('/', 1)[-1]}: {name} cannot be imported ({error}); "
                  "install it with ./dev external-setup")
            sys.exit(SKIP)
    return found if len(found) > 1 else found[0]


class Judge:
    """Compares arrays of codes and counts; one an executable."""

    def __init__(self, name, versions, surfaces=(), flags=None):
        parser = argparse.ArgumentParser(description=f"mxgold against {name}")
        parser.add_argument("surface", nargs="?", choices=list(surfaces) or None, help="what to compare")
        parser.add_argument("--wrong", action="store_true", help="compare a wrong policy: must report mismatches")
        parser.add_argument("--exhaustive", action="store_true", help="all 2^32 inputs where there are so many")
        parser.add_argument("--shard", default="0/1", help="I/N: every N-th chunk of those, from the I-th")
        parser.add_argument("--seed", type=int, default=20260728)
        for flag, text in (flags or {}).items():
            parser.add_argument(flag, action="store_true", help=text)
        self.args = parser.parse_args()
        self.name, self.cases, self.mismatches, self.printed = name, 0, 0, 0
        self.unnoticed = []
        print(f"{name}: {versions}, seed {self.args.seed}")

    def chunks(self, count):
        """The numbers below `count` that belong to this shard."""
        first, shards = (int(part) for part in self.args.shard.split("/"))
        return range(first, count, shards)

    def wants(self, surface):
        return self.args.surface in (None, surface)

    def wrong_rounding(self, rounding):
        """The rounding to compare: another one under --wrong."""
        if not self.args.wrong:
            return rounding
        return "ties_to_away" if rounding == "ties_to_even" else "ties_to_even"

    def same(self, what, inputs, ours, theirs, sees_wrong=True):
        """Compares equally shaped integer arrays elementwise; `inputs`, as many, are printed. `sees_wrong`: under
        --wrong this comparison has to differ."""
        import numpy as np

        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if ours.shape != theirs.shape:
            raise ValueError(f"{what}: shapes {ours.shape} and {theirs.shape}")
        bad = np.nonzero((ours != theirs).reshape(-1))[0]
        self.cases += ours.size
        self.mismatches += bad.size
        if self.args.wrong and sees_wrong and bad.size == 0:
            self.unnoticed.append(what)
        print(f"  {what}: {ours.size} compared, {bad.size} differ")
        flat = np.asarray(inputs).reshape(-1)
        for i in bad[:8]:
            if self.printed >= 40:
                break
            self.printed += 1
            shown = f"input {int(flat[i]):X}" if flat.size == ours.size else f"position {i}"
            print(f"    {what}: {shown}: mxgold {int(ours.reshape(-1)[i]):X}, "
                  f"{self.name} {int(theirs.reshape(-1)[i]):X}")

    def finish(self):
        """Prints the verdict and ends the process."""
        if self.cases == 0:
            print(f"FAIL {self.name}: nothing was compared")
            sys.exit(5)
        if self.unnoticed:
            print(f"FAIL {self.name}: the wrong policy went unnoticed in {'; '.join(self.unnoticed)}")
            sys.exit(5)
        verdict = "FAIL" if self.mismatches else "PASS"
        print(f"{verdict} {self.name}: {self.cases} comparisons, {self.mismatches} differ")
        if self.mismatches:
            print("again with: " + " ".join(sys.argv) + f" --seed {self.args.seed}")
        sys.exit(1 if self.mismatches else 0)
