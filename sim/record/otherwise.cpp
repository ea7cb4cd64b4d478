#include "sim/record/otherwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "golden/answers/answers.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/configuration/policies.hpp"
#include "sim/judge/causes.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::RecordBatch;

struct ReadingWords {
  Reading reading;
  const char* text;
};
constexpr std::array kReadings = {
    ReadingWords{Reading::kLeadingOne, "source subnormals read as 1.m * 2^-bias (spec F7)"},
    ReadingWords{Reading::kForcedOne, "source subnormals read as 1.m * 2^(1-bias) (spec F7)"},
    ReadingWords{Reading::kHalf, "source subnormals read as 0.m * 2^-bias (spec F7)"},
    ReadingWords{Reading::kSpecialsAreFinite,
                 "Inf and NaN of the source read as numbers (spec F7)"}};

bool is_ieee_like(const ElementFormat& f) {
  return f.kind == FormatKind::kFloat && f.is_signed && f.has_subnormal &&
         f.zero == ZeroKind::kPosAndNeg && f.inf == InfKind::kIeeeTop &&
         f.nan == NanKind::kIeeeAll && f.bits < 63;
}

/// Room for whatever a reading makes of the codes of a format: one exponent bit more.
ElementFormat widened(const ElementFormat& f) {
  const int exp_bits = f.exp_bits + 1;
  const std::uint64_t top = (std::uint64_t{1} << exp_bits) - 1;
  ElementFormat wide = f;
  wide.name = "as read";
  wide.bits = f.bits + 1;
  wide.storage_bits = 64;
  wide.exp_bits = exp_bits;
  wide.bias = (1 << (exp_bits - 1)) - 1;
  wide.max_code = (top << f.man_bits) - 1;
  wide.canonical_nan = top << f.man_bits | std::uint64_t{1} << (f.man_bits - 1);
  return wide;
}

/// The code of the widened format that a code of `f` is read as.
std::uint64_t as_read(const ElementFormat& f, Reading reading, std::uint64_t code) {
  const ElementFormat wide = widened(f);
  const std::uint64_t top = (std::uint64_t{1} << f.exp_bits) - 1;
  const std::uint64_t field = code >> f.man_bits & top;
  std::uint64_t trailing = code & f.man_mask();
  const std::uint64_t sign = (code & f.sign_bit()) != 0 ? wide.sign_bit() : 0;
  const auto with = [&](std::int64_t exponent) {
    return sign | static_cast<std::uint64_t>(exponent + wide.bias) << f.man_bits | trailing;
  };
  if (field == top && reading != Reading::kSpecialsAreFinite) {
    return sign | ((std::uint64_t{1} << wide.exp_bits) - 1) << f.man_bits | trailing;
  }
  if (field != 0) return with(static_cast<std::int64_t>(field) - f.bias);
  if (trailing == 0) return sign;
  if (reading == Reading::kLeadingOne) return with(-f.bias);
  if (reading == Reading::kForcedOne) return with(1 - f.bias);
  const int shift = f.man_bits + 1 - static_cast<int>(std::bit_width(trailing));
  trailing = trailing << shift & f.man_mask();
  return with((reading == Reading::kHalf ? 0 : 1) - f.bias - shift);
}

const QuantizerConfig* block_of(const golden::Configuration& configuration) {
  return std::get_if<QuantizerConfig>(&configuration.what);
}
QuantizerConfig* block_of(golden::Configuration& configuration) {
  return std::get_if<QuantizerConfig>(&configuration.what);
}

ElementFormat* source_of(golden::Configuration& configuration) {
  if (QuantizerConfig* block = block_of(configuration)) return &block->source;
  auto* conversion = std::get_if<ConversionConfig>(&configuration.what);
  return conversion == nullptr ? nullptr : &conversion->source;
}

bool has_exponent_scale(const golden::Configuration& configuration) {
  const QuantizerConfig* block = block_of(configuration);
  if (block == nullptr) return false;
  const BlockFormat& format = block->format;
  const ScaleFormat& scale = format.scale;
  return scale.kind == FormatKind::kFloat && scale.man_bits == 0 && !scale.is_signed &&
         scale.zero == ZeroKind::kNone && !scale.has_inf() && scale.exp_bits <= 8 &&
         format.sublevels == std::array{0, 0};
}

int highest_scale(const BlockFormat& format) {
  const std::uint64_t code = format.scale_limit == 0 ? format.scale.max_code : format.scale_limit;
  return static_cast<int>(code) - format.scale.bias;
}

/// Scales from 2^lowest to 2^highest, whatever the format's own range.
void set_scale_range(BlockFormat& format, int lowest, int highest) {
  ScaleFormat& scale = format.scale;
  scale.name = "held";
  scale.bits = scale.exp_bits = 10;
  scale.storage_bits = 16;
  scale.bias = -lowest;
  const std::uint64_t top = scale.code_mask();
  scale.max_code = scale.has_nan() ? top - 1 : top;
  scale.canonical_nan = scale.has_nan() ? top : 0;
  format.scale_limit = static_cast<std::uint64_t>(highest - lowest);
}

/// Adds every value of every policy that a configuration with a wrong answer does not have.
void add_policies(const golden::VectorHeader& header, std::span<const RecordMismatch> wrong,
                  std::vector<Otherwise>& list) {
  for (const PolicyField& field : policy_fields()) {
    if (!golden::is_policy_of(header.op, field)) continue;
    std::set<std::string> present;
    for (const RecordMismatch& m : wrong) {
      const auto policies = golden::policies_of(header.configs[m.expected.config(0)]);
      if (policies) present.insert(field.read(*policies));
    }
    for (const std::string& from : present) {
      for (const std::string_view to : field.values()) {
        if (to == from) continue;
        const auto apply = [&field, from, to](Variant& variant) {
          std::optional<Policies> policies = golden::policies_of(variant.configuration);
          if (!policies || field.read(*policies) != from || !field.write(*policies, to)) {
            return false;
          }
          variant.configuration = golden::with_policies(variant.configuration, *policies);
          return true;
        };
        list.push_back({policy_change(field.name, from, to), std::string(field.name), apply});
      }
    }
  }
}

void add_readings(std::vector<Otherwise>& list) {
  for (const ReadingWords& each : kReadings) {
    const auto apply = [reading = each.reading](Variant& variant) {
      const ElementFormat* source = source_of(variant.configuration);
      if (source == nullptr || !is_ieee_like(*source)) return false;
      variant.reading = reading;
      return true;
    };
    // Subnormals and specials are read apart, but a variant has one reading.
    list.push_back({each.text, "reading", apply});
  }
}

/// Where scales may be held: at those that a device gave in place of lower or higher ones, and,
/// where it gave what is no code, one below the range: the least of a signed byte is 2^-128.
struct ScaleEnds {
  std::set<int> lowest, highest;
};
ScaleEnds scale_ends(const golden::VectorHeader& header, std::span<const RecordMismatch> wrong) {
  ScaleEnds ends;
  std::optional<int> least, most;
  for (const RecordMismatch& m : wrong) {
    const golden::Configuration& configuration = header.configs[m.expected.config(0)];
    if (!has_exponent_scale(configuration) || !m.expected.has(Field::kScale)) continue;
    const ScaleFormat& scale = block_of(configuration)->format.scale;
    const std::uint64_t right = m.expected.word(Field::kScale, 0);
    const std::uint64_t given = m.actual.word(Field::kScale, 0);
    if (given == golden::kNoCode) {
      ends.lowest.insert(-scale.bias - 1);
      continue;
    }
    const int exponent = static_cast<int>(given) - scale.bias;
    const bool is_number = right <= scale.max_code && given <= scale.max_code;
    if (is_number && given > right) least = std::min(least.value_or(exponent), exponent);
    if (is_number && given < right) most = std::max(most.value_or(exponent), exponent);
  }
  if (least) ends.lowest.insert(*least);
  if (most) ends.highest.insert(*most);
  return ends;
}

void add_scale_ends(const golden::VectorHeader& header, std::span<const RecordMismatch> wrong,
                    std::vector<Otherwise>& list) {
  const ScaleEnds ends = scale_ends(header, wrong);
  const auto add = [&](std::optional<int> Variant::*end, int exponent, const char* how) {
    const auto apply = [end, exponent](Variant& variant) {
      if (!has_exponent_scale(variant.configuration)) return false;
      variant.*end = exponent;
      return true;
    };
    list.push_back({fmt::format("scales {} 2^{} (spec F4)", how, exponent), how, apply});
  };
  for (const int exponent : ends.lowest) add(&Variant::lowest, exponent, "held at the bottom at");
  for (const int exponent : ends.highest) add(&Variant::highest, exponent, "held at the top at");
}

}  // namespace

std::vector<Otherwise> all_otherwise(const golden::VectorHeader& header,
                                     std::span<const RecordMismatch> wrong) {
  std::vector<Otherwise> list;
  add_policies(header, wrong, list);
  if (header.op == golden::Operation::kDequantize) {
    // Few values are rounded, so that a rounding is rarely what makes the ends of the range differ.
    std::ranges::stable_partition(list,
                                  [](const Otherwise& each) { return each.subject != "rounding"; });
  }
  add_readings(list);
  add_scale_ends(header, wrong, list);
  return list;
}

/// The reference under a variant of one configuration, a record at a time.
class OtherwiseModel::Answers {
 public:
  Answers(const golden::VectorHeader& header, Variant variant) : header_(header) {
    reading_ = variant.reading;
    if (reading_ != Reading::kAsSpecified) {
      ElementFormat* source = source_of(variant.configuration);
      source_ = *source;
      *source = widened(source_);
    }
    if (variant.lowest || variant.highest) {
      BlockFormat& format = block_of(variant.configuration)->format;
      scale_ = format.scale;
      set_scale_range(format, variant.lowest.value_or(-scale_->bias),
                      variant.highest.value_or(highest_scale(format)));
      held_ = format.scale;
    }
    header_.configs = {std::move(variant.configuration)};
    header_.count = 1;
    if (!golden::problem_of(header_.configs[0]).empty() || !header_.problem().empty()) return;
    reference_ = std::make_unique<golden::ReferenceAnswerer>(header_);
  }
  [[nodiscard]] bool is_possible() const { return reference_ != nullptr; }

  [[nodiscard]] bool gives(const RecordMismatch& m) const {
    RecordBatch answer(header_.shape(), 1);
    const golden::RecordShape shape = header_.shape();
    for (const golden::FieldShape& each : shape.fields) {
      if (golden::is_result(each.field) || !m.expected.has(each.field)) continue;
      if (each.field == Field::kTuser) continue;
      std::ranges::copy(m.expected.of(each.field, 0), answer.of(each.field, 0).begin());
    }
    if (reading_ != Reading::kAsSpecified) {
      for (std::uint64_t& code : answer.of(Field::kSource, 0)) {
        code = as_read(source_, reading_, code);
      }
    }
    golden::fill_config_words(header_, answer);
    reference_->answer(answer, 0, 1);
    // The results alone, in records of the run's shape.
    RecordBatch given = m.expected;
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      if (given.has(field)) std::ranges::copy(answer.of(field, 0), given.of(field, 0).begin());
    }
    if (scale_ && given.has(Field::kScale)) {
      std::uint64_t& code = given.word(Field::kScale, 0);
      code = as_format(code);
    }
    golden::Verdict ignored;
    return golden::compare_answer(given, m.actual, 0, m.open, ignored);
  }

 private:
  /// A code of the wider range of scales in the format's own.
  [[nodiscard]] std::uint64_t as_format(std::uint64_t code) const {
    if (held_.has_nan() && code == held_.canonical_nan) return scale_->canonical_nan;
    const std::int64_t shown = static_cast<std::int64_t>(code) - held_.bias + scale_->bias;
    const bool is_code = shown >= 0 && static_cast<std::uint64_t>(shown) <= scale_->code_mask();
    return is_code ? static_cast<std::uint64_t>(shown) : golden::kNoCode;
  }

  golden::VectorHeader header_;
  Reading reading_ = Reading::kAsSpecified;
  ElementFormat source_;
  std::optional<ScaleFormat> scale_;
  ScaleFormat held_;
  std::unique_ptr<golden::ReferenceAnswerer> reference_;
};

OtherwiseModel::OtherwiseModel(const golden::VectorHeader& header,
                               std::vector<const Otherwise*> changes)
    : header_(&header),
      changes_(std::move(changes)),
      answers_(header.configs.size()),
      made_(header.configs.size()) {}

OtherwiseModel::~OtherwiseModel() = default;

const std::unique_ptr<OtherwiseModel::Answers>& OtherwiseModel::of(std::size_t config) {
  if (made_[config]) return answers_[config];
  made_[config] = true;
  Variant variant{.configuration = header_->configs[config], .lowest = {}, .highest = {}};
  bool is_changed = false;
  for (const Otherwise* each : changes_) is_changed = each->apply(variant) || is_changed;
  if (!is_changed) return answers_[config];
  auto made = std::make_unique<Answers>(*header_, std::move(variant));
  if (made->is_possible()) answers_[config] = std::move(made);
  return answers_[config];
}

bool OtherwiseModel::explains(const RecordMismatch& m) {
  const std::unique_ptr<Answers>& answers = of(m.expected.config(0));
  if (answers) return answers->gives(m);
  golden::Verdict ignored;
  return golden::compare_answer(m.expected, m.actual, 0, m.open, ignored);
}

}  // namespace mx::sim
