#include "cli/compare/cast_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/base/chunks.hpp"
#include "cli/systems/known_casts.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/compare/cast_difference.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

using golden::CastCase;
using golden::CastComparison;
using golden::CastDifference;

constexpr std::size_t kMaxShown = 8;

casts::Setting setting_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  casts::Setting setting;
  setting.mode = require_token<SystemMode>("setting of a cast", text.substr(0, slash));
  if (slash != std::string::npos) {
    setting.platform = require_token<Platform>("platform", text.substr(slash + 1));
  }
  return setting;
}

/// One comparison and what was compared.
struct ComparedCasts {
  std::string cast;
  CastCase a;
  CastComparison comparison;
};

std::string word_text(const ElementFormat& format, std::uint64_t word) {
  return fmt::format("{} ({})", golden::hex_code(format, word),
                     golden::short_decimal(decode(format, word)));
}

std::string row_text(const ElementFormat& source, const CastDifference& d) {
  std::vector<std::string> words;
  for (const std::uint64_t word : d.row) {
    if (words.size() == kMaxShown) break;
    words.push_back(word_text(source, word));
  }
  const std::size_t hidden = d.row.size() - words.size();
  return fmt::format("{}{}", fmt::join(words, ", "),
                     hidden == 0 ? "" : fmt::format(", and {} more", hidden));
}

std::string cast_answer_text(const ElementFormat& source, const CastDifference& d,
                             const golden::RowAnswer& answer) {
  if (!answer.problem.empty()) return answer.problem;
  if (d.lane >= answer.codes.size()) return "nothing";
  const std::uint64_t word = answer.codes[d.lane];
  const bool is_value = answer.scales.empty();
  std::string text = is_value ? word_text(source, word) : fmt::format("{:x}", word);
  if (!answer.scales.empty()) text += fmt::format(", scale {:x}", answer.scales.front());
  return text;
}

void print_text(const CastDiff& diff, const ComparedCasts& each) {
  const ElementFormat& source = casts::format_of(each.a.source);
  fmt::print("{} from {}: {} | {}: ", each.cast, source.name, diff.a, diff.b);
  if (each.comparison.rows == 0) {
    fmt::print("NOTHING COMPARED\n");
  } else {
    fmt::print("{} of {} rows differ\n", each.comparison.different, each.comparison.rows);
  }
  if (each.comparison.refused != 0) {
    fmt::print("  {} rows not compared, both refuse them: {}\n", each.comparison.refused,
               each.comparison.refusal);
  }
  for (const CastDifference& d : each.comparison.differences) {
    fmt::print("  {} ({} rows)\n    row {}\n    element {}: {} {} | {} {}\n", d.kind, d.rows,
               row_text(source, d), d.lane, diff.a, cast_answer_text(source, d, d.a), diff.b,
               cast_answer_text(source, d, d.b));
  }
}

nlohmann::ordered_json json_of(const CastDifference& d) {
  const auto answer = [](const golden::RowAnswer& a) {
    return nlohmann::ordered_json{{"problem", a.problem}, {"scales", a.scales}, {"codes", a.codes}};
  };
  return {{"kind", d.kind},   {"rows", d.rows},    {"row", d.row},     {"random", d.random},
          {"scale", d.scale}, {"element", d.lane}, {"a", answer(d.a)}, {"b", answer(d.b)}};
}

ComparedCasts compare(const CastDiff& diff, const std::string& text, const std::string& source) {
  const auto type = tensor_type(source);
  if (!type) fail(Exit::kUsage, "--source {}: systems cast fp32, bf16, fp16 and fp64", source);
  const CastCase a{emulators::make_cast, text, setting_of(diff.a), *type};
  const CastCase b{emulators::make_cast, text, setting_of(diff.b), *type};
  for (const CastCase& each : {a, b}) {
    const auto cast = each.cast();
    if (!cast) fail(Exit::kUsage, "{}: {}", text, cast.problem());
  }
  return {text, a, golden::compare_casts(a, b, static_cast<std::size_t>(diff.elements))};
}

}  // namespace

Exit diff_casts(const CastDiff& diff) {
  auto json = nlohmann::ordered_json::array();
  bool differ = false;
  bool compared = true;
  const Names sources = diff.sources.empty() ? Names{"fp32"} : diff.sources;
  for (const std::string& text : diff.casts) {
    for (const std::string& source : sources) {
      const ComparedCasts each = compare(diff, text, source);
      differ = differ || each.comparison.different != 0;
      compared = compared && each.comparison.rows != 0;
      if (!diff.is_json) {
        print_text(diff, each);
        continue;
      }
      auto differences = nlohmann::ordered_json::array();
      for (const CastDifference& d : each.comparison.differences) differences.push_back(json_of(d));
      json.push_back({{"cast", text},
                      {"source", source},
                      {"a", diff.a},
                      {"b", diff.b},
                      {"rows", each.comparison.rows},
                      {"refused", each.comparison.refused},
                      {"refusal", each.comparison.refusal},
                      {"different", each.comparison.different},
                      {"differences", differences}});
    }
  }
  if (diff.is_json) fmt::print("{}\n", golden::dumped(json, 2));
  if (!compared) return Exit::kBadInput;
  return differ ? Exit::kMismatch : Exit::kPass;
}

namespace {

constexpr const char* kSection = R"(
## Emulated systems: strict and compat

`strict` is what the documentation or the standard says. `compat` is the bits of the named version (docs/systems.md). Here both are
on x86, from FP32. Each kind of difference has its smallest row. Rows are every BF16 pattern alone and beside 1.0, and directed
rows of 64; of those only elements that are not +0 are shown, with their places.
`mxgold diff-profile strict compat --format CAST` shows the same for any cast, source and platform.
)";

std::string cells_of(const CastDifference& d) {
  const ElementFormat& source = casts::format_of(TensorType::kFp32);
  std::vector<std::string> words;
  std::size_t used = 0;
  for (std::size_t i = 0; i < d.row.size(); ++i) {
    if (d.row[i] == 0 && d.row.size() > 2) continue;
    const std::string word = golden::hex_code(source, d.row[i]);
    if (++used <= kMaxShown)
      words.push_back(d.row.size() > 2 ? fmt::format("{}: {}", i, word) : word);
  }
  std::string row = fmt::format("{}", fmt::join(words, ", "));
  if (used > kMaxShown) row += fmt::format(" and {} more", used - kMaxShown);
  const auto answer = [&](const golden::RowAnswer& a) {
    if (!a.problem.empty()) return a.problem;
    return d.lane < a.codes.size() ? fmt::format("`{}`", golden::hex_code(source, a.codes[d.lane]))
                                   : std::string("-");
  };
  std::string kind = d.kind;
  for (std::size_t at = 0; (at = kind.find(" | ", at)) != std::string::npos;) {
    kind.replace(at, 3, " / ");
  }
  return fmt::format("| {} | {} | {} | {} |\n", kind,
                     d.row.size() > 2 ? fmt::format("{} (of {})", row, d.row.size()) : row,
                     answer(d.a), answer(d.b));
}

}  // namespace

std::string cast_differences(int threads) {
  const std::span<const std::string_view> casts = known_casts();
  std::vector<std::string> sections(casts.size());
  for_each_chunk(casts.size(), 1, threads, [&](std::uint64_t i, std::uint64_t) {
    const std::string text(casts[i]);
    const CastCase strict{
        emulators::make_cast, text, {SystemMode::kStrict, Platform::kX86}, TensorType::kFp32};
    const CastCase compat{
        emulators::make_cast, text, {SystemMode::kCompat, Platform::kX86}, TensorType::kFp32};
    constexpr std::size_t kElements = 64;
    const CastComparison found = golden::compare_casts(strict, compat, kElements);
    if (found.differences.empty()) {
      sections[i] = fmt::format("\n`{}`: no difference on {} rows.\n", text, found.rows);
      return;
    }
    sections[i] = fmt::format(
        "\n### `{}`\n\n| input: strict / compat | row | strict | compat |\n|---|---|---|---|\n",
        text);
    for (const CastDifference& d : found.differences) sections[i] += cells_of(d);
  });
  std::string page = kSection;
  for (const std::string& section : sections) page += section;
  return page;
}

}  // namespace mx::cli
