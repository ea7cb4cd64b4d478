// SPDX-License-Identifier: Apache-2.0
// mxgold against the narrow conversions of Spike, the RISC-V simulator: codes and IEEE flags of
// fp16, bf16 and fp32 to e4m3fn and e5m2, in the five IEEE roundings, saturating and not, tininess
// after and before rounding. Its library is loaded, so nothing of Spike is needed to build this.
//
// Two rows of Spike are known to be wrong and are counted apart (spec F21): fp16 subnormals to
// e5m2, to which it adds a hidden bit, and saturated infinities of fp16 in e5m2. A third is a
// choice that OFP8 leaves open: the sign of NaN.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "tests/external/judges/verdict.hpp"
#include "tests/support/made.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::external {
namespace {

using Code = std::uint64_t;

// Structures of one integer, as Spike's are: the calling convention has them in a register.
struct Byte {
  std::uint8_t v;
};
struct Half {
  std::uint16_t v;
};
struct Word {
  std::uint32_t v;
};
using FromHalf = Byte (*)(Half, bool);
using FromWord = Byte (*)(Word, bool);

/// Spike's library: its state, and a function for each pair of formats.
class Spike {
 public:
  explicit Spike(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW)) {
    if (library_ == nullptr) return;
    rounding_ = symbol<std::uint8_t*>("softfloat_roundingMode");
    tininess_ = symbol<std::uint8_t*>("softfloat_detectTininess");
    flags_ = symbol<std::uint8_t*>("softfloat_exceptionFlags");
  }

  [[nodiscard]] bool is_complete() const {
    return rounding_ != nullptr && tininess_ != nullptr && flags_ != nullptr;
  }

  template <typename Function>
  [[nodiscard]] Function symbol(const std::string& name) const {
    return reinterpret_cast<Function>(dlsym(library_, name.c_str()));
  }

  void set(std::uint8_t rounding, std::uint8_t tininess) const {
    *rounding_ = rounding;
    *tininess_ = tininess;
  }
  void clear_flags() const { *flags_ = 0; }
  [[nodiscard]] std::uint8_t flags() const { return *flags_; }

 private:
  void* library_;
  std::uint8_t* rounding_ = nullptr;
  std::uint8_t* tininess_ = nullptr;
  std::uint8_t* flags_ = nullptr;
};

// Values of softfloat.h.
constexpr std::array<std::pair<Rounding, std::uint8_t>, 5> kRoundings = {{
    {Rounding::kTiesToEven, 0},
    {Rounding::kTowardZero, 1},
    {Rounding::kTowardNegative, 2},
    {Rounding::kTowardPositive, 3},
    {Rounding::kTiesToAway, 4},
}};
constexpr std::array<std::pair<Tininess, std::uint8_t>, 2> kTininess = {
    {{Tininess::kBeforeRounding, 0}, {Tininess::kAfterRounding, 1}}};
constexpr std::array<std::pair<std::uint8_t, std::uint8_t>, 4> kFlags = {
    {{kFlagInexact, 1}, {kFlagUnderflow, 2}, {kFlagOverflow, 4}, {kFlagInvalid, 16}}};

struct Source {
  std::string_view name;    ///< of this project
  std::string_view prefix;  ///< of Spike's functions
  const ElementFormat* format;
};
struct Destination {
  std::string_view suffix;
  const ElementFormat* format;
};

std::uint8_t flags_of_spike(std::uint8_t ours) {
  std::uint8_t theirs = 0;
  for (const auto& [flag, bit] : kFlags) theirs |= (ours & flag) != 0 ? bit : 0;
  return theirs;
}

bool is_nan(const ElementFormat& format, Code code) {
  return decode(format, code).cls == ValueClass::kNan;
}

/// Why Spike's answer to this input is not compared; "" where it is.
std::string_view set_aside(const Source& source, const Destination& destination, bool saturates,
                           Code input) {
  if (source.prefix != "f16" || destination.suffix != "e5m2") return "";
  const Code magnitude = input & 0x7FFF;
  if (magnitude != 0 && magnitude < 0x0400) return "fp16 subnormals to e5m2";
  if (magnitude == 0x7C00 && saturates) return "saturated infinities of fp16 in e5m2";
  return "";
}

struct Asked {
  const Source* source;
  const Destination* destination;
  bool saturates;
  Conversion conversion;
};

/// One setting over all inputs; counts in `aside` what Spike answers otherwise in the rows set
/// aside.
void compare(const Spike& spike, const Asked& asked, const std::vector<Code>& inputs,
             oracle::Report& report, std::uint64_t& aside) {
  const std::string name =
      std::string(asked.source->prefix) + "_to_" + std::string(asked.destination->suffix);
  const auto from_half = spike.symbol<FromHalf>(name);
  const auto from_word = spike.symbol<FromWord>(name);
  if (from_half == nullptr) {
    report.check(false, [&] { return "Spike's library has no " + name; });
    return;
  }
  for (const Code input : inputs) {
    spike.clear_flags();
    const Code their_code = asked.source->format->bits == 32
                                ? from_word({static_cast<std::uint32_t>(input)}, asked.saturates).v
                                : from_half({static_cast<std::uint16_t>(input)}, asked.saturates).v;
    const std::uint8_t their_flags = spike.flags();
    const Encoded ours = asked.conversion(input);
    const bool same_code =
        ours.code == their_code || (is_nan(*asked.destination->format, ours.code) &&
                                    is_nan(*asked.destination->format, their_code));
    const bool same = same_code && flags_of_spike(ours.flags) == their_flags;
    if (!set_aside(*asked.source, *asked.destination, asked.saturates, input).empty()) {
      aside += same ? 0 : 1;
      continue;
    }
    report.check(same, [&] {
      return name + ", input " + oracle::hex(input, asked.source->format->bits / 4) + ": mxgold " +
             oracle::hex(ours.code) + " flags " + oracle::hex(flags_of_spike(ours.flags)) +
             ", Spike " + oracle::hex(their_code) + " flags " + oracle::hex(their_flags);
    });
  }
}

std::vector<Code> inputs_of(const Source& source, const Destination& destination) {
  std::vector<Code> all;
  if (source.format->bits == 16) {
    for (Code x = 0; x < 0x10000; ++x) all.push_back(x);
    return all;
  }
  oracle::Stream stream(901);
  all = oracle::special_patterns(*source.format);
  for (const auto& more :
       {oracle::exponent_patterns(*source.format),
        oracle::threshold_patterns(*source.format, *destination.format, 2, 2),
        oracle::random_patterns(*source.format, *destination.format, 1'000'000, stream)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void judge(const Spike& spike, const Source& source, const Arguments& arguments, Verdict& verdict) {
  const std::array<Destination, 2> destinations = {
      {{"e4m3", &formats::e4m3fn}, {"e5m2", &formats::e5m2}}};
  for (const Destination& destination : destinations) {
    const std::vector<Code> inputs = inputs_of(source, destination);
    for (const bool saturates : {false, true}) {
      oracle::Report report;
      std::uint64_t aside = 0;
      for (const auto& [rounding, their_rounding] : kRoundings) {
        for (const auto& [tininess, their_tininess] : kTininess) {
          ElementPolicy policy;
          policy.rounding = arguments.wrong && rounding == Rounding::kTiesToEven
                                ? Rounding::kTiesToZero
                                : rounding;
          policy.tininess = tininess;
          policy.overflow = saturates ? Overflow::kSatFinite : Overflow::kNoneInfOrNan;
          spike.set(their_rounding, their_tininess);
          compare(spike,
                  {&source, &destination, saturates,
                   made(ConversionConfig{*source.format, *destination.format, policy})},
                  inputs, report, aside);
        }
      }
      const std::string what = std::string(source.name) + " to " +
                               std::string(destination.format->name) +
                               (saturates ? ", saturating" : ", not saturating");
      verdict.add(what, report);
      if (aside != 0) std::cout << "  " << what << ": " << aside << " differ in known rows\n";
    }
  }
}

int run(const Arguments& arguments) {
  if (!arguments.valid || arguments.exhaustive) return usage("external_spike");
  const char* named = std::getenv("MX_SPIKE_SOFTFLOAT");
  const std::string path = named != nullptr ? named : MX_SPIKE_DEFAULT;
  const Spike spike(path);
  if (!spike.is_complete()) {
    return skip("Spike", "no " + path +
                             "; build libsoftfloat.so of riscv-software-src/riscv-isa-sim and name "
                             "the file in MX_SPIKE_SOFTFLOAT");
  }
  std::cout << "MX_TEST_SEED=" << oracle::test_seed() << '\n';
  Verdict verdict{"Spike", arguments.wrong};
  const std::array<Source, 3> sources = {{{"fp16", "f16", &formats::fp16},
                                          {"bf16", "bf16", &formats::bf16},
                                          {"fp32", "f32", &formats::fp32}}};
  for (const Source& source : sources) {
    if (arguments.wants(source.name)) judge(spike, source, arguments, verdict);
  }
  return verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) { return mx::external::run(mx::external::parse(argc, argv)); }
