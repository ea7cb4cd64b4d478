// Every word of a source through a conversion, in numbered segments, each answer compared with the
// conversion's certificate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/devices.hpp"
#include "cli/sweep/space.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::cli {

/// Segments of all words of a source.
[[nodiscard]] std::uint64_t segments_of(const ElementFormat& source);

/// Segments [first, last).
struct SegmentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const SegmentRange&) const = default;
};

struct SweepMismatch {
  std::uint64_t word = 0;
  std::uint64_t code = 0;
  std::uint64_t expected = 0;
};

/// One configuration, swept.
struct Sweep {
  golden::Configuration configuration;
  SweepSpace space;
  std::string dut;    ///< "cpu (AVX3_DL)", "reference", "rtl (lanes DIGEST, Verilator 5.006)"
  std::string judge;  ///< "certificate SHA256", the digest of its JSON
  SegmentRange segments;
  /// Of the codes of each segment, one byte a swept word, ascending.
  std::vector<golden::Digest> digests;
  /// Of each segment the words whose codes the profile leaves open, which are not compared; empty
  /// where it leaves none open.
  std::vector<std::uint64_t> open;
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;
  double seconds = 0;

  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] std::uint64_t open_words() const;
};

/// The words of segments of a sweep: of all that it says it has, or of some.
[[nodiscard]] std::uint64_t words_of(const Sweep& sweep);
[[nodiscard]] std::uint64_t words_of(const ConversionConfig& config, const SweepSpace& space,
                                     const SegmentRange& segments);

/// One digest of a whole sweep: SHA-256 over the digests of its segments, in order. It does not
/// depend on who swept which, nor on whose policies these are.
[[nodiscard]] golden::Digest digest_of(const std::vector<golden::Digest>& segments);

/// The conversion in a few words, the scale where it is not 1, and which words where not all.
[[nodiscard]] std::string summary_of(const Sweep& sweep);

/// What a sweep compares of an answer, and what not: for verdicts.
inline constexpr std::string_view kCompared = "their codes; flags are not";

/// How the line of a sweep begins: "PASS", "FAIL", or "NOTHING COMPARED", which is no pass.
[[nodiscard]] constexpr std::string_view headline_of(bool is_right, std::uint64_t compared) {
  if (!is_right) return "FAIL";
  return compared == 0 ? "NOTHING COMPARED" : "PASS";
}

/// Why a configuration cannot be swept, or "": no conversion, no certificate, a
/// stochastic rounding without its random word, what space_problem() says.
[[nodiscard]] std::string sweep_problem(const golden::Configuration& configuration,
                                        const SweepSpace& space = {});

/// Called after each segment.
using Swept = std::function<void(std::uint64_t words)>;

/// Sweeps segments of one configuration on threads, over the device's space.
[[nodiscard]] Sweep sweep(const golden::Configuration& configuration, const SweepDevice& device,
                          const SegmentRange& segments, int threads, const Swept& swept);

}  // namespace mx::cli
