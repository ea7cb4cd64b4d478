// What `mxgold gen` is asked for, as numbered vectors: options to one file header and the operands
// of every vector.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/configs/configurations.hpp"
#include "cli/files/tensor_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "golden/vectors/header.hpp"

namespace mx::cli {

struct GenOptions {
  ConfigOptions configs;
  std::string definitions;  ///< --format-file and --define as typed, for the manifest
  std::string suite;        ///< smoke, dir, rnd, policy; "" is smoke, or tensor with an input
  std::uint64_t count = 10000;
  std::uint64_t seed = kDefaultSeed;
  std::string shard = "0/1";
  int lanes = 0;                 ///< 0: a block; blocks without a size and dots: kDefaultLanes
  std::string lengths = "vary";  ///< full, vary
  std::string input;
  std::string tensor = "all";
  std::int64_t axis = -1;
};

struct GenPlan {
  std::shared_ptr<golden::VectorHeader> header;  ///< of the shard, its count included
  std::uint64_t first = 0;                       ///< first vector of the shard
  std::uint64_t whole = 0;                       ///< vectors of all shards
  /// Replaces a batch by the operands of vectors [first, last) of all shards; thread-safe.
  std::function<void(std::uint64_t, std::uint64_t, golden::RecordBatch&)> fill;
  std::vector<golden::StimulusClass> classes;
  std::uint64_t duplicates = 0;
  std::string options;  ///< the options that make this set again
};

/// Lanes of blocks that have no size of their own, and of dot products in blocks of 32.
inline constexpr int kDefaultLanes = 64;

/// Adds the options of the stimulus: everything above but the configurations.
void add_gen_options(const Command& app, GenOptions& options);

/// Error kUsage for an option of the stimulus that the others leave nothing to say, and for what
/// refuse_unused_options() refuses.
void refuse_unused_stimulus(const Command& app, const GenOptions& options);

/// Throws Error: kUsage for options that name nothing, kBadInput for tensors that cannot be read.
[[nodiscard]] GenPlan plan_gen(const GenOptions& options);

/// The part of plan_gen that takes vectors from the tensors of options.input: header but for the
/// shard, fill and classes. Their number.
std::uint64_t plan_tensors(const GenOptions& options, GenPlan& plan);

}  // namespace mx::cli
