#include "cli/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <variant>

#include "cli/base/chunks.hpp"
#include "cli/base/error.hpp"
#include "cli/sweep/answers.hpp"
#include "cli/sweep/open_words.hpp"
#include "cli/sweep/sweep_thresholds.hpp"
#include "golden/certificates/certificate.hpp"
#include "golden/configuration/text.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

/// Words that are answered and compared at a time: they stay in a processor's cache.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 15;

/// What one segment came to.
struct Segment {
  std::optional<golden::Digest> digest;
  std::uint64_t compared = 0;
  std::uint64_t open = 0;
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;
  /// Open words included: codes that are not the certificate's, and the lowest.
  std::uint64_t differing = 0;
  std::optional<SweepMismatch> first_differing;
};

template <typename Word>
void count_words(std::uint64_t first, std::span<std::byte> words) {
  for (std::uint64_t i = 0; i < words.size() / sizeof(Word); ++i) {
    word_bytes::store<Word>(words.data() + i * sizeof(Word), first + i);
  }
}

/// Words first, first + 1, ..., as they lie in memory: of one size a loop, which is made of
/// vectors.
void count_words(std::uint64_t first, std::size_t size, std::span<std::byte> words) {
  switch (size) {
    case 1:
      return count_words<std::uint8_t>(first, words);
    case 2:
      return count_words<std::uint16_t>(first, words);
    default:
      return count_words<std::uint32_t>(first, words);
  }
}

/// Asks and judges the words of a sweep, piece by piece.
class Segments {
 public:
  /// Numbers from `start` on are asked for.
  Segments(const SweepDevice& dut, const golden::ConversionThresholds& thresholds,
           const golden::Configuration& configuration, std::uint64_t start)
      : dut_(dut),
        thresholds_(thresholds),
        source_(std::get<ConversionConfig>(configuration.what).source),
        ranges_(swept_ranges(std::get<ConversionConfig>(configuration.what), dut.space)),
        open_(configuration, dut.space),
        answers_(thresholds),
        start_(start) {}

  /// A segment that the device compared by itself: the digest of right codes is that of the
  /// answers; wrong ones are asked for and compared here.
  [[nodiscard]] Segment confirm(std::uint64_t number, const fast::WordVerdict& verdict) {
    if (verdict.mismatches == 0) {
      const std::uint64_t open = open_.count(ranges_of(number));
      return {digest_of_answers(number), segment_words() - open, open, 0, {}, 0, {}};
    }
    Segment segment = ask(number, Digested::kCodes);
    const std::optional<SweepMismatch>& first = segment.first_differing;
    if (segment.differing == verdict.mismatches && first->word == verdict.word &&
        first->code == verdict.code) {
      return segment;
    }
    fail(Exit::kInternal, "{}: compared {} mismatches, but gives {}, in segment {}", dut_.name,
         verdict.mismatches, segment.differing, number);
  }

  /// A segment of any other device.
  [[nodiscard]] Segment sweep(std::uint64_t number) {
    if (dut_.digested == Digested::kCodes || dut_.space.words != SweptWords::kAll) {
      return ask(number, Digested::kCodes);
    }
    Segment segment = ask(number, number == start_ ? Digested::kCodes : Digested::kAnswers);
    if (segment.differing != 0) return segment.digest ? segment : ask(number, Digested::kCodes);
    const golden::Digest digest = digest_of_answers(number);
    if (segment.digest && *segment.digest != digest) {
      fail(Exit::kInternal, "{}: the digest of segment {} is not that of its answers", dut_.name,
           number);
    }
    segment.digest = digest;
    return segment;
  }

 private:
  [[nodiscard]] std::uint64_t segment_words() const {
    return std::min(kSegmentWords, source_.code_mask() + 1);
  }

  [[nodiscard]] std::vector<WordRange> ranges_of(std::uint64_t number) const {
    return clipped(ranges_, number * kSegmentWords, (number + 1) * kSegmentWords);
  }

  [[nodiscard]] golden::Digest digest_of_answers(std::uint64_t number) {
    return answers_.of(number * kSegmentWords, segment_words());
  }

  /// Asks for the codes of a segment and compares them; no digest under kAnswers.
  [[nodiscard]] Segment ask(std::uint64_t number, Digested digested) const {
    const std::size_t size = storage_bytes(source_);
    std::vector<std::byte> words(kPiece * size);
    std::vector<std::byte> codes(kPiece);
    std::vector<std::uint8_t> expected(kPiece);
    golden::Sha256 sha;
    Segment segment;
    for (const WordRange& range : ranges_of(number)) {
      for (std::uint64_t first = range.first; first < range.last; first += kPiece) {
        const std::uint64_t count = std::min(kPiece, range.last - first);
        words.resize(count * size);
        codes.resize(count);
        expected.resize(count);
        count_words(first, size, words);
        if (!dut_.convert(words, codes)) {
          fail(Exit::kDut, "{}: refused words of {}", dut_.name, source_.name);
        }
        expand(thresholds_, first, expected);
        if (digested == Digested::kCodes) sha.update(codes);
        compare(first, codes, expected, segment);
      }
    }
    if (digested == Digested::kCodes) segment.digest = sha.finish();
    return segment;
  }

  void compare(std::uint64_t first, std::span<const std::byte> codes,
               std::span<const std::uint8_t> expected, Segment& segment) const {
    const std::uint64_t open = open_.count({{first, first + codes.size()}});
    segment.open += open;
    segment.compared += codes.size() - open;
    if (std::memcmp(codes.data(), expected.data(), codes.size()) == 0) return;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto code = std::to_integer<std::uint8_t>(codes[i]);
      if (code == expected[i]) continue;
      const SweepMismatch differing{first + i, code, expected[i]};
      if (!segment.first_differing) segment.first_differing = differing;
      ++segment.differing;
      if (open != 0 && open_.has(first + i)) continue;
      if (!segment.first) segment.first = differing;
      ++segment.mismatches;
    }
  }

  const SweepDevice& dut_;
  const golden::ConversionThresholds& thresholds_;
  const ElementFormat& source_;
  std::vector<WordRange> ranges_;
  OpenWords open_;
  AnswerDigests answers_;
  std::uint64_t start_;
};

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

std::uint64_t Sweep::open_words() const {
  return std::accumulate(open.begin(), open.end(), std::uint64_t{0});
}

std::uint64_t words_of(const ConversionConfig& config, const SweepSpace& space,
                       const SegmentRange& segments) {
  return count_of(clipped(swept_ranges(config, space), segments.first * kSegmentWords,
                          segments.last * kSegmentWords));
}

std::uint64_t words_of(const Sweep& sweep) {
  return words_of(conversion_of(sweep.configuration), sweep.space, sweep.segments);
}

golden::Digest digest_of(const std::vector<golden::Digest>& segments) {
  golden::Sha256 sha;
  for (const golden::Digest& each : segments) sha.update(std::as_bytes(std::span(each)));
  return sha.finish();
}

std::string summary_of(const Sweep& sweep) {
  std::string text = golden::summary_of(sweep.configuration);
  if (sweep.space.scale != kScaleOne) text += fmt::format(", scale {:02X}", sweep.space.scale);
  if (sweep.space.words == SweptWords::kBlock) text += ", words of a block";
  if (sweep.space.random) text += fmt::format(", R {}", *sweep.space.random);
  return text;
}

std::string sweep_problem(const golden::Configuration& configuration, const SweepSpace& space) {
  const auto* const config = std::get_if<ConversionConfig>(&configuration.what);
  if (config == nullptr) return "a sweep goes over conversions of single values";
  const bool draws = is_stochastic(config->policy.rounding);
  if (draws && !space.random) {
    return "the rounding is random: it has no certificate without its word (--random)";
  }
  const std::string_view why = golden::certificate_problem(config->source, config->destination);
  if (!why.empty()) return std::string(why);
  ElementPolicy policy = config->policy;
  if (draws) policy.rounding = Rounding::kTiesToEven;
  if (!golden::is_certified(policy)) {
    return "the policies have no certificate";
  }
  return space_problem(*config, space);
}

Sweep sweep(const golden::Configuration& configuration, const SweepDevice& device,
            const SegmentRange& segments, int threads, const Swept& swept) {
  const ConversionConfig& config = conversion_of(configuration);
  const SweepJudge judge = sweep_judge(config, device.space);
  Segments words(device, judge.thresholds, configuration, segments.first);
  Sweep result;
  result.configuration = configuration;
  result.space = device.space;
  result.dut = device.name;
  result.judge = judge.name;
  result.segments = segments;
  result.digests.resize(segments.last - segments.first);
  if (configuration.origin.masks != 0) result.open.resize(result.digests.size());
  const auto start = std::chrono::steady_clock::now();
  std::vector<fast::WordVerdict> verdicts;
  if (device.judge && device.space.words == SweptWords::kAll) {
    verdicts = device.judge(judge.thresholds, segments.first, result.digests.size(), threads);
  }
  std::mutex mutex;
  for_each_chunk(result.digests.size(), 1, threads, [&](std::uint64_t at, std::uint64_t) {
    const std::uint64_t number = segments.first + at;
    const Segment segment =
        verdicts.empty() ? words.sweep(number) : words.confirm(number, verdicts[at]);
    const std::lock_guard lock(mutex);
    result.digests[at] = segment.digest.value();
    result.compared += segment.compared;
    if (!result.open.empty()) result.open[at] = segment.open;
    result.mismatches += segment.mismatches;
    const bool is_earlier =
        segment.first && (!result.first || segment.first->word < result.first->word);
    if (is_earlier) result.first = segment.first;
    swept(segment.compared + segment.open);
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace mx::cli
