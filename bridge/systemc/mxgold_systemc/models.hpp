// Models of mxgold_model.h for blocks, by configuration word, and the answer to one beat.
#pragma once

#include <mxgold_model.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mxgold_systemc/beats.hpp"

namespace mxgold {

struct CloseModel {
  void operator()(mxgold_model* model) const { mxgold_model_close(model); }
};
using ModelHandle = std::unique_ptr<mxgold_model, CloseModel>;

/// Opens a model; an empty handle and the reason where the text, or the word in the context of the
/// text, is none.
[[nodiscard]] ModelHandle open_model(const std::string& text, std::string& problem);
[[nodiscard]] ModelHandle open_word_model(std::uint32_t word, const std::string& text,
                                          std::string& problem);

/// A block as its beats brought it.
struct Block {
  std::array<std::uint64_t, kMaxBlock> source{};
  std::array<std::uint64_t, kMaxBlock> random{};
  std::uint64_t keep = 0;
  std::uint32_t word = 0;
  bool is_answered = false;  ///< by its model, which has seen no other block since
};

/// The answers of one configuration.
class BlockModel {
 public:
  BlockModel(ModelHandle model, int block_size);

  /// The answer to a beat of a block, of which all beats before it were answered before, and no
  /// other block in between. `open`, where given: one byte a lane, and one more for the scale and
  /// one for the flags; 1: not compared.
  void answer(const Build& build, Block& block, int beat, BeatOut& out, std::uint8_t* open);

 private:
  void ask(Block& block);

  ModelHandle model_;
  std::uint32_t source_mask_ = 0;
  bool takes_random_ = false;
  std::size_t lanes_;
  std::uint32_t random_mask_ = 0;
  std::uint64_t scale_ = 0;
  std::uint64_t flags_ = 0;
  std::array<std::uint64_t, kMaxBlock> source_{};
  std::array<std::uint64_t, kMaxBlock> random_{};
  std::array<std::uint64_t, kMaxBlock> codes_{};
  std::array<std::uint8_t, kMaxBlock + 2> open_{};
};

/// The models of a build by configuration word, opened when first asked for.
class WordModels {
 public:
  explicit WordModels(const Build& build);

  /// nullptr where the word is no configuration; problem() says why.
  [[nodiscard]] BlockModel* find(std::uint32_t tuser);
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const Build& build() const { return build_; }
  /// The word that the build makes of tuser: policies that it lacks are 0.
  [[nodiscard]] std::uint32_t seen_word(std::uint32_t tuser) const;

 private:
  Build build_;
  std::string context_;
  std::uint32_t mask_ = 0;
  std::unordered_map<std::uint32_t, std::unique_ptr<BlockModel>> models_;
  std::uint32_t last_word_ = 0;
  BlockModel* last_ = nullptr;
  std::string problem_;
};

/// What is wrong with a build, "" for nothing.
[[nodiscard]] std::string problem_of(const Build& build);

}  // namespace mxgold
