#include "sim/device/fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "golden/bytes/error.hpp"
#include "golden/configuration/result_format.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/operand_check.hpp"
#include "golden/vectors/result_bits.hpp"

namespace mx::sim {
namespace {

using golden::Field;

/// What the ports tell the device of a configuration.
std::vector<std::string> told_of(const Description& description,
                                 const golden::ConfigurationFields& fields, std::uint32_t word) {
  std::vector<std::string> told;
  for (const DescribedPort& port : description.input.ports) {
    for (const DescribedPart& part : port.parts) {
      if (part.what == bench::What::kWords && part.field == "tuser") {
        told.push_back(std::to_string(word));
      }
      if (part.what != bench::What::kSelect) continue;
      const auto found =
          std::ranges::find(fields, part.field, &golden::ConfigurationFields::value_type::first);
      told.push_back(found == fields.end() ? "" : found->second);
    }
  }
  return told;
}

/// A value that a select of the device does not have.
std::string untold(const Description& description, const golden::ConfigurationFields& fields) {
  for (const DescribedPort& port : description.input.ports) {
    for (const DescribedPart& part : port.parts) {
      if (part.what != bench::What::kSelect) continue;
      const auto found =
          std::ranges::find(fields, part.field, &golden::ConfigurationFields::value_type::first);
      if (found == fields.end()) {
        return fmt::format("{}: select '{}' is no field of these configurations", part.place,
                           part.field);
      }
      const auto has = [&](const auto& choice) { return choice.first == found->second; };
      if (std::ranges::none_of(part.choices, has)) {
        return fmt::format("{} {}: port '{}' has no value for it ({})", part.field, found->second,
                           port.name, part.place);
      }
    }
  }
  return {};
}

/// Two configurations of which the device is told the same have to be the same.
std::string indistinct(const Description& description, const golden::VectorHeader& header) {
  std::vector<std::uint32_t> words(header.configs.size(), 0);
  const golden::RecordShape shape = header.shape();
  if (shape.find(Field::kTuser) != nullptr) words = header.config_words();
  std::map<std::vector<std::string>, golden::ConfigurationFields> seen;
  for (std::size_t i = 0; i < header.configs.size(); ++i) {
    const golden::ConfigurationFields fields = golden::fields_of(header.configs[i]);
    const auto [first, is_new] = seen.try_emplace(told_of(description, fields, words[i]), fields);
    if (is_new) continue;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const auto& [name, value] = fields[k];
      const std::string& other = first->second[k].second;
      if (value == other || name == "chosen") continue;
      return fmt::format(
          "configurations differ in {} ({} and {}), and no port tells the device "
          "which it is; give --{}, or a part with select or tuser",
          name, other, value, name);
    }
  }
  return {};
}

/// Every operand has a port, every word of the results that has one fits.
std::string unmapped(const Description& description, const golden::VectorHeader& header) {
  const golden::RecordShape shape = header.shape();
  for (const golden::FieldShape& each : shape.fields) {
    if (golden::is_result(each.field)) continue;
    const std::string_view name = token_of(each.field);
    if (each.field == Field::kConfig || each.field == Field::kTuser || each.field == Field::kOpen) {
      continue;
    }
    if (Description::part_of(description.input, name) != nullptr) continue;
    const auto assumed = std::ranges::find(description.assume, name, &AssumedOperand::field);
    if (assumed != description.assume.end() && assumed->least == assumed->most) continue;
    if (each.field == Field::kElements) {
      if (Description::has(description.input, bench::What::kKeep)) continue;
      return "blocks are of several lengths, and no port has keep; give --lengths full";
    }
    return fmt::format(
        "records have a field {}, and no port carries it; name a port, or its value "
        "under assume",
        name);
  }
  std::vector<std::string> carried = observed_fields(description, shape);
  if (carried.empty()) return "no port carries a result field of these records";
  return {};
}

}  // namespace

Offer offer_of(const Description& description) {
  const bool tells_length = Description::has(description.input, bench::What::kKeep) ||
                            Description::part_of(description.input, "elements") != nullptr;
  return {description.operation, description.configuration, description.lanes, tells_length};
}

std::string refusal_of(const Description& description, const golden::Configuration& configuration) {
  const std::string why = refusal_of(offer_of(description), configuration);
  return why.empty() ? untold(description, golden::fields_of(configuration)) : why;
}

namespace {

/// Operands that no record has would be clamped into ones that are none, and codes that no answer
/// has say nothing of its NaNs.
void require_possible(const Description& description, const golden::VectorHeader& header) {
  const golden::OperandCheck check(header);
  for (const AssumedOperand& each : description.assume) {
    const auto widest = check.mask_of(*parse_token<Field>(each.field));
    if (!widest || (each.most & ~*widest) == 0) continue;
    throw golden::VectorError(
        fmt::format("{}: assume.{}: {:x} lies beyond {:x}, the largest word of {} in these "
                    "records; give a smaller one",
                    description.path, each.field, each.most, *widest, each.field));
  }
  std::uint64_t codes = 0;
  for (const golden::Configuration& each : header.configs) {
    const ElementFormat* const format = golden::result_format(each);
    codes |= format == nullptr ? ~std::uint64_t{0} : format->code_mask();
  }
  for (const std::uint64_t code : description.nan.codes) {
    if ((code & ~codes) == 0) continue;
    throw golden::VectorError(
        fmt::format("{}: output.nan: {:x} lies beyond {:x}, the largest code of these answers",
                    description.path, code, codes));
  }
}

}  // namespace

std::string refusal_of(const Description& description, const golden::VectorHeader& header) {
  require_possible(description, header);
  std::string why = refusal_of(offer_of(description), header);
  for (const golden::Configuration& each : header.configs) {
    if (why.empty()) why = refusal_of(description, each);
  }
  if (why.empty()) why = indistinct(description, header);
  return why.empty() ? unmapped(description, header) : why;
}

void assume(const Description& description, golden::RecordBatch& batch) {
  for (const AssumedOperand& each : description.assume) {
    const auto field = parse_token<Field>(each.field);
    for (std::uint64_t& word : batch.all(*field)) word = std::clamp(word, each.least, each.most);
  }
}

std::string assumed_text(const Description& description) {
  std::string text;
  for (const AssumedOperand& each : description.assume) {
    text += text.empty() ? "operands held to what the device file assumes: " : ", ";
    text += fmt::format("{} {:x}", each.field, each.least);
    if (each.most != each.least) text += fmt::format(" to {:x}", each.most);
  }
  return text;
}

std::string unassumed(const Description& description, const golden::RecordBatch& batch) {
  for (const AssumedOperand& each : description.assume) {
    for (const std::uint64_t word : batch.all(*parse_token<Field>(each.field))) {
      if (word >= each.least && word <= each.most) continue;
      return fmt::format(
          "a record has {} {:x}, and the device file assumes {:x} to {:x} (assume.{})", each.field,
          word, each.least, each.most, each.field);
    }
  }
  return {};
}

void require_whole(const Description& description, const std::vector<Carried>& carried,
                   const golden::VectorHeader& header) {
  const golden::RecordShape shape = header.shape();
  for (const Carried& each : carried) {
    const golden::FieldShape* const field = shape.find(*parse_token<Field>(each.field));
    if (field == nullptr) continue;
    const std::string_view verb = each.is_result ? "gives" : "drives";
    const auto refuse = [&](std::size_t given, std::size_t needed, std::string_view what) {
      throw golden::VectorError(fmt::format(
          "{}: {} {} {} of {} {} of {}; {}", description.path, each.place, verb, given, needed,
          what, each.field,
          each.is_result ? "give all of them, or leave the field out" : "name them all"));
    };
    const auto lanes = static_cast<std::size_t>(field->lanes);
    const std::size_t words = each.is_shared ? lanes : lanes * description.records;
    if (each.words < words) refuse(each.words, words, "lanes");
    if (!each.is_result || each.is_number) continue;
    for (const golden::Configuration& configuration : header.configs) {
      const unsigned bits = golden::result_bits(configuration, *field);
      if (each.width < bits) refuse(each.width, bits, "bits");
    }
  }
}

std::vector<std::string> observed_fields(const Description& description,
                                         const golden::RecordShape& shape) {
  std::vector<std::string> names;
  for (const golden::FieldShape& each : shape.fields) {
    if (!golden::is_result(each.field)) continue;
    const std::string name(token_of(each.field));
    if (Description::part_of(description.output, name) != nullptr) names.push_back(name);
  }
  return names;
}

}  // namespace mx::sim
