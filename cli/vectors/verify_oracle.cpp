#include "cli/vectors/verify_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <stdexcept>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/unit_sides.hpp"
#include "oracle/block/rules.hpp"
#include "oracle/dot/dot.hpp"
#include "oracle/element/arithmetic.hpp"
#include "oracle/element/encode.hpp"
#include "oracle/unit/unit.hpp"

namespace mx::cli {
namespace {

using golden::Field;
using golden::RecordBatch;

BlockResult result_of(const oracle::BlockOutcome& found) {
  unsigned flags = found.element_flags;
  flags |= found.clamped ? unsigned{kBlockScaleClamped} : 0U;
  flags |= found.zero_block ? unsigned{kBlockZero} : 0U;
  flags |= found.has_inf ? unsigned{kBlockHasInf} : 0U;
  flags |= found.has_nan ? unsigned{kBlockHasNan} : 0U;
  flags |= found.nan_scale ? unsigned{kBlockNanScale} : 0U;
  flags |= found.masked ? unsigned{kBlockCodesMasked} : 0U;
  return {found.scale_code, static_cast<std::uint16_t>(flags)};
}

oracle::RulesCase rules_case(const QuantizerConfig& config) {
  oracle::RulesCase what;
  what.block = {config.source, config.format, config.element, config.block};
  what.tensor_amax =
      oracle::extended(oracle::value_of(formats::fp32, config.tensor.amax)).magnitude;
  what.tensor_scale = oracle::extended(oracle::value_of(formats::fp32, config.tensor.scale));
  return what;
}

std::size_t blocks_in(const BlockFormat& format, std::size_t elements) {
  if (format.extent != BlockExtent::kElements) return 1;
  const auto k = static_cast<std::size_t>(format.elements());
  return elements / k + (elements % k != 0 ? 1 : 0);
}

void store(const oracle::Outcome& found, RecordBatch& batch, std::size_t i) {
  batch.word(Field::kCode, i) = found.code;
  batch.word(Field::kFlags, i) = found.flags;
}

class OracleAnswerer : public golden::Answerer {
 public:
  explicit OracleAnswerer(const golden::VectorHeader& header) : header_(header) {}

  [[nodiscard]] std::string_view name() const override { return "mx::oracle"; }

  void answer(RecordBatch& batch, std::size_t first, std::size_t last) override {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t config = batch.config(i);
      std::visit([&](const auto& what) { answer_one(what, config, batch, i); },
                 header_.configs[config].what);
    }
  }

 private:
  using WideLadder = oracle::ElementOracle<oracle::WideTickField>;
  using RationalLadder = oracle::ElementOracle<oracle::RationalField>;

  template <class Ladder>
  static const Ladder& ladder(std::map<std::size_t, std::unique_ptr<Ladder>>& ladders,
                              std::size_t config, const ElementFormat& format) {
    std::unique_ptr<Ladder>& slot = ladders[config];
    if (!slot) slot = std::make_unique<Ladder>(format);
    return *slot;
  }

  void answer_one(const ConversionConfig& conversion, std::size_t config, RecordBatch& batch,
                  std::size_t i) {
    const oracle::Real x = oracle::source_value(conversion.source, conversion.destination,
                                                conversion.policy, batch.word(Field::kSource, i));
    const std::uint64_t random = batch.has(Field::kRandom) ? batch.word(Field::kRandom, i) : 0;
    store(ladder(wide_, config, conversion.destination)
              .encode(x, conversion.policy, static_cast<std::uint32_t>(random)),
          batch, i);
  }

  void answer_one(const QuantizerConfig& config, std::size_t, RecordBatch& batch, std::size_t i) {
    const std::size_t n = batch.elements(Field::kSource, i);
    random_.clear();
    if (batch.has(Field::kRandom)) {
      for (const std::uint64_t word : batch.of(Field::kRandom, i).first(n)) {
        random_.push_back(static_cast<std::uint32_t>(word));
      }
    }
    const oracle::BlockOutcome found = oracle::quantize_by_rules(
        rules_case(config), batch.of(Field::kSource, i).first(n), random_);
    const auto codes = batch.of(Field::kCode, i);
    std::ranges::fill(codes, 0);
    std::ranges::copy(found.codes, codes.begin());
    batch.word(Field::kScale, i) = found.scale_code;
    batch.word(Field::kFlags, i) = golden::status_bits_of(result_of(found));
  }

  void answer_one(const golden::DotCase& what, std::size_t, RecordBatch& batch, std::size_t i) {
    const std::size_t n = batch.elements(Field::kA, i);
    const oracle::DotSide a{batch.of(Field::kAScale, i).first(blocks_in(what.dot.a, n)),
                            batch.of(Field::kA, i).first(n), what.a_tensor_scale};
    const oracle::DotSide b{batch.of(Field::kBScale, i).first(blocks_in(what.dot.b, n)),
                            batch.of(Field::kB, i).first(n), what.b_tensor_scale};
    std::optional<std::uint64_t> addend;
    if (what.addend == golden::Addend::kPresent) addend = batch.word(Field::kC, i);
    store(oracle::dot(what.dot, a, b, addend), batch, i);
  }

  void answer_one(const golden::UnitCase& what, std::size_t, RecordBatch& batch, std::size_t i) {
    const auto [a, b] = golden::sides_of<oracle::DotSide>(what.on, batch, i);
    batch.word(Field::kCode, i) = oracle::unit_dot(what.on, a, b, batch.word(Field::kC, i));
  }

  void answer_one(const golden::ArithmeticCase& what, std::size_t config, RecordBatch& batch,
                  std::size_t i) {
    std::array<std::uint64_t, 3> operands{};
    constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
    const std::size_t n = operands_of(what.operation);
    for (std::size_t k = 0; k < n; ++k) operands[k] = batch.word(kOperands[k], i);
    store(oracle::operate(ladder(rational_, config, what.arithmetic.format), what.operation,
                          std::span(operands).first(n), what.arithmetic.policy,
                          what.arithmetic.integer),
          batch, i);
  }

  void answer_one(const golden::DequantizeCase& what, std::size_t, RecordBatch& batch,
                  std::size_t i) {
    const oracle::RulesCase blocks = rules_case(what.blocks());
    const std::size_t n = batch.elements(Field::kA, i);
    const auto values = batch.of(Field::kCode, i);
    std::ranges::fill(values.subspan(n), 0);
    for (std::size_t lane = 0; lane < n; ++lane) {
      values[lane] = oracle::dequantize_by_rules(blocks, what.result, batch.word(Field::kAScale, i),
                                                 batch.of(Field::kA, i)[lane], lane,
                                                 what.how.rounding, what.how.dst_ftz);
    }
  }

  void answer_one(const golden::CastCase&, std::size_t, RecordBatch&, std::size_t) {
    throw std::logic_error("the oracle was asked for a cast");
  }

  const golden::VectorHeader& header_;
  std::map<std::size_t, std::unique_ptr<WideLadder>> wide_;
  std::map<std::size_t, std::unique_ptr<RationalLadder>> rational_;
  std::vector<std::uint32_t> random_;
};

}  // namespace

std::string oracle_problem(const golden::VectorHeader& header) {
  for (const golden::Configuration& each : header.configs) {
    const auto* const conversion = std::get_if<ConversionConfig>(&each.what);
    if (conversion != nullptr && conversion->policy.e8m0_quirk != E8m0Quirk::kNone) {
      return fmt::format("the oracle computes no conversion with e8m0_quirk {}",
                         token_of(conversion->policy.e8m0_quirk));
    }
    if (const auto* const cast = std::get_if<golden::CastCase>(&each.what)) {
      return fmt::format("the oracle computes no cast of an emulated system ({})", cast->text);
    }
  }
  return {};
}

golden::AnswererFactory oracle_answerer() {
  return
      [](const golden::VectorHeader& header) { return std::make_unique<OracleAnswerer>(header); };
}

}  // namespace mx::cli
