#include "golden/compare/causes.hpp"

#include <string_view>
#include <utility>

#include "golden/bytes/number_text.hpp"
#include "golden/compare/difference.hpp"

namespace mx::golden {
namespace {

std::string parity_name(Parity parity) {
  return parity == Parity::kCodeLsb ? "code_lsb" : "implicit_odd";
}

Policies policies_of(const ConversionConfig& c) { return {.element = c.policy, .block = {}}; }
void put_policies(ConversionConfig& c, const Policies& p) { c.policy = p.element; }
Policies policies_of(const QuantizerConfig& c) { return {.element = c.element, .block = c.block}; }
void put_policies(QuantizerConfig& c, const Policies& p) {
  c.element = p.element;
  c.block = p.block;
}
ElementFormat& destination_of(ConversionConfig& c) { return c.destination; }
const ElementFormat& destination_of(const ConversionConfig& c) { return c.destination; }
ElementFormat& destination_of(QuantizerConfig& c) { return c.format.element; }
const ElementFormat& destination_of(const QuantizerConfig& c) { return c.format.element; }

constexpr std::string_view kCanonicalNan = "canonical_nan";
constexpr std::string_view kParity = "parity";
constexpr std::string_view kBlockFormat = "block_format";

template <typename Config>
std::vector<Deviation> common_deviations(const Config& a, const Config& b) {
  std::vector<Deviation> found;
  const Policies of_a = policies_of(a);
  const Policies of_b = policies_of(b);
  for (const PolicyField& field : policy_fields()) {
    std::string from = field.read(of_a);
    std::string to = field.read(of_b);
    if (from != to) found.push_back({std::string(field.name), std::move(from), std::move(to)});
  }
  const ElementFormat& da = destination_of(a);
  const ElementFormat& db = destination_of(b);
  if (da.canonical_nan != db.canonical_nan) {
    found.push_back({std::string(kCanonicalNan), hex(da.canonical_nan, da.bits),
                     hex(db.canonical_nan, db.bits)});
  }
  if (da.parity != db.parity) {
    found.push_back({std::string(kParity), parity_name(da.parity), parity_name(db.parity)});
  }
  return found;
}

/// Of one setting that is no block format.
template <typename Config>
void set(const Deviation& deviation, Config& a, const Config& b) {
  if (deviation.field == kCanonicalNan) {
    destination_of(a).canonical_nan = destination_of(b).canonical_nan;
  } else if (deviation.field == kParity) {
    destination_of(a).parity = destination_of(b).parity;
  } else {
    Policies policies = policies_of(a);
    if (apply(deviation, policies)) put_policies(a, policies);
  }
}

/// The descriptor of a block without what changes() names one by one.
BlockFormat rest_of(BlockFormat format) {
  format.element.canonical_nan = 0;
  format.element.parity = Parity::kCodeLsb;
  format.rule = ScaleRule::kFloor;  // the policy's rule decides
  return format;
}

bool same_block(const BlockFormat& a, const BlockFormat& b) { return rest_of(a) == rest_of(b); }

}  // namespace

std::string_view to_string(Basis basis) {
  switch (basis) {
    case Basis::kByDefinition:
      return "by definition";
    case Basis::kExhaustive:
      return "exhaustive";
    case Basis::kCertificates:
      return "certificates";
    case Basis::kScales:
      return "scales";
    case Basis::kSearched:
      return "searched";
  }
  return {};
}

std::string_view to_string(InputKind kind) {
  switch (kind) {
    case InputKind::kZero:
      return "zero";
    case InputKind::kFinite:
      return "finite";
    case InputKind::kInfinity:
      return "infinity";
    case InputKind::kNan:
      return "nan";
  }
  return {};
}

bool same_settings(const ConversionConfig& a, const ConversionConfig& b) {
  return a.policy == b.policy && a.destination.canonical_nan == b.destination.canonical_nan &&
         a.destination.parity == b.destination.parity;
}

bool same_settings(const QuantizerConfig& a, const QuantizerConfig& b) {
  return a.element == b.element && a.block == b.block && same_block(a.format, b.format) &&
         a.format.element.canonical_nan == b.format.element.canonical_nan &&
         a.format.element.parity == b.format.element.parity;
}

std::vector<Deviation> deviations(const ConversionConfig& a, const ConversionConfig& b) {
  return common_deviations(a, b);
}

std::vector<Deviation> deviations(const QuantizerConfig& a, const QuantizerConfig& b) {
  std::vector<Deviation> found = common_deviations(a, b);
  if (!same_block(a.format, b.format)) {
    found.push_back(
        {std::string(kBlockFormat), std::string(a.format.name), std::string(b.format.name)});
  }
  return found;
}

ConversionConfig with(std::span<const Deviation> deviations, ConversionConfig a,
                      const ConversionConfig& b) {
  for (const Deviation& each : deviations) set(each, a, b);
  return a;
}

QuantizerConfig with(std::span<const Deviation> deviations, QuantizerConfig a,
                     const QuantizerConfig& b) {
  for (const Deviation& each : deviations) {
    if (each.field != kBlockFormat) {
      set(each, a, b);
      continue;
    }
    const ElementFormat kept = a.format.element;
    a.format = b.format;
    a.format.element.canonical_nan = kept.canonical_nan;
    a.format.element.parity = kept.parity;
  }
  return a;
}

}  // namespace mx::golden
