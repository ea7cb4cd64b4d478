// A plugin's device of records.
#pragma once

#include "golden/answers/observed.hpp"
#include "sim/plugin/instance.hpp"
#include "sim/record/device.hpp"

namespace mx::sim {

class PluginRecords : public RecordDevice {
 public:
  /// `observed`: the fields that are compared; the device need not write the others.
  PluginRecords(std::shared_ptr<const PluginLibrary> library, std::uint64_t seed,
                golden::Observed observed);

  [[nodiscard]] std::string_view name() const override { return device_.facts().name; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;

 private:
  void answer(const golden::RecordShape& shape, std::uint64_t first, golden::RecordBatch& batch);

  PluginInstance device_;
  std::uint64_t seed_;
  golden::Observed observed_;
};

}  // namespace mx::sim
