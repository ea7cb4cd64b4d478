#!/usr/bin/env python3
"""Checks the table "How to add" of CONTRIBUTING.md by following it with toys.

usage: places.py ROOT check             the table names the files that each toy touches, no more and no fewer
       places.py ROOT build SCRATCH     a copy of ROOT in SCRATCH with every toy added builds, and its program
                                        knows each of them

A toy is what a contributor would write: lines after a given line of a file, or a new file. Exits 1 and names what does
not hold; exits 2 on usage.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

SUBCOMMAND = '''#include <fmt/format.h>

#include "cli/base/command.hpp"

namespace mx::cli {

void add_toy(const Command& root, Exit& exit) {
  root.add_subcommand("toy", "Prints a line").callback([&exit] {
    fmt::print("a toy\\n");
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
'''

DEVICE = '''#include "sim/block/model.hpp"
#include "sim/dut/kind.hpp"
#include "sim/dut/queue.hpp"

namespace mx::sim {
namespace {

class ToyDut : public QueueDut {
 public:
  [[nodiscard]] std::string_view name() const override { return "toy"; }
  void configure(const Setup& setup) override { model_.emplace(setup.configs); }

 private:
  void compute(const BlockIn& block, BlockOut& out) override { model_->answer(block, out); }
  std::optional<ReferenceModel> model_;
};

}  // namespace

DutKind toy_dut() {
  DutKind kind{.name = "toy", .argument = "", .help = "the reference behind a queue"};
  kind.make = [](const DutRequest&) -> DutFactory {
    return [] { return std::make_unique<ToyDut>(); };
  };
  return kind;
}

}  // namespace mx::sim
'''

FILE_KIND = '''#include <cstring>

#include "cli/files/tensor_header.hpp"

namespace mx::cli {
namespace {

TensorTable parse_toy(std::string_view, std::span<const std::byte> bytes) {
  TensorTable table;
  std::vector<std::byte>& words = table.owned.emplace_back(bytes.size() / 4 * 4);
  std::memcpy(words.data(), bytes.data(), words.size());
  Tensor tensor;
  tensor.name = "data";
  tensor.dtype = "F32";
  tensor.format = find_dtype("F32")->format;
  tensor.shape = {words.size() / 4};
  tensor.elements = words.size() / 4;
  tensor.data = words;
  table.tensors.push_back(tensor);
  return table;
}

}  // namespace

TensorFileKind toy_file_kind() { return {"toy", ".toy", nullptr, parse_toy}; }

}  // namespace mx::cli
'''

# What a toy writes: {file: [(the line it follows, text), ...]}, or {new file: text}. A line is found by a pattern that
# must match exactly once.
TOYS = {
    "element or scale format": {
        "reference/format/rows.hpp": [(r'^    bare_exponent\("bfp_exp8", 8\),?$|^    unsigned_scale\("ue6m2".*$',
                                       '    ieee_like("e3m2b7toy", 8, 3, 2),')]},
    "rounding": {
        "reference/policy/policy.hpp": [(r'^  X\(kToOdd, .*$',
                                         '  X(kBumpUp, "bump_up", kNearest, kParity)                        \\')],
        "reference/number/rounding.hpp": [(r"^    case Rounding::kToOdd:\n.*$",
                                           "    case Rounding::kBumpUp:\n      return guard & (sticky | !odd);")],
        "oracle/element/encode.cpp": [(r"^    case Rounding::kToOdd:\n.*$",
                                       "    case Rounding::kBumpUp:\n"
                                       "      return gap.half > 0 || (gap.half == 0 && !gap.odd);")]},
    "overflow policy": {
        "reference/policy/policy.hpp": [(r'^  X\(kNoneInfOrNan, .*$',
                                         '  X(kAlwaysNan, "always_nan")                 \\')],
        "reference/element/overflow.cpp": [(r"^    case Overflow::kNoneInfOrNan:\n.*\n.*$",
                                            "    case Overflow::kAlwaysNan:\n"
                                            "      return f.has_nan() ? signed_nan(f, negative) : extreme;")],
        "oracle/element/encode.cpp": [(r"^    case Overflow::kNoneInfOrNan:\n.*$",
                                       "    case Overflow::kAlwaysNan:\n"
                                       "      return f.has_nan() ? Extreme::kNan : Extreme::kMax;")]},
    "power-of-two scale rule": {
        "reference/policy/scale_rule.hpp": [
            (r'^  X\(kStochExp, .*$', '  X(kSpareBit, "spare_bit")                                               \\'),
            (r'^                   \.text = "1 if the random word carries amax to the next power of two"\},$',
             '    ScaleRuleFacts{.rule = ScaleRule::kSpareBit, .text = "1, whatever amax is"},')],
        "reference/block/rules_power.cpp": [
            (r"^  return a\.exponent\(\) \+ \(midmax_carries.*\n\}$",
             "template <>\nint exponent_by<ScaleRule::kSpareBit>(const Asked& a) {\n"
             "  return a.exponent() + 1 - a.emax();\n}")],
        "oracle/block/rules_scale.cpp": [(r"^    case ScaleRule::kFloor:\n      return e - e_max;$",
                                          "    case ScaleRule::kSpareBit:\n      return e - e_max + 1;")]},
    "real-valued scale rule": {
        "reference/policy/scale_rule.hpp": [
            (r'^  X\(kFp32Block, .*$', '  X(kFp32Half, "fp32_half")                                               \\'),
            (r"^    ScaleRuleFacts\{\.rule = ScaleRule::kFp32Block,\n.*\n.*\n.*$",
             "    ScaleRuleFacts{.rule = ScaleRule::kFp32Half,\n"
             "                   .kind = RuleKind::kReal,\n"
             "                   .formats = RuleFormats::kFp32Scale,\n"
             '                   .text = "amax / 2, rounded once into the scale format"},')],
        "reference/block/rules_real.cpp": [
            (r"^ScaleChoice scale_by<ScaleRule::kFp32Block>.*\n.*\n\}$",
             "template <>\nScaleChoice scale_by<ScaleRule::kFp32Half>(const QuantizerConfig& c, "
             "const Unpacked& amax) {\n"
             "  return store(c, exact_divide(amax, unpack_integer(false, 2, 0)).value);\n}")],
        "oracle/block/rules_scale.cpp": [(r"^    case ScaleRule::kFp32Block:\n      return fp32_scale\(what, amax\);$",
                                          "    case ScaleRule::kFp32Half:\n"
                                          "      return stored(b, over(amax, number(2)));")]},
    "profile": {
        "reference/profiles/standards.cpp": [
            (r'^    \{\.name = "ocp-mx-1\.0",\n(?:.*\n){6}     \.blocks = kOcpBlocks\},$',
             '    {.name = "toy-1.0",\n     .system = "toy",\n     .version = "1.0",\n     .source = "spec F16",\n'
             '     .description = "a toy",\n     .elements = kOcpElements,\n     .blocks = kOcpBlocks},')]},
    "subcommand": {
        "cli/program/commands.cpp": [(r"^  ROW\(dot\) .*$", "  ROW(toy)                  \\")],
        "cli/run/toy.cpp": SUBCOMMAND},
    "device under test": {
        "sim/dut/kind.cpp": [(r"^  ROW\(reference\) .*$", "  ROW(toy)                \\")],
        "sim/dut/toy.cpp": DEVICE},
    "tensor file kind": {
        "cli/files/tensor_file.cpp": [(r"^  ROW\(safetensors\) .*$", "  ROW(toy)                        \\")],
        "cli/files/toy.cpp": FILE_KIND},
}

# What the program of the scratch copy must know: (toy, arguments, text in what it prints).
QUESTIONS = [
    ("element or scale format", "list format e3m2b7toy", "e3m2b7toy"),
    ("rounding", "explain --format e4m3fn --rounding bump_up 1.0625", "bump_up"),
    ("overflow policy", "explain --format e4m3fn --overflow always_nan 500", "7F"),
    ("power-of-two scale rule", "explain --format mxfp4 --rule spare_bit 4 1", "spare_bit"),
    ("real-valued scale rule", "explain --format fp8_e4m3_fp32_1x128 --rule fp32_half 4 1", "fp32_half"),
    ("profile", "list profiles", "toy-1.0"),
    ("profile", "quantize x.toy -o y.safetensors --format mxfp4 --profile toy-1.0", "4 values"),
    ("subcommand", "toy", "a toy"),
    ("device under test", "run --dut toy --suite smoke --format e2m1fn --rounding ties_to_even --rule floor "
                          "--source fp32", "PASS"),
    ("tensor file kind", "quantize x.toy -o x.safetensors --format mxfp4", "4 values"),
    ("rounding", "gen --op cvt --suite smoke --format e4m3fn --rounding bump_up -o bump.tv", ""),
    ("rounding", "verify-goldens bump.tv", "PASS"),  # reference and oracle agree on it
]


def places_of_page(root):
    """{what: [file or pattern, ...]} of the table of CONTRIBUTING.md."""
    page = (root / "CONTRIBUTING.md").read_text().split("## How to add", 1)[-1]
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) >= 5 and cells[1] in TOYS:
            rows[cells[1]] = re.findall(r"`([^`]+)`", cells[2])
    return rows


def fits(place, name):
    """Is `name` the place `cli/<module>/<name>.cpp`?"""
    return re.fullmatch(re.sub(r"<\w+>", r"[a-z0-9_]+", re.escape(place).replace(r"\<", "<").replace(r"\>", ">")),
                        name) is not None


def check_table(root):
    problems = []
    rows = places_of_page(root)
    for what, toy in TOYS.items():
        places = rows.get(what, [])
        for name in toy:
            if not any(fits(place, name) for place in places):
                problems.append(f"{what}: touches {name}, which CONTRIBUTING.md does not say")
        for place in places:
            if not any(fits(place, name) for name in toy):
                problems.append(f"{what}: CONTRIBUTING.md names {place}, which needs no change")
        for name, change in toy.items():
            for pattern, _ in change if isinstance(change, list) else []:
                count = len(re.findall(pattern, (root / name).read_text(), re.M))
                if count != 1:
                    problems.append(f"{what}: {name}: {count} places like {pattern}")
    return problems


def add(scratch, toy):
    for name, change in toy.items():
        path = scratch / name
        if isinstance(change, str):
            path.write_text(change)
            continue
        text = path.read_text()
        for pattern, addition in change:
            text = re.sub(pattern, lambda found: found[0] + "\n" + addition, text, count=1, flags=re.M)
        path.write_text(text)


def copy_tracked(root, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    for name in subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True,
                               check=True).stdout.split("\0"):
        if name and not name.startswith("tests/") and (root / name).is_file():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, scratch / name)


def build(scratch):
    options = ["-DMXGOLD_TESTS=OFF", "-DMXGOLD_BENCH=OFF", "-DMXGOLD_SIM=OFF", "-DMXGOLD_CUDA=OFF",
               "-DCMAKE_CXX_FLAGS_RELEASE=-O0"]
    subprocess.run(["cmake", "--preset", "release", *options], cwd=scratch, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "mxgold"], cwd=scratch, check=True)
    return scratch / "build/release/cli/mxgold"


def ask(program, scratch):
    problems = []
    (scratch / "x.toy").write_bytes(bytes.fromhex("0000803f00000040000040400000803f"))
    for what, arguments, wanted in QUESTIONS:
        done = subprocess.run([str(program), *arguments.split()], cwd=scratch, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or wanted not in done.stdout:
            problems.append(f"{what}: mxgold {arguments}: exit {done.returncode}, no '{wanted}'\n"
                            f"{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return problems


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("check", "build") or (sys.argv[2] == "build") != (len(sys.argv) == 4):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    problems = check_table(root)
    if sys.argv[2] == "build" and not problems:
        scratch = Path(sys.argv[3]).resolve()
        copy_tracked(root, scratch)
        for toy in TOYS.values():
            add(scratch, toy)
        problems = ask(build(scratch), scratch)
    for problem in problems:
        print(problem)
    counts = {what: len(toy) for what, toy in TOYS.items()}
    print(f"places: {json.dumps(counts)}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
