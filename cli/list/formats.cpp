#include "cli/list/formats.hpp"

#include <array>

#include "cli/list/format_facts.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/text/exact.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/catalog/block_fields.hpp"

namespace mx::cli {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Unpacked& x) {
  return {{"hex", golden::hex_float(x)}, {"decimal", golden::exact_decimal(x)}};
}

ordered_json codes_json(const ElementFormat& format, const std::vector<CodeRange>& ranges) {
  ordered_json list = ordered_json::array();
  for (const CodeRange& range : ranges) {
    list.push_back({golden::hex_code(format, range.first), golden::hex_code(format, range.last)});
  }
  return list;
}

template <typename Value, typename Text>
std::string optional_text(const std::optional<Value>& value, Text text) {
  return value ? text(*value) : "-";
}

std::string value_with_code(const ElementFormat& f, std::uint64_t code) {
  return fmt::format("{} ({})", brief(decode(f, code)), golden::hex_code(f, code));
}

std::vector<const ElementFormat*> listed_formats(FormatBook& book) {
  std::vector<const ElementFormat*> list;
  for (const ElementFormat& format : all_formats()) list.push_back(&format);
  for (const ElementFormat* format : book.catalog().defined()) list.push_back(format);
  return list;
}

/// The formats of a scale: unsigned ones of the table, P3109's, and the real-valued types.
std::vector<const ElementFormat*> listed_scales(FormatBook& book) {
  std::vector<const ElementFormat*> list;
  for (const ElementFormat& format : all_formats()) {
    if (!format.is_signed) list.push_back(&format);
  }
  for (const char* name : {"binary8p1uf", "fp32", "bf16", "fp16"}) {
    list.push_back(book.catalog().find(name));
  }
  for (const BlockFormat& block : all_block_formats()) {
    const auto same = [&](const ElementFormat* format) { return format->name == block.scale.name; };
    if (std::find_if(list.begin(), list.end(), same) == list.end()) list.push_back(&block.scale);
  }
  return list;
}

std::string used_by(const ElementFormat& scale) {
  std::string text;
  int count = 0;
  for (const BlockFormat& block : all_block_formats()) {
    if (block.scale.name != scale.name) continue;
    if (++count <= 4) text += (text.empty() ? "" : ", ") + std::string(block.name);
  }
  return count > 4 ? fmt::format("{} and {} more", text, count - 4) : text;
}

constexpr std::array kFamilies = {
    FormatFamily{"e{E}m{M}[b{bias}][fn|fnuz|fin]",
                 "signed float; no suffix: Inf and NaN as IEEE 754; fn: one NaN a sign; fnuz: one "
                 "NaN at -0; fin: every code finite; bias 2^(E-1) - 1 (fnuz: 2^(E-1))",
                 "E 0..11, M 0..52, bias -1024..1024", "e5m10 e4m3b11fnuz e3m4fn e2m1fin e0m3fin"},
    FormatFamily{"ue{E}m{M}[b{bias}][nan|fin]",
                 "unsigned float with zero; nan (the default): the top code is NaN",
                 "E 0..11, M 0..52, bias -1024..1024", "ue5m3 ue4m4fin ue8m7b127"},
    FormatFamily{"exp{N}[nan]", "2^(code - (2^(N-1) - 1)), no zero; nan: the top code is NaN",
                 "N 2..8", "exp5 exp8nan"},
    FormatFamily{"int{N}, uint{N}", "two's complement or unsigned integers, step 2^-(N-2)",
                 "N 2..32", "int12 uint4"},
    FormatFamily{"fixed{W}.{F}, ufixed{W}.{F}", "integers of W bits, step 2^-F",
                 "W 2..32 (ufixed 1..32), F -64..64", "fixed16.8 ufixed8.0 fixed8.-2"},
    FormatFamily{"sm{N}", "sign and N-1 magnitude bits, step 2^-(N-2)", "N 2..16", "sm7 sm4"},
    FormatFamily{"binary{K}p{P}{s|u}{e|f}",
                 "IEEE P3109 v4.0: precision P, signed or unsigned, with infinities (e) or finite "
                 "(f)",
                 "K 3..16, P 1..K-1 (u: 1..K)", "binary8p4se binary9p4sf binary8p1uf"}};

std::string shape_text(const BlockFormat& b) {
  if (b.extent == BlockExtent::kTensor) return "the tensor";
  if (b.extent == BlockExtent::kAxis) return "the axis";
  return b.tile_lines == 1 ? fmt::to_string(b.block_size)
                           : fmt::format("{}x{}", b.tile_lines, b.block_size);
}

std::string scale_text(const BlockFormat& b) {
  std::string text(b.scale.name);
  for (const int group : b.sublevels) {
    if (group != 0) text += fmt::format(" + 1 bit per {}", group);
  }
  if (b.tensor_scale == TensorScale::kFp32) text += ", fp32 per tensor";
  return text;
}

/// Bits an element takes with its part of the block's scale as stored, exactly.
std::string bits_per_element(const BlockFormat& b) {
  if (b.extent != BlockExtent::kElements) return fmt::to_string(b.element.bits);
  const auto elements = static_cast<std::uint64_t>(b.elements());
  const std::uint64_t bits = elements * static_cast<std::uint64_t>(b.element.bits) +
                             8 * static_cast<std::uint64_t>(b.scale_bytes());
  Unpacked each =
      exact_divide(unpack_integer(false, bits, 0), unpack_integer(false, elements, 0)).value;
  each.sticky = false;
  return golden::short_decimal(each);
}

std::vector<const BlockFormat*> listed_blocks(FormatBook& book) {
  std::vector<const BlockFormat*> list;
  for (const BlockFormat& format : all_block_formats()) list.push_back(&format);
  for (const BlockFormat* format : book.catalog().defined_blocks()) list.push_back(format);
  return list;
}

ordered_json facts_json(const ElementFormat& f) {
  ordered_json row = {{"name", f.name},
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
  row["max_code"] = golden::hex_code(f, f.max_code);
  if (f.has_nan()) row["canonical_nan"] = golden::hex_code(f, f.canonical_nan);
  row["inf_codes"] = codes_json(f, inf_codes(f));
  row["nan_codes"] = codes_json(f, nan_codes(f));
  if (const auto code = negative_zero_code(f))
    row["negative_zero_code"] = golden::hex_code(f, *code);
  if (const auto code = one_code(f)) row["one_code"] = golden::hex_code(f, *code);
  row["max"] = json_of(largest_value(f));
  if (const auto x = smallest_normal(f)) row["min_normal"] = json_of(*x);
  if (const auto x = smallest_subnormal(f)) row["min_subnormal"] = json_of(*x);
  row["min_positive"] = json_of(smallest_positive(f));
  return row;
}

std::string_view class_of(const ElementFormat& f, const Unpacked& x) {
  switch (x.cls) {
    case ValueClass::kZero:
      return "zero";
    case ValueClass::kInf:
      return "infinity";
    case ValueClass::kNan:
      return "nan";
    case ValueClass::kFinite:
      break;
  }
  return f.kind == FormatKind::kFloat && x.exponent < f.emin() ? "subnormal" : "normal";
}

}  // namespace

golden::ListTable formats_table(FormatBook& book) {
  golden::ListTable table{"Element and scale formats",
                          {"name", "bits", "S/E/M", "bias", "largest (code)", "min normal",
                           "min subnormal", "Inf", "NaN", "-0", "1.0"},
                          {}};
  for (const ElementFormat* format : listed_formats(book)) {
    const ElementFormat& f = *format;
    const auto hex = [&](std::uint64_t code) { return golden::hex_code(f, code); };
    table.rows.push_back(
        {std::string(f.name),
         f.bits == f.storage_bits ? fmt::to_string(f.bits)
                                  : fmt::format("{} (of {})", f.bits, f.storage_bits),
         fields_text(f), f.kind == FormatKind::kFloat ? fmt::to_string(f.bias) : "-",
         value_with_code(f, f.max_code), optional_text(smallest_normal(f), brief),
         f.is_fixed() || f.kind == FormatKind::kTapered
             ? fmt::format("{} (least)", brief(smallest_positive(f)))
             : optional_text(smallest_subnormal(f), brief),
         ranges_text(f, inf_codes(f)), ranges_text(f, nan_codes(f)),
         optional_text(negative_zero_code(f), hex), optional_text(one_code(f), hex)});
  }
  return table;
}

ordered_json formats_json(FormatBook& book) {
  ordered_json list = ordered_json::array();
  for (const ElementFormat* format : listed_formats(book)) list.push_back(facts_json(*format));
  return list;
}

std::span<const FormatFamily> format_families() { return kFamilies; }

golden::ListTable families_table(FormatBook&) {
  golden::ListTable table{
      "Families: names with parameters (a name of the table means the table's row)",
      {"name", "what it is", "parameters", "examples"},
      {}};
  for (const FormatFamily& family : kFamilies) {
    table.rows.push_back({std::string(family.pattern), std::string(family.meaning),
                          std::string(family.ranges), std::string(family.examples)});
  }
  return table;
}

ordered_json families_json(FormatBook&) {
  ordered_json list = ordered_json::array();
  for (const FormatFamily& family : kFamilies) {
    list.push_back({{"pattern", family.pattern},
                    {"meaning", family.meaning},
                    {"parameters", family.ranges},
                    {"examples", family.examples}});
  }
  return list;
}

golden::ListTable scales_table(FormatBook& book) {
  golden::ListTable table{
      "Scale formats",
      {"name", "bits", "S/E/M", "bias", "zero", "NaN", "largest (code)", "least (code)", "used by"},
      {}};
  for (const ElementFormat* format : listed_scales(book)) {
    const ElementFormat& f = *format;
    const bool has_field_gap = !f.has_subnormal && f.zero != ZeroKind::kNone && f.man_bits > 0;
    const std::uint64_t least = f.zero == ZeroKind::kNone ? 0
                                : has_field_gap           ? std::uint64_t{1} << f.man_bits
                                                          : 1;
    table.rows.push_back(
        {std::string(f.name), fmt::to_string(f.bits), fields_text(f), fmt::to_string(f.bias),
         f.zero == ZeroKind::kNone ? "none" : golden::hex_code(f, 0), ranges_text(f, nan_codes(f)),
         value_with_code(f, f.max_code), value_with_code(f, least), used_by(f)});
  }
  return table;
}

ordered_json scales_json(FormatBook& book) {
  ordered_json list = ordered_json::array();
  for (const ElementFormat* format : listed_scales(book)) list.push_back(facts_json(*format));
  return list;
}

golden::ListTable blocks_table(FormatBook& book) {
  golden::ListTable table{
      "Block formats",
      {"name", "elements", "element", "scale", "rule", "bits/element", "defined by"},
      {}};
  for (const BlockFormat* b : listed_blocks(book)) {
    table.rows.push_back({std::string(b->name), shape_text(*b), std::string(b->element.name),
                          scale_text(*b), std::string(token_of(b->rule)), bits_per_element(*b),
                          std::string(b->defined_by)});
  }
  for (const NamedOnlyFormat& format : named_only_formats()) {
    table.rows.push_back({std::string(format.name), "-", "known by name only", "-", "-", "-",
                          fmt::format("{} (from {})", format.what, format.source)});
  }
  return table;
}

ordered_json one_block_json(const BlockFormat& b) {
  ordered_json row = {{"name", b.name},
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
  ordered_json sublevels = ordered_json::array();
  for (const int group : b.sublevels) {
    if (group != 0) sublevels.push_back(group);
  }
  if (!sublevels.empty()) row["sublevels"] = sublevels;
  if (b.cut_from != 0) row["cut_from"] = b.cut_from;
  return row;
}

ordered_json blocks_json(FormatBook& book) {
  ordered_json list = ordered_json::array();
  for (const BlockFormat* b : listed_blocks(book)) list.push_back(one_block_json(*b));
  for (const NamedOnlyFormat& format : named_only_formats()) {
    list.push_back({{"name", format.name},
                    {"computed", false},
                    {"known", format.what},
                    {"source", format.source}});
  }
  return list;
}

ordered_json one_format_json(const ElementFormat& f) {
  ordered_json json = facts_json(f);
  if (f.bits > 8) return json;
  ordered_json codes = ordered_json::array();
  for (std::uint64_t code = 0; code <= f.code_mask(); ++code) {
    const Unpacked x = decode(f, code);
    ordered_json row = {{"code", golden::hex_code(f, code)}, {"class", class_of(f, x)}};
    row.update(json_of(x));
    codes.push_back(row);
  }
  json["codes"] = codes;
  return json;
}

std::string one_format_text(const ordered_json& json) {
  const auto plain = [](const ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : golden::dumped(value);
  };
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (key == "codes") continue;
    const bool is_number = value.is_object() && value.contains("hex");
    text +=
        fmt::format("{:<20} {}\n", key,
                    is_number ? fmt::format("{} ({})", plain(value["decimal"]), plain(value["hex"]))
                              : plain(value));
  }
  if (!json.contains("codes")) return text;
  golden::ListTable table{"codes", {"code", "class", "value", "exactly"}, {}};
  for (const ordered_json& row : json["codes"]) {
    table.rows.push_back(
        {plain(row["code"]), plain(row["class"]), plain(row["decimal"]), plain(row["hex"])});
  }
  return text + text_of(table);
}

}  // namespace mx::cli
