#!/usr/bin/env python3
"""Judges what a GPU's matrix units answered to the probe, by the exact rules of spec U1 and U2.

usage: model.py FOLDER [--only TEXT] [--no-rivals] [--flip]
       model.py --self-test FOLDER

FOLDER: what device_accumulators wrote. For every instruction: dot products compared and mismatches of each
class under the rule, then those of every rule that differs from it in one point. A rival without
mismatches is one that these stimuli do not tell from the rule. Where the rule fails, a search names the
rule that fails least. --flip: one bit of one result is flipped first, a control that must fail.
--self-test: results are made by planted rules, and the search must find those.
Exits 1 after a mismatch under the rule, 2 where there is nothing to judge or a file is cut.
"""

import argparse
import sys

import rules
import search
import self_test
import sets

SHOWN = 3  # mismatching dot products in full
WHOLE = {"bottom", "zeros"}  # classes whose rivals see every dot product: few of them tell those apart
THINNED = 2  # of the other classes rivals see one in this many


def by_class(counts):
    return " ".join(f"{name} {count}" for name, count in counts if count) or "-"


def count_all(sections, rule):
    return [(section.stimulus, len(section.mismatches(rule))) for section in sections]


def report_law(instruction, sections, law):
    """Prints the rule's part; the number of mismatches."""
    compared = sum(section.count for section in sections)
    nans = sorted(set().union(*(section.nan_codes() for section in sections)))
    print(f"\n{instruction}: {compared} dot products; NaN codes seen: {' '.join(f'{n:X}' for n in nans) or 'none'}")
    total = 0
    wrong = []
    for section in sections:
        found = section.mismatches(law)
        total += len(found)
        wrong += [(section, *each) for each in found]
        layout = "  (every rule agrees here: suspect the layout)" if found and section.stimulus == "exact" else ""
        print(f"  law {section.stimulus:8} {section.count:5} compared {len(found):5} mismatches{layout}")
        if section.differing:
            total += section.differing
            print(f"  {section.stimulus}: {section.differing} results depend on where in the tile they stand")
    for section, at, want in wrong[:: max(len(wrong) // SHOWN, 1)][:SHOWN]:
        print(section.vector(at, want))
    return total


def report_rivals(instruction, sections, rule):
    nans = set().union(*(section.nan_codes() for section in sections))
    sections = [section if section.stimulus in WHOLE else section.every(THINNED) for section in sections]
    print(f"  rivals of the {'law' if rule == rules.law(instruction) else 'best rule found'}, on"
          f" {sum(section.count for section in sections)} of the dot products:")
    for field, value, rival in rules.rivals(instruction, rule, nans):
        counts = count_all(sections, rival)
        total = sum(count for _, count in counts)
        print(f"  rival {field} = {rules.said(value):16} {total:6}  {by_class(counts)}")
        for section in sections:
            section.forget([rule])


def report_search(instruction, sections, law):
    exact = next((section for section in sections if section.stimulus == "exact"), None)
    if exact and 4 * len(exact.mismatches(law)) > exact.count:
        print("  no search: no rule gives these results of small whole numbers")
        return law
    best, _ = search.find(instruction, sections, law)
    counts = count_all(sections, best)
    total = sum(count for _, count in counts)
    changes = ", ".join(f"{field} = {rules.said(value)}" for field, value in rules.difference(law, best).items())
    print(f"  best rule found: {changes or 'the rule'}: {total} mismatches  {by_class(counts)}")
    shown = SHOWN if best == law else 0  # the rule's were shown
    for section in sections:
        for at, want in section.mismatches(best):
            if shown < SHOWN:
                print(section.vector(at, want))
            shown += 1
    return best


def judge(folder, only, with_rivals, is_flipped):
    try:
        found = sets.read_folder(folder)
    except (OSError, ValueError) as error:
        print(f"{folder}: {error}")
        return 2
    chosen = {name: sections for name, sections in found.items() if only in name}
    if not chosen:
        print(f"nothing to judge in {folder}")
        return 2
    if is_flipped:
        next(iter(chosen.values()))[-1].d[0] ^= 1
    failed = []
    compared = total = 0
    for instruction, sections in chosen.items():
        law = rules.law(instruction)
        count = report_law(instruction, sections, law)
        compared += sum(section.count for section in sections)
        total += count
        best = law
        if count:
            failed.append(instruction)
            best = report_search(instruction, sections, law)
        if with_rivals:
            report_rivals(instruction, sections, best)
        for section in sections:
            section.forget()
    print(f"\n{len(chosen)} instructions, {compared} dot products compared, {total} mismatches under the rule")
    for instruction in failed:
        print(f"FAIL {instruction}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--flip", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    if given.self_test:
        return self_test.run(given.folder)
    return judge(given.folder, given.only, not given.no_rivals, given.flip)


if __name__ == "__main__":
    sys.exit(main())
