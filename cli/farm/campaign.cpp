#include "cli/farm/campaign.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostShards = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostParts = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostManifestBytes = std::uint64_t{1} << 28;
constexpr std::string_view kSchema = "mxgold-farm-campaign 1";

Json json_of(const Campaign& campaign) {
  Json files = Json::object();
  for (const auto& [name, digest] : campaign.files) files[name] = digest;
  return {{"schema", kSchema},
          {"command", campaign.command},
          {"folder", campaign.folder},
          {"version", campaign.version},
          {"commit", campaign.commit},
          {"sources", campaign.sources},
          {"files", files},
          {"dut", campaign.dut},
          {"judge", campaign.judge},
          {"unit", campaign.unit},
          {"work", campaign.work},
          {"parts", campaign.parts},
          {"sweeps", campaign.sweeps},
          {"shards", campaign.shards}};
}

std::string digest_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  golden::Sha256 sha;
  std::array<char, 65536> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() != 0) {
    sha.update(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  }
  return golden::to_hex(sha.finish());
}

/// A word, what follows its "=" and ":", and the words inside it: --dut=process:'./dut --fast'.
std::vector<std::string> pieces_of(const std::string& word) {
  std::vector<std::string> pieces = {word};
  std::string piece;
  for (const char c : word + " ") {
    const bool is_end = c == '=' || c == ':' || c == ' ' || c == ',' || c == '\'' || c == '"';
    if (!is_end) piece += c;
    if (is_end && !piece.empty()) pieces.push_back(std::exchange(piece, {}));
  }
  return pieces;
}

Campaign campaign_of(const Json& json) {
  Campaign campaign;
  campaign.command = json.at("command").get<std::vector<std::string>>();
  campaign.folder = json.at("folder").get<std::string>();
  campaign.version = json.at("version").get<std::string>();
  campaign.commit = json.at("commit").get<std::string>();
  campaign.sources = json.at("sources").get<std::string>();
  for (const auto& [name, digest] : json.at("files").items()) {
    campaign.files.emplace_back(name, digest.get<std::string>());
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

std::vector<std::pair<std::string, std::string>> named_files(
    const std::vector<std::string>& command, const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& word : command) {
    for (const std::string& piece : pieces_of(word)) {
      std::error_code error;
      const fs::path path = fs::path(folder) / piece;
      if (fs::is_regular_file(path, error)) files[piece] = digest_of_file(path);
      // A part is a file of such a folder.
      if (command.front() != "verify-goldens" || !fs::is_directory(path, error)) continue;
      for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        if (!entry.is_regular_file(error)) continue;
        files[(fs::path(piece) / entry.path().filename()).string()] = digest_of_file(entry.path());
      }
    }
  }
  return {files.begin(), files.end()};
}

std::string manifest_of(const std::string& folder) { return folder + "/campaign.json"; }

void write_campaign(const std::string& folder, const Campaign& campaign) {
  Json json = json_of(campaign);
  json["id"] = campaign.id();
  golden::write_file(manifest_of(folder), json.dump(1) + "\n");
}

Campaign read_campaign(const std::string& folder) {
  const std::string path = manifest_of(folder);
  if (!fs::exists(path)) {
    fail(Exit::kUsage, "{}: no campaign: begin one with `mxgold farm {} -- sweep ...`", path,
         folder);
  }
  constexpr std::string_view kRemedy = "put the file back, or begin again in another folder";
  try {
    const Json json =
        golden::read_json(path, {kMostManifestBytes, kRemedy, golden::Pipes::kRefused});
    if (json.at("schema") != kSchema) {
      fail(Exit::kBadInput, "{}: field 'schema': is not {}; {}", path, kSchema, kRemedy);
    }
    Campaign campaign = campaign_of(json);
    // Merging keeps a bit a shard, and a digest for each part of what is no sweep.
    const bool is_possible = campaign.shards != 0 && campaign.shards <= campaign.parts &&
                             !campaign.command.empty() && campaign.shards <= kMostShards &&
                             (campaign.suite() == "sweep" || campaign.parts <= kMostParts);
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

void require_unchanged(const std::string& folder, const Campaign& campaign) {
  if (campaign.sources != source_digest() || campaign.version != version()) {
    fail(Exit::kBadInput,
         "{}: begun by mxgold {} of sources {}, this is {} of {}: go on with that program, or "
         "begin again in another folder",
         manifest_of(folder), campaign.version, campaign.sources, version(), source_digest());
  }
  const auto now = named_files(campaign.command, campaign.folder);
  for (const auto& [name, digest] : campaign.files) {
    const auto found = std::ranges::find(now, name, &std::pair<std::string, std::string>::first);
    if (found != now.end() && found->second == digest) continue;
    fail(Exit::kBadInput,
         "{}: {} since the campaign began ({}): put it back, or begin again in another folder",
         name, found == now.end() ? "is gone" : "has changed", manifest_of(folder));
  }
  for (const auto& [name, digest] : now) {
    const auto& then = campaign.files;
    const auto found = std::ranges::find(then, name, &std::pair<std::string, std::string>::first);
    if (found != then.end()) continue;
    fail(Exit::kBadInput,
         "{}: is new since the campaign began ({}): take it away, or begin again in another folder",
         name, manifest_of(folder));
  }
}

}  // namespace mx::cli
