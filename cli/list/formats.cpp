#include "cli/list/formats.hpp"

#include <array>

#include "golden/questions/facts.hpp"
#include "golden/questions/format_facts.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

template <typename Value, typename Text>
std::string optional_text(const std::optional<Value>& value, Text text) {
  return value ? text(*value) : "-";
}

std::string value_with_code(const ElementFormat& f, std::uint64_t code) {
  return fmt::format("{} ({})", golden::brief(decode(f, code)), golden::hex_code(f, code));
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

std::string scale_text(const BlockFormat& b) {
  std::string text(b.scale.name);
  for (const int group : b.sublevels) {
    if (group != 0) text += fmt::format(" + 1 bit per {}", group);
  }
  if (b.tensor_scale == TensorScale::kFp32) text += ", fp32 per tensor";
  return text;
}

std::vector<const BlockFormat*> listed_blocks(FormatBook& book) {
  std::vector<const BlockFormat*> list;
  for (const BlockFormat& format : all_block_formats()) list.push_back(&format);
  for (const BlockFormat* format : book.catalog().defined_blocks()) list.push_back(format);
  return list;
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
         golden::fields_text(f), f.kind == FormatKind::kFloat ? fmt::to_string(f.bias) : "-",
         value_with_code(f, f.max_code), optional_text(golden::smallest_normal(f), golden::brief),
         f.is_fixed() || f.kind == FormatKind::kTapered
             ? fmt::format("{} (least)", golden::brief(golden::smallest_positive(f)))
             : optional_text(golden::smallest_subnormal(f), golden::brief),
         golden::ranges_text(f, golden::inf_codes(f)), golden::ranges_text(f, golden::nan_codes(f)),
         optional_text(golden::negative_zero_code(f), hex),
         optional_text(golden::one_code(f), hex)});
  }
  return table;
}

Tree formats_json(FormatBook& book) {
  Tree list = Tree::list();
  for (const ElementFormat* format : listed_formats(book))
    list.push_back(golden::facts_of(*format));
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

Tree families_json(FormatBook&) {
  Tree list = Tree::list();
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
    table.rows.push_back({std::string(f.name), fmt::to_string(f.bits), golden::fields_text(f),
                          fmt::to_string(f.bias),
                          f.zero == ZeroKind::kNone ? "none" : golden::hex_code(f, 0),
                          golden::ranges_text(f, golden::nan_codes(f)),
                          value_with_code(f, f.max_code), value_with_code(f, least), used_by(f)});
  }
  return table;
}

Tree scales_json(FormatBook& book) {
  Tree list = Tree::list();
  for (const ElementFormat* format : listed_scales(book)) list.push_back(golden::facts_of(*format));
  return list;
}

golden::ListTable blocks_table(FormatBook& book) {
  golden::ListTable table{
      "Block formats",
      {"name", "elements", "element", "scale", "rule", "bits/element", "defined by"},
      {}};
  for (const BlockFormat* b : listed_blocks(book)) {
    table.rows.push_back(
        {std::string(b->name), golden::shape_text(*b), std::string(b->element.name), scale_text(*b),
         std::string(token_of(b->rule)), golden::bits_per_element(*b), std::string(b->defined_by)});
  }
  for (const NamedOnlyFormat& format : named_only_formats()) {
    table.rows.push_back({std::string(format.name), "-", "known by name only", "-", "-", "-",
                          fmt::format("{} (from {})", format.what, format.source)});
  }
  return table;
}

Tree blocks_json(FormatBook& book) {
  Tree list = Tree::list();
  for (const BlockFormat* b : listed_blocks(book)) list.push_back(golden::facts_of(*b));
  for (const NamedOnlyFormat& format : named_only_formats()) {
    list.push_back({{"name", format.name},
                    {"computed", false},
                    {"known", format.what},
                    {"source", format.source}});
  }
  return list;
}

}  // namespace mx::cli
