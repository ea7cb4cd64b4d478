// SPDX-License-Identifier: Apache-2.0
// Coverage of a bench: which bins of `mxgold cover` the records hit that its models answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/bus/handle.hpp"
#include "golden/coverpoints/collector.hpp"

namespace mx::bridge {

/// A bin, by its place among all.
struct CoverBin {
  std::string name;  ///< configuration, coverpoint and bin
  std::uint64_t hits = 0;
  bool is_reachable = true;
};

/// Collects, a covergroup for each configuration that comes.
class Cover {
 public:
  /// `most`: configurations that are collected; records of others are counted and left out.
  explicit Cover(std::size_t most) : most_(most) {}

  [[nodiscard]] const std::string& error() const { return error_; }

  /// Looks at the last answer of a handle. Fails where it has none, or is nullptr.
  bool sample(const Handle* handle);

  /// A count by its name: configurations, samples, left_out; of bins, without those that are proved
  /// unreachable: bins, hit; unreachable, contradicted. 0 for another name.
  [[nodiscard]] std::uint64_t count(std::string_view what) const;
  /// Every bin of every configuration.
  [[nodiscard]] std::vector<CoverBin> bins() const;
  /// Writes a file for `mxgold cover`. False, and error(), where it cannot be written.
  bool save(const std::string& path);

 private:
  struct Group {
    golden::VectorHeader header;
    std::unique_ptr<golden::Collector> collector;
    std::uint64_t samples = 0;
  };
  [[nodiscard]] Group* group_of(const Handle& handle);
  [[nodiscard]] std::vector<golden::Covergroup> groups() const;
  bool refuse(std::string why);

  std::size_t most_;
  std::map<std::string, Group> groups_;  ///< by the text and the lanes of the model
  std::uint64_t left_out_ = 0;
  std::string error_;
};

}  // namespace mx::bridge
