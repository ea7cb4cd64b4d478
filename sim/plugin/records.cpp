#include "sim/plugin/records.hpp"

#include <algorithm>

#include "sim/record/interrupt.hpp"

namespace mx::sim {

using golden::Field;
using golden::RecordBatch;

PluginRecords::PluginRecords(std::shared_ptr<const PluginLibrary> library, std::uint64_t seed,
                             golden::Observed observed)
    : device_(std::move(library)), seed_(seed), observed_(observed) {
  if (device_.facts().is_clocked) {
    throw UnsupportedError(
        fmt::format("{}: has a clock and takes blocks of 32 lanes, no records", device_.place()));
  }
}

void PluginRecords::run(const golden::VectorHeader& header, const NextRecords& next,
                        const TakeAnswers& take) {
  const Offer& offer = device_.facts().offer;
  std::string why = refusal_of(offer, header);
  if (why.empty() && !offer.takes_short && header.shape().find(Field::kElements) != nullptr) {
    why = "blocks are of several lengths, and the device takes whole ones; give --lengths full";
  }
  for (const golden::Configuration& each : header.configs) {
    if (why.empty()) why = device_.refusal(each);
  }
  if (!why.empty()) throw UnsupportedError(fmt::format("{}: {}", device_.place(), why));
  device_.configure(header.configs, seed_, &header);
  std::uint64_t first = 0;
  for (RecordBatch batch; next(batch);) {
    check_interrupt();
    answer(header.shape(), first, batch);
    take(batch);
    first += batch.size();
  }
}

void PluginRecords::answer(const golden::RecordShape& shape, std::uint64_t first,
                           RecordBatch& batch) {
  std::vector<mxgold_device_operand> operands;
  std::vector<mxgold_device_result> results;
  for (const golden::FieldShape& each : shape.fields) {
    const char* const name = token_of(each.field).data();  // a literal
    const auto lanes = static_cast<std::uint32_t>(each.lanes);
    const auto bytes = static_cast<std::uint32_t>(each.bytes);
    const std::span<std::uint64_t> words = batch.all(each.field);
    if (golden::is_result(each.field)) {
      std::ranges::fill(words, golden::kNoCode);
      results.push_back({name, lanes, bytes, words.data()});
    } else {
      operands.push_back({name, lanes, bytes, words.data()});
    }
  }
  const mxgold_device_batch plain{first,           batch.size(),   operands.data(),
                                  operands.size(), results.data(), results.size()};
  plugin_is_asked_for(first, first + batch.size());
  device_.call("answer", device_.table().answer, &plain);
  for (const golden::FieldShape& each : shape.fields) {
    if (!golden::is_result(each.field)) continue;
    const std::span<std::uint64_t> words = batch.all(each.field);
    if (!observed_.has(each.field)) {
      std::ranges::fill(words, 0);
      continue;
    }
    if (each.bytes == 8) continue;
    const auto too_wide = std::ranges::find_if(
        words, [&](std::uint64_t word) { return word >> (8 * each.bytes) != 0; });
    if (too_wide == words.end()) continue;
    const auto at = static_cast<std::uint64_t>(too_wide - words.begin());
    const auto lanes = static_cast<std::uint64_t>(each.lanes);
    const std::string why = *too_wide == golden::kNoCode
                                ? "not written"
                                : fmt::format("more than {} bytes", each.bytes);
    throw DutError(fmt::format("{}: answer(): record {}, field {}, lane {} is {:X}: {}",
                               device_.place(), first + at / lanes, token_of(each.field),
                               at % lanes, *too_wide, why));
  }
}

}  // namespace mx::sim
