// Suites: numbered stimulus. Vector i of a suite is a pure function of the suite's options and i.
// Classes and their reasons: spec V10.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/block_vector.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

enum class SuiteKind : std::uint8_t {
  kSmoke,     ///< every code, threshold +-1 ulp and special once; seconds for everything
  kDirected,  ///< every directed class in full; sorted, duplicates removed
  kRandom,    ///< seeded; `count` vectors, the classes in turn
  kPolicy     ///< blocks only: seeded, the configuration of every block drawn at random too
};
/// smoke, dir, rnd, policy.
[[nodiscard]] std::string_view to_string(SuiteKind kind);

/// A stimulus class of a suite and how many vectors it made (before duplicates were removed).
struct StimulusClass {
  std::string_view name;
  std::uint64_t count = 0;
};

struct BlockSuiteOptions {
  QuantizerConfig config;  ///< must be expressible as a tuser word
  SuiteKind kind = SuiteKind::kDirected;
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  ///< kRandom and kPolicy: how many; ignored by the others
  /// kPolicy: what may be drawn, as token lists; the element formats, roundings and rules of the
  /// default RTL build unless given. The source is always config.source.
  std::vector<ElementFormat> formats;
  std::vector<Rounding> roundings;
  std::vector<ScaleRule> rules;
};

/// Blocks of one configuration (or, kPolicy, of random ones). Throws std::invalid_argument where
/// the configuration has no tuser word, std::logic_error where a planned class came out empty.
class BlockSuite {
 public:
  explicit BlockSuite(const BlockSuiteOptions& options);
  ~BlockSuite();
  BlockSuite(BlockSuite&&) noexcept;
  BlockSuite& operator=(BlockSuite&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;
  /// How many directed vectors were dropped because an equal one was there.
  [[nodiscard]] std::uint64_t duplicates() const;
  [[nodiscard]] std::span<const StimulusClass> classes() const;
  /// kPresent where the rounding is stochastic (kPolicy: where a stochastic one may be drawn).
  [[nodiscard]] RandomWords random_words() const;
  /// What the tuser words cannot say: block size, stochastic variant, N.
  [[nodiscard]] const ConfigWordContext& context() const;
  /// The options, with the lists of kPolicy (and the one format of the others) filled in.
  [[nodiscard]] const BlockSuiteOptions& options() const;
  /// Replaces the batch by vectors [first, last): config_word, source, random; the answers are
  /// zero. Safe to call from several threads with different batches.
  void fill(std::uint64_t first, std::uint64_t last, BlockBatch& batch) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct CvtSuiteOptions {
  ConversionConfig conversion;
  SuiteKind kind = SuiteKind::kDirected;  ///< not kPolicy
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  ///< kRandom: how many
};

/// Element conversions of one configuration. Throws as BlockSuite does.
class CvtSuite {
 public:
  explicit CvtSuite(const CvtSuiteOptions& options);
  ~CvtSuite();
  CvtSuite(CvtSuite&&) noexcept;
  CvtSuite& operator=(CvtSuite&&) noexcept;

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t duplicates() const;
  [[nodiscard]] std::span<const StimulusClass> classes() const;
  [[nodiscard]] RandomWords random_words() const;
  void fill(std::uint64_t first, std::uint64_t last, CvtBatch& batch) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mx::golden
