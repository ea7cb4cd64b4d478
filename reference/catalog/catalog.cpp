#include "reference/catalog/catalog.hpp"

#include <algorithm>
#include <charconv>

#include "reference/catalog/definitions.hpp"
#include "reference/format/table.hpp"

namespace mx {
namespace {

int storage_bits_for(int bits) { return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64; }

/// Reads a name piece by piece; once a piece is missing it stays failed.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// A decimal number without leading zeros; a sign is legal where `minimum` is negative.
  std::optional<int> number(int minimum, int maximum) {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto used = static_cast<std::size_t>(end - rest_.data());
    const std::string_view digits = rest_.substr(0, used);
    const std::string_view magnitude = digits.starts_with('-') ? digits.substr(1) : digits;
    if (error != std::errc{} || value < minimum || value > maximum ||
        (magnitude.size() > 1 && magnitude.front() == '0') || (value == 0 && digits.size() > 1)) {
      return std::nullopt;
    }
    rest_.remove_prefix(used);
    return value;
  }

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// Where the codes of a float's top go.
bool set_layout(ElementFormat& f, std::string_view layout) {
  const std::uint64_t top = f.magnitude_mask();
  if (layout.empty()) {
    if (f.exp_bits == 0 || f.man_bits == 0) return false;
    f.inf = InfKind::kIeeeTop;
    f.nan = NanKind::kIeeeAll;
    f.max_code = f.inf_code() - 1;
    f.canonical_nan = f.inf_code() | (std::uint64_t{1} << (f.man_bits - 1));
  } else if (layout == "fn") {
    f.nan = NanKind::kOuterOnePerSign;
    f.max_code = top - 1;
    f.canonical_nan = top;
  } else if (layout == "fnuz") {
    f.zero = ZeroKind::kPosOnly;
    f.nan = NanKind::kNegZeroSlot;
    f.max_code = top;
    f.canonical_nan = f.sign_bit();
  } else if (layout == "fin") {
    f.max_code = top;
  } else {
    return false;
  }
  return true;
}

bool set_unsigned_layout(ElementFormat& f, std::string_view layout) {
  f.is_signed = false;
  f.zero = ZeroKind::kPosOnly;
  f.max_code = f.code_mask();
  if (layout == "fin") return true;
  if (!layout.empty() && layout != "nan") return false;
  f.nan = NanKind::kTopCode;
  f.canonical_nan = f.max_code--;
  return true;
}

std::optional<ElementFormat> parse_float(Scanner name, Signedness signedness) {
  if (!name.literal("e")) return std::nullopt;
  const auto exp_bits = name.number(0, 11);
  if (!exp_bits || !name.literal("m")) return std::nullopt;
  const auto man_bits = name.number(0, 52);
  if (!man_bits) return std::nullopt;
  const bool is_signed = signedness == Signedness::kSigned;
  ElementFormat f{.bits = (is_signed ? 1 : 0) + *exp_bits + *man_bits,
                  .exp_bits = *exp_bits,
                  .man_bits = *man_bits};
  std::optional<int> bias;
  if (name.literal("b") && !(bias = name.number(-1024, 1024))) return std::nullopt;
  f.storage_bits = storage_bits_for(f.bits);
  f.has_subnormal = *man_bits > 0;
  const int half = *exp_bits == 0 ? 1 : 1 << (*exp_bits - 1);
  f.bias = bias.value_or(name.rest() == "fnuz" ? half : half - 1);
  if (f.bits < 2 || (*man_bits == 0 && *exp_bits < 2)) return std::nullopt;
  if (!(is_signed ? set_layout(f, name.rest()) : set_unsigned_layout(f, name.rest()))) {
    return std::nullopt;
  }
  return f;
}

std::optional<ElementFormat> fixed_format(int bits, int frac_bits, Signedness signedness) {
  ElementFormat f{.bits = bits,
                  .storage_bits = storage_bits_for(bits),
                  .kind = FormatKind::kTwosComplement,
                  .is_signed = signedness == Signedness::kSigned,
                  .frac_bits = frac_bits,
                  .zero = ZeroKind::kPosOnly};
  f.max_code = f.magnitude_mask();
  return f;
}

std::optional<ElementFormat> parse_integer(Scanner name, Signedness signedness) {
  const auto bits = name.number(2, 32);
  if (!bits || !name.done()) return std::nullopt;
  return fixed_format(*bits, *bits - 2, signedness);
}

std::optional<ElementFormat> parse_fixed(Scanner name, Signedness signedness) {
  const auto bits = name.number(signedness == Signedness::kSigned ? 2 : 1, 32);
  if (!bits || !name.literal(".")) return std::nullopt;
  const auto frac_bits = name.number(-64, 64);
  if (!frac_bits || !name.done()) return std::nullopt;
  return fixed_format(*bits, *frac_bits, signedness);
}

std::optional<ElementFormat> parse_sign_magnitude(Scanner name) {
  const auto bits = name.number(2, 16);
  if (!bits || !name.done()) return std::nullopt;
  ElementFormat f{.bits = *bits,
                  .storage_bits = storage_bits_for(*bits),
                  .kind = FormatKind::kSignMagnitude,
                  .frac_bits = *bits - 2};
  f.max_code = f.magnitude_mask();
  return f;
}

std::optional<ElementFormat> parse_exponent(Scanner name) {
  const auto bits = name.number(2, 8);
  if (!bits) return std::nullopt;
  ElementFormat f = formats::bare_exponent({}, *bits);
  if (name.done()) return f;
  if (name.rest() != "nan") return std::nullopt;
  f.nan = NanKind::kTopCode;
  f.canonical_nan = f.max_code--;
  return f;
}

std::optional<ElementFormat> parse_p3109(Scanner name) {
  const auto k = name.number(3, 16);
  if (!k || !name.literal("p")) return std::nullopt;
  const auto p = name.number(1, 16);
  if (!p || name.rest().size() != 2) return std::nullopt;
  const char sign = name.rest()[0], domain = name.rest()[1];
  if ((sign != 's' && sign != 'u') || (domain != 'e' && domain != 'f')) return std::nullopt;
  return p3109_format(*k, *p, sign == 's' ? Signedness::kSigned : Signedness::kUnsigned,
                      domain == 'e' ? P3109Domain::kExtended : P3109Domain::kFinite);
}

}  // namespace

std::optional<ElementFormat> p3109_format(int k, int p, Signedness signedness, P3109Domain domain) {
  const bool is_signed = signedness == Signedness::kSigned;
  if (k < 3 || k > 16 || p < 1 || (is_signed ? p >= k : p > k)) return std::nullopt;
  ElementFormat f{.bits = k,
                  .storage_bits = storage_bits_for(k),
                  .is_signed = is_signed,
                  .exp_bits = is_signed ? k - p : k - p + 1,
                  .man_bits = p - 1,
                  .bias = 1 << (is_signed ? k - p - 1 : k - p),
                  .has_subnormal = p > 1,
                  .zero = ZeroKind::kPosOnly};
  f.nan = is_signed ? NanKind::kNegZeroSlot : NanKind::kTopCode;
  f.canonical_nan = is_signed ? f.sign_bit() : f.code_mask();
  f.max_code = is_signed ? f.magnitude_mask() : f.code_mask() - 1;
  if (domain == P3109Domain::kExtended) {
    f.inf = InfKind::kP3109Top;
    --f.max_code;
  }
  return f;
}

std::optional<ElementFormat> parse_family(std::string_view name) {
  Scanner scanner(name);
  if (scanner.literal("binary")) return parse_p3109(scanner);
  if (scanner.literal("ufixed")) return parse_fixed(scanner, Signedness::kUnsigned);
  if (scanner.literal("fixed")) return parse_fixed(scanner, Signedness::kSigned);
  if (scanner.literal("uint")) return parse_integer(scanner, Signedness::kUnsigned);
  if (scanner.literal("int")) return parse_integer(scanner, Signedness::kSigned);
  if (scanner.literal("exp")) return parse_exponent(scanner);
  if (scanner.literal("sm")) return parse_sign_magnitude(scanner);
  if (scanner.literal("u")) return parse_float(scanner, Signedness::kUnsigned);
  return parse_float(scanner, Signedness::kSigned);
}

std::string family_name(const ElementFormat& f) {
  const auto number = [](int value) { return std::to_string(value); };
  const std::string body = "e" + number(f.exp_bits) + "m" + number(f.man_bits);
  const std::string sign = f.is_signed ? "" : "u";
  std::vector<std::string> candidates;
  for (const std::string& bias : {std::string(), "b" + number(f.bias)}) {
    for (const char* const layout : {"", "fn", "fnuz", "fin", "nan"}) {
      std::string name = sign;
      candidates.push_back(name.append(body).append(bias).append(layout));
    }
  }
  for (const char* const ending : {"", "nan"}) {
    candidates.push_back("exp" + number(f.bits) + ending);
  }
  for (const char* const domain : {"e", "f"}) {
    candidates.push_back("binary" + number(f.bits) + "p" + number(f.man_bits + 1) +
                         (f.is_signed ? "s" : "u") + domain);
  }
  candidates.push_back(sign + "int" + number(f.bits));
  candidates.push_back(sign + "fixed" + number(f.bits) + "." + number(f.frac_bits));
  candidates.push_back("sm" + number(f.bits));
  // e2m1fn is a row of the table, and another format.
  const auto found = std::ranges::find_if(candidates, [&](const std::string& name) {
    return find_format(name) == nullptr && parse_family(name) == f;
  });
  return found == candidates.end() ? "" : *found;
}

std::optional<ElementFormat> make_format(std::string_view name) {
  if (const ElementFormat* row = find_format(name)) return *row;
  if (is_definition(name)) {
    const Checked<ElementFormat> read = read_format(name);
    return read ? std::optional(*read) : std::nullopt;
  }
  const std::optional<ElementFormat> member = parse_family(name);
  return member && invalid_reason(*member).empty() ? member : std::nullopt;
}

FormatCatalog::Entry& FormatCatalog::keep(std::string_view name, ElementFormat format) {
  Entry& entry = entries_.emplace_back(Entry{std::string(name), format});
  entry.format.name = entry.name;
  return entry;
}

std::string_view FormatCatalog::intern(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? names_.emplace_back(name) : *found;
}

const ElementFormat* FormatCatalog::find(std::string_view name) {
  if (const ElementFormat* row = find_format(name)) return row;
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry.format;
  }
  if (is_definition(name)) return find_definition(name);
  const std::optional<ElementFormat> member = make_format(name);
  return member ? &keep(name, *member).format : nullptr;
}

const ElementFormat* FormatCatalog::find_definition(std::string_view definition) {
  const Checked<ElementFormat> read = read_format(definition);
  if (!read) return nullptr;
  const std::string name = canonical_name(*read);
  if (!is_definition(name)) return find(name);
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry.format;
  }
  return &keep(name, *read).format;
}

const BlockFormat* FormatCatalog::find_block_definition(std::string_view definition) {
  Checked<BlockFormat> read = read_block(*this, definition);
  if (!read) return nullptr;
  const std::string name = canonical_name(*read);
  if (!is_definition(name)) return find_block(name);
  for (const BlockEntry& entry : blocks_) {
    if (entry.name == name) return &entry.format;
  }
  BlockEntry& entry = blocks_.emplace_back(BlockEntry{name, std::move(read).value()});
  entry.format.name = entry.name;
  entry.format.element = *find(canonical_name(entry.format.element));
  entry.format.scale = *find(canonical_name(entry.format.scale));
  return &entry.format;
}

std::string FormatCatalog::taken_by(std::string_view name) {
  if (find_format(name) != nullptr) return "the name is taken by a format of the table";
  if (find_block(name) != nullptr) return "the name is taken by a block format";
  for (const NamedOnlyFormat& format : named_only_formats()) {
    if (format.name == name) return "the name is taken by a format known by name only";
  }
  for (const Entry& entry : entries_) {
    if (entry.name == name && entry.is_defined) return "the name is taken by another definition";
  }
  return parse_family(name) ? "the name means a member of a family of formats" : "";
}

std::string FormatCatalog::define(std::string_view name, ElementFormat format) {
  if (const std::string by = taken_by(name); !by.empty()) return by;
  if (const std::string_view reason = invalid_reason(format); !reason.empty()) {
    return std::string(reason);
  }
  keep(name, format).is_defined = true;
  return {};
}

const BlockFormat* FormatCatalog::find_block(std::string_view name) {
  if (const BlockFormat* row = find_block_format(name)) return row;
  for (const BlockEntry& entry : blocks_) {
    if (entry.name == name) return &entry.format;
  }
  return is_definition(name) ? find_block_definition(name) : nullptr;
}

std::string FormatCatalog::define_block(std::string_view name, BlockFormat format) {
  if (const std::string by = taken_by(name); !by.empty()) return by;
  BlockEntry& entry = blocks_.emplace_back(BlockEntry{std::string(name), format, true});
  entry.format.name = entry.name;
  return {};
}

std::vector<const ElementFormat*> FormatCatalog::defined() const {
  std::vector<const ElementFormat*> formats;
  for (const Entry& entry : entries_) {
    if (entry.is_defined) formats.push_back(&entry.format);
  }
  return formats;
}

std::vector<const BlockFormat*> FormatCatalog::defined_blocks() const {
  std::vector<const BlockFormat*> formats;
  for (const BlockEntry& entry : blocks_) {
    if (entry.is_defined) formats.push_back(&entry.format);
  }
  return formats;
}

}  // namespace mx
