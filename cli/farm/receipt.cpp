#include "cli/farm/receipt.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/sweep/receipt.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string host_name() {
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
  receipt.host = host_name();
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
    return receipt_of(json);
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

std::string receipt_path(const std::string& folder, const Campaign& campaign, std::uint64_t shard) {
  const std::size_t digits = fmt::format("{}", campaign.shards - 1).size();
  return fmt::format("{}/receipts/{:0{}}.json", folder, shard, digits);
}

}  // namespace mx::cli
