// SPDX-License-Identifier: Apache-2.0
// Coverage of a bench: its counts are those that `mxgold cover` has of the same records, for every
// operation; what it does not collect is said.
#include "bridge/bus/cover.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "golden/configuration/shorthand.hpp"
#include "golden/coverage/collector.hpp"
#include "golden/coverage/database.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::bridge {
namespace {

using golden::Field;
using ::testing::HasSubstr;

/// A file of this test's own.
std::string file_named(const std::string& name) {
  return (std::filesystem::path(::testing::TempDir()) / ("cover_test_" + name)).string();
}

/// Answers every record of a set by a handle, and collects.
void play(const golden::GoldenSet& set, Handle& handle, Cover& cover) {
  ASSERT_TRUE(handle.set_lanes(set.header.lanes)) << handle.error();
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const auto elements = set.records.of(Field::kElements, i);
    ASSERT_TRUE(handle.start(elements.empty() ? 0 : static_cast<std::uint32_t>(elements[0])));
    for (const Field field : {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                              Field::kBScale, Field::kB, Field::kC}) {
      std::ranges::copy(set.records.of(field, i), handle.operand(field).begin());
    }
    ASSERT_TRUE(handle.answer()) << handle.error();
    ASSERT_TRUE(cover.sample(&handle)) << cover.error();
  }
}

/// "point: bin: hits" of every bin, a line each.
std::string bins_of(const golden::Covergroup& group) {
  std::string text;
  for (const golden::Coverpoint& point : group.points) {
    for (const golden::Bin& bin : point.bins) {
      text += point.name + ": " + bin.name + ": " + std::to_string(bin.hits) +
              (bin.reach == golden::Reach::kUnreachable ? ", unreachable\n" : "\n");
    }
  }
  return text;
}

golden::Covergroup collected(const golden::GoldenSet& set) {
  const std::unique_ptr<golden::Collector> collector = golden::make_collector(set.header, 0);
  golden::Covergroup group = golden::group_of(set.header, 0);
  for (std::size_t i = 0; i < set.records.size(); ++i) collector->sample(set.records, i);
  group.samples = set.records.size();
  group.points = collector->points();
  return group;
}

TEST(Cover, CountsWhatTheProgramCounts) {
  const std::vector<golden::Configuration> list = {
      golden::block(formats::bf16, "mxfp4"),
      golden::block(formats::bf16, "mxfp8_e5m2", Rounding::kStochasticA),
      golden::dequantize("mxfp8_e4m3", formats::bf16),
      golden::dot("mxfp4", "mxfp6_e2m3", golden::Addend::kPresent),
      golden::conversion(formats::bf16, formats::e4m3fn)};
  Cover cover(list.size());
  std::vector<golden::Covergroup> wanted;
  for (const golden::Configuration& each : list) {
    golden::GoldenSet set = golden::golden_set({each}, golden::SuiteKind::kDirected, 0);
    const auto handle = Handle::open(golden::shorthand_of(each).value_or(""));
    ASSERT_TRUE(handle->is_open()) << handle->error();
    ASSERT_NO_FATAL_FAILURE(play(set, *handle, cover));
    set.header.lengths = handle->model().header().lengths;
    wanted.push_back(collected(set));
  }
  const std::string path = file_named("all.json");
  ASSERT_TRUE(cover.save(path)) << cover.error();
  const std::vector<golden::Covergroup> written = golden::read_coverage(path);
  ASSERT_EQ(written.size(), wanted.size());
  std::uint64_t bins = 0, hit = 0, samples = 0, all = 0;
  for (const golden::Covergroup& group : wanted) {
    const auto found =
        std::ranges::find(written, group.configuration, &golden::Covergroup::configuration);
    ASSERT_NE(found, written.end()) << group.configuration;
    EXPECT_EQ(found->samples, group.samples);
    EXPECT_EQ(bins_of(*found), bins_of(group)) << group.configuration;
    EXPECT_NE(group.score().hit, 0U);
    bins += group.score().bins;
    hit += group.score().hit;
    samples += group.samples;
    for (const golden::Coverpoint& point : group.points) all += point.bins.size();
  }
  EXPECT_EQ(cover.count("configurations"), list.size());
  EXPECT_EQ(cover.count("bins"), bins);
  EXPECT_EQ(cover.count("hit"), hit);
  EXPECT_EQ(cover.count("samples"), samples);
  EXPECT_EQ(cover.count("contradicted"), 0U);
  EXPECT_EQ(cover.count("left_out"), 0U);
  EXPECT_EQ(cover.count("colour"), 0U);
  std::uint64_t listed = 0, reachable = 0;
  for (const CoverBin& bin : cover.bins()) {
    listed += bin.is_reachable && bin.hits != 0 ? 1U : 0U;
    reachable += bin.is_reachable ? 1U : 0U;
  }
  EXPECT_EQ(cover.bins().size(), all);
  EXPECT_EQ(listed, hit);
  EXPECT_EQ(reachable, bins);
}

TEST(Cover, LeavesOutWhatIsTooMuchAndSaysSo) {
  Cover cover(1);
  const auto first = Handle::open("op=cvt source=bf16 destination=e5m2");
  const auto second = Handle::open("op=cvt source=bf16 destination=e4m3fn");
  for (Handle* const each : {first.get(), second.get(), first.get(), second.get(), second.get()}) {
    ASSERT_TRUE(each->start(0) && each->answer()) << each->error();
    EXPECT_TRUE(cover.sample(each));
  }
  EXPECT_EQ(cover.count("samples"), 2U);
  EXPECT_EQ(cover.count("configurations"), 1U);
  EXPECT_EQ(cover.count("left_out"), 3U);
}

TEST(Cover, RefusesWhatHasNoAnswer) {
  Cover cover(8);
  EXPECT_FALSE(cover.sample(nullptr));
  EXPECT_THAT(cover.error(), HasSubstr("no answer"));
  EXPECT_FALSE(cover.sample(Handle::open("op=cvt destination=colour").get()));
  const auto model = Handle::open("op=cvt source=bf16 destination=e5m2");
  EXPECT_FALSE(cover.sample(model.get()));
  EXPECT_EQ(cover.count("samples"), 0U);
  EXPECT_TRUE(cover.bins().empty());
  ASSERT_TRUE(model->start(0) && model->answer());
  EXPECT_TRUE(cover.sample(model.get()));
  EXPECT_EQ(cover.error(), "");
  EXPECT_FALSE(cover.save(file_named("no/folder/here.json")));
  EXPECT_THAT(cover.error(), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace mx::bridge
