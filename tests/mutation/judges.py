#!/usr/bin/env python3
"""Mutations of every judge and reader of vectors: each, alone in a scratch copy, must be noticed by the tests of the
vectors (tests/cli/vectors/judges.py, tests/golden/cli_test.sh).

usage: mutation/judges.py ROOT SCRATCH [SHARD/SHARDS]
       mutation/judges.py ROOT check     whether every text stands once, without trying one

A mutation is a text that stands once in a file, and what it becomes. A survivor, a text that is not there and a copy
that fails unchanged are failures.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT, SCRATCH = Path(sys.argv[1]), Path(sys.argv[2])
SHARD, SHARDS = map(int, (sys.argv[3] if len(sys.argv) > 3 else "0/1").split("/"))

MUTATIONS = [
    # What is compared.
    ("golden/answers/verdict.cpp", "if (expected_.has(Field::kFlags)) look(Field::kFlags, 0, open_.flags);", ""),
    ("golden/answers/verdict.cpp", "      look(Field::kScale, scale, open_.scale);\n", ""),
    ("golden/answers/verdict.cpp", "scale < expected_.lanes(Field::kScale); ++scale", "scale < 1; ++scale"),
    ("golden/answers/verdict.cpp", "lane < expected_.lanes(Field::kCode); ++lane", "lane < 1; ++lane"),
    ("golden/answers/verdict.cpp", "if (!is_plain || !std::ranges::equal(right, actual_.of(Field::kCode, i_))) return false;", "if (!is_plain) return false;"),
    ("golden/answers/verdict.cpp", "const bool is_open = takes_part && open_.code(lane);", "const bool is_open = takes_part;"),
    ("golden/answers/verdict.cpp", "agrees_ = agrees_ && is_equal(field, lane);", "agrees_ = agrees_ || is_equal(field, lane);"),
    ("golden/answers/verdict.cpp", "agrees_ = agrees_ && passes_through(expected_, actual_, i_, open_.observed);", ""),
    ("golden/answers/verdict.cpp", "if (!agrees_) ++verdict_.mismatches;", ""),
    ("golden/answers/verdict.cpp", "if (compared_ == 0) ++verdict_.unjudged;", ""),
    ("golden/answers/verdict.cpp", "{Field::kScale, Field::kCode, Field::kFlags}", "{Field::kScale, Field::kCode}"),
    ("golden/answers/answers.cpp", "while (first < last) {\n    const std::size_t config", "while (first + 1 < last) {\n    const std::size_t config"),
    ("golden/answers/answers.cpp", "for (std::size_t i = first; i < last; ++i) answer(computer, batch, i);", "for (std::size_t i = first; i + 1 < last; ++i) answer(computer, batch, i);"),
    # What is looked at many records at once.
    ("golden/answers/verdict.cpp", "if (!same_answers(expected, actual)) return false;", ""),
    ("golden/answers/verify.cpp", "if (same_answers(golden, judged)) return;", "return;"),
    ("golden/answers/answers.cpp", "return leaves_open(each) ||", "return"),
    ("golden/answers/verdict.cpp", "if (!open.alike || right == given) return true;", "return true;"),
    ("golden/answers/answers.cpp", "open.alike = config.result;", ""),
    ("cli/check/check.cpp", "if (is_plain_ && golden", "if (golden"),
    ("golden/vectors/operand_check.cpp", "limit.group == 1) && (seen & ~bits_mask(limit.bits)) == 0;", "limit.group == 1);"),
    ("golden/answers/answers.cpp", "open.scale = masked.scale;", "open.scale = true;"),
    ("golden/answers/answers.cpp", "if (masks == 0) return open;", "return open;"),
    ("golden/answers/answers.cpp", "batch.word(Field::kScale, i) = result.scale_code;", ""),
    # Goldens verified.
    ("golden/answers/verify.cpp", "while (reader.read(batch, kPiece) != 0) verifier.judge(batch);", "if (reader.read(batch, kPiece) != 0) verifier.judge(batch);\n  while (reader.read(batch, kPiece) != 0) continue;"),
    ("golden/answers/verify.cpp", "for (const AnswererFactory& make : answerers_) judge_by(make, golden, wrong);", "judge_by(answerers_[0], golden, wrong);"),
    ("golden/answers/verify.cpp", "if (same_answer(golden, judged, i)) continue;", "if (i > 4000 || same_answer(golden, judged, i)) continue;"),
    ("golden/answers/verify.cpp", "refuse_set(set_.operand_problem(golden, verdict_.count));", ""),
    ("cli/vectors/verify_oracle.cpp", "batch.word(Field::kFlags, i) = golden::status_bits_of(result_of(found));", "batch.word(Field::kFlags, i) ^= 1;"),
    ("cli/vectors/verify_oracle.cpp", "for (std::size_t i = first; i < last; ++i) {\n      const std::size_t config", "for (std::size_t i = last; i < last; ++i) {\n      const std::size_t config"),
    ("cli/vectors/verify_goldens.cpp", "    answerers.push_back(oracle_answerer());\n", ""),
    # Devices' files.
    ("cli/check/check.cpp", "while (reader_.read(actual, piece) != 0) {", "while (reader_.read(actual, piece) != 0) {\n      if (verdict_.vectors != 0) continue;"),
    ("cli/check/check.cpp", "if (verdict.judged() == 0) return Exit::kBadInput;", ""),
    ("cli/check/check.cpp", "require(set_.operand_problem(actual, verdict_.vectors));", ""),
    ("cli/check/check.cpp", "return has_passed ? Exit::kPass : Exit::kMismatch;", "return Exit::kPass;"),
    ("golden/stimulus/named_set.cpp", "if (a == batch.all(field.value).end()) continue;", "continue;"),
    ("golden/stimulus/named_set.cpp", "header_.count == range_.count", "header_.count <= range_.count"),
    # Readers.
    ("golden/files/reader.cpp", "if (stated.operands != seen_digests.operands) {", "if (false) {"),
    ("golden/files/reader.cpp", "stated.records != seen_digests.records) {", "false) {"),
    ("golden/vectors/operand_check.cpp", "if (seen == 0) return {};", "return {};"),
    # Runs over records and on streams.
    ("sim/score/scoreboard.cpp", "score_.by_config[actual.config(i)] += verdict;", "if (seen_ < 4096) score_.by_config[actual.config(i)] += verdict;"),
    ("sim/record/run.cpp", "if (verdict.mismatches != 0) return 1;", ""),
    ("sim/record/run.cpp", "if (verdict.judged() == 0) return 3;", ""),
    ("sim/score/scoreboard.cpp", "if (stands_apart) own_ = expected_;", ""),
    ("sim/score/scoreboard.cpp", "const bool stands_apart = input_.has_answers ||", "const bool stands_apart ="),
    ("sim/report/run.cpp", "if (total.blocks == total.unjudged) return 3;", ""),
    ("cli/run/input.cpp", "input.tensors.push_back(tensor);", "if (!input.tensors.empty()) continue;\n    input.tensors.push_back(tensor);"),
    ("cli/vectors/gen_tensor.cpp", "for (const Tensor* const tensor : tensors_) add_tensor(options, *tensor);", "add_tensor(options, *tensors_[0]);"),
]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def build():
    done = run("cmake", "--build", SCRATCH / "build", "--target", "mxgold")
    return done.returncode == 0, done.stdout[-1500:]


def is_noticed():
    program = SCRATCH / "build/cli/mxgold"
    if run("/usr/bin/python3", SCRATCH / "tree/tests/cli/vectors/judges.py", program, timeout=300).returncode != 0:
        return True
    return run("bash", SCRATCH / "tree/tests/golden/cli_test.sh", program, timeout=300).returncode != 0


def pattern_of(text):
    """Formatting may break a line anywhere."""
    return re.compile(r"\s+".join(map(re.escape, text.split())))


def check():
    counts = [len(pattern_of(text).findall((ROOT / name).read_text())) for name, text, _ in MUTATIONS]
    lost = [(n, MUTATIONS[n]) for n, count in enumerate(counts) if count != 1]
    for number, (name, text, _) in lost:
        print(f"mutation {number}: {name} has {counts[number]} times: {text}")
    print(f"{len(MUTATIONS)} mutations, {len(lost)} of texts that do not stand once")
    sys.exit(1 if lost or not MUTATIONS else 0)


def main():
    if str(SCRATCH) == "check":
        check()
    tree = SCRATCH / "tree"
    shutil.rmtree(SCRATCH, ignore_errors=True)
    for name in run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard").stdout.split("\n"):
        if name and (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    # A mutant may leave something unused.
    lists = tree / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace(" -Werror", ""))
    os.environ["CCACHE_BASEDIR"] = str(tree)
    configured = run("cmake", "-S", tree, "-B", SCRATCH / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DMXGOLD_TESTS=OFF", "-DMXGOLD_BENCH=OFF", "-DMXGOLD_SIM=ON", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    if configured.returncode != 0:
        sys.exit(configured.stdout + configured.stderr)
    built, log = build()
    if not built:
        sys.exit("the unchanged copy does not build\n" + log)
    if is_noticed():
        sys.exit("the tests fail on the unchanged copy")
    survivors, tried = [], 0
    for number, (name, text, becomes) in enumerate(MUTATIONS):
        if number % SHARDS != SHARD:
            continue
        path = tree / name
        source = path.read_text()
        pattern = pattern_of(text)
        found = pattern.findall(source)
        if len(found) != 1:
            sys.exit(f"mutation {number}: {name} has {len(found)} times: {text}")
        path.write_text(pattern.sub(lambda _: becomes, source))
        built, log = build()
        tried += 1
        # A mutant that does not compile says nothing.
        noticed = built and is_noticed()
        print(f"{'killed' if noticed else 'SURVIVED'} {number} {name}: {text!r} -> {becomes!r}", flush=True)
        if not built:
            print(f"it does not build\n{log}")
        if not noticed:
            survivors.append(number)
        path.write_text(source)
    print(f"{tried} mutants, {len(survivors)} survivors")
    sys.exit(1 if survivors or tried == 0 else 0)


main()
