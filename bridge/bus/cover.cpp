// SPDX-License-Identifier: Apache-2.0
#include "bridge/bus/cover.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "golden/coverage/collector.hpp"
#include "golden/coverage/database.hpp"

namespace mx::bridge {

bool Cover::refuse(std::string why) {
  error_ = std::move(why);
  return false;
}

Cover::Group* Cover::group_of(const Handle& handle) {
  const golden::VectorHeader& header = handle.model().header();
  const std::string key = fmt::format("{}; {} lanes", handle.text(), header.lanes);
  if (const auto found = groups_.find(key); found != groups_.end()) return &found->second;
  if (groups_.size() == most_) return nullptr;
  Group group;
  group.header = header;
  group.collector = golden::make_collector(header, 0);
  return &groups_.emplace(key, std::move(group)).first->second;
}

bool Cover::sample(const Handle* handle) {
  if (handle == nullptr || !handle->is_open() || !handle->has_answer()) {
    return refuse("coverage: the model has no answer");
  }
  error_.clear();
  Group* const group = group_of(*handle);
  if (group == nullptr) {
    ++left_out_;
    return true;
  }
  golden::OpenAnswer answer = handle->model().open_answer();
  answer.dont_care = false;  // a policy, which has bins of its own; not the profile's
  const golden::RecordBatch& record = handle->model().record();
  std::vector<std::uint64_t> open(record.of(golden::Field::kCode, 0).size() / 8 + 2);
  golden::store_open(answer, open);
  group->collector->sample(record, 0, golden::NotCompared(open));
  ++group->samples;
  return true;
}

std::vector<golden::Covergroup> Cover::groups() const {
  std::vector<golden::Covergroup> all;
  for (const auto& [key, group] : groups_) {
    golden::Covergroup& one = all.emplace_back(golden::group_of(group.header, 0));
    one.samples = group.samples;
    one.points = group.collector->points();
  }
  return all;
}

std::uint64_t Cover::count(std::string_view what) const {
  if (what == "left_out") return left_out_;
  if (what == "configurations") return groups_.size();
  golden::Score score;
  std::uint64_t samples = 0;
  for (const golden::Covergroup& group : groups()) {
    score += group.score();
    samples += group.samples;
  }
  if (what == "samples") return samples;
  if (what == "bins") return score.bins;
  if (what == "hit") return score.hit;
  if (what == "unreachable") return score.unreachable;
  return what == "contradicted" ? score.contradicted : 0;
}

std::vector<CoverBin> Cover::bins() const {
  std::vector<CoverBin> all;
  for (const golden::Covergroup& group : groups()) {
    for (const golden::Coverpoint& point : group.points) {
      for (const golden::Bin& bin : point.bins) {
        all.push_back({fmt::format("{}/{}/{}", group.name, point.name, bin.name), bin.hits,
                       bin.reach != golden::Reach::kUnreachable});
      }
    }
  }
  return all;
}

bool Cover::save(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << golden::coverage_json(groups());
  file.close();
  return file ? (error_.clear(), true) : refuse(path + ": cannot be written");
}

}  // namespace mx::bridge
