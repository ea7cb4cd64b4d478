// mxgold verify-goldens: are golden files whole, and are they right?
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/files/distinct.hpp"
#include "cli/options/common.hpp"
#include "cli/text/part_of.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/vectors/verify_certificate.hpp"
#include "cli/vectors/verify_oracle.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/verify.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "golden/files/manifest.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {
namespace {

constexpr const char* kVerifyGoldensExamples = R"(
Reads every file to its end. Checks counts, both digests and, where FILE.json is beside it, the
manifest. Computes every answer again, don't-care codes included, twice: by the reference, and by
the oracle of exact rationals, which shares no rounding code with it. A million conversions or
700,000 elements in blocks take about a second. A directory means the golden files in it. A file
that is named twice, by any path or link, counts once.

A threshold certificate (.thr.json) is proved by exact rationals at both ends of every segment.
An index.json of certificates is made again, and those that it does not store are proved.

The oracle has no rules for casts of emulated systems and for e8m0_quirk. Such a file is reported
as 'NOT JUDGED', which is no pass. The others are checked all the same. --judge reference checks
such a file by the reference alone.

Exit codes. Of several files, the first code of this order that applies is taken:
  3  a file is damaged (its digest, count or syntax is wrong), or was not checked
  6  a file is whole, but an answer is not that of the reference or of the oracle, or the operands
     are not those of the set that the file is named after
  0  all right

Examples:
  mxgold verify-goldens golden/data/smoke/*.tv
  mxgold verify-goldens golden/data/certificates
  mxgold verify-goldens --judge reference large.bin
  mxgold verify-goldens --no-manifest answers.bin)";

enum class Judges : std::uint8_t { kBoth, kReference, kOracle };

struct VerifyGoldensOptions {
  std::vector<std::string> files;
  std::string judge = "both";
  Judges judges = Judges::kBoth;
  bool no_manifest = false;
  int threads = 0;
  std::string shard = "0/1";
  bool is_dry_run = false;
  bool is_json = false;
};

struct Outcome {
  std::string file;
  std::string_view verdict = "PASS";  ///< or FAIL, NOT JUDGED
  Exit exit = Exit::kPass;
  std::uint64_t count = 0;  ///< vectors that were judged
  std::string set_id;
  std::string detail;      ///< why not, or the content digest
  std::uint64_t open = 0;  ///< vectors of which a profile leaves something open
};

Judges require_judges(const std::string& judge) {
  constexpr std::array<std::string_view, 3> kKnown = {"both", "reference", "oracle"};
  const auto found = std::ranges::find(kKnown, judge);
  if (found == kKnown.end()) {
    throw Error(Exit::kUsage, unknown_name("value of --judge", judge, kKnown));
  }
  return static_cast<Judges>(found - kKnown.begin());
}

/// Those that can judge the file: `unjudged` says why the oracle cannot, or nothing.
std::vector<golden::AnswererFactory> answerers_of(const VerifyGoldensOptions& options,
                                                  const std::string& unjudged) {
  std::vector<golden::AnswererFactory> answerers;
  if (options.judges != Judges::kOracle) answerers.push_back(golden::reference_answerer());
  if (options.judges != Judges::kReference && unjudged.empty()) {
    answerers.push_back(oracle_answerer());
  }
  return answerers;
}

/// What is wrong with a file that is whole.
std::string text_of(const golden::GoldenVerdict& verdict) {
  std::string text;
  if (!verdict.set_problem.empty()) {
    text = fmt::format(
        "not the set of its name: {}: regenerate it with mxgold gen, or give its "
        "suite a name of your own; ",
        verdict.set_problem);
  }
  return text + fmt::format("{} of {} answers disagree{}{}", golden::with_commas(verdict.disagreed),
                            golden::with_commas(verdict.count), verdict.first.empty() ? "" : "; ",
                            verdict.first);
}

/// Manifests of a directory whose vectors are not there.
std::vector<std::string> orphans_of(const std::string& path) {
  std::error_code error;
  std::vector<std::string> orphans;
  if (!std::filesystem::is_directory(path, error)) return orphans;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().string();
    for (const golden::FileKind kind : golden::kFileKinds) {
      const std::string suffix = fmt::format(".{}.json", extension(kind));
      if (!name.ends_with(suffix)) continue;
      const std::string vectors = name.substr(0, name.size() - 5);
      if (!std::filesystem::exists(vectors)) orphans.push_back(vectors);
    }
  }
  std::ranges::sort(orphans);
  return orphans;
}

/// The golden files of a directory, in the order of their names; a file stands for itself.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().string();
    const bool certificate = is_certificate(name) || golden::is_index(name);
    const bool vectors = std::ranges::any_of(golden::kFileKinds, [&](golden::FileKind kind) {
      return name.ends_with(fmt::format(".{}", extension(kind)));
    });
    if (certificate || vectors) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

Outcome verify(const VerifyGoldensOptions& options, const std::string& file) {
  Outcome outcome;
  outcome.file = file;
  try {
    if (is_certificate(file) || golden::is_index(file)) {
      const CertificateOutcome found = golden::is_index(file)        ? verify_index(file)
                                       : golden::is_scale_file(file) ? verify_scale(file)
                                                                     : verify_certificate(file);
      outcome.count = found.count;
      outcome.set_id = found.set_id;
      outcome.detail = found.detail;
      outcome.exit = found.proved ? Exit::kPass : Exit::kInternal;
      if (!found.proved) outcome.verdict = "FAIL";
      return outcome;
    }
    const std::string manifest = file + ".json";
    if (!options.no_manifest && file != "-" && std::filesystem::exists(manifest)) {
      golden::check_manifest(manifest, file, emulators::make_cast);
    }
    golden::VectorReader reader(file, emulators::make_cast, golden::ReadMode::kGoldens,
                                golden::SetCheck::kByCaller);
    outcome.set_id = reader.header().set_id();
    const std::string unjudged =
        options.judges == Judges::kReference ? "" : oracle_problem(reader.header());
    const golden::GoldenVerdict verdict = golden::verify_goldens(
        reader, answerers_of(options, unjudged),
        [&](std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
          for_each_chunk(count, 64, options.threads, [&](std::uint64_t first, std::uint64_t last) {
            work(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
          });
        });
    outcome.count = verdict.count;
    outcome.open = verdict.open;
    outcome.detail =
        "sha256:" + golden::to_hex(verdict.digests.records) + part_text(reader.header());
    if (!verdict.set_is_checked) {
      outcome.detail += fmt::format("; operands not made again: suite {} is not of mxgold",
                                    reader.header().suite);
    }
    if (!verdict.is_right()) {
      outcome.verdict = "FAIL";
      outcome.exit = Exit::kInternal;
      outcome.detail = text_of(verdict);
    } else if (!unjudged.empty()) {
      outcome.verdict = "NOT JUDGED";
      outcome.exit = Exit::kBadInput;
      outcome.count = 0;
      outcome.detail = fmt::format("{}; {}--judge reference judges it", unjudged,
                                   options.judges == Judges::kBoth
                                       ? fmt::format("the reference has the same {} answers; ",
                                                     golden::with_commas(verdict.count))
                                       : "");
    }
  } catch (const golden::VectorError& error) {
    outcome.verdict = "FAIL";
    outcome.exit = Exit::kBadInput;
    outcome.detail = error.what();
  }
  return outcome;
}

/// The files of the command, directories in the order of their names. Error kBadInput for a
/// directory without any.
std::vector<std::string> all_files(const VerifyGoldensOptions& options) {
  std::vector<std::string> files;
  for (const std::string& path : options.files) {
    const std::vector<std::string> found = files_of(path);
    if (found.empty()) {
      fail(Exit::kBadInput,
           "{}: no golden files in this directory; name one that mxgold gen has written", path);
    }
    files.insert(files.end(), found.begin(), found.end());
    for (const std::string& orphan : orphans_of(path)) {
      if (std::ranges::find(files, orphan) == files.end()) files.push_back(orphan);
    }
  }
  return distinct_files(files, "mxgold verify-goldens");
}

std::string_view judges_of(const VerifyGoldensOptions& options) {
  switch (options.judges) {
    case Judges::kReference:
      return "reference; of certificates exact rationals";
    case Judges::kOracle:
      return "oracle; of certificates exact rationals";
    case Judges::kBoth:
      break;
  }
  return "reference and oracle; of certificates exact rationals";
}

Exit run(const VerifyGoldensOptions& options) {
  Exit worst = Exit::kPass;
  std::uint64_t vectors = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::vector<std::string> all = all_files(options);
  const std::vector<std::string> files = part_of(all, options.shard, "files");
  std::uint64_t failed = 0, unjudged = 0;
  if (options.is_dry_run) {
    const nlohmann::ordered_json plan = {{"parts", files.size()},
                                         {"cases", files.size()},
                                         {"dut", "golden files"},
                                         {"judge", judges_of(options)}};
    fmt::print("{}\n", golden::dumped(plan, 2));
    return Exit::kPass;
  }
  for (const std::string& file : files) {
    const Outcome outcome = verify(options, file);
    vectors += outcome.count;
    // A damaged file (3) goes before a wrong one (6): spec V9.
    if (worst == Exit::kPass || outcome.exit == Exit::kBadInput) {
      worst = outcome.exit == Exit::kPass ? worst : outcome.exit;
    }
    failed += outcome.verdict == "FAIL" ? 1U : 0U;
    unjudged += outcome.verdict == "NOT JUDGED" ? 1U : 0U;
    if (options.is_json) {
      list.push_back({{"file", file},
                      {"verdict", outcome.verdict},
                      {"exit", static_cast<int>(outcome.exit)},
                      {"set_id", outcome.set_id},
                      {"count", outcome.count},
                      {"open", outcome.open},
                      {"detail", outcome.detail}});
    } else {
      const std::string open =
          outcome.open == 0 ? std::string()
                            : fmt::format(" ({} open in part)", golden::with_commas(outcome.open));
      fmt::print("{} {} {}{} {} {}\n", outcome.verdict, file, golden::with_commas(outcome.count),
                 open, outcome.set_id, outcome.detail);
    }
  }
  if (options.is_json) {
    fmt::print("{}\n", golden::dumped(list, 2));
  } else {
    const std::string left =
        files.size() == all.size()
            ? ""
            : fmt::format("; shard {}: {} of {} files, {} left to other runs", options.shard,
                          files.size(), all.size(), all.size() - files.size());
    fmt::print("{} {} files, {} vectors{}{}\n",
               failed != 0     ? "FAIL"
               : unjudged != 0 ? "NOT ALL JUDGED"
                               : "PASS",
               files.size(), golden::with_commas(vectors),
               unjudged == 0 ? "" : fmt::format(", {} files not judged", unjudged), left);
  }
  return worst;
}

}  // namespace

void add_verify_goldens(const Command& root, Exit& exit) {
  const auto options = std::make_shared<VerifyGoldensOptions>();
  const Command app = root.add_subcommand("verify-goldens", "Check golden files and their answers");
  app.footer(kVerifyGoldensExamples);
  app.add_option("files", options->files, "Golden files, directories of them, or -")
      .required()
      .take_all();
  app.add_option("--judge", options->judge,
                 "Who computes the answers of vector files again: both | reference | oracle")
      .capture_default_str();
  app.add_flag("--no-manifest", options->no_manifest, "Do not look for FILE.json");
  shard_option(app, options->shard);
  threads_option(app, options->threads);
  json_option(app, options->is_json);
  app.add_flag("--dry-run", options->is_dry_run,
               "Say as JSON how many files there are and what checks them, read none");
  app.callback([options, &exit] {
    options->threads = thread_count(options->threads);
    options->judges = require_judges(options->judge);
    exit = run(*options);
  });
}

}  // namespace mx::cli
