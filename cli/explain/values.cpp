#include "cli/explain/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/base/made.hpp"
#include "cli/text/exact.hpp"
#include "cli/text/names.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::cli {
namespace {

std::uint64_t bits_of(std::string_view of, const std::string& text, std::uint64_t mask) {
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (error != std::errc{} || end != digits.data() + digits.size() || (bits & ~mask) != 0) {
    fail(Exit::kUsage, "{} {}: give hexadecimal bits up to {:x}", of, printable(text), mask);
  }
  return bits;
}

/// Why a value is what it is, where it is not just the product.
std::string because(const golden::DequantizeCase& what, const Unpacked& scale,
                    const Unpacked& element, const Unpacked& exact, const Unpacked& value) {
  if (scale.cls == ValueClass::kNan) return "the scale is NaN, so is every value";
  if (element.cls == ValueClass::kNan) return "NaN, canonical in the result";
  if (element.cls == ValueClass::kInf) return "an infinity stays itself";
  if (element.cls == ValueClass::kZero) return "a zero keeps its sign";
  if (value.cls == ValueClass::kNan || value.cls == ValueClass::kInf) {
    return fmt::format("overflow: dequant_overflow {}", token_of(what.overflow));
  }
  if (compare_magnitude(exact, value) == 0) return "exact";
  const Unpacked largest = decode(what.result, what.result.max_code);
  if (compare_magnitude(exact, largest) > 0) {
    return fmt::format("beyond the largest number: rounding {}, dequant_overflow {}",
                       token_of(what.how.rounding), token_of(what.overflow));
  }
  if (value.cls == ValueClass::kZero) {
    return fmt::format("below the smallest number: rounding {}, dst_ftz {}",
                       token_of(what.how.rounding), token_of(what.how.dst_ftz));
  }
  return fmt::format("rounded {}", token_of(what.how.rounding));
}

nlohmann::ordered_json value_json(const ElementFormat& format, std::uint64_t code) {
  return {{"bits", hex_code(format, code)}, {"value", short_decimal(decode(format, code))}};
}

}  // namespace

void explain_values(const ValuesExplanation& explanation) {
  const golden::DequantizeCase& what = explanation.what;
  const BlockFormat& format = what.format;
  const Quantizer blocks = made(Quantizer::make(what.blocks()));
  const int scale_bits = format.scale_bits();
  const std::uint64_t mask =
      scale_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << scale_bits) - 1;
  const std::uint64_t scale_code = bits_of("--scale", explanation.scale, mask);
  std::vector<std::uint64_t> codes;
  for (const std::string& text : explanation.codes) {
    codes.push_back(bits_of("INPUT", text, format.element.code_mask()));
  }
  if (format.extent == BlockExtent::kElements &&
      codes.size() > static_cast<std::size_t>(format.elements())) {
    fail(Exit::kUsage, "{} codes for a block of {}", codes.size(), format.elements());
  }
  std::vector<std::uint64_t> values(codes.size()), exact(codes.size());
  blocks.dequantize_block(scale_code, codes, what.result, values, what.how);
  // binary64 holds every product of a scale and an element of the formats with small ones.
  blocks.dequantize_block(scale_code, codes, formats::fp64, exact);
  nlohmann::ordered_json json = {{"format", format.name},
                                 {"result", what.result.name},
                                 {"profile", explanation.profile},
                                 {"rounding", token_of(what.how.rounding)},
                                 {"dst_ftz", token_of(what.how.dst_ftz)},
                                 {"dequant_overflow", token_of(what.overflow)},
                                 {"scale", hex_code(scale_bits, scale_code)}};
  for (std::size_t lane = 0; lane < codes.size(); ++lane) {
    const Unpacked scale = blocks.scale_value(scale_code, lane);
    const Unpacked element = decode(format.element, codes[lane]);
    json["elements"].push_back(
        {{"lane", lane},
         {"code", value_json(format.element, codes[lane])},
         {"scale", short_decimal(scale)},
         {"product", short_decimal(decode(formats::fp64, exact[lane]))},
         {"value", value_json(what.result, values[lane])},
         {"because", because(what, scale, element, decode(formats::fp64, exact[lane]),
                             decode(what.result, values[lane]))}});
  }
  if (explanation.is_json) {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} to {}, scale {}, rounding {}, dequant_overflow {}, dst_ftz {}\n", format.name,
             what.result.name, hex_code(scale_bits, scale_code), token_of(what.how.rounding),
             token_of(what.overflow), token_of(what.how.dst_ftz));
  const auto text = [](const nlohmann::ordered_json& each, const char* field) {
    return each.at(field).get<std::string>();
  };
  for (const auto& each : json["elements"]) {
    fmt::print("lane {}: {} ({}) x {} = {} -> {} ({}): {}\n", each.at("lane").get<std::size_t>(),
               text(each.at("code"), "bits"), text(each.at("code"), "value"), text(each, "scale"),
               text(each, "product"), text(each.at("value"), "bits"),
               text(each.at("value"), "value"), text(each, "because"));
  }
}

}  // namespace mx::cli
