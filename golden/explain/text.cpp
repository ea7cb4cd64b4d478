#include "golden/explain/text.hpp"

#include <string>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

const std::string& text(const Tree& json, std::string_view name) { return json.at(name).text(); }

/// "1.5 (0x1.8p+0)"; zeros and specials need one spelling only.
std::string value(const Tree& json) {
  const std::string hex = text(json, "hex");
  const std::string decimal = text(json, "short");
  return hex == decimal ? decimal : filled("{} ({})", decimal, hex);
}

std::string flags(const Tree& list) {
  std::string result;
  for (const auto& flag : list) result += filled(" {}", flag.text());
  return result.empty() ? " none" : result;
}

/// The lines of the text so far.
class Lines {
 public:
  template <typename... Values>
  void line(std::string_view label, std::type_identity_t<Pattern<sizeof...(Values)>> pattern,
            const Values&... values) {
    print("  {:<11}{}\n", label, filled<Values...>(pattern, values...));
  }
  template <typename... Values>
  void print(std::type_identity_t<Pattern<sizeof...(Values)>> pattern, const Values&... values) {
    text += filled<Values...>(pattern, values...);
  }
  std::string text;
};

void print_input(Lines& out, const Tree& input, std::string_view label = "input") {
  out.line(label, "{} {} = {}, {}", text(input, "format"), text(input, "bits"),
           value(input.at("value")), text(input, "class"));
  if (input.truth_of("rounded_into_source")) {
    out.line("", "{} is not a value of {}: rounded once, ties_to_even", text(input, "text"),
             text(input, "format"));
  }
}

/// What the profile says nothing of, where it does not.
void print_open(Lines& out, const Tree& part) {
  if (!part.contains("open")) return;
  const Tree& open = part.at("open");
  out.line("open", "open under profile {}: {}", text(open, "profile"), text(open, "because"));
}

void print_neighbours(Lines& out, const Tree& n) {
  const auto side = [](const Tree& json) {
    return filled("magnitude code {} = {}{}", text(json, "magnitude_code"), value(json),
                  json.at("is_value").truth() ? "" : ", beyond the format");
  };
  out.line("lower", "{}", side(n.at("lower")));
  out.line("midpoint", "{}", value(n.at("midpoint")));
  out.line("upper", "{}", side(n.at("upper")));
  out.line("discarded", "{} ulp: guard {}, sticky {}, lsb {}", text(n, "discarded_ulp"),
           n.at("guard").number(), n.at("sticky").number(), n.at("lsb").number());
}

void print_code(Lines& out, const Tree& element) {
  out.line("code", "{} = {}", text(element, "code"), value(element.at("element")));
  out.line("flags", "{}", flags(element.at("flags")).substr(1));
}

void print_element(Lines& out, const Tree& element) {
  print_input(out, element.at("input"));
  if (element.contains("seen_as")) {
    out.line("seen as", "{} ({})", value(element.at("seen_as")), text(element, "seen_because"));
  }
  if (element.contains("scale")) out.line("scale", "with its bits: {}", value(element.at("scale")));
  if (element.contains("scaled")) {
    const std::string scaling = std::string(element.text_of("elem_scaling", "exact"));
    out.line("scaled", "{}{}{}{}", value(element.at("scaled")),
             element.truth_of("scaled_is_cut") ? ", cut to 64 bits" : "",
             scaling == "exact" ? "" : ", elem_scaling policy " + scaling,
             element.contains("staging") ? ", staging " + text(element, "staging") : "");
  }
  if (element.contains("neighbours")) print_neighbours(out, element.at("neighbours"));
  out.line("decision", "{}", text(element, "decision"));
  if (element.contains("element")) {
    print_code(out, element);
  } else {
    out.line("code", "{}{}", text(element, "code"),
             element.truth_of("masked") ? " (don't care)" : "");
  }
  print_open(out, element);
  if (element.contains("dequantized")) out.line("back", "{}", value(element.at("dequantized")));
}

void print_block(Lines& out, const Tree& explanation) {
  const Tree& block = explanation.at("block");
  const Tree& scale = block.at("scale");
  out.print("block of {} ({} given), {} to {}\n", explanation.at("block_size").number(),
            block.at("elements").size(), text(explanation, "source"), text(explanation, "format"));
  if (scale.contains("amax")) {
    out.line("amax", "lane {}: {}", scale.at("amax_lane").number(), value(scale.at("amax")));
  }
  out.line("rule", "{}{}", text(scale, "rule"),
           scale.contains("added_because") ? ": " + text(scale, "added_because") : "");
  out.line("scale", "{}{}", text(scale, "arithmetic"),
           scale.at("clamped").truth() ? ", outside the scale format" : "");
  out.line("", "code {} = {}", text(scale, "code"), value(scale.at("value")));
  if (!scale.at("decided_by").empty())
    out.line("decided by", "{}", joined(scale.at("decided_by").texts(), ", "));
  print_open(out, scale);
  if (scale.contains("tensor_scale")) {
    out.line("tensor", "scale {}, from the maximum {}", value(scale.at("tensor_scale")),
             value(scale.at("tensor_amax")));
  }
  int lane = 0;
  int open = 0;
  std::string codes;
  for (const Tree& element : block.at("elements")) {
    out.print("lane {}\n", lane++);
    print_element(out, element);
    codes += filled(" {}", text(element, "code"));
    open += element.contains("open") ? 1 : 0;
  }
  out.print("result: scale {}{} codes{}{}; flags{}\n", text(scale, "code"),
            scale.contains("open") ? " (open)" : "", codes,
            open == 0 ? "" : filled(" ({} of {} open)", open, lane), flags(block.at("flags")));
}

}  // namespace

std::string explanation_text(const Tree& explanation) {
  Lines out;
  if (explanation.contains("block")) {
    print_block(out, explanation);
    return out.text;
  }
  for (const Tree& element : explanation.at("values")) {
    out.print("{} to {}\n", text(explanation, "source"), text(explanation, "format"));
    print_element(out, element);
  }
  return out.text;
}

std::string arithmetic_text(const Tree& explanation) {
  Lines out;
  const std::string_view changes = explanation.text_of("changes");
  out.print("{} of {}{}\n", text(explanation, "operation"), text(explanation, "format"),
            changes.empty() ? "" : filled(" with {}", changes));
  constexpr std::string_view kNames[] = {"a", "b", "c"};
  std::size_t i = 0;
  for (const Tree& operand : explanation.at("operands")) print_input(out, operand, kNames[i++]);
  out.line("exact", "{}{}", value(explanation.at("exact")),
           explanation.truth_of("exact_is_cut") ? ", cut to 64 bits" : "");
  if (explanation.contains("exact_because")) {
    out.line("", "{}", text(explanation, "exact_because"));
  }
  if (explanation.contains("neighbours")) print_neighbours(out, explanation.at("neighbours"));
  out.line("decision", "{}", text(explanation, "decision"));
  if (explanation.contains("tininess")) out.line("tininess", "{}", text(explanation, "tininess"));
  print_code(out, explanation);
  return out.text;
}

}  // namespace mx::golden
