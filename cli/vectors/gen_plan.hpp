// What `mxgold gen` is asked for, as numbered vectors: options to configurations, configurations
// or tensors to runs of vectors, runs to one file header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "golden/vectors/header.hpp"

namespace mx::cli {

struct GenOptions {
  std::shared_ptr<FormatBook> book;  ///< what --format-file and --define define
  std::string definitions;           ///< the same as options, for the manifest
  std::string op = "block";
  std::string suite;  ///< smoke, dir, rnd, policy; "" is smoke, or tensor with an input
  Names formats;
  Names sources;  ///< none: fp32, or what the tensors are
  std::uint64_t count = 10000;
  std::uint64_t seed = kDefaultSeed;
  std::string shard = "0/1";
  int block_size = 0;   ///< 0: 32, that of every format that block vectors can have
  int random_bits = 0;  ///< 0: the profile's for conversions, else the default
  std::string input;
  std::string tensor = "all";
  std::string profile = "mxgold-default";
  std::vector<Names> policies;  ///< the tokens given for each of policy_options()

  [[nodiscard]] int elements() const {
    return block_size == 0 ? golden::ConfigWordContext().block_size : block_size;
  }
};

/// A run of vectors that is made in one piece of code. open() prepares what the vectors need; the
/// function it returns replaces a batch by the operands of vectors [first, last) of the run and
/// may be called from several threads.
template <typename Batch>
struct VectorRun {
  using Fill = std::function<void(std::uint64_t, std::uint64_t, Batch&)>;
  std::uint64_t size = 0;
  std::function<Fill()> open;
};

struct GenPlan {
  golden::VectorHeader header;  ///< of the shard, its count included
  std::uint64_t first = 0;      ///< first vector of the shard
  std::vector<VectorRun<golden::CvtBatch>> conversions;
  std::vector<VectorRun<golden::BlockBatch>> blocks;
  std::vector<golden::StimulusClass> classes;
  std::uint64_t duplicates = 0;
  std::string options;  ///< the options that make this set again
  std::shared_ptr<const TensorFile> tensors;
};

/// The configurations of block vectors from a source, formats slowest. Error kUsage for one that
/// cannot be.
[[nodiscard]] std::vector<QuantizerConfig> block_configs(const GenOptions& options,
                                                         const ElementFormat& source,
                                                         const GenPlan& plan);
/// The one configuration of a file of conversions.
[[nodiscard]] ConversionConfig one_conversion(const GenOptions& options,
                                              const ElementFormat& source);
/// The source format asked for, or `otherwise` where none is. Error kUsage for several.
[[nodiscard]] std::string one_source(const GenOptions& options, std::string_view otherwise);
/// Enters a configuration into the lists of the header.
void announce(const QuantizerConfig& config, golden::VectorHeader& header);

/// Vectors from the tensors of options.input: source format, header and runs.
void plan_tensors(const GenOptions& options, GenPlan& plan);

/// Throws Error: kUsage for options that name nothing, kBadInput for tensors that cannot be read.
[[nodiscard]] GenPlan plan_gen(const GenOptions& options);

}  // namespace mx::cli
