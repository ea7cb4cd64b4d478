#include "mx/golden/vector_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "mx/policy_fields.hpp"

namespace mx::golden {
namespace {

int bytes_of(const ElementFormat& format) { return format.storage_bits / 8; }

int random_bytes(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

std::size_t sum_bytes(std::span<const Field> fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += static_cast<std::size_t>(field.lanes * field.bytes);
  return bytes;
}

/// Digits of every word, and a separator or line feed behind each.
std::size_t sum_chars(std::span<const Field> fields) {
  std::size_t chars = 0;
  for (const Field& field : fields) {
    chars +=
        static_cast<std::size_t>(field.lanes) * (2 * static_cast<std::size_t>(field.bytes) + 1);
  }
  return chars;
}

std::string field_list(std::span<const Field> fields) {
  std::string text;
  for (const Field& field : fields) {
    if (!text.empty()) text += ' ';
    text += field.lanes == 1 ? fmt::format("{}:{}", field.name, 2 * field.bytes)
                             : fmt::format("{}[{}]:{}", field.name, field.lanes, 2 * field.bytes);
  }
  return text;
}

void add_policy(const ElementPolicy& policy,
                std::vector<std::pair<std::string, std::string>>& out) {
  const Policies policies{policy, {}};
  for (const PolicyField& field : policy_fields()) {
    if (field.scope == FieldScope::kElement) out.emplace_back(field.name, field.read(policies));
  }
}

std::string one_or_mixed(const std::vector<std::string>& list) {
  return list.size() == 1 ? list.front() : "mixed";
}

bool contains(const std::vector<std::string>& list, std::string_view token) {
  return std::ranges::find(list, token) != list.end();
}

}  // namespace

std::string_view to_string(Operation op) { return op == Operation::kCvt ? "cvt" : "block"; }

std::size_t RecordLayout::operand_bytes() const { return sum_bytes(operands); }
std::size_t RecordLayout::result_bytes() const { return sum_bytes(results); }
std::size_t RecordLayout::operand_chars() const { return sum_chars(operands); }
std::size_t RecordLayout::result_chars() const { return sum_chars(results); }
std::size_t RecordLayout::line_chars() const { return operand_chars() + result_chars(); }

RecordLayout VectorHeader::layout() const {
  RecordLayout layout;
  const int lanes = op == Operation::kCvt ? 1 : context.block_size;
  if (op == Operation::kBlock) layout.operands.push_back({"tuser", 1, 4});
  layout.operands.push_back({"source", lanes, bytes_of(source)});
  if (random_words == RandomWords::kPresent) {
    layout.operands.push_back({"random", lanes, random_bytes(random_bits())});
  }
  if (op == Operation::kCvt) {
    layout.results.push_back({"code", 1, bytes_of(destination)});
  } else {
    layout.results.push_back({"scale", 1, 1});
    layout.results.push_back({"code", lanes, 1});
  }
  layout.results.push_back({"flags", 1, 1});
  return layout;
}

std::string VectorHeader::text(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("mxgold-vectors", std::to_string(kSchema));
  lines.emplace_back("op", to_string(op));
  lines.emplace_back("source", source.name);
  if (op == Operation::kCvt) {
    lines.emplace_back("destination", destination.name);
    add_policy(policy, lines);
  } else {
    lines.emplace_back("format", fmt::format("{}", fmt::join(formats, ",")));
    lines.emplace_back("rounding", fmt::format("{}", fmt::join(roundings, ",")));
    lines.emplace_back("rule", fmt::format("{}", fmt::join(rules, ",")));
    lines.emplace_back("overflow", fmt::format("{}", fmt::join(overflows, ",")));
    lines.emplace_back("scale", "e8m0");
    lines.emplace_back("block_size", std::to_string(context.block_size));
    lines.emplace_back("stochastic", token_of(context.stochastic));
    lines.emplace_back("random_bits", std::to_string(context.random_bits));
    lines.emplace_back("dst_ftz", token_of(ResultSubnormals::kKeep));
    lines.emplace_back("tininess", token_of(Tininess::kAfterRounding));
    lines.emplace_back("staging", token_of(Staging::kNone));
  }
  lines.emplace_back("random", random_words == RandomWords::kPresent ? "direct" : "none");
  lines.emplace_back("suite", suite);
  lines.emplace_back("level", std::to_string(level));
  lines.emplace_back("seed", std::to_string(seed));
  lines.emplace_back("shard", fmt::format("{}/{}", shard, shards));
  lines.emplace_back("generator", generator);
  const RecordLayout fields = layout();
  lines.emplace_back(
      "fields", fmt::format("{} | {}", field_list(fields.operands), field_list(fields.results)));
  lines.emplace_back("count", std::to_string(count));
  std::string text;
  for (const auto& [key, value] : lines) text += fmt::format("{}{} {}\n", prefix, key, value);
  return text;
}

std::string VectorHeader::set_id() const {
  const auto with_bits = [this](const std::string& rounding) {
    return rounding.starts_with("stochastic") ? fmt::format("{}{}", rounding, random_bits())
                                              : rounding;
  };
  if (op == Operation::kCvt) {
    return fmt::format("cvt.{}-{}.{}.{}.{}{}", source.name, destination.name,
                       with_bits(std::string(token_of(policy.rounding))), token_of(policy.overflow),
                       suite, level);
  }
  return fmt::format("block.{}-{}.{}.{}.{}.{}{}", source.name, one_or_mixed(formats),
                     with_bits(one_or_mixed(roundings)), one_or_mixed(overflows),
                     one_or_mixed(rules), suite, level);
}

std::string VectorHeader::file_name(std::string_view extension) const {
  return fmt::format("{}.s{}of{}.v{}.{}", set_id(), shard, shards, kSchema, extension);
}

std::string tuser_problem(const VectorHeader& header, std::uint32_t tuser) {
  const std::optional<QuantizerConfig> config = config_of(tuser, header.context);
  if (!config) return "not a legal configuration word";
  const auto check = [](std::string_view field, std::string_view is,
                        const std::vector<std::string>& announced) {
    if (contains(announced, is)) return std::string();
    return fmt::format("{} is {}, the header announces {}", field, is,
                       fmt::join(announced.begin(), announced.end(), ","));
  };
  std::string problem = check("source", config->source.name, {std::string(header.source.name)});
  if (problem.empty()) problem = check("format", config->format.element.name, header.formats);
  if (problem.empty()) {
    problem = check("rounding", token_of(config->element.rounding), header.roundings);
  }
  if (problem.empty()) problem = check("rule", token_of(config->block.rule), header.rules);
  if (problem.empty()) {
    problem = check("overflow", token_of(config->element.overflow), header.overflows);
  }
  return problem;
}

}  // namespace mx::golden
