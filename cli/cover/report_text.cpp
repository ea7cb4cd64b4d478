#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/cover/report.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {

using golden::Bin;
using golden::Covergroup;
using golden::Coverpoint;
using golden::Reach;
using golden::Score;
using golden::with_commas;

namespace {

std::string line_of(const Score& score) {
  std::string text =
      fmt::format("{:>8}  {} of {} bins, {} unreachable", percent(score), with_commas(score.hit),
                  with_commas(score.bins), with_commas(score.unreachable));
  if (score.contradicted != 0) {
    text += fmt::format("; {} bins were hit that are proved unreachable", score.contradicted);
  }
  return text;
}

bool is_wrong(const Bin& bin) { return (bin.hits == 0) == (bin.reach == Reach::kOpen); }

/// Names of bins: those that nothing hit, and those that nothing can hit and something did.
std::vector<std::string> wrong_bins(const Coverpoint& point) {
  std::vector<std::string> names;
  for (const Bin& bin : point.bins) {
    if (is_wrong(bin)) names.push_back(bin.name);
  }
  return names;
}

}  // namespace

std::string percent(const Score& score) {
  const std::uint64_t all = score.per_10000();
  return fmt::format("{}.{:02} %", all / 100, all % 100);
}

std::string cover_text(const std::vector<Covergroup>& groups, std::size_t missing) {
  std::string text;
  Score total;
  std::uint64_t samples = 0;
  for (const Covergroup& group : groups) {
    const Score score = group.score();
    total += score;
    samples += group.samples;
    text +=
        fmt::format("{}\n{}, {} vectors\n", group.name, line_of(score), with_commas(group.samples));
    for (const Coverpoint& point : group.points) {
      const std::vector<std::string> names = wrong_bins(point);
      if (names.empty()) continue;
      text += fmt::format("  {:16} {}\n", point.name, line_of(point.score()));
      for (std::size_t i = 0; i < std::min(missing, names.size()); ++i) {
        text += fmt::format("    {}\n", names[i]);
      }
      if (names.size() > missing) {
        text += fmt::format("    ... {} more; --missing prints more\n", names.size() - missing);
      }
    }
  }
  return text + fmt::format("COVERAGE {}, {} vectors, {} configurations\n",
                            line_of(total).substr(line_of(total).find_first_not_of(' ')),
                            with_commas(samples), with_commas(groups.size()));
}

std::string cover_summary_json(const std::vector<Covergroup>& groups) {
  using Json = nlohmann::ordered_json;
  const auto add_score = [](Json& json, const Score& score) {
    json["percent"] = fmt::format("{}.{:02}", score.per_10000() / 100, score.per_10000() % 100);
    json["bins"] = score.bins;
    json["hit"] = score.hit;
    json["unreachable"] = score.unreachable;
    json["contradicted"] = score.contradicted;
  };
  Json json = Json::object(), list = Json::array();
  Score total;
  for (const Covergroup& group : groups) {
    total += group.score();
    Json each{{"name", group.name}, {"samples", group.samples}};
    add_score(each, group.score());
    for (const Coverpoint& point : group.points) {
      Json row{{"name", point.name}};
      add_score(row, point.score());
      row["wrong"] = wrong_bins(point);
      each["points"].push_back(std::move(row));
    }
    list.push_back(std::move(each));
  }
  add_score(json, total);
  json["groups"] = std::move(list);
  return golden::dumped(json, 2) + "\n";
}

}  // namespace mx::cli
