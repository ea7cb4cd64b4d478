// The names of the format families of reference/catalog/catalog.hpp, spelled out to 16 bits.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace mx::oracle {

/// The parts one after another.
template <typename... Parts>
[[nodiscard]] std::string joined(const Parts&... parts) {
  std::string text;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (add(parts), ...);
  return text;
}

/// binary{K}p{P}{s|u}{e|f}, every K = 3..16 and P: 504 formats, those of the value tables that the
/// P3109 group publishes.
[[nodiscard]] inline std::vector<std::string> p3109_names() {
  std::vector<std::string> names;
  for (int k = 3; k <= 16; ++k) {
    for (int p = 1; p <= k; ++p) {
      for (const char* kind : {"se", "sf", "ue", "uf"}) {
        if (p == k && kind[0] == 's') continue;
        names.push_back(joined("binary", k, "p", p, kind));
      }
    }
  }
  return names;
}

/// e{E}m{M} and ue{E}m{M} of 3 to 16 bits in every layout, biased otherwise for some.
[[nodiscard]] inline std::vector<std::string> float_names() {
  std::vector<std::string> names;
  for (int e = 0; e <= 8; ++e) {
    for (int m = 0; m <= 14; ++m) {
      if (const int bits = 1 + e + m; bits >= 3 && bits <= 16) {
        for (const char* suffix : {"", "fn", "fnuz", "fin", "b3fn", "b-2"}) {
          names.push_back(joined("e", e, "m", m, suffix));
        }
      }
      if (const int bits = e + m; bits >= 3 && bits <= 16) {
        for (const char* suffix : {"", "fin", "b3"}) {
          names.push_back(joined("ue", e, "m", m, suffix));
        }
      }
    }
  }
  return names;
}

/// Integers, fixed-point numbers, sign and magnitude, bare exponents.
[[nodiscard]] inline std::vector<std::string> integer_names() {
  std::vector<std::string> names;
  for (int n = 2; n <= 16; ++n) {
    for (const char* prefix : {"int", "uint", "sm"}) names.push_back(joined(prefix, n));
    for (const char* fraction : {".-3", ".0", ".4", ".20"}) {
      names.push_back(joined("fixed", n, fraction));
      names.push_back(joined("ufixed", n, fraction));
    }
  }
  for (int n = 2; n <= 8; ++n) {
    for (const char* suffix : {"", "nan"}) names.push_back(joined("exp", n, suffix));
  }
  return names;
}

}  // namespace mx::oracle
