// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/facts.hpp"

#include "golden/names/names.hpp"
#include "golden/questions/format_facts.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/table.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/catalog/block_fields.hpp"

namespace mx::golden {
namespace {

Tree json_of(const Unpacked& x) { return {{"hex", hex_float(x)}, {"decimal", exact_decimal(x)}}; }

Tree codes_json(const ElementFormat& format, const std::vector<CodeRange>& ranges) {
  Tree list = Tree::list();
  for (const CodeRange& range : ranges) {
    list.push_back(Tree::list({hex_code(format, range.first), hex_code(format, range.last)}));
  }
  return list;
}

/// A fact as it stands in a line.
std::string plain(const Tree& value) {
  if (value.is_record() && value.contains("hex")) {
    return filled("{} ({})", value.at("decimal").text(), value.at("hex").text());
  }
  return value.is_text() ? value.text() : value.json();
}

std::string text_of_facts(const Tree& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts.name(i) == "codes") continue;
    text += filled("{:<20} {}\n", facts.name(i), plain(facts.at(i)));
  }
  if (!facts.contains("codes")) return text;
  ListTable table{"codes", {"code", "class", "value", "exactly"}, {}};
  for (const Tree& row : facts.at("codes")) {
    table.rows.push_back({row.at("code").text(), row.at("class").text(), row.at("decimal").text(),
                          row.at("hex").text()});
  }
  return text + text_of(table);
}

}  // namespace

Tree facts_of(const ElementFormat& f) {
  Tree row = {{"name", f.name},
              {"kind", kind_token(f)},
              {"bits", f.bits},
              {"storage_bits", f.storage_bits},
              {"signed", f.is_signed}};
  if (f.kind == FormatKind::kFloat) {
    row["exp_bits"] = f.exp_bits;
    row["man_bits"] = f.man_bits;
    row["bias"] = f.bias;
    row["has_subnormal"] = f.has_subnormal;
    row["emin"] = f.emin();
  } else if (f.is_fixed()) {
    row["frac_bits"] = f.frac_bits;
  }
  row["emax"] = f.emax();
  row["zero"] = zero_token(f.zero);
  row["inf"] = inf_token(f.inf);
  row["nan"] = nan_token(f.nan);
  row["max_code"] = hex_code(f, f.max_code);
  if (f.has_nan()) row["canonical_nan"] = hex_code(f, f.canonical_nan);
  row["inf_codes"] = codes_json(f, inf_codes(f));
  row["nan_codes"] = codes_json(f, nan_codes(f));
  if (const auto code = negative_zero_code(f)) row["negative_zero_code"] = hex_code(f, *code);
  if (const auto code = one_code(f)) row["one_code"] = hex_code(f, *code);
  row["max"] = json_of(largest_value(f));
  if (const auto x = smallest_normal(f)) row["min_normal"] = json_of(*x);
  if (const auto x = smallest_subnormal(f)) row["min_subnormal"] = json_of(*x);
  row["min_positive"] = json_of(smallest_positive(f));
  return row;
}

std::string shape_text(const BlockFormat& b) {
  if (b.extent == BlockExtent::kTensor) return "the tensor";
  if (b.extent == BlockExtent::kAxis) return "the axis";
  return b.tile_lines == 1 ? std::to_string(b.block_size)
                           : filled("{}x{}", b.tile_lines, b.block_size);
}

std::string bits_per_element(const BlockFormat& b) {
  if (b.extent != BlockExtent::kElements) return std::to_string(b.element.bits);
  const auto elements = static_cast<std::uint64_t>(b.elements());
  const std::uint64_t bits = elements * static_cast<std::uint64_t>(b.element.bits) +
                             8 * static_cast<std::uint64_t>(b.scale_bytes());
  Unpacked each =
      exact_divide(unpack_integer(false, bits, 0), unpack_integer(false, elements, 0)).value;
  each.sticky = false;
  return short_decimal(each);
}

Tree facts_with_codes(const ElementFormat& f) {
  Tree json = facts_of(f);
  if (f.bits > 8) return json;
  Tree codes = Tree::list();
  for (std::uint64_t code = 0; code <= f.code_mask(); ++code) {
    const Unpacked x = decode(f, code);
    Tree row = {{"code", hex_code(f, code)}, {"class", number_class(f, x)}};
    row.update(json_of(x));
    codes.push_back(row);
  }
  json["codes"] = codes;
  return json;
}

Tree facts_of(const BlockFormat& b) {
  Tree row = {{"name", b.name},
              {"computed", true},
              {"element", b.element.name},
              {"scale", b.scale.name},
              {"block_size", b.block_size},
              {"default_rule", token_of(b.rule)},
              {"elements", shape_text(b)},
              {"bits_per_element", bits_per_element(b)},
              {"scale_bits", b.scale_bits()},
              {"defined_by", b.defined_by}};
  for (const auto& [field, value] : describe_block(b)) {
    if (!row.contains(std::string(field))) row[std::string(field)] = value;
  }
  Tree sublevels = Tree::list();
  for (const int group : b.sublevels) {
    if (group != 0) sublevels.push_back(group);
  }
  if (!sublevels.empty()) row["sublevels"] = sublevels;
  if (b.cut_from != 0) row["cut_from"] = b.cut_from;
  return row;
}

Answer facts(std::string_view name, Codes codes, FormatCatalog& catalog, Spelling spelling) {
  const FormatChoice choice = choose_format(catalog, name, spelling);
  const auto whole = [&](const ElementFormat& format) {
    return codes == Codes::kEach ? facts_with_codes(format) : facts_of(format);
  };
  if (choice.block == nullptr) {
    const Tree data = whole(*choice.element);
    return {data, text_of_facts(data)};
  }
  Tree data = facts_of(*choice.block);
  const Tree element = whole(choice.block->element);
  const Tree scale = whole(choice.block->scale);
  const std::string text = filled("{}\nelement\n{}\nscale\n{}", text_of_facts(data),
                                  text_of_facts(element), text_of_facts(scale));
  data["element_format"] = element;
  data["scale_format"] = scale;
  return {data, text};
}

}  // namespace mx::golden
