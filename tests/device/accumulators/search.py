"""Finds the rule that explains what a unit did: one field at a time, then two at a time."""

from dataclasses import replace
from itertools import combinations

import rules

SAMPLE = 1200  # dot products that a search looks at, beside those that its start fails


class Sample:
    """The dot products of one instruction that a search looks at."""

    def __init__(self, sections, start):
        total = sum(section.count for section in sections)
        step = max(total // SAMPLE, 1)
        self.sections = []
        for section in sections:
            wrong = [at for at, _ in section.mismatches(start)]
            wrong = wrong[:: max(len(wrong) // 150, 1)]
            self.sections.append(section.take(sorted({*wrong, *range(0, section.count, step)})))

    def mismatches(self, rule, limit):
        """How many differ; more than `limit` as soon as that is known."""
        count = 0
        for section in self.sections:
            for start in range(0, section.count, 64):
                part = range(start, min(start + 64, section.count))
                want = section.results(rule, part)
                count += sum(w != section.d[at] for w, at in zip(want, part))
                if count > limit:
                    return count
        return count


def find(instruction, sections, start):
    """(the best rule, its mismatches in the sample). Ties stay with the earlier one."""
    nans = set().union(*(section.nan_codes() for section in sections))
    axes = rules.axes(instruction, nans)
    sample = Sample(sections, start)
    best, least = start, sample.mismatches(start, float("inf"))
    best, least = descend(axes, sample, best, least)
    for one, other in combinations(axes, 2):
        if not least:
            break
        for changes in ({one: a, other: b} for a in axes[one] for b in axes[other]):
            rule = replace(best, **changes)
            count = sample.mismatches(rule, least - 1)
            if count < least:
                best, least = descend(axes, sample, rule, count)
        for section in sample.sections:
            section.forget([best])
    return best, least


def descend(axes, sample, best, least):
    """Takes the best single change until none helps."""
    while least:
        found = best
        for field, values in axes.items():
            for value in values:
                if value == getattr(best, field):
                    continue
                rule = replace(best, **{field: value})
                count = sample.mismatches(rule, least - 1)
                if count < least:
                    found, least = rule, count
        if found == best:
            break
        best = found
    return best, least
