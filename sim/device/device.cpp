#include "sim/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "golden/configuration/policies.hpp"
#include "golden/configuration/result_format.hpp"
#include "reference/number/unpacked.hpp"
#include "sim/compile/shell_word.hpp"
#include "sim/device/build.hpp"
#include "sim/device/fits.hpp"
#include "sim/dut/dut.hpp"
#include "sim/dut/kind.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::RecordBatch;

/// Codes that the device may use for NaN become the one that the reference uses.
class NanCodes {
 public:
  NanCodes(const DescribedNan& nan, const golden::VectorHeader& header)
      : nan_(nan), header_(header) {}

  [[nodiscard]] bool is_needed() const { return nan_.has_any || !nan_.codes.empty(); }

  void unify(RecordBatch& batch) const {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const golden::Configuration& configuration = header_.configs[batch.config(i)];
      const ElementFormat* const format = golden::result_format(configuration);
      if (format == nullptr || !format->has_nan()) continue;
      const std::optional<Policies> policies = golden::policies_of(configuration);
      const bool keeps_sign = policies && policies->element.nan == NanPolicy::kKeepSign;
      const std::uint64_t sign = keeps_sign ? std::uint64_t{1} << (format->bits - 1) : 0;
      for (std::uint64_t& code : batch.of(Field::kCode, i)) {
        if (is_nan(*format, code)) code = (format->canonical_nan & ~sign) | (code & sign);
      }
    }
  }

 private:
  [[nodiscard]] bool is_nan(const ElementFormat& format, std::uint64_t code) const {
    if (!nan_.has_any) return std::ranges::find(nan_.codes, code) != nan_.codes.end();
    return (code & ~format.code_mask()) == 0 && decode(format, code).cls == ValueClass::kNan;
  }

  const DescribedNan& nan_;
  const golden::VectorHeader& header_;
};

}  // namespace

DescribedDevice::DescribedDevice(Description description, const DeviceOptions& options)
    : description_(std::move(description)), name_(description_.device) {
  ProcessOptions process;
  const Tracing tracing = options.waves ? Tracing::kPresent : Tracing::kAbsent;
  BuiltDevice built = build_device(description_, tracing);
  carried_ = std::move(built.carried);
  process.command = fmt::format("exec {} {} {} {}", shell_word(built.program), options.seed,
                                options.stall, options.reset);
  if (options.waves) {
    process.command +=
        fmt::format(" {} {} {} {}", shell_word(options.waves->path), options.waves->answer,
                    options.waves->cycles, options.waves->bytes);
  }
  process.name = name_;
  process.time_out = options.time_out;
  process.time_limit = options.time_limit;
  process.channel = Channel::kFifo;
  process.speaks_of_itself = true;
  process.hear = [this](std::string_view line) { return counting_ && counting_->hear(line); };
  process_ = std::make_unique<ProcessDevice>(std::move(process));
}

void DescribedDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                          const TakeAnswers& take) {
  const std::string why = refusal_of(description_, header);
  if (!why.empty()) throw UnsupportedError(fmt::format("{}: {}", name_, why));
  require_whole(description_, carried_, header);
  const NextRecords checked = [&](RecordBatch& batch) {
    const bool has_more = next(batch);
    const std::string what = has_more ? unassumed(description_, batch) : std::string();
    if (!what.empty()) throw UnsupportedError(fmt::format("{}: {}", name_, what));
    return has_more;
  };
  const NanCodes codes(description_.nan, header);
  counted_.reset();
  counting_.emplace(description_, header);
  process_->run(header, checked, [&](const RecordBatch& batch) {
    if (!codes.is_needed()) return take(batch);
    RecordBatch unified = batch;
    codes.unify(unified);
    take(unified);
  });
  counted_ = counting_;
}

std::optional<golden::Covergroup> DescribedDevice::protocol() const {
  if (!counted_) return std::nullopt;
  return counted_->group(name_);
}

DutKind device_dut() {
  return {.name = "device",
          .argument = ":FILE.json",
          .help = "a module of yours, described in a file: docs/device-files.md",
          .is_described = true};
}

}  // namespace mx::sim
