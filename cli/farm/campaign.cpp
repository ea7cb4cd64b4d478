#include "cli/farm/campaign.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostShards = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostSweepParts = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostManifestBytes = std::uint64_t{1} << 28;
constexpr std::string_view kCampaignSchema = "mxgold-farm-campaign 2";

Json json_of(const Campaign& campaign) {
  Json files = Json::object();
  for (const auto& [name, digest] : campaign.files) files[name] = digest;
  return {{"schema", kCampaignSchema}, {"command", campaign.command},
          {"folder", campaign.folder}, {"version", campaign.version},
          {"commit", campaign.commit}, {"sources", campaign.sources},
          {"reads", campaign.reads},   {"files", files},
          {"dut", campaign.dut},       {"judge", campaign.judge},
          {"unit", campaign.unit},     {"work", campaign.work},
          {"parts", campaign.parts},   {"sweeps", campaign.sweeps},
          {"shards", campaign.shards}};
}

Campaign campaign_of(const Json& json) {
  Campaign campaign;
  campaign.command = json.at("command").get<std::vector<std::string>>();
  campaign.folder = json.at("folder").get<std::string>();
  campaign.version = json.at("version").get<std::string>();
  campaign.commit = json.at("commit").get<std::string>();
  campaign.sources = json.at("sources").get<std::string>();
  campaign.reads = json.at("reads").get<std::vector<std::string>>();
  for (const auto& [name, digest] : json.at("files").items()) {
    campaign.files.emplace(name, digest.get<std::string>());
  }
  campaign.dut = json.at("dut").get<std::string>();
  campaign.judge = json.at("judge").get<std::string>();
  campaign.unit = json.at("unit").get<std::string>();
  campaign.work = golden::whole<std::uint64_t>(json.at("work"));
  campaign.parts = golden::whole<std::uint64_t>(json.at("parts"));
  campaign.sweeps = golden::whole<std::uint64_t>(json.at("sweeps"));
  campaign.shards = golden::whole<std::uint64_t>(json.at("shards"));
  return campaign;
}

}  // namespace

std::string Campaign::id() const { return golden::to_hex(golden::sha256(json_of(*this).dump())); }

PartRange parts_of(const Campaign& campaign, std::uint64_t shard) {
  const auto cut = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(campaign.parts) * i /
                                      campaign.shards);
  };
  return {cut(shard), cut(shard + 1)};
}

std::string manifest_of(const std::string& folder) { return folder + "/campaign.json"; }

void write_campaign(const std::string& folder, const Campaign& campaign) {
  Json json = json_of(campaign);
  json["id"] = campaign.id();
  golden::write_file(manifest_of(folder), json.dump(1) + "\n");
}

Campaign read_campaign(const std::string& folder) {
  const std::string path = manifest_of(folder);
  if (!std::filesystem::exists(path)) {
    fail(Exit::kUsage, "{}: no campaign: begin one with `mxgold farm {} -- sweep ...`", path,
         folder);
  }
  constexpr std::string_view kRemedy = "put the file back, or begin again in another folder";
  try {
    const Json json =
        golden::read_json(path, {kMostManifestBytes, kRemedy, golden::Pipes::kRefused});
    if (json.at("schema") != kCampaignSchema) {
      fail(Exit::kBadInput, "{}: field 'schema': is not {}; {}", path, kCampaignSchema, kRemedy);
    }
    Campaign campaign = campaign_of(json);
    // Merging keeps a bit a shard, and a digest for each part of what is no sweep.
    const bool is_possible = campaign.shards != 0 && campaign.shards <= campaign.parts &&
                             !campaign.command.empty() && campaign.shards <= kMostShards &&
                             (campaign.suite() == "sweep" || campaign.parts <= kMostSweepParts);
    if (json.at("id") != campaign.id() || !is_possible) {
      fail(Exit::kBadInput, "{}: field 'id': the manifest was changed or damaged; {}", path,
           kRemedy);
    }
    return campaign;
  } catch (const golden::VectorError& error) {
    fail(Exit::kBadInput, "{}", error.what());
  } catch (const nlohmann::json::exception& error) {
    fail(Exit::kBadInput, "{}: no manifest of a campaign ({}); {}", path, error.what(), kRemedy);
  }
}

namespace {

/// A device on a pipe may write files that its command names, a log for example: one that was not
/// there when the campaign began is no input.
bool may_be_written(const std::vector<std::string>& command, const std::string& name) {
  return std::ranges::any_of(command, [&](const std::string& word) {
    const std::size_t process = word.find("process:");
    return process != std::string::npos && word.find(name, process) != std::string::npos;
  });
}

}  // namespace

void require_unchanged(const std::string& folder, const Campaign& campaign) {
  if (campaign.sources != source_digest() || campaign.version != version()) {
    fail(Exit::kBadInput,
         "{}: begun by mxgold {} of sources {}, this is {} of {}: go on with that program, or "
         "begin again in another folder",
         manifest_of(folder), campaign.version, campaign.sources, version(), source_digest());
  }
  const InputDigests now = inputs_of(campaign.command, campaign.reads, campaign.folder);
  for (const auto& [name, digest] : campaign.files) {
    const auto found = now.find(name);
    if (found != now.end() && found->second == digest) continue;
    const bool is_gone = found == now.end() || found->second.empty();
    fail(Exit::kBadInput,
         "{}: {} since the campaign began ({}): put it back, or begin again in another folder",
         name,
         is_gone          ? "is gone"
         : digest.empty() ? "is new"
                          : "has changed",
         manifest_of(folder));
  }
  for (const auto& [name, digest] : now) {
    if (campaign.files.contains(name) || may_be_written(campaign.command, name)) continue;
    fail(Exit::kBadInput,
         "{}: is new since the campaign began ({}): take it away, or begin again in another folder",
         name, manifest_of(folder));
  }
}

void require_text(const Campaign& campaign) {
  const auto require = [](const std::string& text) {
    // What is no UTF-8 is written as U+FFFD, here and by the command of what it reads.
    constexpr std::string_view kReplaced = "\xEF\xBF\xBD";
    const bool is_kept = golden::json_of_text(golden::dumped(Json(text))) == text;
    if (is_kept && text.find(kReplaced) == std::string::npos) return;
    fail(Exit::kUsage,
         "{}: is no UTF-8, and a campaign keeps its command and the names of its files as such: "
         "rename the file or folder",
         printable(text));
  };
  std::ranges::for_each(campaign.command, require);
  std::ranges::for_each(campaign.reads, require);
  require(campaign.folder);
  for (const auto& [name, digest] : campaign.files) require(name);
}

}  // namespace mx::cli
