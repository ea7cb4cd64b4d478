#include "cli/waves/waves.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "golden/bytes/number_text.hpp"
#include "golden/bytes/unfinished.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/netlist/tools.hpp"
#include "sim/rtl/load.hpp"

namespace mx::cli {
namespace {

/// The first and the last time of a waveform: words of its header (FST), the highest byte first.
std::uint64_t time_at(const std::string& bytes, std::size_t at) {
  std::uint64_t time = 0;
  for (std::size_t i = at; i < at + 8; ++i) {
    time = time << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return time;
}
constexpr std::size_t kFirstTime = 9, kLastTime = 17, kHeader = 330;

constexpr std::string_view kOtherwise =
    "; but the build of the module that can record answers otherwise: a state without reset starts "
    "differently there";

/// A file for a recording, gone with this object.
class Recording {
 public:
  [[nodiscard]] const std::string& path() const { return path_; }
  /// What was recorded; "" for nothing.
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return bytes.size() < kHeader ? "" : bytes;
  }

 private:
  sim::WorkFolder folder_{{}};
  golden::UnfinishedName folder_name_{folder_.path().string()};
  std::string path_ = (folder_.path() / "waves.fst").string();
  golden::UnfinishedName file_name_{path_};
};

std::string take(const std::string& bytes, const std::string& name, std::string_view end,
                 bool fails_again, golden::NewFile& file) {
  file.write(bytes);
  file.commit();
  return fmt::format("waves: {} bytes in {}: evaluations {} to {} of the module, up to {}{}\n",
                     golden::with_commas(bytes.size()), name, time_at(bytes, kFirstTime),
                     time_at(bytes, kLastTime), end, fails_again ? "" : kOtherwise);
}

std::string_view end_of(bool is_wrong, bool is_protocol) {
  if (is_wrong) return "the first wrong answer";
  return is_protocol ? "the broken protocol" : "the last answer";
}

}  // namespace

std::string write_waves(const sim::Description& description, sim::DeviceOptions options,
                        const sim::Case& failure, sim::RecordSetting setting,
                        const sim::RecordRun& seen, const std::string& name,
                        golden::NewFile& file) {
  const Recording recording;
  options.waves = sim::DeviceWaves{.path = recording.path()};
  const bool is_wrong = !seen.mismatches.empty();
  options.waves->answer = is_wrong ? seen.mismatches.front().number : ~std::uint64_t{0};
  setting.make = [&] { return std::make_unique<sim::DescribedDevice>(description, options); };
  const std::optional<sim::RecordRun> again = sim::run_case(failure, setting);
  const std::string bytes = recording.bytes();
  if (!again || bytes.empty()) {
    return fmt::format("waves: the build of the module that can record did not run{}\n",
                       again ? ": " + again->protocol() : "");
  }
  return take(bytes, name, end_of(is_wrong, !seen.protocol().empty()),
              sim::has_failed(*again) == sim::has_failed(seen), file);
}

std::string write_rtl_waves(const std::string& rtl, const sim::Case& failure,
                            sim::StreamSetting setting, const sim::StreamOutcome& seen,
                            const std::string& name, golden::NewFile& file) {
  const sim::RtlBuild build = sim::load_rtl(rtl, sim::Tracing::kPresent);
  const bool is_wrong = !seen.mismatches.empty();
  const auto run = [&](sim::RtlRecording& recording) {
    setting.make = [&] {
      return sim::make_loaded_rtl_dut("rtl", *build.functions, build.fault, &recording);
    };
    return sim::run_case(failure, setting);
  };
  // Once to see when, and then for fewer and fewer cycles before it, until they fit.
  sim::RtlRecording first;
  first.answer = is_wrong ? seen.mismatches.front().index : ~std::uint64_t{0};
  const sim::StreamOutcome again = run(first);
  const std::uint64_t last = first.wrong_at != 0      ? first.wrong_at
                             : again.protocol.empty() ? first.answered_at
                                                      : first.cycles;
  const sim::DeviceWaves limits;
  constexpr std::uint64_t kLeastCycles = 8, kCyclesAfter = 2;
  for (std::uint64_t cycles = limits.cycles;; cycles /= 2) {
    const Recording recording;
    sim::RtlRecording window;
    window.path = recording.path();
    window.answer = first.answer;
    window.first = last > cycles ? last - cycles : 0;
    window.last = last + kCyclesAfter;
    run(window);
    const std::string bytes = recording.bytes();
    if (bytes.empty()) return "waves: the build of the RTL that can record did not run\n";
    if (bytes.size() > limits.bytes && cycles / 2 >= kLeastCycles) continue;
    return take(bytes, name, end_of(is_wrong, !seen.protocol.empty()),
                again.has_failed() == seen.has_failed(), file);
  }
}

}  // namespace mx::cli
