// The second level of two-level formats on the command line, and dense layouts of scales.
#pragma once

#include <span>
#include <string>

#include "backend/tensor/choice.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/line/command.hpp"
#include "cli/tensors/plan.hpp"
#include "golden/names/level.hpp"

namespace mx::cli {

/// The options --tensor-amax and --tensor-scale. Must stay in place once added, since CLI11 keeps
/// references.
class TensorLevelOptions {
 public:
  TensorLevelOptions() = default;
  TensorLevelOptions(const TensorLevelOptions&) = delete;
  TensorLevelOptions& operator=(const TensorLevelOptions&) = delete;

  void add_to(const Command& command);
  /// Error kUsage if an option is no number, does not fit the recipe's format or rule, or both are
  /// given.
  void check(const Recipe& recipe) const;
  /// The level where nothing has to be scanned: from the options, or from `amax` if --tensor-amax
  /// is not given. Error kUsage if it cannot be used with the recipe.
  [[nodiscard]] TensorLevel level(const Recipe& recipe, const ElementFormat& source,
                                  const Unpacked& amax) const;
  [[nodiscard]] const golden::LevelTexts& texts() const { return texts_; }
  /// The level of a tensor of a file, scanned from several threads where needed.
  [[nodiscard]] TensorLevel level_of(const Recipe& recipe, const TensorFile& file,
                                     const Tensor& tensor, backend::Choice choice,
                                     int threads) const;

 private:
  golden::LevelTexts texts_;
};

/// Error kUsage where `words`, of a tensor of the file, hold an infinity or a NaN, and the tensor's
/// level would be found under a profile: what its system makes of them is not modelled.
void refuse_specials(const TensorFile& file, const Tensor& tensor, std::span<const std::byte> words,
                     std::string_view profile);

/// Error kUsage where a layout of codes or scales needs blocks along the last axis and this tensor
/// has others (split_half: whole blocks of an even number too).
void require_last_axis(const Recipe& recipe, std::string_view file, const Tensor& tensor);

/// Scales of one byte in C order to the layout swizzle_128x4, and back.
void swizzle_scales(const BlockedShape& shape, std::span<const std::byte> plane,
                    std::span<std::byte> swizzled);
void unswizzle_scales(const BlockedShape& shape, std::span<const std::byte> swizzled,
                      std::span<std::byte> plane);

}  // namespace mx::cli
