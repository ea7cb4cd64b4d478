// Every fuzzed entry on its seeds, on seeded changes of them, and on what fuzzing found once.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "tests/fuzz/json_change.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

constexpr std::string_view kPieces[] = {"(",    ")",
                                        "[",    "]",
                                        "{",    "}",
                                        "<",    ">",
                                        "|",    ",",
                                        "=",    "-1",
                                        "0",    " ",
                                        "\n",   "4294967296",
                                        "e4m3", "99999999999999999999",
                                        "\"",   ":",
                                        "nan",  "x",
                                        "/",    "\xff",
                                        "True", std::string_view("\0", 1),
                                        "1e400"};

/// Up to four changes: bytes left out, put in, replaced, repeated, or the rest of another seed.
std::string changed(std::string text, const std::vector<std::string>& seeds, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::size_t{random()} % n; };
  for (std::size_t turn = below(4); turn > 0; --turn) {
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        text.erase(at, below(4));
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 3:
        if (at < text.size() && text[at] >= '0' && text[at] <= '9') {
          text[at] = static_cast<char>('0' + below(10));
        }
        break;
      case 4: {
        const std::string& other = seeds[below(seeds.size())];
        if (below(4) == 0) text.replace(at, text.npos, other, below(other.size() + 1));
        break;
      }
      default:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
    }
  }
  return text;
}

class FuzzReplay : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static const Target& target() { return targets()[GetParam()]; }
};

TEST_P(FuzzReplay, ReadsSeedsAndReadsOrRefusesChangesOfThem) {
  constexpr std::uint32_t kSeed = 20;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  const std::vector<std::string> seeds = target().seeds();
  int read = 0, refused = 0;
  for (const std::string& seed : seeds) read += target().run(seed) == Outcome::kRead ? 1 : 0;
  EXPECT_GT(read, 0) << "no seed is read";
  for (int turn = 0; turn < target().turns; ++turn) {
    const std::string& seed = seeds[random() % seeds.size()];
    std::string input =
        turn % 4 == 0 ? changed_json(seed, static_cast<std::uint32_t>(random())) : "";
    if (input.empty()) input = changed(seed, seeds, random);
    ++(target().run(input) == Outcome::kRead ? read : refused);
  }
  std::printf("%d read, %d refused\n", read, refused);
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, target().turns / 100);
}

/// Arrays in arrays, deeper than any stack, in the place of a member of every JSON seed.
TEST_P(FuzzReplay, EndsNestingWithoutEndWithAnAnswer) {
  constexpr std::size_t kDepth = 200000, kMostPlaces = 40;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']') + ", \"x\":";
  int inputs = 0;
  for (const std::string& seed : target().seeds()) {
    std::size_t at = seed.find("\":");
    for (std::size_t place = 0; at != seed.npos && place < kMostPlaces; ++place) {
      (void)target().run(seed.substr(0, at + 2) + nested + seed.substr(at + 2));
      ++inputs;
      at = seed.find("\":", at + 2);
    }
  }
  std::printf("%d inputs\n", inputs);
}

/// Files of tests/fuzz/found, each by the name of its target before the first dot.
TEST_P(FuzzReplay, EndsWhatWasFoundOnceWithAnAnswer) {
  const std::filesystem::path folder = std::filesystem::path(MX_CHECKOUT) / "tests/fuzz/found";
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.substr(0, name.find('.')) != target().name) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    (void)target().run(std::string{std::istreambuf_iterator<char>(file), {}});
    ++inputs;
  }
  std::printf("%d inputs\n", inputs);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, testing::Range<std::size_t>(0, targets().size()),
                         [](const testing::TestParamInfo<std::size_t>& each) {
                           return std::string(targets()[each.param].name);
                         });

/// The control: a law that does not hold ends the process and shows the input.
TEST(FuzzLawDeathTest, ABrokenLawEndsTheProcess) {
  EXPECT_DEATH(require(false, "law", "a\nb"), "broken: law\ninput:a.x0ab");
  EXPECT_DEATH(require_words("", "a"), "without words");
}

/// What is no JSON stays as it is; what is, stays JSON, and its length in front is right.
TEST(JsonChanges, SealAgainWhatWasSealed) {
  nlohmann::ordered_json json = {{"result", {{"mismatches", 0}, {"dut", "cpu"}}}};
  json["sha256"] = golden::to_hex(golden::sha256(json.dump()));
  const std::string sealed = json.dump();
  int again = 0;
  for (std::uint32_t seed = 1; seed < 400; ++seed) {
    auto changed = nlohmann::ordered_json::parse(changed_json(sealed, seed));
    if (!changed.is_object() || !changed.contains("sha256") || changed == json) continue;
    const auto seal = changed["sha256"];
    changed.erase("sha256");
    again += seal == golden::to_hex(golden::sha256(changed.dump())) ? 1 : 0;
  }
  EXPECT_GT(again, 100);
}

TEST(JsonChanges, LeaveJson) {
  EXPECT_EQ(changed_json("format=mxfp4", 1), "");
  EXPECT_EQ(changed_json("{\"a\": ", 1), "");
  const std::string json = R"({"a": [1, "two", {"b": null}], "c": true})";
  const std::string after("\0rest", 5);
  std::set<std::string> seen;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::string changed = changed_json(json + after, seed);
    ASSERT_TRUE(changed.ends_with(after)) << changed;
    seen.insert(changed);
    const std::string behind = changed_json(std::string("\x29\0\0\0\0\0\0\0", 8) + json, seed);
    ASSERT_EQ(static_cast<unsigned char>(behind[0]), (behind.size() - 8) % 256);
    ASSERT_FALSE(golden::json_of_text(behind.substr(8)).is_discarded()) << behind;
  }
  EXPECT_GT(seen.size(), 50U);
}

/// What is found belongs to a target.
TEST(FuzzFound, EveryInputHasATarget) {
  const std::filesystem::path folder = std::filesystem::path(MX_CHECKOUT) / "tests/fuzz/found";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == "README.md") continue;
    EXPECT_NE(find_target(name.substr(0, name.find('.'))), nullptr) << name;
  }
}

}  // namespace
}  // namespace mx::fuzz
