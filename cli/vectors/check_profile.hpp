// `mxgold check --profile`: answers judged by a system's policies instead of the file's.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/options/policies.hpp"
#include "golden/vectors/block_vector.hpp"
#include "golden/vectors/header.hpp"

namespace mx::cli {

/// Judges the vectors of one file under a profile. What the profile leaves open is not compared.
class ProfileJudge {
 public:
  /// Error kUsage where the profile is unknown or does not speak of a conversion file's formats.
  ProfileJudge(std::string_view profile, const golden::VectorHeader& header);

  /// Fills the answers of vectors [first, last) of `expected`, which holds the operands.
  void answer(golden::CvtBatch& expected, std::size_t first, std::size_t last) const;
  void answer(golden::BlockBatch& expected, std::size_t first, std::size_t last) const;

  /// Do the answers to vector i agree?
  [[nodiscard]] bool agrees(const golden::CvtBatch& expected, const golden::CvtBatch& actual,
                            std::size_t i) const;
  [[nodiscard]] bool agrees(const golden::BlockBatch& expected, const golden::BlockBatch& actual,
                            std::size_t i) const;

 private:
  /// The block configuration for a vector's element, source and size; its other policies are not
  /// looked at. Error kUsage where the profile does not speak of the format.
  [[nodiscard]] QuantizerConfig config_of(std::uint32_t config_word) const;

  ProfileChoice profile_;
  golden::VectorHeader header_;
  ConversionConfig conversion_;
  Masks element_masks_ = 0;
};

}  // namespace mx::cli
