// Every word of a source through a conversion, in numbered segments, each answer compared with the
// conversion's certificate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/tensor/choice.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::cli {

/// Words of a segment; a source of fewer words is one segment.
inline constexpr std::uint64_t kSegmentWords = std::uint64_t{1} << 24;

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
  std::string dut;    ///< "cpu (AVX3_DL)", "reference"
  std::string judge;  ///< "certificate SHA256", the digest of its JSON
  SegmentRange segments;
  std::vector<golden::Digest> digests;  ///< of the codes of each segment, one byte a word
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;
  double seconds = 0;

  [[nodiscard]] bool is_whole() const;
};

/// One digest of a whole sweep: SHA-256 over the digests of its segments, in order. It does not
/// depend on who swept which.
[[nodiscard]] golden::Digest digest_of(const std::vector<golden::Digest>& segments);

/// Why a configuration cannot be swept, or "": no conversion, no certificate, a random rounding.
[[nodiscard]] std::string sweep_problem(const golden::Configuration& configuration);

/// Called after each segment.
using Swept = std::function<void(std::uint64_t words)>;

/// What answers: as many codes, one byte each, as words of the source, or false. Called from
/// several threads.
struct SweepDevice {
  std::string name;
  std::function<bool(std::span<const std::byte> words, std::span<std::byte> codes)> convert;
};

/// The reference or the vectors of the processor. kCpu throws Error kUsage where there is no path,
/// kInternal where its self-check fails.
[[nodiscard]] SweepDevice sweep_device(const golden::Configuration& configuration,
                                       backend::Choice choice);

/// Sweeps segments of one configuration on threads.
[[nodiscard]] Sweep sweep(const golden::Configuration& configuration, const SweepDevice& device,
                          const SegmentRange& segments, int threads, const Swept& swept);

}  // namespace mx::cli
