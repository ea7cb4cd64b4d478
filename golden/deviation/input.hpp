// What records hold, in the words of the coverage model (spec V10): the member `where` of a waiver.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/coverpoints/source_points.hpp"
#include "golden/deviation/waiver.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// The words of InputPredicate::has: kinds of values (subnormal and normal mean those at the ends
/// of their range too), each also with a sign before it, and kinds of blocks where there are any.
[[nodiscard]] std::vector<std::string> input_words(Operation operation);

/// What is wrong with a predicate for records of the operation, "" if nothing.
[[nodiscard]] std::string problem_of(const InputPredicate& predicate, Operation operation);

/// Looks at records of one header. Not thread-safe.
class InputKinds {
 public:
  /// `header` must live as long.
  explicit InputKinds(const VectorHeader& header) : header_(&header) {}

  /// Does record i of `expected`, which has the right answer, have all that is named? Lanes that
  /// take no part hold nothing. The predicate must have no problem.
  [[nodiscard]] bool has(const RecordBatch& expected, std::size_t i,
                         const InputPredicate& predicate);

 private:
  [[nodiscard]] std::vector<std::string> words_of(const RecordBatch& expected, std::size_t i);
  const SourceClasses& classes_of(std::size_t config, Field field, const ElementFormat& format);

  const VectorHeader* header_;
  std::map<std::pair<std::size_t, Field>, std::unique_ptr<SourceClasses>> classes_;
};

}  // namespace mx::golden
