// The manifest beside a vector file: every field that the file says too, or that can be made again
// from it, is compared.
#include "golden/files/manifest.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class Manifest : public GoldenFixture {
 protected:
  /// What `gen` writes beside the file.
  static Json manifest_of(const std::string& file, FileKind kind) {
    VectorReader reader(file);
    for (RecordBatch batch; reader.read(batch, 100) != 0;) continue;
    ManifestFacts facts;
    facts.kind = kind;
    facts.file = file_digest(file);
    facts.content = reader.digests();
    const Stimulus stimulus(reader.header());
    facts.classes = stimulus.classes();
    facts.duplicates = stimulus.duplicates();
    return Json::parse(manifest_json(reader.header(), facts));
  }

  /// What the check says of a manifest, "" where it agrees.
  std::string problem(const Json& json, const std::string& file) {
    try {
      check_manifest(write("m.json", json.dump(2) + "\n"), file);
    } catch (const VectorError& error) {
      return error.what();
    }
    return {};
  }
};

/// Another value of the same type.
Json other(const Json& value) {
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_number()) return value.get<std::int64_t>() + 1;
  if (value.is_array()) return value.empty() ? Json::array({1}) : Json::array();
  return value.is_null() ? Json(true) : Json(nullptr);
}

/// The leaves of a manifest, as JSON pointers.
std::vector<std::string> leaves_of(const Json& json) {
  std::vector<std::string> leaves;
  const Json flat = json.flatten();
  for (const auto& [pointer, value] : flat.items()) leaves.push_back(pointer);
  return leaves;
}

bool is_free(const std::string& leaf) {
  return leaf == "/file" || leaf.starts_with("/generator/") || leaf.starts_with("/spec_refs/");
}

TEST_F(Manifest, EveryFieldIsCompared) {
  std::size_t compared = 0;
  for (const GoldenSet& set :
       {blocks(), conversions(),
        golden_set({arith(ArithmeticOperation::kFma, formats::fp16)}, SuiteKind::kRandom, 9),
        golden_set({block(formats::fp32, "mxfp4"), block(formats::fp32, "mxfp4", Rounding::kToOdd)},
                   SuiteKind::kRandom, 7)}) {
    const std::string file = file_of(set, FileKind::kTv);
    const Json json = manifest_of(file, FileKind::kTv);
    ASSERT_EQ(problem(json, file), "");
    for (const std::string& leaf : leaves_of(json)) {
      Json changed = json;
      Json& value = changed[Json::json_pointer(leaf)];
      value = other(value);
      const std::string said = problem(changed, file);
      EXPECT_EQ(said.empty(), is_free(leaf)) << leaf << ": " << said;
      if (said.empty()) continue;
      const std::string field = leaf.substr(1, leaf.find('/', 1) - 1);
      EXPECT_THAT(said, HasSubstr("field " + field + " is ")) << leaf;
      ++compared;
    }
    for (const auto& [field, value] : json.items()) {
      if (is_free("/" + field + "/") || is_free("/" + field)) continue;
      Json less = json;
      less.erase(field);
      EXPECT_THAT(problem(less, file), HasSubstr("field " + field + " is missing"));
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST_F(Manifest, WhatIsNoManifestIsRefused) {
  const std::string file = file_of(blocks(), FileKind::kTv);
  EXPECT_THROW(check_manifest(write("d.json", "[1, 2"), file), VectorError);
  EXPECT_THROW(check_manifest(path("none.json"), file), VectorError);
}

/// Of tensors nobody knows the axis; the rest is compared all the same.
TEST_F(Manifest, OfTensorsTheAxisIsTakenAsItIs) {
  GoldenSet set = blocks();
  set.header.suite = "tensor";
  set.header.drawn = 0;
  const std::string file = file_of(set, FileKind::kBin);
  VectorReader reader(file);
  for (RecordBatch batch; reader.read(batch, 100) != 0;) continue;
  ManifestFacts facts;
  facts.kind = FileKind::kBin;
  facts.file = file_digest(file);
  facts.content = reader.digests();
  facts.axis = 0;
  Json json = Json::parse(manifest_json(set.header, facts));
  EXPECT_EQ(problem(json, file), "");
  json["prng"]["key"] = 6;
  EXPECT_THAT(problem(json, file), HasSubstr("field prng"));
}

}  // namespace
}  // namespace mx::golden
