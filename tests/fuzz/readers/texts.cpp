// Texts of one line: configurations, formats, numbers, and the words of options; and files of
// formats.
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/options/format_book.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/text/exact.hpp"
#include "reference/catalog/block_fields.hpp"
#include "reference/catalog/definitions.hpp"
#include "reference/catalog/fields.hpp"
#include "reference/profiles/masks.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "sim/block/observes.hpp"
#include "sim/drive/reset_plan.hpp"
#include "sim/drive/stall.hpp"
#include "sim/judge/certificate_judge.hpp"
#include "sim/parameters/parameters.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

/// What is read can be computed, and the text that is made of it is read as the same.
Outcome shorthand(std::string_view input) {
  FormatCatalog catalog(emulators::make_cast);
  const auto configuration = golden::parse_shorthand(input, catalog);
  if (!configuration) {
    require_words(configuration.problem(), input);
    return Outcome::kRefused;
  }
  require(golden::problem_of(*configuration).empty(), "what is read can be computed", input);
  const auto text = golden::shorthand_of(*configuration);
  if (!text) return Outcome::kRead;
  const auto again = golden::parse_shorthand(*text, catalog);
  require(static_cast<bool>(again), "its own text is read", *text);
  require(golden::shorthand_of(*again) == text, "its own text stays", *text);
  return Outcome::kRead;
}

std::vector<std::string> shorthand_seeds() {
  return {
      "format=mxfp4",
      "op=block format=mxfp8_e4m3 source=bf16 profile=ocp-mx-1.0 rounding=to_odd rule=rceil",
      "format=nvfp4 tensor_amax=45280000",
      "op=cvt destination=e4m3fn overflow=none_inf_or_nan source=e5m10",
      "op=dequantize format=mxfp4 result=bf16",
      "op=dequantize format=nvfp4 result=bf16 stored_tensor_scale=3a000000",
      "op=dot a=mxfp4 b=mxfp8_e4m3 mode=accumulator acc_group=16 addend=given addend_format=fp32",
      "op=mma unit=b200_mxf4 a=e2m1fn scale=ue4m3 block_size=16",
      "op=arith operation=fma format=fp16 rounding=toward_zero",
      "op=cast cast=dmx:MXFP8[E4M3]{32} mode=compat",
      "format=mxint8 block_size=16 rounding=stochastic_a random_bits=8"};
}

/// A description of a format, or a name: what is read is a legal descriptor, and spelt again is the
/// same.
Outcome format(std::string_view input) {
  if (input.find('=') == std::string_view::npos) {
    FormatCatalog catalog;
    const ElementFormat* const found = catalog.find(input);
    if (found == nullptr) return Outcome::kRefused;
    require(invalid_reason(*found).empty(), "a name means a legal format", input);
    return Outcome::kRead;
  }
  FormatCatalog catalog;
  const Checked<ElementFormat> read = read_format(input);
  const ElementFormat* const found = catalog.find(input);
  require((found != nullptr) == static_cast<bool>(read), "a definition is a name", input);
  if (!read) require_words(read.problem(), input);
  if (found != nullptr) {
    require(invalid_reason(*found).empty(), "a definition means a legal format", input);
    FormatCatalog other;
    const ElementFormat* const again = other.find(canonical_name(*found));
    require(again != nullptr && *again == *found, "a canonical name is read back", input);
    return Outcome::kRead;
  }
  std::string name;
  ElementFormat described;
  if (const auto problem = parse_format_text(input, name, described)) {
    require_words(problem->text(), input);
    return Outcome::kRefused;
  }
  require(invalid_reason(described).empty(), "what is read is legal", input);
  described.name = name;
  const std::string text = format_text(described);
  std::string name_again;
  ElementFormat again;
  require(!parse_format_text(text, name_again, again), "its own text is read", text);
  again.name = name_again;
  require(format_text(again) == text, "its own text stays", text);
  return Outcome::kRead;
}

std::vector<std::string> format_seeds() {
  FormatCatalog catalog;
  std::vector<std::string> seeds = {"name=tiny, bits=5, exp_bits=3"};
  for (const std::string_view name : {"e4m3fn", "e5m10b20fnuz", "ue4m3", "exp8nan", "int8", "uint4",
                                      "fixed8.4", "sm4", "binary8p4se"}) {
    seeds.emplace_back(name);
    ElementFormat format = *catalog.find(name);
    format.name = "mine";
    seeds.push_back(format_text(format));
  }
  return seeds;
}

/// Numbers as they are typed, shards, patterns.
Outcome number(std::string_view input) {
  const auto exact = golden::parse_number(input);
  const auto hex = golden::parse_hex(input);
  const auto shard = golden::parse_shard(input);
  if (shard) require(shard->index < shard->count, "a shard is one of its number", input);
  return exact || hex || shard ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> number_seeds() {
  return {"1.5",  "-0",       "3e-45", "0x1.8p-3", "inf",
          "-nan", "45280000", "3/7",   "1e4932",   "179769313486231570000000000"};
}

/// Parameters of our RTL: what is read is what the module takes.
bool reads_parameters(std::string_view input) {
  const auto parameters = sim::parse_rtl_parameters(input);
  if (!parameters) {
    require_words(parameters.problem(), input);
    return false;
  }
  for (std::size_t i = 0; i < sim::kRtlParameters.size(); ++i) {
    require(sim::kRtlParameters[i].takes(parameters->values[i]), "a parameter is legal", input);
  }
  return true;
}

/// The words of --stall, --reset, --observe, --packed, --scale-layout, --judge, of masks and of
/// parameters.
Outcome word(std::string_view input) {
  bool is_read = sim::parse_stall(input).has_value() || parse_packing(input).has_value() ||
                 parse_scale_layout(input).has_value();
  if (const auto judge = sim::parse_judge(input)) {
    require(sim::token_of(*judge) == input, "a judge has one name", input);
    is_read = true;
  }
  for (const auto parse : {parse_element_masks, parse_block_masks}) {
    const auto masks = parse(input);
    if (!masks) continue;
    require(parse(mask_list(*masks)) == masks, "masks' own list is read", input);
    is_read = true;
  }
  if (const auto plan = sim::ResetPlan::parse(input)) {
    const auto again = sim::ResetPlan::parse(plan->text());
    require(again && again->text() == plan->text(), "a plan's own text stays", input);
    is_read = true;
  }
  std::vector<std::string> names(1);
  for (const char c : input) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  const auto observes = sim::parse_observes(names);
  if (!observes) require_words(observes.problem(), input);
  is_read = reads_parameters(input) || is_read;
  return is_read || observes ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> word_seeds() {
  return {"none",
          "light",
          "heavy",
          "random",
          "sweep",
          "12,40,41",
          "scale,code",
          "all",
          "flags,keep,last",
          "nibble_low_first",
          "Lanes=8,InFmtMask=0x4"};
}

/// A file of formats and block formats; what is defined is written, and read as the same.
Outcome book(std::string_view input) {
  return read_or_refuse<cli::Error>(input, [&] {
    cli::FormatBook read;
    read.define("fuzz", input, cli::Exit::kBadInput);
    std::vector<std::string_view> names;
    for (const ElementFormat* const each : read.catalog().defined()) names.push_back(each->name);
    for (const BlockFormat* const each : read.catalog().defined_blocks()) {
      names.push_back(each->name);
    }
    for (const std::string_view name : names) {
      const std::string text = read.definitions_of(read.require(name));
      cli::FormatBook again;
      again.define("its own text", text, cli::Exit::kBadInput);
      require(again.definitions_of(again.require(name)) == text, "its own text stays", text);
    }
  });
}

nlohmann::ordered_json definition(
    std::string_view name, const std::vector<std::pair<std::string_view, std::string>>& fields) {
  nlohmann::ordered_json object = {{"name", name}};
  for (const auto& [field, value] : fields) object[std::string(field)] = value;
  return object;
}

/// Definitions by hand, and those of formats and blocks that there are, under other names.
std::vector<std::string> book_seeds() {
  const FormatCatalog catalog;
  std::vector<std::string> seeds = {
      R"({"name": "tiny", "exp_bits": 3, "man_bits": 1, "nan": "outer_one_per_sign"})",
      R"([{"name": "a", "bits": "5", "exp_bits": "3"}, {"name": "b", "bits": 6, "exp_bits": 2}])",
      R"({"formats": [{"name": "tiny", "bits": 4, "exp_bits": 2}],
 "blocks": [{"name": "mxtiny", "element": "tiny", "scale": "e8m0", "block_size": 16}]})"};
  for (const ElementFormat& each : all_formats()) {
    seeds.push_back(definition("mine", describe_format(each)).dump());
  }
  for (const BlockFormat& each : all_block_formats()) {
    seeds.push_back(definition("mine", describe_block(each)).dump());
  }
  return seeds;
}

}  // namespace

Target books_target() { return {"books", book, book_seeds}; }
Target shorthands_target() { return {"shorthands", shorthand, shorthand_seeds}; }
Target formats_target() { return {"formats", format, format_seeds}; }
Target numbers_target() { return {"numbers", number, number_seeds}; }
Target words_target() { return {"words", word, word_seeds}; }

}  // namespace mx::fuzz
