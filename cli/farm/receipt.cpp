#include "cli/farm/receipt.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/parts/part.hpp"
#include "cli/sweep/receipt.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

ShardReceipt receipt_of(const Json& json) {
  ShardReceipt receipt;
  receipt.campaign = json.at("campaign").get<std::string>();
  receipt.shard = golden::whole<std::uint64_t>(json.at("shard"));
  receipt.shards = golden::whole<std::uint64_t>(json.at("shards"));
  receipt.version = json.at("version").get<std::string>();
  receipt.commit = json.at("commit").get<std::string>();
  receipt.sources = json.at("sources").get<std::string>();
  receipt.host = json.at("host").get<std::string>();
  receipt.dut = json.at("dut").get<std::string>();
  receipt.judge = json.at("judge").get<std::string>();
  receipt.unit = json.at("unit").get<std::string>();
  receipt.compared = golden::whole<std::uint64_t>(json.at("compared"));
  receipt.wrong = golden::whole<std::uint64_t>(json.at("wrong"));
  receipt.seconds = json.at("seconds").get<double>();
  receipt.result = json.at("result").dump();
  return receipt;
}

}  // namespace

ShardReceipt receipt_of_shard(const Campaign& campaign, std::uint64_t shard) {
  ShardReceipt receipt;
  receipt.campaign = campaign.id();
  receipt.shard = shard;
  receipt.shards = campaign.shards;
  receipt.version = version();
  receipt.commit = commit();
  receipt.sources = source_digest();
  receipt.host = this_host();
  receipt.dut = campaign.dut;
  receipt.judge = campaign.judge;
  receipt.unit = campaign.unit;
  return receipt;
}

std::string shard_receipt_text(const ShardReceipt& receipt) {
  Json json = {{"schema", kFarmReceiptSchema}, {"campaign", receipt.campaign},
               {"shard", receipt.shard},       {"shards", receipt.shards},
               {"version", receipt.version},   {"commit", receipt.commit},
               {"sources", receipt.sources},   {"host", receipt.host},
               {"dut", receipt.dut},           {"judge", receipt.judge},
               {"verdict", receipt.verdict()}, {"unit", receipt.unit},
               {"compared", receipt.compared}, {"wrong", receipt.wrong},
               {"seconds", receipt.seconds},   {"result", golden::json_of_text(receipt.result)}};
  json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
  return json.dump(1) + "\n";
}

ShardReceipt parse_shard_receipt(const std::string& path, const std::string& text) {
  Json json;
  if (const auto problem = golden::parse_json(text, json)) {
    fail(Exit::kBadInput, "{}: {}: cut short, or no receipt", path,
         golden::text_of(*problem, text));
  }
  if (!json.is_object()) {
    fail(Exit::kBadInput, "{}: no JSON object of {} bytes: cut short, or no receipt", path,
         text.size());
  }
  try {
    if (json.at("schema") != kFarmReceiptSchema) {
      fail(Exit::kBadInput, "{}: field 'schema': is not {}", path, kFarmReceiptSchema);
    }
    const std::string seal = json.at("sha256").get<std::string>();
    json.erase("sha256");
    if (golden::to_hex(golden::sha256(json.dump())) != seal) {
      fail(Exit::kBadInput,
           "{}: field 'sha256': is not that of the content: the file was changed or damaged", path);
    }
    ShardReceipt receipt = receipt_of(json);
    if (json.at("verdict") != receipt.verdict()) {
      fail(Exit::kBadInput, "{}: field 'verdict': is {}, and 'compared' and 'wrong' say {}", path,
           json.at("verdict").dump(), receipt.verdict());
    }
    return receipt;
  } catch (const nlohmann::json::exception& error) {
    fail(Exit::kBadInput, "{}: no receipt of a shard ({})", path, error.what());
  }
}

std::string receipt_problem(const Campaign& campaign, const ShardReceipt& receipt) {
  if (receipt.sources != campaign.sources || receipt.version != campaign.version) {
    return fmt::format("stale: by mxgold {} of sources {}, the campaign is of {} of {}",
                       receipt.version, receipt.sources, campaign.version, campaign.sources);
  }
  if (receipt.dut != campaign.dut) {
    return fmt::format("by the device '{}', the campaign's is '{}'", receipt.dut, campaign.dut);
  }
  if (receipt.campaign != campaign.id()) {
    return fmt::format("foreign: of campaign {:.12}, this is {:.12}", receipt.campaign,
                       campaign.id());
  }
  if (receipt.judge != campaign.judge || receipt.unit != campaign.unit ||
      receipt.shards != campaign.shards || receipt.shard >= campaign.shards) {
    return "says another judge, unit or number of shards than the campaign";
  }
  return {};
}

namespace {

std::string other_totals(const ShardReceipt& receipt, const PartTotals& totals) {
  if (receipt.compared != totals.words) {
    return fmt::format("field 'compared': is {}, the parts have {}", receipt.compared,
                       totals.words);
  }
  if (receipt.wrong != totals.wrong) {
    return fmt::format("field 'wrong': is {}, the parts have {}", receipt.wrong, totals.wrong);
  }
  return {};
}

std::string contradiction_of_sweep(const std::string& path, const ShardReceipt& receipt) {
  const Receipt swept = parse_receipt(path, receipt.result);
  if (swept.sources != receipt.sources || swept.version != receipt.version) {
    return "field 'result': is by another program than the receipt";
  }
  PartTotals totals;
  for (const Sweep& each : swept.sweeps) {
    if (fmt::format("; {}; ", receipt.dut).find(fmt::format("; {}; ", each.dut)) ==
        std::string::npos) {
      return fmt::format("field 'result': is by the device '{}', the receipt by '{}'", each.dut,
                         receipt.dut);
    }
    totals.add({0, each.compared, each.mismatches});
  }
  return other_totals(receipt, totals);
}

}  // namespace

std::string contradiction_of(const std::string& path, const Campaign& campaign,
                             const ShardReceipt& receipt) {
  if (campaign.suite() == "sweep") return contradiction_of_sweep(path, receipt);
  const FarmedCommand& farmed = *find_farmed(campaign.suite());
  try {
    PartTotals totals;
    const PartRange range = parts_of(campaign, receipt.shard);
    std::uint64_t next = range.first;
    for (const Json& each : golden::json_of_text(receipt.result)) {
      const auto number = golden::whole<std::uint64_t>(each.at("part"));
      if (number != next || next == range.last) {
        return fmt::format("part {} where {} of {} to {} comes", number, next, range.first,
                           range.last - 1);
      }
      ++next;
      const std::string problem = contradiction_of_part(farmed, each);
      if (!problem.empty()) return fmt::format("part {}: {}", number, problem);
      totals.add(totals_of_part(each));
    }
    if (next != range.last) return fmt::format("ends before part {}", next);
    return other_totals(receipt, totals);
  } catch (const nlohmann::json::exception& error) {
    return fmt::format("field 'result': is no list of parts ({})", error.what());
  }
}

std::string receipt_path(const std::string& folder, const Campaign& campaign, std::uint64_t shard) {
  const std::size_t digits = fmt::format("{}", campaign.shards - 1).size();
  return fmt::format("{}/receipts/{:0{}}.json", folder, shard, digits);
}

}  // namespace mx::cli
