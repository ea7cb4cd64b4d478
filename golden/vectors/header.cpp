#include "golden/vectors/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "reference/catalog/fields.hpp"
#include "reference/policy/fields.hpp"

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

/// Lines of "prefix key value".
class HeaderText {
 public:
  explicit HeaderText(std::string_view prefix) : prefix_(prefix) {}
  template <typename T>
  void add(std::string_view key, const T& value) {
    text_ += fmt::format("{}{} {}\n", prefix_, key, value);
  }
  void add_list(std::string_view key, const std::vector<std::string>& values) {
    add(key, fmt::format("{}", fmt::join(values.begin(), values.end(), ",")));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string_view prefix_;
  std::string text_;
};

void add_policy(const ElementPolicy& policy, HeaderText& out) {
  const Policies policies{policy, {}};
  for (const PolicyField& field : policy_fields()) {
    if (field.scope == FieldScope::kElement && field.name != "e8m0_quirk")
      out.add(field.name, field.read(policies));
  }
}

/// The description of a format that is no name of the table or of a family.
void add_definition(std::string_view key, const ElementFormat& format, HeaderText& out) {
  if (!make_format(format.name)) out.add(key, format_text(format));
}

std::string one_or_mixed(const std::vector<std::string>& list) {
  return list.size() == 1 ? list.front() : "mixed";
}

bool contains(const std::vector<std::string>& list, std::string_view token) {
  return std::ranges::find(list, token) != list.end();
}

}  // namespace

std::string_view to_string(RecordKind op) { return op == RecordKind::kCvt ? "cvt" : "block"; }

std::size_t RecordLayout::operand_bytes() const { return sum_bytes(operands); }
std::size_t RecordLayout::result_bytes() const { return sum_bytes(results); }
std::size_t RecordLayout::operand_chars() const { return sum_chars(operands); }
std::size_t RecordLayout::result_chars() const { return sum_chars(results); }
std::size_t RecordLayout::line_chars() const { return operand_chars() + result_chars(); }

RecordLayout VectorHeader::layout() const {
  RecordLayout layout;
  const int lanes = op == RecordKind::kCvt ? 1 : context.block_size;
  if (op == RecordKind::kBlock) layout.operands.push_back({"tuser", 1, 4});
  layout.operands.push_back({"source", lanes, bytes_of(source)});
  if (random_words == RandomWords::kPresent) {
    layout.operands.push_back({"random", lanes, random_bytes(random_bits())});
  }
  if (op == RecordKind::kCvt) {
    layout.results.push_back({"code", 1, bytes_of(destination)});
  } else {
    layout.results.push_back({"scale", 1, 1});
    layout.results.push_back({"code", lanes, 1});
  }
  layout.results.push_back({"flags", 1, 1});
  return layout;
}

std::string VectorHeader::text(std::string_view prefix) const {
  HeaderText lines(prefix);
  lines.add("mxgold-vectors", kSchema);
  lines.add("op", to_string(op));
  lines.add("source", source.name);
  add_definition("source_definition", source, lines);
  if (op == RecordKind::kCvt) {
    lines.add("destination", destination.name);
    if (destination.name != source.name) {
      add_definition("destination_definition", destination, lines);
    }
    add_policy(policy, lines);
  } else {
    lines.add_list("format", formats);
    lines.add_list("rounding", roundings);
    lines.add_list("rule", rules);
    lines.add_list("overflow", overflows);
    lines.add("scale", "e8m0");
    lines.add("block_size", context.block_size);
    lines.add("stochastic", token_of(context.stochastic));
    lines.add("random_bits", context.random_bits);
    lines.add("dst_ftz", token_of(ResultSubnormals::kKeep));
    lines.add("tininess", token_of(Tininess::kAfterRounding));
    lines.add("staging", token_of(Staging::kNone));
  }
  lines.add("random", random_words == RandomWords::kPresent ? "direct" : "none");
  lines.add("suite", suite);
  lines.add("level", level);
  lines.add("seed", seed);
  lines.add("shard", fmt::format("{}/{}", shard, shards));
  lines.add("generator", generator);
  const RecordLayout fields = layout();
  lines.add("fields",
            fmt::format("{} | {}", field_list(fields.operands), field_list(fields.results)));
  lines.add("count", count);
  return lines.text();
}

std::string VectorHeader::set_id() const {
  const auto with_bits = [this](const std::string& rounding) {
    return rounding.starts_with("stochastic") ? fmt::format("{}{}", rounding, random_bits())
                                              : rounding;
  };
  if (op == RecordKind::kCvt) {
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

std::string config_word_problem(const VectorHeader& header, std::uint32_t config_word) {
  const std::optional<QuantizerConfig> config = config_of(config_word, header.context);
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
