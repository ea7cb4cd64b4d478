#include "golden/deviation/waiver_judge.hpp"

#include "golden/deviation/deviating_device.hpp"
#include "golden/deviation/input.hpp"

namespace mx::golden {
namespace {

class Judge final : public WaiverJudge {
 public:
  Judge(const VectorHeader& header, const std::vector<Waiver>& waivers) : inputs_(header) {
    for (const Waiver& waiver : waivers) {
      where_.push_back(waiver.where);
      models_.emplace_back(header, waiver.as);
    }
  }

  [[nodiscard]] bool has_input(std::size_t waiver, const AnswerAt& at) override {
    return inputs_.has(at.expected, at.i, where_[waiver]);
  }
  [[nodiscard]] bool is_cause(std::size_t waiver, const AnswerAt& at) override {
    return models_[waiver].gives(at.expected, at.actual, at.i, at.open);
  }

 private:
  InputKinds inputs_;
  std::vector<InputPredicate> where_;
  std::vector<DeviatingDevice> models_;
};

}  // namespace

WaiverJudgeMaker waiver_judge() {
  return [](const VectorHeader& header, const std::vector<Waiver>& waivers) {
    return std::make_unique<Judge>(header, waivers);
  };
}

}  // namespace mx::golden
