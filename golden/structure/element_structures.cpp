// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <utility>

#include "golden/structure/families.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// The element as a decision over other discarded bits has it.
Encoded decided(const Element& e, const Discarded& seen, bool odd) {
  const bool up =
      round_up(e.policy.rounding, e.value.negative, odd, seen, e.policy.random_bits, e.random);
  if (up == e.trace.rounded_up) return e.encoded;
  return with_magnitude(e, up ? e.trace.upper : e.trace.lower);
}

/// Discarded bits rounded to their first `bits` by the same rounding. All ones may carry: then the
/// fraction is the whole ulp, and nothing of it is discarded.
struct Rounded {
  Discarded seen;
  bool is_carried = false;
};
Rounded rounded_to(const Element& e, const Discarded& all, int bits) {
  if (bits >= 64) return {all, false};
  const std::uint64_t kept = bits == 0 ? 0 : all.fraction & ~(~std::uint64_t{0} >> bits);
  const bool odd = bits == 0 ? e.trace.odd : (all.fraction >> (64 - bits) & 1) != 0;
  const Discarded below{bits == 0 ? all.fraction : all.fraction << bits, all.below};
  if (!round_up(e.policy.rounding, e.value.negative, odd, below, e.policy.random_bits, e.random)) {
    return {{kept, false}, false};
  }
  if (bits == 0) return {{}, true};
  const std::uint64_t next = kept + (std::uint64_t{1} << (64 - bits));
  return {{next, false}, next == 0};
}

/// Rounded to so many bits below the last place first, then once more.
Encoded twice_rounded(const Element& e, int bits) {
  const Rounded first = rounded_to(e, e.trace.discarded, bits);
  if (first.is_carried) return with_magnitude(e, e.trace.upper);
  return decided(e, first.seen, e.trace.odd);
}

/// The bits below the last place that `significant` bits of the value reach: more where the result
/// is subnormal.
int bits_below(const Element& e, int significant) {
  if (e.trace.lower != 0) {
    const std::uint64_t hidden = std::uint64_t{1} << e.format.man_bits;
    const std::uint64_t whole = e.trace.lower < hidden ? e.trace.lower : hidden;
    return significant - static_cast<int>(std::bit_width(whole));
  }
  return significant + std::countl_zero(e.trace.discarded.fraction);
}

bool has_float_result(const Configuration& configuration) {
  if (const auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    return block->format.element.kind == FormatKind::kFloat;
  }
  const auto* const cvt = std::get_if<ConversionConfig>(&configuration.what);
  return cvt != nullptr && cvt->destination.kind == FormatKind::kFloat;
}

bool has_float_elements(const Configuration& configuration) {
  return Elements::are_in(configuration) && has_float_result(configuration);
}

using Change = std::function<Encoded(const Element&)>;

Structure of_elements(std::string_view name, std::string value, std::string text,
                      bool (*is_of)(const Configuration&), Change change) {
  return {.name = name,
          .value = std::move(value),
          .text = std::move(text),
          .is_of = is_of,
          .answer = [change = std::move(change)](const Elements& elements, RecordBatch& record) {
            elements.change(record, change);
          }};
}

/// Changes elements that were rounded, and no others.
Structure of_rounded(std::string_view name, std::string value, std::string text,
                     bool (*is_of)(const Configuration&), Change change) {
  return of_elements(name, std::move(value), std::move(text), is_of,
                     [change = std::move(change)](const Element& e) {
                       return e.trace.has_neighbours ? change(e) : e.encoded;
                     });
}

void add_roundings(std::vector<Structure>& list) {
  constexpr std::array kSeen = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32};
  for (const int bits : kSeen) {
    const std::string text =
        bits == 1 ? "sticky bits lost: rounding sees the guard bit alone (spec F9.1)"
                  : filled(
                        "sticky bits lost: rounding sees the first {} discarded bits alone "
                        "(spec F9.1)",
                        bits);
    list.push_back(of_rounded("sticky_bits", std::to_string(bits), text, Elements::are_in,
                              [bits](const Element& e) {
                                const std::uint64_t rest = ~std::uint64_t{0} >> bits;
                                const Discarded seen{e.trace.discarded.fraction & ~rest, false};
                                return decided(e, seen, e.trace.odd);
                              }));
  }
  list.push_back(
      of_rounded("parity", "odd", "ties go to the odd neighbour (spec F9.1)", Elements::are_in,
                 [](const Element& e) { return decided(e, e.trace.discarded, !e.trace.odd); }));
  list.push_back(of_rounded(
      "rounded_first", "before_denormalising",
      "results rounded at full precision, then once more to a subnormal (spec F8)",
      has_float_elements,
      [](const Element& e) { return twice_rounded(e, bits_below(e, e.format.man_bits + 1)); }));
  constexpr int kMostBits = 12;
  for (int bits = 1; bits <= kMostBits; ++bits) {
    list.push_back(
        of_rounded("rounded_first", filled("{}_bits", bits),
                   filled("results rounded to {} bit{} more first, then once more (spec F9.5)",
                          bits, bits == 1 ? "" : "s"),
                   Elements::are_in, [bits](const Element& e) { return twice_rounded(e, bits); }));
    list.push_back(of_rounded(
        "rounded_first", filled("{}_significant_bits", bits),
        filled("results rounded to {} significant bits more first, then once more (spec F9.5)",
               bits),
        has_float_elements, [bits](const Element& e) {
          return twice_rounded(e, bits_below(e, e.format.man_bits + 1 + bits));
        }));
  }
}

void add_carries(std::vector<Structure>& list) {
  struct Ends {
    const char* value;
    const char* text;
    bool with_subnormals, is_held;
  };
  constexpr std::array kEnds = {
      Ends{"lost_at_binade_end", "the carry into the exponent lost at a binade's end", false,
           false},
      Ends{"lost_at_every_end",
           "the carry into the exponent lost at a binade's end, that of the subnormals too", true,
           false},
      Ends{"held_at_binade_end", "rounding up held at a binade's end", false, true},
      Ends{"held_at_every_end", "rounding up held at a binade's end, that of the subnormals too",
           true, true}};
  for (const Ends& ends : kEnds) {
    list.push_back(
        of_rounded("carry", ends.value, filled("{} (spec F8)", ends.text), has_float_elements,
                   [ends](const Element& e) {
                     const std::uint64_t rest = e.format.man_mask();
                     const bool is_end = e.trace.rounded_up && (e.trace.upper & rest) == 0;
                     const bool is_of = ends.with_subnormals || e.trace.lower > rest;
                     if (!is_end || !is_of) return e.encoded;
                     return with_magnitude(e, ends.is_held ? e.trace.lower : e.trace.lower & ~rest);
                   }));
  }
  list.push_back(of_rounded(
      "carry", "lost_in_lowest_bit", "the carry out of the lowest bit lost (spec F8)",
      Elements::are_in, [](const Element& e) {
        return e.trace.rounded_up && e.trace.odd ? with_magnitude(e, e.trace.lower) : e.encoded;
      }));
}

void add_subnormals(std::vector<Structure>& list) {
  const auto is_subnormal = [](const Element& e) {
    return e.trace.upper >> e.format.man_bits == 0;
  };
  const auto add = [&](const char* value, const char* how, int shift) {
    list.push_back(of_rounded("subnormal_results", value,
                              filled("subnormal results {} (spec F8)", how), has_float_elements,
                              [is_subnormal, shift](const Element& e) {
                                if (!is_subnormal(e)) return e.encoded;
                                Unpacked moved = e.value;
                                moved.exponent += shift;
                                return encode(moved, e.format, e.policy, e.random);
                              }));
  };
  add("doubled", "twice as large: their shift is one short", 1);
  add("halved", "half as large: their shift is one too long", -1);
  list.push_back(of_rounded("subnormal_results", "zeroed",
                            "results zero that lie below the normals before rounding (spec F8)",
                            has_float_elements, [](const Element& e) {
                              const bool is_below = e.trace.lower >> e.format.man_bits == 0;
                              return is_below ? with_magnitude(e, 0) : e.encoded;
                            }));
}

void add_ends(std::vector<Structure>& list) {
  const auto beyond = [](const Element& e) -> Encoded {
    const ElementFormat& f = e.format;
    const std::uint64_t sign = e.value.negative ? f.sign_bit() : 0;
    if (f.has_inf()) return {sign | f.inf_code(), e.encoded.flags};
    return {f.has_nan() ? sign | f.canonical_nan : e.encoded.code, e.encoded.flags};
  };
  const auto add = [&](const char* value, const char* text, bool (*is_beyond)(const Element&)) {
    list.push_back(of_rounded("overflow_decided", value, text, has_float_elements,
                              [beyond, is_beyond](const Element& e) {
                                const bool is_of = e.policy.overflow == Overflow::kNoneInfOrNan;
                                return is_of && is_beyond(e) ? beyond(e) : e.encoded;
                              }));
  };
  add("before_rounding", "overflow decided before rounding (spec F8)", [](const Element& e) {
    return e.trace.lower == e.format.max_code && !e.trace.discarded.exact();
  });
  add("at_tie", "a tie above the largest value overflows (spec F10.1)", [](const Element& e) {
    const Discarded& seen = e.trace.discarded;
    return e.trace.lower == e.format.max_code && seen.guard() && !seen.sticky();
  });
  add("in_every_direction", "overflow whatever the direction of rounding (spec F10.1)",
      [](const Element& e) { return e.trace.lower > e.format.max_code; });
  list.push_back(of_rounded(
      "overflow_decided", "never", "no overflow: codes run on beyond the largest (spec F8)",
      has_float_elements, [](const Element& e) -> Encoded {
        const std::uint64_t magnitude = e.trace.rounded_up ? e.trace.upper : e.trace.lower;
        if (magnitude <= e.format.max_code) return e.encoded;
        const std::uint64_t sign = e.value.negative ? e.format.sign_bit() : 0;
        return {sign | (magnitude & e.format.magnitude_mask()), 0};
      }));
}

void add_signs(std::vector<Structure>& list) {
  const auto is_fixed = [](const Configuration& configuration) {
    return Elements::are_in(configuration) && !has_float_result(configuration);
  };
  list.push_back(of_rounded(
      "negative_results", "ones_complement", "negative results in ones' complement (spec F3.4)",
      is_fixed, [](const Element& e) -> Encoded {
        const ElementFormat& f = e.format;
        const bool is_of = e.value.negative && f.kind == FormatKind::kTwosComplement &&
                           (e.encoded.flags & kFlagOverflow) == 0;
        if (!is_of) return e.encoded;
        return {(e.encoded.code - 1) & f.code_mask(), e.encoded.flags};
      }));
  const auto unsigned_code = [](const Element& e) -> Encoded {
    return {e.encoded.code & ~e.format.sign_bit(), e.encoded.flags};
  };
  list.push_back(
      of_elements("sign", "lost", "the sign lost (spec F8)", has_float_elements, unsigned_code));
  list.push_back(of_elements("sign", "of_infinity_lost", "the sign of infinity lost (spec F8)",
                             has_float_elements, [unsigned_code](const Element& e) {
                               return e.value.cls == ValueClass::kInf ? unsigned_code(e)
                                                                      : e.encoded;
                             }));
}

}  // namespace

void add_element_structures(std::vector<Structure>& list) {
  add_roundings(list);
  add_carries(list);
  add_subnormals(list);
  add_ends(list);
  add_signs(list);
}

}  // namespace mx::golden
