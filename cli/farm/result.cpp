#include "cli/farm/result.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/farm/meter.hpp"
#include "cli/merge/merge_text.hpp"
#include "cli/parts/part.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Puts results of shards together.
class Together {
 public:
  virtual ~Together() = default;
  virtual void add(const std::string& path, const std::string& text,
                   const ShardReceipt& receipt) = 0;
  /// Fills in is_covered, digest, text; returns what of it stands in the result's file.
  virtual Json finish(CampaignResult& result) = 0;
};

class SweepsTogether : public Together {
 public:
  explicit SweepsTogether(const Campaign& campaign) : campaign_(campaign) {}

  void add(const std::string& path, const std::string& text, const ShardReceipt&) override {
    merger_.add({path, parse_receipt(path, text)});
  }

  Json finish(CampaignResult& result) override {
    const Merged merged = merger_.finish();
    result.text = merged_text(merged);
    result.is_covered = merged.is_of_one_program && merged.sweeps.size() == campaign_.sweeps;
    golden::Sha256 all;
    Json sweeps = golden::json_of_text(merged_json(merged)).at("sweeps");
    for (Json& each : sweeps) {
      each.erase("seconds");
      const bool is_whole = each.at("missing").empty() && each.at("conflicts").empty();
      result.is_covered = result.is_covered && is_whole;
      all.update(each.at("sha256").get<std::string>());
    }
    result.digest = golden::to_hex(all.finish());
    return sweeps;
  }

 private:
  const Campaign& campaign_;
  SweepMerger merger_;
};

class PartsTogether : public Together {
 public:
  explicit PartsTogether(const Campaign& campaign)
      : campaign_(campaign), digests_(campaign.parts) {}

  void add(const std::string& path, const std::string&, const ShardReceipt& receipt) override {
    try {
      take_all(receipt);
    } catch (const nlohmann::json::exception& error) {
      fail(Exit::kBadInput, "{}: field 'result': is no list of parts ({})", path, error.what());
    }
  }

  Json finish(CampaignResult& result) override {
    golden::Sha256 all;
    std::uint64_t held = 0;
    for (const std::optional<golden::Digest>& each : digests_) {
      if (!each) continue;
      ++held;
      all.update(golden::to_hex(*each));
    }
    result.is_covered = held == campaign_.parts;
    // Files are planned as such and judged by their vectors; a run that is wrong may end early.
    const bool is_counted = campaign_.suite() != "verify-goldens" && result.wrong == 0;
    if (result.is_covered && is_counted && totals_.cases != campaign_.work) {
      fail(
          Exit::kBadInput,
          "the receipts of all {} parts have {} cases, the campaign has {}: begin again in another "
          "folder",
          campaign_.parts, golden::with_commas(totals_.cases), golden::with_commas(campaign_.work));
    }
    result.is_judged = campaign_.suite() != "mutate" ||
                       counts_["killed"] + counts_["survivor"] + counts_["undecided"] != 0;
    result.digest = golden::to_hex(all.finish());
    const bool is_counted_twice = totals_.cases == totals_.words;
    result.text = fmt::format(
        "{}, {}: {} of {} parts, {}{} {}, {} wrong\n", fmt::join(campaign_.command, " "),
        campaign_.dut, held, campaign_.parts,
        is_counted_twice ? "" : golden::with_commas(totals_.cases) + " cases, ",
        golden::with_commas(totals_.words), campaign_.unit, golden::with_commas(result.wrong));
    for (const auto& [name, count] : counts_) {
      result.text += fmt::format("  {}: {}\n", name, golden::with_commas(count));
    }
    result.unjudged = unjudged_;
    for (const Json& each : left_) {
      result.text +=
          fmt::format("  part {}: NOT JUDGED {}: {}\n", each.at("part").dump(),
                      each.at("name").get<std::string>(), each.at("unjudged").get<std::string>());
    }
    for (const Json& each : wrong_) {
      result.text += fmt::format("  part {}: {} wrong; replay: {}\n", each.at("part").dump(),
                                 each.at("wrong").dump(), each.value("replay", "none"));
    }
    Json details = {{"parts", campaign_.parts},
                    {"cases", totals_.cases},
                    {"words", totals_.words},
                    {"counts", counts_},
                    {"wrong_parts", wrong_}};
    if (unjudged_ != 0) details["unjudged_parts"] = left_;
    return details;
  }

 private:
  static constexpr std::size_t kShown = 20;

  /// The survey has seen that the parts are those of the shard.
  void take_all(const ShardReceipt& receipt) {
    std::uint64_t next = parts_of(campaign_, receipt.shard).first;
    for (const Json& each : golden::json_of_text(receipt.result)) take(next++, each);
  }

  void take(std::uint64_t number, const Json& part) {
    digests_[number] =
        golden::parse_digest(part.at("digest").get<std::string>()).value_or(golden::sha256(""));
    totals_.add(totals_of_part(part));
    const Json counts = part.value("counts", Json::object());
    for (const auto& [name, count] : counts.items()) {
      counts_[name] += golden::whole<std::uint64_t>(count);
    }
    if (part.contains("replay")) static_cast<void>(part.at("replay").get_ref<const std::string&>());
    if (part.at("wrong") != 0 && wrong_.size() < kShown) wrong_.push_back(part);
    if (!part.contains("unjudged")) return;
    for (const char* said : {"name", "unjudged"}) {
      static_cast<void>(part.at(said).get_ref<const std::string&>());
    }
    ++unjudged_;
    if (left_.size() < kShown) left_.push_back(part);
  }

  const Campaign& campaign_;
  /// By part. A run that stopped before its end has no digest: "" is kept as that of nothing.
  std::vector<std::optional<golden::Digest>> digests_;
  PartTotals totals_;
  std::map<std::string, std::uint64_t> counts_;  ///< what a command counts beside words
  Json wrong_ = Json::array();                   ///< the first ones
  std::uint64_t unjudged_ = 0;
  Json left_ = Json::array();  ///< the first that no judge could judge
};

}  // namespace

Exit CampaignResult::exit() const {
  if (unjudged != 0) return Exit::kBadInput;
  if (wrong != 0) return Exit::kMismatch;
  if (!is_covered) return Exit::kCoverage;
  return is_judged ? Exit::kPass : Exit::kBadInput;
}

namespace {

std::string_view verdict_of(const CampaignResult& result) {
  if (result.wrong != 0) return "FAIL";
  if (!result.is_covered) return "INCOMPLETE";
  if (!result.is_judged) return "NOTHING JUDGED";
  return result.unjudged != 0 ? "NOT ALL JUDGED" : "PASS";
}

}  // namespace

CampaignResult merge_campaign(const std::string& folder, const Campaign& campaign) {
  CampaignResult result;
  std::unique_ptr<Together> together;
  if (campaign.suite() == "sweep") {
    together = std::make_unique<SweepsTogether>(campaign);
  } else {
    together = std::make_unique<PartsTogether>(campaign);
  }
  result.survey = survey(folder, campaign,
                         [&](const std::string& path, const std::string& text,
                             const ShardReceipt& receipt) { together->add(path, text, receipt); });
  require_good(folder, result.survey);
  result.wrong = result.survey.wrong;
  Json details = together->finish(result);
  result.is_covered = result.is_covered && result.survey.shards_done == campaign.shards;
  if (!result.is_covered) result.digest.clear();
  result.is_judged = result.is_judged && result.survey.compared != 0;
  const Json json = {{"verdict", verdict_of(result)},
                     {"command", campaign.command},
                     {"version", campaign.version},
                     {"sources", campaign.sources},
                     {"dut", campaign.dut},
                     {"judge", campaign.judge},
                     {"compared", result.survey.compared},
                     {"unit", campaign.unit},
                     {"wrong", result.wrong},
                     {"digest", result.digest},
                     {"result", std::move(details)}};
  result.json = json.dump(1) + "\n";
  result.text += fmt::format(
      "{}: {} of {} shards, {} {}, {} wrong, {}; {} of work\n",
      json.at("verdict").get<std::string>(), golden::with_commas(result.survey.shards_done),
      golden::with_commas(campaign.shards), golden::with_commas(result.survey.compared),
      campaign.unit, golden::with_commas(result.wrong),
      result.digest.empty() ? "no digest of the whole" : "sha256:" + result.digest,
      duration_text(result.survey.seconds));
  return result;
}

std::string result_path(const std::string& folder) { return folder + "/result.json"; }

}  // namespace mx::cli
