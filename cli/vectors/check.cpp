// mxgold check: a device's answers against the reference.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/common.hpp"
#include "cli/vectors/check_profile.hpp"
#include "cli/vectors/check_text.hpp"
#include "golden/answers/expected.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/vectors/protocol.hpp"

namespace mx::cli {
namespace {

using golden::BlockBatch;
using golden::CvtBatch;

constexpr const char* kExamples = R"(
Takes the result fields of every vector as a device's answers, computes what they should be from
the header's configuration and each vector's operands, and compares every bit (element codes under
a NaN scale excepted where the configuration masks them). Counts and the operand digest must be
right; the record digest is not looked at, since the answers are the device's.
With --profile the answers are judged by that system's policies instead of the file's; what the
profile leaves open is not compared.

Exit code: 0 all agree, 1 a mismatch, 3 the vectors are bad or truncated.

Examples:
  mxgold gen --suite dir --format mxfp4 | mxgold check
  mxgold gen --suite smoke -o - | ./my_device | mxgold check --errors 5 -
  mxgold check answers.tv
  mxgold check --profile torchao-0.18 answers.tv)";

struct Options {
  std::string input = "-";
  std::uint64_t errors = 20;
  int threads = 0;
  bool is_json = false;
  std::string profile;
};

struct Tally {
  std::uint64_t checked = 0;
  std::uint64_t mismatches = 0;
};

bool agrees(const CvtBatch& expected, const CvtBatch& actual, std::size_t i) {
  return expected.code[i] == actual.code[i] && expected.flags[i] == actual.flags[i];
}

bool agrees(const BlockBatch& expected, const BlockBatch& actual, std::size_t i) {
  return golden::answers_agree(expected.config_word[i], expected.status[i], expected.codes_of(i),
                               actual.status[i], actual.codes_of(i));
}

/// Computes the answers of a batch that holds them, from several threads.
void answer(const golden::VectorHeader& header, CvtBatch& batch, int threads) {
  const ConversionConfig conversion{header.source, header.destination, header.policy};
  for_each_chunk(batch.size(), 8192, threads, [&](std::uint64_t first, std::uint64_t last) {
    golden::fill_expected(batch, conversion, static_cast<std::size_t>(first),
                          static_cast<std::size_t>(last));
  });
}

void answer(const golden::VectorHeader& header, BlockBatch& batch, int threads) {
  for_each_chunk(batch.size(), 512, threads, [&](std::uint64_t first, std::uint64_t last) {
    golden::fill_expected(batch, header.context, static_cast<std::size_t>(first),
                          static_cast<std::size_t>(last));
  });
}

template <typename Batch>
void report(const Options& options, const golden::VectorReader& reader, const Batch& expected,
            const Batch& actual, std::size_t i, std::uint64_t index) {
  const golden::VectorHeader& header = reader.header();
  std::string operands;
  golden::append_operands(header, actual, i, operands);
  fmt::print(options.is_json ? stderr : stdout, "MISMATCH vector {} of {}\n{}  operands: {}", index,
             header.set_id(), difference(header, expected, actual, i), operands);
}

void answer(const ProfileJudge& judge, CvtBatch& batch, int threads) {
  for_each_chunk(batch.size(), 8192, threads, [&](std::uint64_t first, std::uint64_t last) {
    judge.answer(batch, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  });
}

void answer(const ProfileJudge& judge, BlockBatch& batch, int threads) {
  for_each_chunk(batch.size(), 512, threads, [&](std::uint64_t first, std::uint64_t last) {
    judge.answer(batch, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  });
}

template <typename Batch>
Tally check(const Options& options, golden::VectorReader& reader, std::size_t piece) {
  Tally tally;
  std::optional<ProfileJudge> judge;
  if (!options.profile.empty()) judge.emplace(options.profile, reader.header());
  Progress progress("vectors", reader.header().count);
  Batch actual;
  Batch expected;
  while (reader.read(actual, piece) != 0) {
    expected = actual;
    if (judge) {
      answer(*judge, expected, options.threads);
    } else {
      answer(reader.header(), expected, options.threads);
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (judge ? judge->agrees(expected, actual, i) : agrees(expected, actual, i)) continue;
      if (tally.mismatches++ < options.errors || options.errors == 0) {
        report(options, reader, expected, actual, i, tally.checked + i);
      }
    }
    tally.checked += actual.size();
    progress.add(actual.size());
  }
  return tally;
}

void print_verdict(const Options& options, const golden::VectorReader& reader, const Tally& tally) {
  const std::string_view verdict = tally.mismatches == 0 ? "PASS" : "FAIL";
  const std::string id = reader.header().set_id();
  const std::string digest = golden::to_hex(reader.digests().records);
  if (options.is_json) {
    const nlohmann::ordered_json json{{"verdict", verdict},
                                      {"set_id", id},
                                      {"declared", reader.header().count},
                                      {"checked", tally.checked},
                                      {"mismatches", tally.mismatches},
                                      {"sha256", digest}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  if (tally.mismatches > options.errors && options.errors != 0) {
    fmt::print("... {} more mismatches; --errors 0 prints all\n",
               golden::with_commas(tally.mismatches - options.errors));
  }
  fmt::print("{} {}/{} {} sha256:{}\n", verdict,
             golden::with_commas(tally.checked - tally.mismatches),
             golden::with_commas(tally.checked), id, digest);
  if (tally.mismatches != 0 && options.input != "-") {
    fmt::print("replay: mxgold check {}{} --errors {}\n", options.input,
               options.profile.empty() ? "" : " --profile " + options.profile, options.errors);
  }
}

Exit run(const Options& options) {
  golden::VectorReader reader(options.input, golden::ReadMode::kAnswers);
  const bool is_cvt = reader.header().op == golden::RecordKind::kCvt;
  const auto scale = static_cast<std::size_t>(options.threads);
  const Tally tally = is_cvt ? check<CvtBatch>(options, reader, 8192 * scale)
                             : check<BlockBatch>(options, reader, 1024 * scale);
  print_verdict(options, reader, tally);
  return tally.mismatches == 0 ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_check(CLI::App& root, Exit& exit) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("check", "Check a device's answers against the reference");
  app->footer(kExamples);
  app->add_option("file", options->input, "Vector file of any kind, or -")->capture_default_str();
  app->add_option("--errors", options->errors, "Mismatches to print, 0 for all; all are counted")
      ->capture_default_str();
  profile_option(*app, options->profile)->default_str("the file's");
  threads_option(*app, options->threads);
  json_option(*app, options->is_json);
  app->callback([options, &exit] {
    try {
      options->threads = thread_count(options->threads);
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
