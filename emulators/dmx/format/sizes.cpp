#include "emulators/dmx/format/sizes.hpp"

#include <array>
#include <type_traits>

#include "emulators/dmx/format/binary64.hpp"
#include "emulators/dmx/strict.hpp"

namespace mx::emulators::dmx {
namespace {

constexpr std::string_view kNames[] = {
    "BFP_32_1",   "BFP_24_64",  "BFP_24_32",   "BFP_24_16",  "BFP_16_128",  "BFP_16_64",
    "BFP_16_32",  "BFP_16_16",  "BFP_14_128",  "BFP_14_64",  "BFP_14_32",   "BFP_14_16",
    "BFP_12_128", "BFP_12_64",  "BFP_12_32",   "BFP_12_16",  "BFP_14A_128", "BFP_14A_64",
    "BFP_14A_32", "BFP_14A_16", "BFP_12A_128", "BFP_12A_64", "BFP_12A_32",  "BFP_12A_16"};
constexpr int kFirst = 10001;
constexpr int kFirstUnsigned = 10025;  // UBFP_ with the first 16 names
constexpr int kFirstScaled = 10041;    // SBFP_12_16_4 .. SBFP_12_16_18

Binary64 number(std::int64_t value) {
  return Binary64::ratio(static_cast<std::uint64_t>(value), 1);
}

Binary64 part(std::uint64_t numerator, std::int64_t block_size) {
  return Binary64::ratio(numerator, static_cast<std::uint64_t>(block_size));
}

std::uint64_t bits_of(const FloatingPoint& format) {
  const int bits = format.exponent + format.mantissa + (format.is_unsigned ? 0 : 1);
  return static_cast<std::uint64_t>(bits);
}

/// Bytes count a sign whether there is one or not; strict counts the stored bits.
std::uint64_t byte_bits_of(const FloatingPoint& format, Mode mode) {
  return mode == Mode::kStrict ? bits_of(format)
                               : static_cast<std::uint64_t>(format.exponent + format.mantissa + 1);
}

struct Sizes {
  Mode mode;

  [[nodiscard]] std::string bits(const FixedPoint& x) const { return number(x.precision).text(); }
  [[nodiscard]] std::string bits(const FloatingPoint& x) const {
    return Binary64::ratio(bits_of(x), 1).text();
  }
  [[nodiscard]] static Binary64 bfp_bits(const BlockFloatingPoint& x) {
    return number(x.precision) + part(8, x.block_size);
  }
  [[nodiscard]] std::string bits(const BlockFloatingPoint& x) const { return bfp_bits(x).text(); }
  [[nodiscard]] std::string bits(const ScaledBlockFloatingPoint& x) const {
    return (number(x.block_format.precision) + part(bits_of(x.scaler_format), x.block_size)).text();
  }
  [[nodiscard]] static Binary64 mxfp_bits(const Mxfp& x) {
    return Binary64::ratio(bits_of(x.element_format), 1) + part(8, x.block_size);
  }

  [[nodiscard]] std::string bytes(const FixedPoint& x) const {
    return number(x.precision).times_power(-3).text();
  }
  [[nodiscard]] std::string bytes(const FloatingPoint& x) const {
    return Binary64::ratio(byte_bits_of(x, mode), 8).text();
  }
  [[nodiscard]] std::string bytes(const BlockFloatingPoint& x) const {
    return bfp_bits(x).times_power(-3).text();
  }
  [[nodiscard]] std::string bytes(const ScaledBlockFloatingPoint& x) const {
    const Binary64 scaler = Binary64::ratio(byte_bits_of(x.scaler_format, mode), 8);
    return (number(x.block_format.precision).times_power(-3) +
            scaler.over(static_cast<std::uint64_t>(x.block_size)))
        .text();
  }
  [[nodiscard]] std::string bytes(const Mxfp& x) const {
    if (mode == Mode::kStrict) return mxfp_bits(x).times_power(-3).text();
    // The scaler is a float of 8 bits without a sign, whose sign the package counts.
    return (Binary64::ratio(byte_bits_of(x.element_format, mode), 8) +
            Binary64::ratio(9, 8).over(static_cast<std::uint64_t>(x.block_size)))
        .text();
  }
};

Property identifier(const std::string& name) {
  const int id = bfp_id_of(name);
  if (id == 0) return {"bfp_id", "", "KeyError: DMX_" + name};
  return {"bfp_id", std::to_string(id), ""};
}

/// 2^exponent in decimal digits.
std::string power_text(int exponent) {
  if (exponent < 0) return "2**" + std::to_string(exponent);
  std::string digits = "1";
  for (int i = 0; i < exponent; ++i) {
    int carry = 0;
    for (std::size_t j = digits.size(); j-- > 0;) {
      const int twice = (digits[j] - '0') * 2 + carry;
      digits[j] = static_cast<char>('0' + twice % 10);
      carry = twice / 10;
    }
    if (carry != 0) digits.insert(digits.begin(), '1');
  }
  return digits;
}

void add_own(std::vector<Property>& found, const FloatingPoint& format, Mode mode) {
  const int exponent =
      mode == Mode::kStrict ? StrictValues::of(format).most_exponent : 1 << (format.exponent - 1);
  found.push_back({"largest_representable_power_of_two", power_text(exponent), ""});
}

void add_own(std::vector<Property>& found, const BlockFloatingPoint& format, Mode) {
  found.push_back(identifier("BFP_" + std::to_string(format.precision + 8) +
                             (format.symmetric ? "_" : "A_") + std::to_string(format.block_size)));
}

void add_own(std::vector<Property>& found, const ScaledBlockFloatingPoint& format, Mode) {
  found.push_back(identifier("SBFP_" + std::to_string(format.block_format.precision + 8) + "_" +
                             std::to_string(format.block_size) + "_" +
                             std::to_string(format.scaler_format.bias)));
}

}  // namespace

int bfp_id_of(std::string_view name) {
  if (name.starts_with("DMX_")) name.remove_prefix(4);
  const bool is_unsigned = name.starts_with("UBFP_");
  const std::string_view plain = is_unsigned ? name.substr(1) : name;
  for (int i = 0; i < (is_unsigned ? 16 : 24); ++i) {
    if (kNames[i] == plain) return (is_unsigned ? kFirstUnsigned : kFirst) + i;
  }
  for (int bias = 4; bias <= 18; ++bias) {
    if (name == "SBFP_12_16_" + std::to_string(bias)) return kFirstScaled + bias - 4;
  }
  return 0;
}

std::vector<Property> properties_of(const Format& format, Mode mode) {
  std::vector<Property> found = {{"repr", repr(format), ""},
                                 {"blocked", is_blocked(format) ? "True" : "False", ""}};
  const Sizes sizes{mode};
  std::visit(
      [&](const auto& each) {
        using Made = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Made, Same>) {
          found.push_back({"bit_precision", "None", ""});
          found.push_back({"bytes_per_elem", "None", ""});
        } else if constexpr (std::is_same_v<Made, Mxfp>) {
          if (mode == Mode::kCompat) {
            found.push_back(
                {"bit_precision", "",
                 "AttributeError: 'FloatingPoint' object has no attribute 'precision'"});
          } else {
            found.push_back({"bit_precision", Sizes::mxfp_bits(each).text(), ""});
          }
          found.push_back({"bytes_per_elem", sizes.bytes(each), ""});
        } else {
          found.push_back({"bit_precision", sizes.bits(each), ""});
          found.push_back({"bytes_per_elem", sizes.bytes(each), ""});
        }
        constexpr bool kHasId = std::is_same_v<Made, BlockFloatingPoint> ||
                                std::is_same_v<Made, ScaledBlockFloatingPoint>;
        if constexpr (!kHasId) found.push_back({"bfp_id", "None", ""});
        if constexpr (kHasId || std::is_same_v<Made, FloatingPoint>) add_own(found, each, mode);
      },
      format);
  return found;
}

}  // namespace mx::emulators::dmx
