#include "golden/otherwise/model.hpp"

#include "golden/answers/verdict.hpp"

namespace mx::golden {

OtherwiseModel::OtherwiseModel(const VectorHeader& header, std::vector<Change> changes)
    : header_(&header),
      changes_(std::move(changes)),
      answers_(header.configs.size()),
      made_(header.configs.size()) {}

VariantAnswers* OtherwiseModel::of(std::size_t config) {
  if (made_[config]) return answers_[config].get();
  made_[config] = true;
  Variant variant{.configuration = header_->configs[config]};
  bool is_changed = false;
  for (const Change& each : changes_) is_changed = apply(each, variant) || is_changed;
  if (!is_changed) return nullptr;
  auto made = std::make_unique<VariantAnswers>(*header_, std::move(variant));
  if (made->is_possible()) answers_[config] = std::move(made);
  return answers_[config].get();
}

bool OtherwiseModel::gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                           const OpenAnswer& open) {
  VariantAnswers* const answers = of(expected.config(i));
  if (answers != nullptr) return answers->gives(expected, actual, i, open);
  Verdict ignored;
  return compare_answer(expected, actual, i, open, ignored);
}

}  // namespace mx::golden
