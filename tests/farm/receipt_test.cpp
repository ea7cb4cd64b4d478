// Files among the receipts that count for nothing: each is named with what is wrong and what to do.
#include <gtest/gtest.h>
#include <sys/mount.h>
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
