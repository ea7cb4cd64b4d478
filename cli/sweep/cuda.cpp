#include "cli/sweep/cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "cli/base/chunks.hpp"
#include "cli/base/error.hpp"
#include "cli/sweep/answers.hpp"
#include "cli/text/names.hpp"
#include "fast/cuda/stream.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

using fast::WordJudge;
using fast::WordVerdict;

Checked<WordJudge> judge_of(const golden::Configuration& configuration, const SweepSpace& space,
                            WordJudge::Encoder encoder) {
  const auto& config = std::get<ConversionConfig>(configuration.what);
  return WordJudge::make({config.source, config.destination, config.policy},
                         space.scale - kScaleOne, encoder);
}

void require(const fast::Status& status) {
  if (!status) fail(Exit::kDut, "cuda: {}", status.detail);
}

/// Segments [first, first + count): on a device in one call, on the host on threads.
std::vector<WordVerdict> judge_segments(const WordJudge& judge, bool on_device,
                                        const golden::ConversionThresholds& thresholds,
                                        std::uint64_t first, std::uint64_t count, int threads) {
  const std::vector<fast::AnswerStep> steps = answer_steps(thresholds);
  std::vector<WordVerdict> verdicts(count);
  if (on_device) {
    require(judge.judge_on_device(steps, static_cast<std::uint32_t>(first), verdicts));
    return verdicts;
  }
  for_each_chunk(count, 1, threads, [&](std::uint64_t at, std::uint64_t) {
    require(judge.judge_on_host(steps, static_cast<std::uint32_t>(first + at),
                                std::span(verdicts).subspan(at, 1)));
  });
  return verdicts;
}

/// The codes of consecutive words, from whole runs around them.
void convert(const WordJudge& judge, bool on_device, std::uint32_t first,
             std::span<std::byte> codes) {
  constexpr std::uint32_t kRun = 256;
  const std::uint32_t spare = first % kRun;
  std::vector<std::byte> runs((spare + codes.size() + kRun - 1) / kRun * kRun);
  require(on_device ? judge.codes_on_device(first - spare, runs)
                    : judge.codes_on_host(first - spare, runs));
  std::copy_n(runs.begin() + spare, codes.size(), codes.begin());
}

}  // namespace

std::optional<CudaChoice> cuda_choice(const std::string& dut) {
  const std::size_t colon = dut.find(':');
  const std::string name = dut.substr(0, colon);
  if (name != "cuda" && name != "cuda-host") return std::nullopt;
  CudaChoice choice{.on_device = name == "cuda"};
  if (colon != std::string::npos) {
    constexpr std::array<std::string_view, 1> kEncoders = {"general"};
    const std::string encoder = dut.substr(colon + 1);
    if (encoder != kEncoders[0]) {
      throw Error(Exit::kUsage, unknown_name("encoder of the CUDA path", encoder, kEncoders));
    }
    choice.encoder = WordJudge::Encoder::kGeneral;
  }
  if (choice.on_device && !fast::device_available()) {
    fail(Exit::kDut, "--dut cuda: {}; cuda-host runs the same arithmetic here",
         fast::device_problem());
  }
  return choice;
}

std::string cuda_problem(const golden::Configuration& configuration, const SweepSpace& space) {
  const auto judge = judge_of(configuration, space, WordJudge::Encoder::kAsBlocks);
  return judge ? std::string() : std::string(judge.problem());
}

SweepDevice cuda_device(const golden::Configuration& configuration, const SweepSpace& space,
                        const CudaChoice& choice) {
  const WordJudge judge = judge_of(configuration, space, choice.encoder).value();
  const std::size_t size = storage_bytes(std::get<ConversionConfig>(configuration.what).source);
  const bool on_device = choice.on_device;
  SweepDevice device;
  device.name = fmt::format("{} ({} encoder)", on_device ? "cuda" : "cuda-host",
                            judge.is_short() ? "short" : "general");
  device.space = space;
  // Words of a sweep are consecutive.
  device.convert = [judge, size, on_device](std::span<const std::byte> words,
                                            std::span<std::byte> codes) {
    convert(judge, on_device, static_cast<std::uint32_t>(load_word(words.data(), size)), codes);
    return true;
  };
  device.judge = [judge, on_device](const golden::ConversionThresholds& thresholds,
                                    std::uint64_t first, std::uint64_t count, int threads) {
    return judge_segments(judge, on_device, thresholds, first, count, threads);
  };
  return device;
}

}  // namespace mx::cli
