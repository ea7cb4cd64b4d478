// SPDX-License-Identifier: Apache-2.0
#include "golden/explain/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "golden/explain/input.hpp"
#include "golden/explain/model.hpp"
#include "golden/explain/text.hpp"
#include "golden/names/names.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/exact_result.hpp"

namespace mx::golden {
namespace {

/// The operation of a name. The others of IEEE 754 round nothing.
ArithmeticOperation operation_of(const ArithmeticQuestion& question) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"mul", "multiply"}, {"sub", "subtract"}, {"div", "divide"}};
  std::string_view name = question.operation;
  for (const auto& [shorter, longer] : kShort) {
    if (name == shorter) name = longer;
  }
  std::vector<std::string_view> known;
  for (const auto& [operation, token] : tokens<ArithmeticOperation>()) {
    if (kind_of(operation) != OperationKind::kRounded) {
      if (name != token) continue;
      throw Refusal(filled("{}: rounds nothing, so there is nothing to explain{}",
                           spelled(question.spelling, "op", name),
                           hint(question.spelling, "; mxgold gen --op arith has its answers")));
    }
    known.push_back(token);
    if (name == token) return operation;
  }
  throw Refusal(unknown_name("operation", name, known));
}

/// What results below the least normal number have to do with underflow; "" of others.
std::string tininess_text(const Arithmetic& by, const Unpacked& exact, const Encoded& result) {
  const ElementFormat& f = by.format;
  if (exact.cls != ValueClass::kFinite || !f.has_subnormal) return {};
  const Unpacked least = decode(f, std::uint64_t{1} << f.man_bits);
  if (compare_magnitude(exact, least) >= 0) return {};
  const std::string below =
      filled("below the least normal number {}; tininess {}: ", short_decimal(least),
             token_of(by.policy.tininess));
  if ((result.flags & kFlagInexact) == 0) return below + "exact, so no underflow";
  if ((result.flags & kFlagUnderflow) != 0) return below + "inexact and tiny, underflow";
  return below + filled("not tiny once rounded to {} bits, no underflow", f.man_bits + 1);
}

std::string because(ArithmeticOperation operation, const RealResult& exact) {
  if (exact.invalid) return filled("invalid: {} of these has no real result", token_of(operation));
  if (exact.divide_by_zero) return "a finite number by zero: divide_by_zero";
  return exact.inexact ? "rounded to an integral value" : "";
}

Tree explained(ArithmeticOperation operation, const Arithmetic& by,
               std::span<const ExplainInput> inputs) {
  std::array<std::uint64_t, 3> codes{};
  std::array<Unpacked, 3> values;
  Tree json = {{"operation", token_of(operation)}, {"format", by.format.name}};
  json["operands"] = Tree::list();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    codes[i] = inputs[i].code;
    values[i] = decode(by.format, codes[i]);
    json["operands"].push_back(input_json(by.format, inputs[i]));
  }
  const RealResult exact =
      exact_result(operation, std::span(values).first(inputs.size()), by.policy.rounding);
  const Encoded result = by(operation, std::span(codes).first(inputs.size()));
  Trace trace;
  static_cast<void>(encode(exact.value, by.format, by.policy, 0, trace));
  Unpacked shown = exact.value;
  shown.sticky = false;
  json["exact"] = value_json(shown);
  json["exact_is_cut"] = exact.value.sticky;
  if (const std::string why = because(operation, exact); !why.empty()) json["exact_because"] = why;
  json.update(encoding_json(by.format, by.policy, trace, shown, 0, result));
  if (const std::string text = tininess_text(by, exact.value, result); !text.empty()) {
    json["tininess"] = text;
  }
  return json;
}

}  // namespace

Answer explain_arithmetic(const ArithmeticQuestion& question, FormatCatalog& catalog) {
  const Spelling spelling = question.spelling;
  const ArithmeticOperation operation = operation_of(question);
  const ElementFormat& format = choose_element(catalog, "format", question.format, spelling);
  require_policies(question.settings);
  const std::vector<std::string> names = names_of(question.settings);
  refuse_block_policies(names, question.format, spelling);
  Policies policies;
  policies.element = Arithmetic::ieee(format).policy;
  apply(question.settings, policies, spelling);
  const PolicyReader reader{format, policies.element, {}};
  refuse_unread_policies(names, std::span(&reader, 1), spelling);
  const Arithmetic by{format, policies.element};
  if (const std::string_view why = by.problem(); !why.empty()) {
    throw Refusal(filled("{}: {}", question.format, why));
  }
  if (question.inputs.size() != operands_of(operation)) {
    throw Refusal(filled("{}: {} operands, and {} are given", token_of(operation),
                         operands_of(operation), question.inputs.size()));
  }
  std::vector<ExplainInput> inputs;
  for (const std::string& text : question.inputs) {
    inputs.push_back(parse_input(format, text, BitsFirst::kYes, spelling));
  }
  Tree data = explained(operation, by, inputs);
  data["rounding"] = token_of(policies.element.rounding);
  if (!question.settings.empty()) data["changes"] = text_of(question.settings, spelling);
  return {data, arithmetic_text(data)};
}

}  // namespace mx::golden
