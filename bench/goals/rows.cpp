#include "bench/goals/rows.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "bench/goals/peers.hpp"

namespace mx::goals {

namespace {

/// "2^18", or the number.
std::string size_words(std::size_t count) {
  if (!std::has_single_bit(count)) return std::to_string(count);
  return "2^" + std::to_string(std::countr_zero(count));
}

}  // namespace

Row row_of(const RowPlan& plan, const Setting& setting) {
  if (plan.make) return plan.make(setting);
  Row row{.id = plan.id, .what = plan.what + ", " + size_words(plan.size), .goal = plan.goal};
  std::vector<PeerBuild> builds;
  // A limit is the fastest way at hand: with prefetches, too.
  const std::vector<std::string> ways =
      plan.peer == "limits" ? std::vector<std::string>{"", "_ahead"} : std::vector<std::string>{""};
  for (const std::string& way : ways) {
    const PeerLoop found = find_peer(setting.peers, plan.peer, plan.loop + way);
    row.skip = found.problem;
    if (!row.skip.empty()) return row;
    for (PeerBuild build : found.builds) {
      if (!way.empty()) build.name += ", with prefetches";
      builds.push_back(build);
    }
  }
  const Work work = plan.work(plan.size);
  for (const PeerBuild& build : builds) {
    row.theirs.push_back({build.name, [work, run = build.run, size = plan.size] {
                            run(work.from, work.aside, work.to, size);
                          }});
  }
  row.items = static_cast<double>(plan.size);
  row.ours = {"mxgold", work.ours};
  row.difference = work.difference;
  row.mask = work.mask;
  return row;
}

std::vector<RowPlan> all_rows(const Setting& setting) {
  std::vector<RowPlan> rows;
  for (const auto& part : {block_rows(setting), profile_rows(), single_rows(setting),
                           widening_rows(setting), text_rows(), sweep_rows(), rtl_rows()}) {
    std::ranges::copy(part, std::back_inserter(rows));
  }
  std::ranges::stable_sort(rows, {}, [](const RowPlan& row) {
    return std::pair(row.id[0], std::stoi(row.id.substr(1)));
  });
  return rows;
}

}  // namespace mx::goals
