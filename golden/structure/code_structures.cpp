// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "golden/bytes/reversed.hpp"
#include "golden/configuration/result_format.hpp"
#include "golden/structure/families.hpp"
#include "golden/structure/orders.hpp"
#include "golden/text/filled.hpp"
#include "reference/format/table.hpp"
#include "reference/number/rounding.hpp"

namespace mx::golden {
namespace {

bool has_lanes(const Configuration& configuration) {
  const Operation op = configuration.operation();
  return op == Operation::kBlock || op == Operation::kDequantize || op == Operation::kCast;
}

void add_orders(std::vector<Structure>& list) {
  for (const LaneOrder& order : lane_orders()) {
    list.push_back({.name = "code_lanes",
                    .value = order.value,
                    .text = filled("codes {} (spec F12)", order.text),
                    .is_of = has_lanes,
                    .answer = [apply = order.apply](const Elements&, RecordBatch& record) {
                      const Field lanes = record.has(Field::kSource) ? Field::kSource : Field::kA;
                      const auto codes = record.of(Field::kCode, 0);
                      apply(codes.first(std::min(codes.size(), record.elements(lanes, 0))));
                    }});
  }
  struct Parts {
    const char* value;
    const char* text;
    int part;
  };
  constexpr std::array kParts = {Parts{"bytes", "bytes", 8}, Parts{"halves", "16-bit halves", 16},
                                 Parts{"nibbles", "nibbles", 4}, Parts{"bits", "bits", 1}};
  for (const Parts& each : kParts) {
    list.push_back({.name = "code_order",
                    .value = each.value,
                    .text = filled("{} of codes in the opposite order (spec F3)", each.text),
                    .is_of =
                        [part = each.part](const Configuration& configuration) {
                          const ElementFormat* const f = result_format(configuration);
                          return f != nullptr && f->bits > part && f->bits % part == 0;
                        },
                    .answer =
                        [part = each.part](const Elements& elements, RecordBatch& record) {
                          const ElementFormat* const f = result_format(elements.configuration());
                          for (std::uint64_t& code : record.of(Field::kCode, 0)) {
                            code = reversed_parts(code, f->bits, part);
                          }
                        }});
  }
}

ElementFormat* result_in(Configuration& configuration) {
  if (auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    return &block->format.element;
  }
  auto* const cvt = std::get_if<ConversionConfig>(&configuration.what);
  return cvt == nullptr ? nullptr : &cvt->destination;
}

/// The format of codes with some of its facts changed; false where it has them already.
using Facts = std::function<bool(ElementFormat&)>;

Structure of_result(std::string value, std::string text, Facts change) {
  return {.name = "code_format",
          .value = std::move(value),
          .text = std::move(text),
          .is_of =
              [change](const Configuration& configuration) {
                Configuration copy = configuration;
                ElementFormat* const f = result_in(copy);
                return f != nullptr && change(*f);
              },
          .configure =
              [change](Configuration& configuration) {
                if (ElementFormat* const f = result_in(configuration))
                  static_cast<void>(change(*f));
              }};
}

void add_code_formats(std::vector<Structure>& list) {
  for (const ElementFormat& other : all_formats()) {
    list.push_back(of_result(std::string(other.name),
                             filled("codes written as {} (spec F3)", other.name),
                             [other](ElementFormat& f) {
                               const bool fits = f.kind == other.kind && f.bits == other.bits &&
                                                 f.storage_bits == other.storage_bits && f != other;
                               if (fits) f = other;
                               return fits;
                             }));
  }
  list.push_back(of_result("top_binade_reserved",
                           "the top binade of codes kept for infinities and NaN (spec F3.1)",
                           [](ElementFormat& f) {
                             const bool fits = f.kind == FormatKind::kFloat && f.is_signed &&
                                               f.man_bits > 0 && f.inf != InfKind::kIeeeTop;
                             if (!fits) return false;
                             f.inf = InfKind::kIeeeTop;
                             f.nan = NanKind::kIeeeAll;
                             f.max_code = f.inf_code() - 1;
                             f.canonical_nan = f.magnitude_mask();
                             return true;
                           }));
  list.push_back(of_result(
      "no_specials", "every code a number, none Inf or NaN (spec F3.1)", [](ElementFormat& f) {
        const bool fits =
            f.kind == FormatKind::kFloat && f.is_signed && (f.has_inf() || f.has_nan());
        if (!fits) return false;
        f.inf = InfKind::kNone;
        f.nan = NanKind::kNone;
        f.max_code = f.magnitude_mask();
        f.canonical_nan = 0;
        return true;
      }));
  list.push_back(of_result("with_infinity",
                           "the code of an IEEE infinity given for Inf (spec F3.1)",
                           [](ElementFormat& f) {
                             const bool fits = f.kind == FormatKind::kFloat && f.is_signed &&
                                               !f.has_inf() && f.man_bits > 0;
                             if (fits) f.inf = InfKind::kIeeeTop;
                             return fits;
                           }));
  for (const int more : {-1, 1}) {
    list.push_back(of_result(filled("point_{:+}", more),
                             filled("fixed codes with {:+} fraction bits (spec F3.4)", more),
                             [more](ElementFormat& f) {
                               if (f.is_fixed()) f.frac_bits += more;
                               return f.is_fixed();
                             }));
  }
}

/// Are codes of the result the upper bits of the source's, as those of bf16 are of fp32's?
bool has_upper_bits(const Configuration& configuration) {
  const auto* const cvt = std::get_if<ConversionConfig>(&configuration.what);
  if (cvt == nullptr) return false;
  const ElementFormat& from = cvt->source;
  const ElementFormat& to = cvt->destination;
  return from.kind == FormatKind::kFloat && to.kind == FormatKind::kFloat &&
         from.nan == NanKind::kIeeeAll && from.exp_bits == to.exp_bits && from.bias == to.bias &&
         from.is_signed == to.is_signed && from.man_bits > to.man_bits;
}

/// A NaN's bits go the way of a number's.
void add_nan_bits(std::vector<Structure>& list) {
  const auto add = [&](const char* value, const char* text, bool is_rounded) {
    list.push_back(
        {.name = "nan_bits",
         .value = value,
         .text = filled("{} (spec F8)", text),
         .is_of = has_upper_bits,
         .answer = [is_rounded](const Elements& elements, RecordBatch& record) {
           const auto& cvt = std::get<ConversionConfig>(elements.configuration().what);
           const std::uint64_t code = record.word(Field::kSource, 0) & cvt.source.code_mask();
           if (decode(cvt.source, code).cls != ValueClass::kNan) return;
           const int shift = cvt.source.man_bits - cvt.destination.man_bits;
           const std::uint64_t kept = code >> shift;
           const bool up =
               is_rounded &&
               round_up(cvt.policy.rounding, (code & cvt.source.sign_bit()) != 0, (kept & 1) != 0,
                        {code << (64 - shift), false}, cvt.policy.random_bits,
                        record.has(Field::kRandom)
                            ? static_cast<std::uint32_t>(record.word(Field::kRandom, 0))
                            : 0);
           record.word(Field::kCode, 0) = (kept + (up ? 1 : 0)) & cvt.destination.code_mask();
         }});
  };
  add("rounded", "NaN rounded as numbers are: a carry makes them zero or Inf", true);
  add("cut", "NaN cut to their upper bits: a payload that is lost makes them Inf", false);
}

}  // namespace

void add_code_structures(std::vector<Structure>& list) {
  add_orders(list);
  add_code_formats(list);
  add_nan_bits(list);
}

}  // namespace mx::golden
