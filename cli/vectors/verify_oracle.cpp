#include "cli/vectors/verify_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "golden/config_word/config_word.hpp"
#include "oracle/block/rules.hpp"
#include "oracle/element/encode.hpp"

namespace mx::cli {
namespace {

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

class OracleJudge : public golden::Judge {
 public:
  [[nodiscard]] std::string_view name() const override { return "mx::oracle"; }

  void answer(const golden::VectorHeader& header, golden::CvtBatch& batch) override {
    const ElementPolicy& policy = header.policy;
    if (!ladder_) ladder_.emplace(header.destination);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const oracle::Real x = oracle::source_value(header.source, policy, batch.source[i]);
      const std::uint32_t random = batch.random.empty() ? 0 : batch.random[i];
      const oracle::Outcome found = ladder_->encode(x, policy, random);
      batch.code[i] = found.code;
      batch.flags[i] = found.flags;
    }
  }

  void answer(const golden::VectorHeader& header, golden::BlockBatch& batch) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto config = golden::config_of(batch.config_word[i], header.context);
      if (!config) {
        throw std::invalid_argument(
            fmt::format("{:08x} is not a configuration word", batch.config_word[i]));
      }
      oracle::RulesCase what;
      what.block = {config->source, config->format, config->element, config->block};
      const oracle::BlockOutcome found =
          oracle::quantize_by_rules(what, batch.source_of(i), batch.random_of(i));
      std::ranges::copy(found.codes, batch.codes_of(i).begin());
      batch.status[i] = golden::status_of(result_of(found));
    }
  }

 private:
  std::optional<oracle::ElementOracle<oracle::WideTickField>>
      ladder_;  ///< of the file's destination
};

}  // namespace

std::unique_ptr<golden::Judge> oracle_judge() { return std::make_unique<OracleJudge>(); }

}  // namespace mx::cli
