"""Plants rules in stimuli without results: the search must find them, and one flipped bit must show."""

from array import array
from dataclasses import replace

import rules
import search
import sets

PLANTED = {
    "mma.m16n8k16.bf16.bf16.f32": {"zero_exponent": -126},
    "mma.m16n8k16.f16.f16.f32": {"fraction": 24, "rounding": "rne"},
    "mma.m16n8k16.f16.f16.f16": {"zero_exponent": -14, "overflow": "max"},
    "mma.m16n8k8.tf32.tf32.f32": {"groups": 4, "tf32": "rne"},
    "mma.m16n8k32.e4m3.e4m3.f16": {"groups": 16},
    "mma.m16n8k32.e5m2.e5m2.f32": {"carry": "inside"},
    "wgmma.m64n8k16.bf16.bf16.f32": {"zero_exponent": -132, "small_sign": "kept", "zero_sum": "ieee"},
    "wgmma.m64n8k32.e4m3.e5m2.f32": {"carry": "afterwards", "fraction": 14},
}
STEP = 8  # of the dot products, one in this many: a search needs no more


def plant(sections, rule):
    for section in sections:
        section.d = array("I", section.results(rule))


def count(sections, rule):
    return sum(len(section.mismatches(rule)) for section in sections)


def check(instruction, sections, changes):
    """What is wrong, or an empty list."""
    law = rules.law(instruction)
    planted = replace(law, **changes)
    problems = []
    plant(sections, planted)
    under_law = count(sections, law)
    if not under_law:
        problems.append("the rule does not fail although another rule is planted")
    found, _ = search.find(instruction, sections, law)
    if found != planted:
        problems.append(f"planted {changes}, found {rules.difference(law, found)}")
    if count(sections, found):
        problems.append("the rule found has mismatches")
    section = sections[len(sections) // 2]
    section.d[section.count // 2] ^= 1
    if count(sections, planted) != 1:
        problems.append("one flipped bit is not one mismatch")
    print(f"{instruction}: planted {changes}: the rule has {under_law} mismatches; {'; '.join(problems) or 'found'}")
    return problems


def run(folder):
    found = sets.read_folder(folder)
    problems = 0
    for instruction, changes in PLANTED.items():
        if instruction not in found:
            print(f"{instruction}: no stimuli")
            problems += 1
            continue
        sections = [section.every(STEP) for section in found[instruction]]
        problems += len(check(instruction, sections, changes))
    print(f"{len(PLANTED)} planted rules, {problems} problems")
    return 1 if problems else 0
