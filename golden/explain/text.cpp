#include "golden/explain/text.hpp"
#include "golden/bytes/json_whole.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace mx::golden {
namespace {

using nlohmann::ordered_json;

std::string text(const ordered_json& json, const char* key) {
  return json.at(key).get<std::string>();
}

/// "1.5 (0x1.8p+0)"; zeros and specials need one spelling only.
std::string value(const ordered_json& json) {
  const std::string hex = text(json, "hex");
  const std::string decimal = text(json, "short");
  return hex == decimal ? decimal : fmt::format("{} ({})", decimal, hex);
}

std::string flags(const ordered_json& list) {
  std::string result;
  for (const auto& flag : list) result += fmt::format(" {}", flag.get<std::string>());
  return result.empty() ? " none" : result;
}

/// The lines of the text so far.
class Lines {
 public:
  template <typename... Args>
  void line(const char* label, fmt::format_string<Args...> format, Args&&... args) {
    print("  {:<11}{}\n", label, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  }
  std::string text;
};

void print_input(Lines& out, const ordered_json& input) {
  out.line("input", "{} {} = {}, {}", text(input, "format"), text(input, "bits"),
           value(input.at("value")), text(input, "class"));
  if (input.value("rounded_into_source", false)) {
    out.line("", "{} is not a value of {}: rounded once, ties_to_even", text(input, "text"),
             text(input, "format"));
  }
}

std::string joined(const ordered_json& list) {
  std::string result;
  for (const auto& each : list) {
    result += fmt::format("{}{}", result.empty() ? "" : ", ", each.get<std::string>());
  }
  return result;
}

/// What the profile says nothing of, where it does not.
void print_open(Lines& out, const ordered_json& part) {
  if (!part.contains("open")) return;
  const ordered_json& open = part.at("open");
  out.line("open", "open under profile {}: {}", text(open, "profile"), text(open, "because"));
}

void print_neighbours(Lines& out, const ordered_json& n) {
  const auto side = [](const ordered_json& json) {
    return fmt::format("magnitude code {} = {}{}", text(json, "magnitude_code"), value(json),
                       json.at("is_value").get<bool>() ? "" : ", beyond the format");
  };
  out.line("lower", "{}", side(n.at("lower")));
  out.line("midpoint", "{}", value(n.at("midpoint")));
  out.line("upper", "{}", side(n.at("upper")));
  out.line("discarded", "{} ulp: guard {}, sticky {}, lsb {}", text(n, "discarded_ulp"),
           whole<int>(n.at("guard")), whole<int>(n.at("sticky")), whole<int>(n.at("lsb")));
}

void print_element(Lines& out, const ordered_json& element) {
  print_input(out, element.at("input"));
  if (element.contains("seen_as")) {
    out.line("seen as", "{} ({})", value(element.at("seen_as")), text(element, "seen_because"));
  }
  if (element.contains("scale")) out.line("scale", "with its bits: {}", value(element.at("scale")));
  if (element.contains("scaled")) {
    const std::string scaling = element.value("elem_scaling", "exact");
    out.line("scaled", "{}{}{}{}", value(element.at("scaled")),
             element.value("scaled_is_cut", false) ? ", cut to 64 bits" : "",
             scaling == "exact" ? "" : ", elem_scaling policy " + scaling,
             element.contains("staging") ? ", staging " + text(element, "staging") : "");
  }
  if (element.contains("neighbours")) print_neighbours(out, element.at("neighbours"));
  out.line("decision", "{}", text(element, "decision"));
  if (element.contains("element")) {
    out.line("code", "{} = {}", text(element, "code"), value(element.at("element")));
    out.line("flags", "{}", flags(element.at("flags")).substr(1));
  } else {
    out.line("code", "{}{}", text(element, "code"),
             element.value("masked", false) ? " (don't care)" : "");
  }
  print_open(out, element);
  if (element.contains("dequantized")) out.line("back", "{}", value(element.at("dequantized")));
}

void print_block(Lines& out, const ordered_json& explanation) {
  const ordered_json& block = explanation.at("block");
  const ordered_json& scale = block.at("scale");
  out.print("block of {} ({} given), {} to {}\n", whole<int>(explanation.at("block_size")),
            block.at("elements").size(), text(explanation, "source"), text(explanation, "format"));
  if (scale.contains("amax")) {
    out.line("amax", "lane {}: {}", whole<int>(scale.at("amax_lane")), value(scale.at("amax")));
  }
  out.line("rule", "{}{}", text(scale, "rule"),
           scale.contains("added_because") ? ": " + text(scale, "added_because") : "");
  out.line("scale", "{}{}", text(scale, "arithmetic"),
           scale.at("clamped").get<bool>() ? ", outside the scale format" : "");
  out.line("", "code {} = {}", text(scale, "code"), value(scale.at("value")));
  if (!scale.at("decided_by").empty()) out.line("decided by", "{}", joined(scale.at("decided_by")));
  print_open(out, scale);
  if (scale.contains("tensor_scale")) {
    out.line("tensor", "scale {}, from the maximum {}", value(scale.at("tensor_scale")),
             value(scale.at("tensor_amax")));
  }
  int lane = 0;
  int open = 0;
  std::string codes;
  for (const ordered_json& element : block.at("elements")) {
    out.print("lane {}\n", lane++);
    print_element(out, element);
    codes += fmt::format(" {}", text(element, "code"));
    open += element.contains("open") ? 1 : 0;
  }
  out.print("result: scale {}{} codes{}{}; flags{}\n", text(scale, "code"),
            scale.contains("open") ? " (open)" : "", codes,
            open == 0 ? "" : fmt::format(" ({} of {} open)", open, lane), flags(block.at("flags")));
}

}  // namespace

std::string explanation_text(const ordered_json& explanation) {
  Lines out;
  if (explanation.contains("block")) {
    print_block(out, explanation);
    return out.text;
  }
  for (const ordered_json& element : explanation.at("values")) {
    out.print("{} to {}\n", text(explanation, "source"), text(explanation, "format"));
    print_element(out, element);
  }
  return out.text;
}

}  // namespace mx::golden
