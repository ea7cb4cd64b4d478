#include "reference/catalog/block_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "reference/block/back.hpp"
#include "reference/catalog/definitions.hpp"

namespace mx {
namespace {

constexpr std::array kBlockFields = {
    FormatField{"element", "a format", "of the elements"},
    FormatField{"scale", "a format", "of the scale that a block shares (e8m0)"},
    FormatField{"block_size", "1..1024", "elements of a block along the axis (32)"},
    FormatField{"tile_lines", "1..1024", "lines of a two-dimensional tile (1)"},
    FormatField{"extent", "elements | axis | tensor",
                "a block is block_size elements, the whole axis or the whole tensor (elements)"},
    FormatField{"tensor_scale", "none | fp32", "a second scale for the whole tensor (none)"},
    FormatField{"rule", "a scale rule", "that belongs to the format (floor)"},
    FormatField{"rule_emax", "-1024..1024", "e_max of the power-of-two rules (the element's)"},
    FormatField{"scale_limit", "1..2^32-1", "largest scale code a rule chooses (the format's)"}};

template <typename Number>
bool write_within(std::string_view text, Number low, Number high, Number& value) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (number < low || number > high) return false;
  value = number;
  return true;
}

bool write_format(FormatCatalog& catalog, std::string_view name, ElementFormat& format) {
  const ElementFormat* const found = catalog.find(without_parentheses(name));
  if (found != nullptr) format = *found;
  return found != nullptr;
}

bool write_emax(std::string_view text, std::optional<int>& emax) {
  int number = 0;
  if (!write_within(text, -1024, 1024, number)) return false;
  emax = number;
  return true;
}

template <typename E>
bool write_token(std::string_view text, E& value) {
  const std::optional<E> parsed = parse_token<E>(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

bool write_block_field(FormatCatalog& catalog, BlockFormat& f, std::string_view field,
                       std::string_view value) {
  constexpr std::uint64_t kScaleLimit = 0xFFFFFFFF;
  if (field == "element") return write_format(catalog, value, f.element);
  if (field == "scale") return write_format(catalog, value, f.scale);
  if (field == "block_size") return write_within(value, 1, 1024, f.block_size);
  if (field == "tile_lines") return write_within(value, 1, 1024, f.tile_lines);
  if (field == "extent") return write_token(value, f.extent);
  if (field == "tensor_scale") return write_token(value, f.tensor_scale);
  if (field == "rule") return write_token(value, f.rule);
  if (field == "rule_emax") return write_emax(value, f.rule_emax);
  return write_within(value, std::uint64_t{1}, kScaleLimit, f.scale_limit);
}

/// The problem of a definition that stands in a field.
FormatProblem within(FormatProblem field) {
  const std::string inner = definition_problem(field.value);
  const std::size_t end = std::min(inner.rfind("; "), inner.size());
  field.reason = inner.empty() ? "a format of blocks" : inner.substr(0, end);
  field.remedy = inner.empty() ? "give one of single values" : inner.substr(end + 2);
  return field;
}

}  // namespace

std::span<const FormatField> block_fields() { return kBlockFields; }

std::vector<std::pair<std::string_view, std::string>> describe_block(const BlockFormat& f) {
  std::vector<std::pair<std::string_view, std::string>> fields = {
      {"element", std::string(f.element.name)}, {"scale", std::string(f.scale.name)}};
  fields.emplace_back("block_size", std::to_string(f.block_size));
  if (f.tile_lines != 1) fields.emplace_back("tile_lines", std::to_string(f.tile_lines));
  fields.emplace_back("extent", token_of(f.extent));
  if (f.tensor_scale == TensorScale::kFp32) fields.emplace_back("tensor_scale", "fp32");
  fields.emplace_back("rule", token_of(f.rule));
  if (f.rule_emax) fields.emplace_back("rule_emax", std::to_string(*f.rule_emax));
  if (f.scale_limit != 0) fields.emplace_back("scale_limit", std::to_string(f.scale_limit));
  return fields;
}

std::optional<FormatProblem> BlockDraft::set(std::string_view field, std::string_view value) {
  const auto known = std::find_if(kBlockFields.begin(), kBlockFields.end(),
                                  [&](const FormatField& each) { return each.name == field; });
  FormatProblem problem{std::string(field), std::string(value), "", ""};
  if (known == kBlockFields.end()) {
    problem.reason = "a block format has no such field";
    problem.remedy = "the fields are name";
    for (const FormatField& each : kBlockFields) problem.remedy += ", " + std::string(each.name);
    return problem;
  }
  if (!given_.emplace(field).second) {
    problem.reason = "the field is there twice";
    problem.remedy = "keep one of them";
    return problem;
  }
  if (write_block_field(catalog_, format_, field, value)) return std::nullopt;
  const bool is_format = field == "element" || field == "scale";
  if (is_format && is_definition(value)) return within(problem);
  problem.reason = is_format ? "no such format" : "not a value of this field";
  problem.remedy = is_format ? "give a name that mxgold list formats or families shows, or define "
                               "it before this block format"
                             : "give " + std::string(known->values);
  return problem;
}

std::optional<FormatProblem> BlockDraft::finish(BlockFormat& format) const {
  if (!given_.contains("element")) {
    return FormatProblem{"element", "", "missing", "a block format needs an element format"};
  }
  BlockFormat f = format_;
  if (!given_.contains("scale")) f.scale = formats::e8m0;
  if (f.scale_limit > f.scale.max_code) {
    return FormatProblem{"scale_limit", std::to_string(f.scale_limit),
                         "larger than the largest scale code", "leave it out"};
  }
  if (f.tensor_scale == TensorScale::kFp32 && facts_of(f.rule).tensor == RuleTensor::kNone) {
    return FormatProblem{"tensor_scale", "fp32", "the rule knows no tensor scale",
                         "use rule = nvfp4_exact, or tensor_scale = none"};
  }
  BlockPolicy policy;
  policy.rule = f.rule;
  // floor, which stands where no rule is named, may not fit: then codes come back and no more.
  QuantizerConfig config{formats::fp32, f, {}, policy};
  if (f.rule == BlockFormat{}.rule) config = for_way_back(config);
  const std::string_view problem = Quantizer::problem(config);
  if (!problem.empty()) {
    return FormatProblem{"rule", std::string(token_of(f.rule)), std::string(problem),
                         "choose another rule, scale or element"};
  }
  f.defined_by = "a user";
  format = f;
  return std::nullopt;
}

}  // namespace mx
