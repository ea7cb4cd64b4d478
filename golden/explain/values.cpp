#include "golden/explain/values.hpp"

#include <vector>

#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "reference/format/way_back.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {
namespace {

/// Why a value is what it is, where it is not just the product.
std::string because(const DequantizeCase& what, const Unpacked& scale, const Unpacked& element,
                    const Unpacked& exact, const Unpacked& value) {
  if (scale.cls == ValueClass::kNan) return "the scale is NaN, so is every value";
  if (element.cls == ValueClass::kNan) return "NaN, canonical in the result";
  if (element.cls == ValueClass::kInf) return "an infinity stays itself";
  const bool is_zero = element.cls == ValueClass::kZero;
  if (is_zero && value.cls != ValueClass::kZero) return "what the code of -0 means in this format";
  if (is_zero) return "a zero keeps its sign";
  const bool is_far = exact.exponent < what.result.emin() || exact.exponent > what.result.emax();
  if (what.overflow == DequantOverflow::kWrap && is_far) {
    return "the exponent field keeps its low bits: dequant_overflow wrap";
  }
  if (value.cls == ValueClass::kNan || value.cls == ValueClass::kInf) {
    return filled("overflow: dequant_overflow {}", token_of(what.overflow));
  }
  if (compare_magnitude(exact, value) == 0) return "exact";
  const Unpacked largest = decode(what.result, what.result.max_code);
  if (compare_magnitude(exact, largest) > 0) {
    return filled("beyond the largest number: rounding {}, dequant_overflow {}",
                  token_of(what.how.rounding), token_of(what.overflow));
  }
  if (value.cls == ValueClass::kZero) {
    return filled("below the smallest number: rounding {}, dst_ftz {}", token_of(what.how.rounding),
                  token_of(what.how.dst_ftz));
  }
  return filled("rounded {}", token_of(what.how.rounding));
}

Tree value_json(const ElementFormat& format, std::uint64_t code) {
  return {{"bits", hex_code(format, code)}, {"value", short_decimal(decode(format, code))}};
}

}  // namespace

Tree explain_values(const ExplainedValues& explained) {
  const DequantizeCase& what = explained.what;
  const BlockFormat& format = what.format;
  const Quantizer blocks = Quantizer::make(what.blocks()).value();
  const std::span<const std::uint64_t> codes = explained.codes;
  std::vector<std::uint64_t> values(codes.size()), exact(codes.size());
  blocks.dequantize_block(explained.scale, codes, what.result, values, what.how);
  // binary64 holds every product of a scale and an element of the formats with small ones.
  blocks.dequantize_block(explained.scale, codes, formats::fp64, exact);
  Tree json = {{"format", format.name},
               {"result", what.result.name},
               {"profile", explained.profile},
               {"rounding", token_of(what.how.rounding)},
               {"dst_ftz", token_of(what.how.dst_ftz)},
               {"dequant_overflow", token_of(what.overflow)},
               {"scale", hex_code(format.scale_bits(), explained.scale)}};
  if (!explained.changes.empty()) json["changes"] = explained.changes;
  if (format.tensor_scale != TensorScale::kNone) {
    json["tensor_scale"] = short_decimal(decode(formats::fp32, what.tensor_scale));
    if (way_back_of(what.rule) == WayBack::kQuotient) json["divides"] = true;
  }
  for (std::size_t lane = 0; lane < codes.size(); ++lane) {
    const Unpacked scale = blocks.scale_value(explained.scale, lane);
    const Unpacked element = decode(format.element, codes[lane]);
    json["elements"].push_back(
        Tree{{"lane", lane},
             {"code", value_json(format.element, codes[lane])},
             {"scale", short_decimal(scale)},
             {"product", short_decimal(decode(formats::fp64, exact[lane]))},
             {"value", value_json(what.result, values[lane])},
             {"because", because(what, scale, element, decode(formats::fp64, exact[lane]),
                                 decode(what.result, values[lane]))}});
  }
  return json;
}

std::string values_text(const Tree& json) {
  const auto text = [](const Tree& each, const char* field) { return each.at(field).text(); };
  std::string out =
      filled("{} to {}, scale {}, rounding {}, dequant_overflow {}, dst_ftz {}\n",
             text(json, "format"), text(json, "result"), text(json, "scale"),
             text(json, "rounding"), text(json, "dequant_overflow"), text(json, "dst_ftz"));
  const std::string tensor_scale =
      json.contains("tensor_scale")
          ? (json.truth_of("divides") ? " / " : " x ") + text(json, "tensor_scale")
          : "";
  for (const Tree& each : json.at("elements")) {
    out +=
        filled("lane {}: {} ({}) x {}{} = {} -> {} ({}): {}\n", each.at("lane").number(),
               text(each.at("code"), "bits"), text(each.at("code"), "value"), text(each, "scale"),
               tensor_scale, text(each, "product"), text(each.at("value"), "bits"),
               text(each.at("value"), "value"), text(each, "because"));
  }
  return out;
}

}  // namespace mx::golden
