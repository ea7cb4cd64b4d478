// Files among the receipts that count for nothing: each is named with what is wrong and what to do.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/bytes/sha256.hpp"
#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// A receipt with one field changed and its seal made good.
std::string resealed(const std::string& path, const std::string& field, const Json& value) {
  Json json = Json::parse(text_of(path));
  json[field] = value;
  json.erase("sha256");
  json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
  return json.dump(1) + "\n";
}

class FarmReceipts : public testing::Test {
 protected:
  FarmReceipts() {
    EXPECT_EQ(farm(folder(), {"--shards", "7"}, small_sweep()).status, 0);
    whole_ = text_of(folder() + "/result.json");
  }
  [[nodiscard]] std::string folder() const { return scratch_.path("c"); }
  [[nodiscard]] std::string receipt(const std::string& name) const {
    return folder() + "/receipts/" + name;
  }

  /// The file is named with the problem by every way in; --forget-bad mends it.
  void expect_named(const std::string& name, const std::string& problem) {
    for (const Words& way : {Words{}, Words{"--merge"}, Words{"--status"}}) {
      const ProgramEnd end = farm(folder(), way);
      EXPECT_EQ(end.status, 3) << problem << end.out;
      EXPECT_TRUE(has(end.err, receipt(name) + ": ")) << end.err;
      EXPECT_TRUE(has(end.err, problem)) << end.err;
      EXPECT_TRUE(has(end.err, "remove them, or start again with --forget-bad")) << end.err;
    }
    const ProgramEnd mended = farm(folder(), {"--forget-bad"});
    EXPECT_EQ(mended.status, 0) << mended.err;
    EXPECT_TRUE(has(mended.err, "removed " + receipt(name))) << mended.err;
    EXPECT_EQ(text_of(folder() + "/result.json"), whole_);
  }

  Scratch scratch_;
  std::string whole_;
};

TEST_F(FarmReceipts, CutShortEmptyOrDamaged) {
  const std::string text = text_of(receipt("2.json"));
  write(receipt("2.json"), text.substr(0, text.size() / 2));
  expect_named("2.json", "cut short, or no receipt");
  write(receipt("2.json"), "");
  expect_named("2.json", "is no JSON: unexpected end of input");
  std::string flipped = text;
  const std::size_t at = flipped.find("\"segments\"");
  flipped[flipped.find_first_of("0123456789", at)] ^= 1;
  write(receipt("2.json"), flipped);
  expect_named("2.json", "field 'sha256': is not that of the content");
  write(receipt("3.json"), "{\"schema\": \"mxgold-sweep-receipt 3\"}");
  expect_named("3.json", "field 'schema': is not mxgold-farm-receipt 1");
}

TEST_F(FarmReceipts, OfAnotherCampaignProgramOrDevice) {
  const std::string other = scratch_.path("other");
  ASSERT_EQ(farm(other, {"--shards", "2"},
                 {"sweep", "--dut", "reference", "--source", "bf16,fp16", "--format", "e2m1fn"})
                .status,
            0);
  fs::copy_file(other + "/receipts/1.json", receipt("1.json"),
                fs::copy_options::overwrite_existing);
  expect_named("1.json", "foreign: of campaign ");
  write(receipt("1.json"), resealed(receipt("1.json"), "sources", "0123456789abcdef"));
  expect_named("1.json", "stale: by mxgold");
  write(receipt("1.json"), resealed(receipt("1.json"), "dut", "rtl (sources 1, Verilator 2)"));
  expect_named("1.json", "by the device 'rtl (sources 1, Verilator 2)', the campaign's is");
  write(receipt("1.json"), resealed(receipt("1.json"), "judge", "nobody"));
  expect_named("1.json", "says another judge");
}

TEST_F(FarmReceipts, TwiceOrUnderAnotherName) {
  fs::copy_file(receipt("4.json"), receipt("4 copy.json"));
  expect_named("4 copy.json", "repeats shard 4, whose receipt is " + receipt("4.json"));
  fs::rename(receipt("5.json"), receipt("6.json"));
  expect_named("6.json", "repeats shard 5, whose receipt is " + receipt("5.json"));
}

TEST_F(FarmReceipts, AnUnfinishedFileIsNoReceipt) {
  fs::remove(receipt("0.json"));
  write(receipt(".mxgold.1.0.tmp"), "{\"schema\"");
  const ProgramEnd end = farm(folder(), {});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(has(end.err, "6 of 7 shards have receipts, 1 to do")) << end.err;
  EXPECT_EQ(text_of(folder() + "/result.json"), whole_);
}

TEST_F(FarmReceipts, OneThatContradictsItself) {
  const std::string sound = text_of(receipt("2.json"));
  const auto changed = [&](const std::string& field, const Json& value) {
    write(receipt("2.json"), sound);
    write(receipt("2.json"), resealed(receipt("2.json"), field, value));
  };
  const std::uint64_t compared = Json::parse(sound).at("compared");
  changed("verdict", "FAIL");
  expect_named("2.json", "field 'verdict': is \"FAIL\"");
  changed("compared", compared + 1);
  expect_named("2.json", "field 'compared': is " + std::to_string(compared + 1));
  changed("wrong", 5);
  expect_named("2.json", "field 'verdict': is \"PASS\", and 'compared' and 'wrong' say FAIL");
  // The sweep that it holds says less, and bears a seal of its own.
  Json result = Json::parse(sound).at("result");
  result["sweeps"].erase(0);
  result.erase("sha256");
  result["sha256"] = golden::to_hex(golden::sha256(result.dump()));
  changed("result", result);
  expect_named("2.json", "field 'compared': is " + std::to_string(compared) + ", the parts have ");
}

// A run's parts are added up, and each is looked at.
TEST(FarmPartReceipts, OneThatContradictsItself) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "1", "--local", "1"},
                 {"run", "--dut", "reference", "--op", "cvt", "--format", "e2m1fn", "--source",
                  "bf16", "--suite", "rnd", "--count", "3"})
                .status,
            0);
  const std::string path = folder + "/receipts/0.json";
  const std::string sound = text_of(path);
  const auto refused = [&](const auto& change, const std::string& problem) {
    Json json = Json::parse(sound);
    change(json);
    json.erase("sha256");
    json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
    write(path, json.dump(1));
    const ProgramEnd end = farm(folder, {"--merge"});
    EXPECT_EQ(end.status, 3) << problem << end.out;
    EXPECT_TRUE(has(end.err, "receipts/0.json: " + problem)) << problem << "\n" << end.err;
  };
  refused([](Json& json) { json["result"][0]["wrong"] = 5; }, "part 0: field 'replay'");
  refused(
      [](Json& json) {
        json["result"][0]["wrong"] = 5;
        json["result"][0]["replay"] = "mxgold run";
      },
      "field 'wrong': is 0, the parts have 5");
  refused([](Json& json) { json["result"][0]["replay"] = "mxgold run"; }, "part 0: field 'replay'");
  refused([](Json& json) { json["result"][1]["words"] = 1000; }, "field 'compared': is ");
  refused(
      [](Json& json) {
        const std::uint64_t words = json["result"][1]["words"];
        json["result"][1]["words"] = 0xFFFFFFFFFFFFFFFFU;
        json["result"][2]["words"] = words + 1;
      },
      "field 'compared': is ");
  refused([](Json& json) { json["result"][0]["digest"] = "none"; }, "part 0: field 'digest'");
  refused([](Json& json) { json["result"][0]["digest"] = ""; },
          "part 0: is right and has no digest");
  refused([](Json& json) { json["result"][1]["part"] = 0; }, "part 0 where 1 of 0 to 2 comes");
  refused([](Json& json) { json["result"].erase(2); }, "ends before part 2");
  refused([](Json& json) { json["result"] = Json::array(); }, "ends before part 0");
  refused([](Json& json) { json["result"] = 7; }, "field 'result': is no list of parts");
  write(path, sound);
  EXPECT_EQ(farm(folder, {"--merge"}).status, 0) << "the sound one passes";
}

TEST_F(FarmReceipts, ANameThatIsThereTwice) {
  std::string text = text_of(receipt("2.json"));
  text.insert(text.find("\"shard\""), "\"shard\": 1, ");
  write(receipt("2.json"), text);
  expect_named("2.json", "the name \"shard\" appears twice");
}

// What is no file is named, waited for by nobody, and left where it is; so is what is no receipt.
TEST_F(FarmReceipts, WhatIsNoReceiptStays) {
  const auto named = [&](const std::string& name, const std::string& problem) {
    for (const Words& way : {Words{}, Words{"--merge"}, Words{"--status"}, Words{"--forget-bad"},
                             Words{"--merge", "--forget-bad"}}) {
      const ProgramEnd end = farm(folder(), way);
      EXPECT_EQ(end.status, 3) << problem << end.out;
      EXPECT_TRUE(has(end.err, receipt(name) + ": " + problem)) << end.err;
      EXPECT_TRUE(has(end.err, "take them away")) << end.err;
    }
    EXPECT_TRUE(fs::exists(fs::symlink_status(receipt(name)))) << name;
    fs::remove(receipt(name));
  };
  ASSERT_EQ(::mkfifo(receipt("9.json").c_str(), 0600), 0);
  named("9.json", "is a named pipe, no file");
  fs::create_directory(receipt("8"));
  named("8", "is a folder, no file");
  write(receipt("notes.txt"), "precious");
  named("notes.txt", "line 1, column 1: is no JSON");
  fs::rename(receipt("2.json"), scratch_.path("2.json"));
  fs::create_symlink(scratch_.path("2.json"), receipt("2.json"));
  named("2.json", "is a link, no file");
  fs::rename(scratch_.path("2.json"), receipt("2.json"));
  EXPECT_EQ(farm(folder(), {}).status, 0);
}

TEST_F(FarmReceipts, MergeForgetsWhatIsBadAndSaysWhatIsMissing) {
  write(receipt("2.json"), "");
  const ProgramEnd end = farm(folder(), {"--merge", "--forget-bad"});
  EXPECT_EQ(end.status, 5) << end.err;
  EXPECT_TRUE(has(end.err, "removed " + receipt("2.json"))) << end.err;
  EXPECT_TRUE(has(end.out, "INCOMPLETE: 6 of 7 shards")) << end.out;
  EXPECT_FALSE(fs::exists(folder() + "/result.json")) << "there only while the whole is covered";
  for (const Words& way : {Words{"--status", "--forget-bad"}, Words{"--task", "0", "--forget-bad"},
                           Words{"--round", "1", "--forget-bad"}}) {
    EXPECT_EQ(farm(folder(), way).status, 2) << way[0];
  }
}

// Links lead to what is not the campaign's: nothing behind them is read, removed or written.
TEST_F(FarmReceipts, LinksAreNotFollowed) {
  const std::string other = scratch_.path("other");
  fs::create_directory(other);
  write(other + "/1.json", "precious");
  fs::rename(folder() + "/receipts", folder() + "/kept");
  fs::create_directory_symlink(other, folder() + "/receipts");
  for (const Words& way : {Words{}, Words{"--merge"}, Words{"--status"}, Words{"--forget-bad"}}) {
    const ProgramEnd end = farm(folder(), way);
    EXPECT_EQ(end.status, 3) << end.out;
    EXPECT_TRUE(has(end.err, "receipts: is a link, no folder of the campaign's own")) << end.err;
  }
  EXPECT_EQ(text_of(other + "/1.json"), "precious");
  fs::remove(folder() + "/receipts");
  fs::rename(folder() + "/kept", folder() + "/receipts");
  fs::remove(folder() + "/lock");
  fs::create_symlink(other + "/1.json", folder() + "/lock");
  EXPECT_EQ(farm(folder(), {}).status, 3);
  EXPECT_EQ(text_of(other + "/1.json"), "precious");
}

// A folder of somebody else's is not written over.
TEST(FarmFolders, FilesThatAreThereStay) {
  const Scratch scratch;
  const Words few = {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn"};
  for (const char* name : {"lock", "result.json"}) {
    const std::string path = scratch.write(name, "precious");
    EXPECT_EQ(farm(scratch.path(""), {"--shards", "1"}, few).status, 2) << name;
    EXPECT_EQ(text_of(path), "precious");
    fs::remove(path);
  }
}

/// A file system of its own, too small for a campaign.
class SmallDisk {
 public:
  SmallDisk(std::string path, const std::string& size) : path_(std::move(path)) {
    fs::create_directories(path_);
    const std::string options = "size=" + size;
    is_there_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_there_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] bool grow(const std::string& size) const {
    const std::string options = "size=" + size;
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) == 0;
  }

 private:
  std::string path_;
  bool is_there_ = false;
};

TEST_F(FarmReceipts, AFullDiskIsNamedAndTheFarmGoesOnWithMoreRoom) {
  const SmallDisk disk(scratch_.path("disk"), "96k");
  if (!disk.is_there()) GTEST_SKIP() << "no tmpfs can be mounted here: needs root";
  const std::string small = scratch_.path("disk") + "/c";
  const ProgramEnd full = farm(small, {"--shards", "40"}, small_sweep());
  EXPECT_EQ(full.status, 3) << full.out << full.err;
  EXPECT_TRUE(has(full.err, small + "/receipts/")) << full.err;
  EXPECT_TRUE(has(full.err, "No space left on device")) << full.err;
  EXPECT_TRUE(has(full.err, "make room, then start the same farm again")) << full.err;
  const std::size_t done = receipts_in(small).size();
  EXPECT_GT(done, 0U);
  EXPECT_LT(done, 40U);
  ASSERT_TRUE(disk.grow("16m"));
  const ProgramEnd end = farm(small, {});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(has(end.err, std::to_string(done) + " of 40 shards have receipts")) << end.err;
  EXPECT_EQ(text_of(small + "/result.json"), whole_);
}

}  // namespace
}  // namespace mx::cli::test
