// Element conversions: each distinct conversion answers a record once.
#include "golden/identify/record_judge.hpp"

namespace mx::golden {
namespace {

bool same_conversion(const Conversion& a, const Conversion& b) {
  const ConversionConfig& x = a.config();
  const ConversionConfig& y = b.config();
  return x.source == y.source && x.destination == y.destination && x.policy == y.policy;
}

class ElementJudges final : public RecordJudges {
 public:
  ElementJudges(const ImplementationLog& log, std::span<const Subject> subjects)
      : has_values(log.outputs == LogOutputs::kValues) {
    for (const Subject& each : subjects) {
      conversions.add(Conversion::make(each.element.conversion).value(), same_conversion);
      masks.push_back(each.element.masks);
    }
  }
  [[nodiscard]] std::unique_ptr<RecordJudge> make() const override;

  bool has_values;
  Groups<Conversion> conversions;
  std::vector<Masks> masks;
};

class ElementJudge final : public RecordJudge {
 public:
  explicit ElementJudge(const ElementJudges& of)
      : of_(of), answers_(of.conversions.values.size()) {}

  void take(const LogRecord& record) override {
    record_ = &record;
    ++stamp_;
  }

  RecordMatch judge(std::size_t subject) override {
    const std::size_t group = of_.conversions.of[subject];
    const Conversion& conversion = of_.conversions.values[group];
    RecordMatch verdict;
    verdict.left_open = is_masked(of_.masks[subject], conversion.config(), record_->input.lanes[0]);
    const bool known = is_known(*record_, 0);
    if (verdict.counts.add(known, verdict.left_open)) {
      verdict.agrees = is_seen(conversion, answers_[group]);
    }
    return verdict;
  }

 private:
  struct Answer {
    std::uint64_t stamp = 0;  ///< of the record it belongs to
    bool is_seen = false;     ///< the log has it
  };

  bool is_seen(const Conversion& conversion, Answer& answer) {
    if (answer.stamp == stamp_) return answer.is_seen;
    const BlockInput& input = record_->input;
    const std::uint32_t word = input.random.empty() ? 0 : input.random.front();
    const std::uint64_t code = conversion(input.lanes[0], word).code;
    const std::uint64_t seen = record_->answer.codes[0];
    const ElementFormat& destination = conversion.config().destination;
    answer = {stamp_, of_.has_values ? same_value(destination, value32(destination, code), seen)
                                     : code == seen};
    return answer.is_seen;
  }

  const ElementJudges& of_;
  std::vector<Answer> answers_;
  const LogRecord* record_ = nullptr;
  std::uint64_t stamp_ = 0;
};

std::unique_ptr<RecordJudge> ElementJudges::make() const {
  return std::make_unique<ElementJudge>(*this);
}

}  // namespace

std::unique_ptr<RecordJudges> element_judges(const ImplementationLog& log,
                                             std::span<const Subject> subjects) {
  return std::make_unique<ElementJudges>(log, subjects);
}

}  // namespace mx::golden
