// One record after the other against every subject of a list, keeping what subjects share.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "golden/identify/record.hpp"

namespace mx::golden {

/// What explain_record() says of a record and a subject, without the answer.
struct RecordMatch {
  AnswerCounts counts = {};
  bool agrees = true;
  bool left_open = false;
};

/// Judges records of one log. Made of prepared subjects by a RecordJudges; one for each thread.
class RecordJudge {
 public:
  RecordJudge() = default;
  RecordJudge(const RecordJudge&) = delete;
  RecordJudge& operator=(const RecordJudge&) = delete;
  virtual ~RecordJudge() = default;

  /// The record that is judged from now on.
  virtual void take(const LogRecord& record) = 0;
  [[nodiscard]] virtual RecordMatch judge(std::size_t subject) = 0;
};

/// Subjects made ready for judging; outlives the judges it makes.
class RecordJudges {
 public:
  RecordJudges() = default;
  RecordJudges(const RecordJudges&) = delete;
  RecordJudges& operator=(const RecordJudges&) = delete;
  virtual ~RecordJudges() = default;
  [[nodiscard]] virtual std::unique_ptr<RecordJudge> make() const = 0;
};

[[nodiscard]] std::unique_ptr<RecordJudges> element_judges(const ImplementationLog& log,
                                                           std::span<const Subject> subjects);
[[nodiscard]] std::unique_ptr<RecordJudges> block_judges(const ImplementationLog& log,
                                                         std::span<const Subject> subjects);

/// Where each of several values stands among the distinct ones.
template <typename T>
struct Groups {
  std::vector<T> values;
  std::vector<std::size_t> of;  ///< place in `values`, one for each that was added

  template <typename Same>
  void add(const T& value, const Same& same) {
    std::size_t at = 0;
    while (at < values.size() && !same(values[at], value)) ++at;
    if (at == values.size()) values.push_back(value);
    of.push_back(at);
  }
};

}  // namespace mx::golden
