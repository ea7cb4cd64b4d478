#include "cli/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <variant>

#include "backend/tensor/converter.hpp"
#include "cli/base/chunks.hpp"
#include "cli/base/error.hpp"
#include "golden/certificates/certificate.hpp"
#include "golden/certificates/index.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::cli {
namespace {

/// Words that are answered and compared at a time: they stay in a processor's cache.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;

/// What one segment came to.
struct Segment {
  golden::Digest digest{};
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;
};

/// Words first, first + 1, ..., as they lie in memory.
void count_words(std::uint64_t first, std::size_t size, std::span<std::byte> words) {
  for (std::uint64_t i = 0; i < words.size() / size; ++i) {
    store_word(words.data() + i * size, size, first + i);
  }
}

Segment sweep_segment(const SweepDevice& dut, const golden::Staircase& stairs,
                      const ElementFormat& source, std::uint64_t number) {
  const std::uint64_t end = source.code_mask() + 1;
  const std::uint64_t last = std::min((number + 1) * kSegmentWords, end);
  const std::size_t size = storage_bytes(source);
  std::vector<std::byte> words(kPiece * size);
  std::vector<std::byte> codes(kPiece);
  std::vector<std::uint8_t> expected(kPiece);
  golden::Sha256 sha;
  Segment segment;
  for (std::uint64_t first = number * kSegmentWords; first < last; first += kPiece) {
    count_words(first, size, words);
    if (!dut.convert(words, codes)) {
      fail(Exit::kDut, "{}: refused words of {}", dut.name, source.name);
    }
    expand(stairs, first, expected);
    sha.update(codes);
    if (std::ranges::equal(codes, std::as_bytes(std::span(expected)))) continue;
    for (std::uint64_t i = 0; i < kPiece; ++i) {
      const auto code = std::to_integer<std::uint8_t>(codes[i]);
      if (code == expected[i]) continue;
      if (!segment.first) segment.first = {first + i, code, expected[i]};
      ++segment.mismatches;
    }
  }
  segment.digest = sha.finish();
  return segment;
}

const ConversionConfig& conversion_of(const golden::Configuration& configuration) {
  return std::get<ConversionConfig>(configuration.what);
}

}  // namespace

std::uint64_t segments_of(const ElementFormat& source) {
  return std::max<std::uint64_t>((source.code_mask() + 1) / kSegmentWords, 1);
}

bool Sweep::is_whole() const {
  return segments == SegmentRange{0, segments_of(conversion_of(configuration).source)};
}

golden::Digest digest_of(const std::vector<golden::Digest>& segments) {
  golden::Sha256 sha;
  for (const golden::Digest& each : segments) sha.update(std::as_bytes(std::span(each)));
  return sha.finish();
}

std::string sweep_problem(const golden::Configuration& configuration) {
  const auto* const config = std::get_if<ConversionConfig>(&configuration.what);
  if (config == nullptr) return "a sweep goes over conversions of single values";
  if (is_stochastic(config->policy.rounding))
    return "the rounding is random: it has no certificate";
  const std::string_view why = golden::certificate_problem(config->source, config->destination);
  if (!why.empty()) return std::string(why);
  if (!golden::is_certified(config->policy.rounding, config->policy.overflow)) {
    return "the policies have no certificate";
  }
  return {};
}

SweepDevice sweep_device(const golden::Configuration& configuration, backend::Choice choice) {
  auto made = backend::TensorConverter::make(conversion_of(configuration), choice,
                                             backend::Wanted::kCounts);
  if (!made) fail(Exit::kUsage, "--dut: {}", made.problem());
  if (const std::string problem = made->self_check(); !problem.empty()) {
    fail(Exit::kInternal, "{}", problem);
  }
  std::string name = made->path();
  const auto converter = std::make_shared<const backend::TensorConverter>(std::move(made).value());
  return {std::move(name),
          [converter](std::span<const std::byte> words, std::span<std::byte> codes) {
            static_cast<void>(converter->convert(words, {}, codes, 0, codes.size()));
            return true;
          }};
}

Sweep sweep(const golden::Configuration& configuration, const SweepDevice& device,
            const SegmentRange& segments, int threads, const Swept& swept) {
  const ConversionConfig& config = conversion_of(configuration);
  const golden::ThresholdCertificate certificate =
      golden::make_certificate(config.source, config.destination);
  const golden::Staircase stairs = golden::staircase(certificate, config.policy);
  Sweep result;
  // Whose policies these are, and which were chosen, changes no answer.
  result.configuration = {configuration.what, {}};
  result.dut = device.name;
  result.judge = "certificate " + golden::index_entry(certificate, false).json_sha256;
  result.segments = segments;
  result.digests.resize(segments.last - segments.first);
  const auto start = std::chrono::steady_clock::now();
  std::mutex mutex;
  for_each_chunk(result.digests.size(), 1, threads, [&](std::uint64_t at, std::uint64_t) {
    const Segment segment = sweep_segment(device, stairs, config.source, segments.first + at);
    const std::uint64_t words = std::min(kSegmentWords, config.source.code_mask() + 1);
    const std::lock_guard lock(mutex);
    result.digests[at] = segment.digest;
    result.compared += words;
    result.mismatches += segment.mismatches;
    const bool is_earlier =
        segment.first && (!result.first || segment.first->word < result.first->word);
    if (is_earlier) result.first = segment.first;
    swept(words);
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace mx::cli
