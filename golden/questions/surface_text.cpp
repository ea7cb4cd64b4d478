#include "golden/questions/surface_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "golden/names/profile_choice.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

std::string number_text(const ElementFormat& format, std::uint64_t code) {
  return filled("{} ({})", hex(code, format.bits), short_decimal(decode(format, code)));
}

/// Hexadecimal digits, or as many dashes.
std::string hex_or_open(std::uint64_t code, int bits, bool is_open) {
  const std::string digits = hex(code, bits);
  return is_open ? std::string(digits.size(), '-') : digits;
}

std::string scale_hex(const Surface& s, const BlockAnswer& answer, const OpenParts& open) {
  return hex_or_open(answer.scale, s.block.scale_bits(), open.scale);
}

std::vector<std::string> code_texts(const Surface& s, const BlockAnswer& answer,
                                    const OpenParts& open) {
  const int bits = s.is_block ? s.block.element.bits : s.destination.bits;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < answer.codes.size(); ++i) {
    texts.push_back(hex_or_open(answer.codes[i], bits, open.is_open(i)));
  }
  return texts;
}

/// Elements before the zeros at the end.
std::size_t leading(const BlockInput& input) {
  std::size_t count = input.lanes.size();
  while (count > 1 && input.lanes[count - 1] == 0) --count;
  return count;
}

bool draws_words(const BlockInput& input) {
  return std::ranges::any_of(input.random, [](std::uint32_t r) { return r != 0; });
}

}  // namespace

std::string input_text(const Surface& s, const BlockInput& input) {
  std::string text;
  if (!s.is_block) {
    text = number_text(s.source, input.lanes[0]);
  } else {
    const std::size_t count = leading(input);
    for (std::size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "[" : ", ") + number_text(s.source, input.lanes[i]);
    }
    text += ", zeros]";
  }
  if (draws_words(input)) text += filled(" R {:08x}", input.random.front());
  if (input.tensor_amax != 0) {
    text += filled(" tensor amax {}", number_text(formats::fp32, input.tensor_amax));
  }
  return text;
}

std::string answer_text(const Surface& s, const BlockAnswer& answer, const OpenParts& open) {
  const std::string codes = joined(code_texts(s, answer, open), " ");
  return s.is_block ? filled("scale {} codes {}", scale_hex(s, answer, open), codes) : codes;
}

std::string causes_text(const Difference& difference) {
  std::string text;
  for (const Deviation& cause : difference.causes) {
    if (!text.empty()) text += "; ";
    text += filled("{}: {} | {}", cause.field, cause.from, cause.to);
  }
  return text.empty() ? "the element formats" : text;
}

Tree input_json(const Surface& s, const BlockInput& input) {
  Tree json;
  for (const std::uint64_t lane : input.lanes) json["input"].push_back(hex(lane, s.source.bits));
  if (draws_words(input)) json["random"] = input.random;
  if (input.tensor_amax != 0) json["tensor_amax"] = hex(input.tensor_amax, 32);
  return json;
}

Tree answer_json(const Surface& s, const BlockAnswer& answer, const OpenParts& open) {
  Tree json;
  if (s.is_block) json["scale"] = scale_hex(s, answer, open);
  json["codes"] = code_texts(s, answer, open);
  return json;
}

Tree difference_json(const Surface& s, const Difference& difference) {
  Tree json = input_json(s, difference.input);
  json["kind"] = to_string(difference.kind);
  json["a"] = answer_json(s, difference.a, difference.open_a);
  json["b"] = answer_json(s, difference.b, difference.open_b);
  json["causes"] = Tree::list();
  for (const Deviation& cause : difference.causes) {
    json["causes"].push_back({{"field", cause.field}, {"a", cause.from}, {"b", cause.to}});
  }
  return json;
}

Candidate choose_candidate(std::string_view name, Spelling spelling) {
  ProfileChoice choice = choose_profile(name, spelling);
  return {choice.profile, std::move(choice.variant)};
}

Surface choose_surface(std::string_view source, std::string_view target, FormatCatalog& catalog) {
  if (const auto surface = find_surface(source, target, catalog)) return *surface;
  const bool is_source = catalog.find(source) == nullptr;
  std::vector<std::string_view> known;
  for (const ElementFormat& format : all_formats()) known.push_back(format.name);
  if (!is_source) {
    for (const BlockFormat& format : all_block_formats()) known.push_back(format.name);
  }
  const std::string_view meant =
      known_as(is_source ? "source" : "format", is_source ? source : target, known);
  if (!meant.empty() && meant != (is_source ? source : target)) {
    return is_source ? choose_surface(meant, target, catalog)
                     : choose_surface(source, meant, catalog);
  }
  throw Refusal(unknown_name(is_source ? "source" : "format", is_source ? source : target, known),
                Refusal::Kind::kFormat);
}

}  // namespace mx::golden
