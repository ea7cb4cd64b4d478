#include "cli/waves/waves.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/base/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/unfinished.hpp"
#include "sim/netlist/tools.hpp"

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

}  // namespace

std::string write_waves(const sim::Description& description, sim::DeviceOptions options,
                        const sim::Case& failure, sim::RecordSetting setting,
                        const sim::RecordRun& seen, const std::string& name,
                        golden::NewFile& file) {
  const sim::WorkFolder folder{{}};
  const golden::UnfinishedName folder_name(folder.path().string());
  const std::string path = (folder.path() / "waves.fst").string();
  const golden::UnfinishedName file_name(path);
  options.waves = sim::DeviceWaves{.path = path};
  const bool is_wrong = !seen.mismatches.empty();
  options.waves->answer = is_wrong ? seen.mismatches.front().number : ~std::uint64_t{0};
  setting.make = [&] { return std::make_unique<sim::DescribedDevice>(description, options); };
  const std::optional<sim::RecordRun> again = sim::run_case(failure, setting);
  std::ifstream recorded(path, std::ios::binary);
  if (!again || !recorded) {
    return fmt::format("waves: the build of the module that can record did not run{}\n",
                       again ? ": " + again->protocol : "");
  }
  const std::string bytes{std::istreambuf_iterator<char>(recorded), {}};
  if (bytes.size() < kHeader) return "waves: the recording has no header\n";
  file.write(bytes);
  file.commit();
  const std::string_view end = is_wrong                ? "the first wrong answer"
                               : seen.protocol.empty() ? "the end of the run"
                                                       : "the broken protocol";
  const bool fails_again = sim::has_failed(*again) == sim::has_failed(seen);
  return fmt::format("waves: {} bytes in {}: evaluations {} to {} of the module, up to {}{}\n",
                     golden::with_commas(bytes.size()), name, time_at(bytes, kFirstTime),
                     time_at(bytes, kLastTime), end,
                     fails_again ? ""
                                 : "; but the build of the module that can record answers "
                                   "otherwise: a state without reset starts differently there");
}

}  // namespace mx::cli
