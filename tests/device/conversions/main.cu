// A device's conversions against mxgold's law, every word: PTX cvt, and the functions of CUDA's
// headers as kernels. spec F14.1, F14.2. SURFACE: codes, fp8, fp6, fp4, e8m0 (headers); ptx (to and
// from FP8), f16, bf16, tf32 (instructions). --on-host: the headers' host paths instead, without a
// device, so that the comparison is seen to work. --shard=I/N: the I-th part of all binary32 words.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/device/conversions/sweep.hpp"
#include "tests/external/judges/verdict.hpp"
#include "tests/support/stream.hpp"

namespace mx::device {
namespace {

constexpr std::string_view kJudge = "device conversions";

struct Asked {
  external::Arguments arguments;
  Where where = Where::kDevice;
};

Asked parse(int argc, char** argv) {
  Asked asked;
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (i != 0 && std::string_view(argv[i]) == "--on-host") {
      asked.where = Where::kHost;
    } else {
      others.push_back(argv[i]);
    }
  }
  asked.arguments = external::parse(static_cast<int>(others.size()), others.data());
  return asked;
}

/// Why no device can be asked, or "".
std::string device_problem() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return cudaGetErrorString(error);
  return count == 0 ? "there is no device" : "";
}

std::string device_text(int in_use) {
  cudaDeviceProp device{};
  int driver = 0;
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return std::string(device.name) + ", sm_" + std::to_string(device.major * 10 + device.minor) +
         " running code of compute_" + std::to_string(in_use) + ", driver " +
         std::to_string(driver);
}

/// The parts of the surfaces asked for, in the order of the text.
std::vector<Part> parts_asked(const Asked& asked) {
  std::vector<Part> parts;
  for (auto& some : {header_parts(), ptx_narrow_parts(), ptx_wide_parts()}) {
    for (const Part& part : some) {
      if (asked.arguments.wants(part.surface)) parts.push_back(part);
    }
  }
  return parts;
}

/// Says which parts cannot be asked and drops them.
void leave_out(std::vector<Part>& parts, Where where, int in_use) {
  std::erase_if(parts, [&](const Part& part) {
    const bool is_missing =
        where == Where::kHost ? part.forms.front().on_host == nullptr : part.architecture > in_use;
    if (!is_missing) return false;
    for (const Form& form : part.forms) {
      std::cout << "  LEFT OUT " << part.name << ", " << form.name << ": "
                << (where == Where::kHost ? std::string("an instruction, which the host has not")
                                          : "needs sm_" + std::to_string(part.architecture))
                << '\n';
    }
    return true;
  });
}

std::size_t bytes_of(const Part& part) {
  std::size_t bytes = 0;
  for (const Form& form : part.forms) bytes += form.bytes;
  return bytes;
}

/// What became of zeros, infinities and NaN, whatever is expected of them.
std::string specials_text(const Law& law, const std::vector<Code>& inputs,
                          const std::vector<Code>& words) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += ' ' + oracle::hex(inputs[i], law.source_digits()) + "->" +
            oracle::hex(words[i], law.word_digits());
  }
  return text;
}

void judge(const Part& part, Sweep& sweep, external::Verdict& verdict) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Tally> tallies = sweep.run(part, verdict.wrong ? part.law.wrong() : part.law);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const std::vector<Code> specials = special_words(part.law.source());
  const std::vector<std::vector<Code>> facts = sweep.ask(part, specials);
  const auto tenths = static_cast<std::uint64_t>(seconds.count() * 10);
  std::cout << part.surface << ": " << part.name << " (" << tenths / 10 << '.' << tenths % 10
            << " s)\n";
  for (std::size_t f = 0; f < part.forms.size(); ++f) {
    const Tally& tally = tallies[f];
    verdict.cases += tally.compared();
    verdict.mismatches += tally.different();
    std::cout << "  " << part.name << ", " << part.forms[f].name << ": " << tally.compared()
              << " compared, " << tally.different() << " differ\n"
              << tally.text(part.law);
    if (!specials.empty()) {
      std::cout << "     " << specials_text(part.law, specials, facts[f]) << '\n';
    }
    if (verdict.wrong && tally.different() == 0) {
      ++verdict.unnoticed;
      std::cout << "  " << part.name << ": the wrong policy went unnoticed\n";
    }
  }
  std::cout << std::flush;
}

int run(const Asked& asked) {
  const external::Arguments& arguments = asked.arguments;
  if (!arguments.valid || arguments.exhaustive) {
    std::cerr << "usage: device_conversions [SURFACE] [--wrong] [--on-host] [--shard=I/N]\n";
    return external::kUsage;
  }
  int in_use = 0;
  if (asked.where == Where::kDevice) {
    if (const std::string problem = device_problem(); !problem.empty()) {
      return external::skip(kJudge, problem);
    }
    in_use = architecture_in_use();
    std::cout << device_text(in_use) << '\n';
  }
  std::cout << "cuda headers " << headers_version() / 1000 << '.' << headers_version() % 1000 / 10
            << (asked.where == Where::kHost ? " on the host" : "") << ", shard " << arguments.shard
            << '/' << arguments.shards << ", MX_TEST_SEED=" << oracle::test_seed() << '\n';
  std::vector<Part> parts = parts_asked(asked);
  const bool is_known = !parts.empty();
  leave_out(parts, asked.where, in_use);
  if (is_known && parts.empty()) return external::skip(kJudge, "nothing of it runs here");
  std::size_t bytes = 0;
  for (const Part& part : parts) bytes = std::max(bytes, bytes_of(part));
  Sweep sweep(asked.where, bytes, {arguments.shard, arguments.shards});
  external::Verdict verdict{kJudge, arguments.wrong};
  for (const Part& part : parts) judge(part, sweep, verdict);
  return verdict.finish();
}

}  // namespace
}  // namespace mx::device

int main(int argc, char** argv) { return mx::device::run(mx::device::parse(argc, argv)); }
