#include "golden/explain/beside.hpp"

#include <algorithm>
#include <array>

#include "golden/names/asking.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/flags.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {

namespace {

/// What a case makes of the inputs. Blocks have a scale; single values have one code.
struct ProfileOutcome {
  std::uint64_t scale = 0;
  std::vector<std::uint64_t> codes;
  std::vector<Unpacked> values;
  std::uint16_t flags = 0;
  OpenFields open = {};

  /// Do two outcomes agree wherever neither is left open?
  [[nodiscard]] bool same(const ProfileOutcome& other) const {
    if (scale != other.scale && open.scale == 0 && other.open.scale == 0) return false;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool differs = codes[i] != other.codes[i] || values[i] != other.values[i];
      if (differs && !open.is_open(i) && !other.open.is_open(i)) return false;
    }
    return true;
  }
};

ProfileOutcome convert_one(const ExplainedCase& c, const ExplainInput& input) {
  const ConversionConfig conversion = c.conversion();
  const Encoded encoded = made(Conversion::make(conversion))(input.code, input.random);
  return {0,
          {encoded.code},
          {decode(conversion.destination, encoded.code)},
          encoded.flags,
          open_fields(c.masks, conversion, input.code)};
}

ProfileOutcome quantize(const ExplainedCase& c, std::span<const ExplainInput> inputs) {
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
  for (const ExplainInput& input : inputs) {
    source.push_back(input.code);
    random.push_back(input.random);
  }
  const Quantizer quantizer = made(Quantizer::make(c.config));
  ProfileOutcome outcome{0, std::vector<std::uint64_t>(source.size()), {}, 0, {}};
  const BlockResult result = quantizer.quantize_block(source, random, outcome.codes);
  outcome.scale = result.scale_code;
  outcome.flags = result.flags;
  std::vector<std::uint64_t> values(source.size());
  quantizer.dequantize_block(result.scale_code, outcome.codes, formats::fp32, values);
  for (const std::uint64_t value : values) outcome.values.push_back(decode(formats::fp32, value));
  outcome.open = open_fields(c.masks, c.config, source, result);
  return outcome;
}

ProfileOutcome outcome_of(const ExplainedCase& c, std::span<const ExplainInput> inputs) {
  return c.is_block ? quantize(c, inputs) : convert_one(c, inputs.front());
}

/// The order in which policies come into play: spec F8 and F12.
constexpr std::array<std::string_view, 29> kOrder = {"staging",
                                                     "src_ftz",
                                                     "src_daz_block",
                                                     "amax_over",
                                                     "nan_block",
                                                     "inf_block",
                                                     "zero_block_scale",
                                                     "rule",
                                                     "ratio_op",
                                                     "four_over_six",
                                                     "scale_rounding",
                                                     "scale_overflow",
                                                     "scale_sat",
                                                     "even_carry",
                                                     "scale_floor",
                                                     "e8m0_quirk",
                                                     "elem_codes_when_nan_scale",
                                                     "elem_scaling",
                                                     "nan",
                                                     "unsigned_negative",
                                                     "zero_in",
                                                     "random_bits",
                                                     "rounding",
                                                     "dst_ftz",
                                                     "overflow",
                                                     "int_min",
                                                     "zero_sign",
                                                     "tininess",
                                                     "dequant_overflow"};

std::vector<const PolicyField*> fields_in_order() {
  std::vector<const PolicyField*> fields;
  for (const PolicyField& field : policy_fields()) fields.push_back(&field);
  std::ranges::stable_sort(fields, {}, [](const PolicyField* field) {
    return std::ranges::find(kOrder, field->name) - kOrder.begin();
  });
  return fields;
}

/// The first policy, in order of use, whose change alters what the first case answers, those before
/// it having been changed to the other's already.
std::string parting(const ExplainedCase& first, const ExplainedCase& other,
                    const ProfileOutcome& answer, std::span<const ExplainInput> inputs) {
  ExplainedCase moved = first;
  moved.masks |= other.masks;
  moved.config.format.element = other.config.format.element;
  const ElementFormat& a = first.config.format.element;
  const ElementFormat& b = other.config.format.element;
  const auto differs = [&] {
    const bool usable = !moved.is_block || Quantizer::problem(moved.config).empty();
    return usable && !outcome_of(moved, inputs).same(answer);
  };
  if (a != b && differs()) {
    if (a.name != b.name) return filled("element {} -> {}", a.name, b.name);
    return a.canonical_nan != b.canonical_nan
               ? filled("NaN code {} -> {}", hex_code(a, a.canonical_nan),
                        hex_code(b, b.canonical_nan))
               : "tie parity of the format";
  }
  for (const PolicyField* const field : fields_in_order()) {
    Policies policies{moved.config.element, moved.config.block};
    const std::string before = field->read(policies);
    const std::string after = field->read({other.config.element, other.config.block});
    if (before == after) continue;
    field->write(policies, after);
    moved.config.element = policies.element;
    moved.config.block = policies.block;
    // A tensor's scales follow from the rule.
    moved.config.tensor =
        policies.block.rule == other.config.block.rule ? other.config.tensor : first.config.tensor;
    if (differs()) return filled("{} {} -> {}", field->name, before, after);
  }
  return "the block format";
}

/// The masks that leave anything open.
Masks masks_of(const ProfileOutcome& outcome) {
  Masks masks = outcome.open.scale;
  for (const Masks each : outcome.open.elements) masks |= each;
  return masks;
}

/// "codes open"; empty where nothing is.
std::string open_text(const ProfileOutcome& outcome, bool is_block) {
  const std::size_t size = outcome.codes.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += outcome.open.is_open(i) ? 1U : 0U;
  const bool scale_open = outcome.open.scale != 0;
  if (count == size && (scale_open || !is_block)) return "open";
  if (scale_open) return count == 0 ? "scale open" : "scale, some codes open";
  return count == size ? "codes open" : count == 0 ? "" : "some codes open";
}

Tree row_json(const ExplainedCase& first, const ProfileOutcome& first_answer,
              const ExplainedCase& c, std::span<const ExplainInput> inputs) {
  const ProfileOutcome outcome = outcome_of(c, inputs);
  Tree row = {{"profile", c.profile}};
  if (!c.changes.empty()) row["changes"] = c.changes;
  if (c.is_block) row["scale"] = block_scale_json(c.config, outcome.scale);
  row["codes"] = Tree::list();
  row["values"] = Tree::list();
  for (std::size_t i = 0; i < outcome.codes.size(); ++i) {
    row["codes"].push_back(hex_code(c.config.format.element, outcome.codes[i]));
    row["values"].push_back(short_decimal(outcome.values[i]));
  }
  row["flags"] = flag_names(outcome.flags);
  row["open"] = open_text(outcome, c.is_block);
  row["open_masks"] = block_mask_tokens(masks_of(outcome));
  row["open_because"] = mask_text(masks_of(outcome));
  const bool same = outcome.same(first_answer);
  row["same_as_first"] = same;
  row["parts_at"] = same ? "" : parting(first, c, first_answer, inputs);
  return row;
}

Tree table_json(std::span<const ExplainedCase> cases, std::span<const ExplainInput> inputs) {
  Tree table;
  for (const ExplainInput& input : inputs) {
    table["inputs"].push_back(
        {{"text", input.text},
         {"bits", hex_code(cases.front().config.source, input.code)},
         {"value", short_decimal(decode(cases.front().config.source, input.code))}});
  }
  const ProfileOutcome first = outcome_of(cases.front(), inputs);
  for (const ExplainedCase& c : cases) {
    table["profiles"].push_back(row_json(cases.front(), first, c, inputs));
  }
  return table;
}

/// Columns as wide as their widest cell.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) line += filled(" {:<{}}", row[i], widths[i]);
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

Tree cases_beside(std::span<const ExplainedCase> cases, std::span<const ExplainInput> inputs) {
  const ExplainedCase& first = cases.front();
  Tree result = {
      {"format", first.format}, {"source", first.config.source.name}, {"block", first.is_block}};
  result["comparisons"] = Tree::list();
  if (first.is_block) {
    result["comparisons"].push_back(table_json(cases, inputs));
    return result;
  }
  for (const ExplainInput& input : inputs) {
    result["comparisons"].push_back(table_json(cases, {&input, 1}));
  }
  return result;
}

std::string beside_text(const Tree& comparison) {
  std::string text;
  const bool is_block = comparison.at("block").truth();
  for (const Tree& table : comparison.at("comparisons")) {
    std::string inputs;
    for (const auto& input : table.at("inputs")) {
      inputs += filled("{} {} = {}", inputs.empty() ? "" : ",", input.at("bits").text(),
                       input.at("value").text());
    }
    text += filled("{} to {}:{}\n", comparison.at("source").text(), comparison.at("format").text(),
                   inputs);
    std::vector<std::vector<std::string>> rows;
    rows.push_back({"profile", "codes", "values", "flags", "open", "parts from the first at"});
    if (is_block) rows.back().insert(rows.back().begin() + 1, {"scale", "= "});
    for (const Tree& row : table.at("profiles")) {
      std::vector<std::string>& cells = rows.emplace_back();
      // A row that options changed is not the profile's.
      const std::string changes(row.text_of("changes"));
      cells.push_back(row.at("profile").text() + (changes.empty() ? "" : ", ") + changes);
      if (is_block) {
        cells.push_back(row.at("scale").at("code").text());
        cells.push_back(row.at("scale").at("short").text());
      }
      const std::string flags = joined(row.at("flags").texts(), " ");
      std::string open = row.at("open").text();
      const std::string because = row.at("open_because").text();
      if (!because.empty()) open += filled(" ({})", because);
      cells.push_back(joined(row.at("codes").texts(), " "));
      cells.push_back(joined(row.at("values").texts(), " "));
      cells.push_back(flags.empty() ? "-" : flags);
      cells.push_back(open.empty() ? "-" : open);
      cells.push_back(row.at("same_as_first").truth() ? "-" : row.at("parts_at").text());
    }
    text += table_text(rows);
  }
  return text;
}

}  // namespace mx::golden
