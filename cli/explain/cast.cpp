#include "cli/explain/cast.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/base/asked.hpp"
#include "cli/systems/system_options.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/configuration/cast_case.hpp"
#include "golden/explain/input.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

using golden::CastCase;
using golden::RowAnswer;

/// The row under one mode, and what the system says of the format there.
struct Side {
  std::string mode;
  std::string problem;  ///< of the text
  std::vector<casts::Property> properties;
  RowAnswer answer;
  bool gives_values = false;  ///< of the source's type
};

Side side_of(const CastExplanation& what, SystemMode mode, TensorType type,
             const std::vector<std::uint64_t>& row) {
  Side side;
  side.mode = token_of(mode);
  const CastCase one{emulators::make_cast, what.cast, {mode, Platform::kX86}, type};
  const auto cast = one.cast();
  if (!cast) {
    side.problem = cast.problem();
    return side;
  }
  side.properties = (*cast)->properties();
  const auto shape = golden::row_of(one, row.size());
  std::vector<std::uint32_t> random = what.random;
  if (shape) {
    if (random.size() == 1) random.assign(shape->random_words, random.front());
    random.resize(shape->random_words);
    side.gives_values = shape->code == type && shape->codes == row.size();
  }
  side.answer = golden::cast_row(**cast, type, {row, random});
  return side;
}

std::string element_text(const Side& side, const ElementFormat& source, std::size_t i) {
  if (!side.problem.empty() || !side.answer.problem.empty()) return "raises";
  if (i >= side.answer.codes.size()) return "-";
  const std::uint64_t word = side.answer.codes[i];
  if (!side.gives_values) return fmt::format("{:x}", word);
  return fmt::format("{} ({})", golden::hex_code(source, word),
                     golden::short_decimal(decode(source, word)));
}

std::string problem_of(const Side& side) {
  return side.problem.empty() ? side.answer.problem : side.problem;
}

void print_properties(const Side& strict, const Side& compat) {
  for (std::size_t i = 0; i < strict.properties.size(); ++i) {
    const auto text = [](const casts::Property& p) {
      return p.problem.empty() ? p.text : p.problem;
    };
    const std::string left = text(strict.properties[i]);
    const std::string right = i < compat.properties.size() ? text(compat.properties[i]) : "";
    fmt::print("  {}: {}{}\n", strict.properties[i].name, left,
               left == right ? "" : fmt::format("  (compat: {})", right));
  }
}

void print_sides(const CastExplanation& what, const ElementFormat& source,
                 const std::vector<std::uint64_t>& row, const Side& strict, const Side& compat) {
  fmt::print("{} from {}, one row of {}\n", what.cast, source.name, row.size());
  print_properties(strict, compat);
  for (const Side* side : {&strict, &compat}) {
    if (!problem_of(*side).empty()) fmt::print("  {}: {}\n", side->mode, problem_of(*side));
    for (std::size_t i = 0; i < side->answer.scales.size(); ++i) {
      fmt::print("  {}: scale[{}] {:x}\n", side->mode, i, side->answer.scales[i]);
    }
  }
  if (!problem_of(strict).empty() && !problem_of(compat).empty()) {
    fmt::print("both modes refuse this row: nothing to compare\n");
    return;
  }
  std::size_t parted = 0;
  for (std::size_t i = 0; i < std::max(row.size(), strict.answer.codes.size()); ++i) {
    const std::string left = element_text(strict, source, i);
    const std::string right = element_text(compat, source, i);
    const std::string input = i < row.size()
                                  ? fmt::format("{} ({})", golden::hex_code(source, row[i]),
                                                golden::short_decimal(decode(source, row[i])))
                                  : "-";
    parted += left == right ? 0U : 1U;
    fmt::print("  [{}] {} -> strict {}{}\n", i, input, left,
               left == right ? "" : fmt::format(", compat {}", right));
  }
  fmt::print("{}\n", parted == 0 ? "strict and compat agree on this row"
                                 : fmt::format("strict and compat part on {} elements: mxgold "
                                               "diff-profile strict compat --format '{}' lists "
                                               "every kind of difference",
                                               parted, what.cast));
}

nlohmann::ordered_json json_of(const Side& side) {
  auto properties = nlohmann::ordered_json::object();
  for (const casts::Property& each : side.properties) {
    properties[each.name] = each.problem.empty() ? each.text : each.problem;
  }
  return {{"problem", problem_of(side)},
          {"properties", properties},
          {"scales", side.answer.scales},
          {"codes", side.answer.codes}};
}

}  // namespace

void explain_cast(const CastExplanation& what) {
  const auto type = tensor_type(what.source);
  if (!type) {
    fail(Exit::kUsage, "--source {}: systems cast fp32, bf16, fp16 and fp64", what.source);
  }
  const ElementFormat& source = casts::format_of(*type);
  std::vector<std::uint64_t> row;
  const auto bits_first = what.names_source ? golden::BitsFirst::kYes : golden::BitsFirst::kNo;
  for (const std::string& text : what.inputs) {
    row.push_back(asked([&] {
      return golden::parse_input(source, text, bits_first, golden::Spelling::kOptions).code;
    }));
  }
  const Side strict = side_of(what, SystemMode::kStrict, *type, row);
  const Side compat = side_of(what, SystemMode::kCompat, *type, row);
  if (!strict.problem.empty() && !compat.problem.empty()) {
    fail(Exit::kUsage, "{}: {}", what.cast, strict.problem);
  }
  if (!what.is_json) return print_sides(what, source, row, strict, compat);
  const nlohmann::ordered_json json = {{"cast", what.cast},
                                       {"source", source.name},
                                       {"row", row},
                                       {"strict", json_of(strict)},
                                       {"compat", json_of(compat)}};
  fmt::print("{}\n", golden::dumped(json, 2));
}

}  // namespace mx::cli
