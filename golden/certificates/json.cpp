#include "golden/certificates/json.hpp"
#include "golden/bytes/json_whole.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

#include "golden/bytes/number_text.hpp"

namespace mx::golden {
namespace {

using Json = CertificateJson;

template <typename E>
std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}

std::string bytes_text(std::span<const std::uint8_t> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.end(), " "));
}

/// Two-digit bytes with one space between.
std::vector<std::uint8_t> parse_bytes(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    const std::uint32_t byte = parse_pattern(text.substr(at, 2));
    if (at + 2 < text.size() && text[at + 2] != ' ') throw std::invalid_argument(text);
    bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  return bytes;
}

void parse_pair(const Json& json, SignPair& pair) {
  const std::vector<std::uint8_t> bytes = parse_bytes(json.get<std::string>());
  if (bytes.size() != 2) throw std::invalid_argument("expected the codes of + and -");
  pair = {bytes[0], bytes[1]};
}

/// The stored fields of a descriptor as numbers and words, so that the file explains itself and a
/// changed format is noticed.
Json format_json(const ElementFormat& f) {
  return {{"name", f.name},
          {"bits", f.bits},
          {"kind", index(f.kind)},
          {"signed", f.is_signed},
          {"exp_bits", f.exp_bits},
          {"man_bits", f.man_bits},
          {"bias", f.bias},
          {"frac_bits", f.frac_bits},
          {"has_subnormal", f.has_subnormal},
          {"zero", index(f.zero)},
          {"inf", index(f.inf)},
          {"nan", index(f.nan)},
          {"max_code", fmt::format("{:x}", f.max_code)},
          {"canonical_nan", fmt::format("{:x}", f.canonical_nan)},
          {"parity", index(f.parity)}};
}

ElementFormat parse_format(const Json& json, FormatCatalog& catalog) {
  const auto name = json.at("name").get<std::string>();
  const ElementFormat* format = catalog.find(name);
  if (format == nullptr) throw std::invalid_argument("unknown format " + name);
  if (format_json(*format) != json) {
    throw std::invalid_argument("the descriptor of " + name + " is another one here");
  }
  return *format;
}

/// An object with one member for each token of an enum.
template <typename E, typename Make>
Json by_token(Make&& make) {
  Json json = Json::object();
  for (const Token<E>& token : tokens<E>()) {
    json[std::string(token.text)] = make(index(token.value));
  }
  return json;
}

/// The same for a list of policies that certificates hold.
template <typename List, typename Make>
Json by_certified(const List& list, Make&& make) {
  Json json = Json::object();
  for (std::size_t i = 0; i < list.size(); ++i) json[std::string(token_of(list[i]))] = make(i);
  return json;
}

template <typename List, typename Take>
void each_certified(const List& list, const Json& json, Take&& take) {
  for (std::size_t i = 0; i < list.size(); ++i) take(json.at(std::string(token_of(list[i]))), i);
}

template <typename E, typename Take>
void each_token(const Json& json, Take&& take) {
  for (const Token<E>& token : tokens<E>()) {
    take(json.at(std::string(token.text)), index(token.value));
  }
}

Json special_json(const SpecialCodes& special) {
  Json json;
  json["zero"] = by_token<ZeroSign>([&](std::size_t z) {
    return by_token<ZeroIn>([&](std::size_t i) { return bytes_text(special.zero[z][i]); });
  });
  json["underflow"] =
      by_token<ZeroSign>([&](std::size_t z) { return bytes_text(special.underflow[z]); });
  json["overflow"] = by_certified(kCertifiedOverflows, [&](std::size_t o) {
    return by_token<IntMin>([&](std::size_t m) {
      std::vector<std::uint8_t> row;
      for (const SignPair& pair : special.overflow[o][m])
        row.insert(row.end(), pair.begin(), pair.end());
      return bytes_text(row);
    });
  });
  json["infinity"] = by_certified(kCertifiedOverflows, [&](std::size_t o) {
    return by_token<IntMin>([&](std::size_t m) { return bytes_text(special.infinity[o][m]); });
  });
  json["nan"] = by_certified(kCertifiedNans, [&](std::size_t n) {
    return Json{{"quiet", bytes_text(special.nan[n][0])},
                {"signaling", bytes_text(special.nan[n][1])}};
  });
  json["negative"] = {{"to_nan", bytes_text(std::array{special.negative_to_nan})},
                      {"to_min", bytes_text(std::array{special.negative_to_min})}};
  return json;
}

void parse_overflow_row(const Json& json, std::array<SignPair, kDeterministic>& row) {
  const std::vector<std::uint8_t> bytes = parse_bytes(json.get<std::string>());
  if (bytes.size() != 2 * kDeterministic) {
    throw std::invalid_argument("overflow: expected two codes for each of nine roundings");
  }
  for (std::size_t r = 0; r < kDeterministic; ++r) row[r] = {bytes[2 * r], bytes[2 * r + 1]};
}

std::uint8_t parse_byte(const Json& json) {
  const std::vector<std::uint8_t> bytes = parse_bytes(json.get<std::string>());
  if (bytes.size() != 1) throw std::invalid_argument("expected one code");
  return bytes[0];
}

SpecialCodes parse_special(const Json& json) {
  SpecialCodes special;
  each_token<ZeroSign>(json.at("zero"), [&](const Json& row, std::size_t z) {
    each_token<ZeroIn>(
        row, [&](const Json& cell, std::size_t i) { parse_pair(cell, special.zero[z][i]); });
  });
  each_token<ZeroSign>(json.at("underflow"), [&](const Json& cell, std::size_t z) {
    parse_pair(cell, special.underflow[z]);
  });
  each_certified(kCertifiedOverflows, json.at("overflow"), [&](const Json& rows, std::size_t o) {
    each_token<IntMin>(rows, [&](const Json& row, std::size_t m) {
      parse_overflow_row(row, special.overflow[o][m]);
    });
  });
  each_certified(kCertifiedOverflows, json.at("infinity"), [&](const Json& row, std::size_t o) {
    each_token<IntMin>(
        row, [&](const Json& cell, std::size_t m) { parse_pair(cell, special.infinity[o][m]); });
  });
  each_certified(kCertifiedNans, json.at("nan"), [&](const Json& row, std::size_t n) {
    parse_pair(row.at("quiet"), special.nan[n][0]);
    parse_pair(row.at("signaling"), special.nan[n][1]);
  });
  special.negative_to_nan = parse_byte(json.at("negative").at("to_nan"));
  special.negative_to_min = parse_byte(json.at("negative").at("to_min"));
  return special;
}

Json rounding_ladders() {
  Json json = Json::object();
  for (std::size_t r = 0; r < kDeterministic; ++r) {
    const Rounding rounding = deterministic_rounding(r);
    json[std::string(token_of(rounding))] =
        fmt::format("{} {}", kLadderNames[index(ladder_of(rounding, false))],
                    kLadderNames[index(ladder_of(rounding, true))]);
  }
  return json;
}

Json counts_json(const PatternCounts& counts) {
  return {{"zero", counts.zero},
          {"finite", counts.finite},
          {"infinite", counts.infinite},
          {"quiet_nan", counts.quiet_nan},
          {"signaling_nan", counts.signaling_nan},
          {"total", counts.total()}};
}

PatternCounts parse_counts(const Json& json) {
  return {whole<std::uint64_t>(json.at("zero")), whole<std::uint64_t>(json.at("finite")),
          whole<std::uint64_t>(json.at("infinite")), whole<std::uint64_t>(json.at("quiet_nan")),
          whole<std::uint64_t>(json.at("signaling_nan"))};
}

Json set_json(const ElementFormat& source, const ThresholdSet& set) {
  Json stagings = Json::array();
  for (const Staging staging : set.stagings) stagings.push_back(token_of(staging));
  Json steps = Json::object();
  for (std::size_t i = 0; i < kLadders; ++i) {
    steps[std::string(kLadderNames[i])] = pattern_text(source, set.ladders[i].first_step);
  }
  return {{"stagings", stagings},
          {"first_nonzero", pattern_text(source, set.first_nonzero)},
          {"first_normal", pattern_text(source, set.first_normal)},
          {"first_infinite", pattern_text(source, set.first_infinite)},
          {"first_step", steps}};
}

ThresholdSet parse_set(const Json& json) {
  ThresholdSet set;
  for (const Json& token : json.at("stagings")) {
    const auto staging = parse_token<Staging>(token.get<std::string>());
    if (!staging) throw std::invalid_argument("unknown staging " + token.dump());
    set.stagings.push_back(*staging);
  }
  set.first_nonzero = parse_pattern(json.at("first_nonzero").get<std::string>());
  set.first_normal = parse_pattern(json.at("first_normal").get<std::string>());
  set.first_infinite = parse_pattern(json.at("first_infinite").get<std::string>());
  for (std::size_t i = 0; i < kLadders; ++i) {
    const Json& step = json.at("first_step").at(std::string(kLadderNames[i]));
    set.ladders[i].first_step = parse_pattern(step.get<std::string>());
  }
  return set;
}

constexpr std::array<std::string_view, 2> kSigns = {"positive", "negative"};

}  // namespace

std::string pattern_text(const ElementFormat& source, std::uint32_t pattern) {
  return hex(pattern, source.bits);
}

std::uint32_t parse_pattern(const std::string& text) {
  const std::optional<std::uint64_t> value = parse_hex(text);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("\"" + text + "\" is not a hexadecimal pattern");
  }
  return static_cast<std::uint32_t>(*value);
}

CertificateJson to_json(const ThresholdCertificate& certificate) {
  Json json;
  json["source"] = format_json(certificate.source);
  json["destination"] = format_json(certificate.destination);
  json["counts"] = counts_json(certificate.counts);
  json["rounding_ladders"] = rounding_ladders();
  for (std::size_t sign = 0; sign < 2; ++sign) {
    json["codes"][std::string(kSigns[sign])] = bytes_text(certificate.codes[sign]);
  }
  for (std::size_t sign = 0; sign < 2; ++sign) {
    json["top"][std::string(kSigns[sign])] =
        by_token<IntMin>([&](std::size_t m) { return certificate.top[sign][m]; });
  }
  json["first_kept"] =
      by_certified(kCertifiedFlushes, [&](std::size_t d) { return certificate.first_kept[d]; });
  json["special"] = special_json(certificate.special);
  json["sets"] = Json::array();
  for (const ThresholdSet& set : certificate.sets) {
    json["sets"].push_back(set_json(certificate.source, set));
  }
  return json;
}

ThresholdCertificate from_json(const CertificateJson& json, FormatCatalog& catalog) {
  ThresholdCertificate certificate;
  certificate.source = parse_format(json.at("source"), catalog);
  certificate.destination = parse_format(json.at("destination"), catalog);
  certificate.counts = parse_counts(json.at("counts"));
  for (std::size_t sign = 0; sign < 2; ++sign) {
    const std::string name(kSigns[sign]);
    certificate.codes[sign] = parse_bytes(json.at("codes").at(name).get<std::string>());
    each_token<IntMin>(json.at("top").at(name), [&](const Json& cell, std::size_t m) {
      certificate.top[sign][m] = whole<std::uint32_t>(cell);
    });
  }
  each_certified(kCertifiedFlushes, json.at("first_kept"), [&](const Json& cell, std::size_t d) {
    certificate.first_kept[d] = whole<std::uint32_t>(cell);
  });
  certificate.special = parse_special(json.at("special"));
  for (const Json& set : json.at("sets")) certificate.sets.push_back(parse_set(set));
  return certificate;
}

}  // namespace mx::golden
