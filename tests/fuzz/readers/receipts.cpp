// Receipts of sweeps and of farms, and manifests of campaigns. A digest seals them, so what is
// changed is sealed again: else nothing but the seal would be tried.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/farm/folder.hpp"
#include "cli/farm/result.hpp"
#include "cli/merge/merge.hpp"
#include "cli/sweep/receipt.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/format/rows.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

/// The text under a digest that fits, where it is an object at all.
std::string sealed(std::string_view text, const char* seal = "sha256") {
  auto json = golden::json_of_text(text);
  if (json.is_discarded() || !json.is_object()) return std::string(text);
  json.erase(seal);
  try {
    json[seal] = golden::to_hex(golden::sha256(json.dump()));
    return json.dump();
  } catch (const nlohmann::json::exception&) {  // text that is no UTF-8
    return std::string(text);
  }
}

Outcome receipt(std::string_view input) {
  const MemoryFile file(sealed(input));
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::Receipt read = cli::read_receipt(file.path());
    const std::string text = cli::receipt_text(read);
    const MemoryFile again(text);
    require(cli::receipt_text(cli::read_receipt(again.path())) == text,
            "a receipt comes back as it was written", input);
    const cli::Merged merged = cli::merge({{"a", read}, {"b", read}});
    require(!merged.sweeps.empty(), "a receipt has sweeps", input);
    for (const cli::MergedSweep& each : merged.sweeps) {
      require(each.conflicts.empty() || read.sweeps.size() > 1, "a sweep contradicts itself",
              input);
      require(each.missing.empty() == (each.compared + each.open == each.words), "gaps are counted",
              input);
    }
  });
}

std::vector<std::string> receipt_seeds() {
  cli::Sweep sweep;
  ConversionConfig config{formats::bf16, formats::e4m3fn, {}};
  sweep.dut = "device";
  sweep.judge = "certificate";
  sweep.segments = {0, 1};
  sweep.digests.resize(1);
  sweep.compared = 65536;
  sweep.configuration = {config, {}};
  cli::Sweep wrong = sweep;
  config.policy.rounding = Rounding::kToOdd;
  wrong.configuration = {config, {}};
  wrong.mismatches = 1;
  wrong.first = cli::SweepMismatch{7, 1, 2};
  return {cli::receipt_text(cli::receipt_of({sweep})),
          cli::receipt_text(cli::receipt_of({sweep, wrong}, {{"of hif8", "cpu", "no fast path"}}))};
}

/// A campaign's folder of this process, under the limits of its disk.
class CampaignFolder {
 public:
  CampaignFolder() {
    path_ = std::filesystem::temp_directory_path() / "mxgold_fuzz_XXXXXX";
    require(::mkdtemp(path_.data()) != nullptr, "there is room for a folder", path_);
    std::filesystem::create_directory(path_ + "/receipts");
  }
  ~CampaignFolder() { std::filesystem::remove_all(path_); }
  CampaignFolder(const CampaignFolder&) = delete;
  CampaignFolder& operator=(const CampaignFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void put(const std::string& file, std::string_view text) const {
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  std::string path_;
};

cli::Campaign campaign_of_one_shard() {
  cli::Campaign campaign;
  campaign.command = {"run", "--suite", "smoke"};
  campaign.dut = "device";
  campaign.unit = "words";
  campaign.work = 4;
  campaign.parts = 2;
  campaign.shards = 1;
  return campaign;
}

Outcome farm(std::string_view input) {
  static const CampaignFolder folder;
  const cli::Campaign campaign = campaign_of_one_shard();
  const bool is_manifest = input.find("\"command\"") != std::string_view::npos;
  return read_or_refuse<cli::Error>(input, [&] {
    if (is_manifest) {
      folder.put(cli::manifest_of(folder.path()), sealed(input, "id"));
      const cli::Campaign read = cli::read_campaign(folder.path());
      cli::write_campaign(folder.path(), read);
      require(cli::read_campaign(folder.path()).id() == read.id(),
              "a manifest comes back as it was written", input);
      return;
    }
    const std::string text = sealed(input);
    const cli::ShardReceipt read = cli::parse_shard_receipt("receipt", text);
    const std::string again = cli::shard_receipt_text(read);
    require(cli::shard_receipt_text(cli::parse_shard_receipt("receipt", again)) == again,
            "a receipt of a shard comes back as it was written", input);
    folder.put(cli::receipt_path(folder.path(), campaign, 0), text);
    const cli::CampaignResult result = cli::merge_campaign(folder.path(), campaign);
    require(result.is_covered == !result.digest.empty(), "what is covered has a digest", input);
  });
}

std::vector<std::string> farm_seeds() {
  const cli::Campaign campaign = campaign_of_one_shard();
  cli::ShardReceipt receipt = cli::receipt_of_shard(campaign, 0);
  receipt.compared = 4;
  const std::string digest = golden::to_hex(golden::sha256("part"));
  const auto part = [&](int number, int wrong) {
    return nlohmann::ordered_json{{"part", number}, {"cases", 1},       {"words", 2},
                                  {"wrong", wrong}, {"digest", digest}, {"replay", "mxgold run"}};
  };
  receipt.result = nlohmann::ordered_json{part(0, 0), part(1, 0)}.dump();
  std::vector<std::string> seeds = {cli::shard_receipt_text(receipt)};
  // A command that is no text.
  nlohmann::ordered_json number = part(0, 1);
  number["replay"] = 7;
  receipt.result = nlohmann::ordered_json{number, part(1, 0)}.dump();
  seeds.push_back(cli::shard_receipt_text(receipt));
  receipt.wrong = 1;
  receipt.result = nlohmann::ordered_json{part(0, 1), part(1, 0)}.dump();
  seeds.push_back(cli::shard_receipt_text(receipt));
  const CampaignFolder folder;
  cli::write_campaign(folder.path(), campaign);
  std::ifstream manifest(cli::manifest_of(folder.path()));
  seeds.emplace_back(std::istreambuf_iterator<char>(manifest), std::istreambuf_iterator<char>());
  return seeds;
}

}  // namespace

Target farms_target() { return {"farms", farm, farm_seeds, 500}; }

Target receipts_target() { return {"receipts", receipt, receipt_seeds}; }

}  // namespace mx::fuzz
