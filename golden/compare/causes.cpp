#include "golden/compare/causes.hpp"

#include "golden/bytes/number_text.hpp"

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

template <typename Subject>
std::vector<SettingChange<Subject>> common_changes(const Subject& a, const Subject& b) {
  std::vector<SettingChange<Subject>> found;
  const Policies of_a = policies_of(a);
  const Policies of_b = policies_of(b);
  for (const PolicyField& field : policy_fields()) {
    const std::string value_a = field.read(of_a);
    const std::string value_b = field.read(of_b);
    if (value_a == value_b) continue;
    found.push_back({{std::string(field.name), value_a, value_b}, [&field, value_b](Subject& s) {
                       Policies p = policies_of(s);
                       (void)field.write(p, value_b);
                       put_policies(s, p);
                     }});
  }
  const ElementFormat& da = destination_of(a);
  const ElementFormat& db = destination_of(b);
  if (da.canonical_nan != db.canonical_nan) {
    found.push_back(
        {{"canonical_nan", hex(da.canonical_nan, da.bits), hex(db.canonical_nan, db.bits)},
         [nan = db.canonical_nan](Subject& s) { destination_of(s).canonical_nan = nan; }});
  }
  if (da.parity != db.parity) {
    found.push_back({{"parity", parity_name(da.parity), parity_name(db.parity)},
                     [parity = db.parity](Subject& s) { destination_of(s).parity = parity; }});
  }
  return found;
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

std::vector<SettingChange<ConversionConfig>> changes(const ConversionConfig& a,
                                                     const ConversionConfig& b) {
  return common_changes(a, b);
}

std::vector<SettingChange<QuantizerConfig>> changes(const QuantizerConfig& a,
                                                    const QuantizerConfig& b) {
  std::vector<SettingChange<QuantizerConfig>> found = common_changes(a, b);
  if (!same_block(a.format, b.format)) {
    found.push_back({{"block_format", std::string(a.format.name), std::string(b.format.name)},
                     [format = b.format](QuantizerConfig& s) {
                       const ElementFormat kept = s.format.element;
                       s.format = format;
                       s.format.element.canonical_nan = kept.canonical_nan;
                       s.format.element.parity = kept.parity;
                     }});
  }
  return found;
}

}  // namespace mx::golden
