// Vector files, their manifests, coverage files.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bridge/model/mxgold_model.h"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/coverage/database.hpp"
#include "golden/files/manifest.hpp"
#include "golden/files/vector_file.hpp"
#include "tests/fuzz/draw.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

using golden::VectorError;

constexpr std::string_view kSet = "golden/data/smoke/";
constexpr std::string_view kFma = "arith.fma-bf16.ties_to_even.none_inf_or_nan.rnd1.s0of1.v2.tv";

/// One of each operation, and one of many configurations.
constexpr std::string_view kSets[] = {
    kFma, "cvt.fp16-e2m1fn.stochastic_a8.sat_finite.smoke1.s0of1.v2.tv",
    "block.bf16-nvfp4.ties_to_even.sat_finite.nvfp4_exact.smoke1.s0of1.v2.tv",
    "block.fp16-mixed.mixed.mixed.mixed.policy1.s0of1.v2.tv",
    "dot.mxfp4-mxfp4.ties_to_even.none_inf_or_nan.exact_once.rnd1.s0of1.v2.tv"};

std::string in_set(std::string_view name) { return std::string(kSet) + std::string(name); }

/// What is read has as many records as it says; goldens are answers, too, whose results no digest
/// seals.
Outcome vectors(std::string_view input) {
  const MemoryFile file(input);
  const auto read_as = [&](golden::ReadMode mode) {
    return read_or_refuse<VectorError>(input, [&] {
      golden::VectorHeader header;
      const golden::RecordBatch batch = golden::read_records(
          file.path(), header, emulators::make_cast, mode, golden::SetCheck::kByCaller);
      require(header.problem().empty(), "a header that is read is legal", input);
      require(batch.size() == header.count, "every announced record is read", input);
    });
  };
  const Outcome goldens = read_as(golden::ReadMode::kGoldens);
  const Outcome answers = read_as(golden::ReadMode::kAnswers);
  require(goldens == Outcome::kRefused || answers == Outcome::kRead,
          "goldens can be read as answers", input);
  std::array<char, 300> why{};
  const mxgold_status problem =
      mxgold_model_vectors_problem(file.path().c_str(), why.data(), why.size());
  require_status(problem, why.data(), input);
  // It asks whose operands they are, too.
  require(problem != MXGOLD_OK || goldens == Outcome::kRead, "one reader is the other", input);
  return answers;
}

std::string bytes_as(golden::FileKind kind, const golden::VectorHeader& header,
                     const golden::RecordBatch& batch) {
  std::string folder = (std::filesystem::temp_directory_path() / "mxgold-XXXXXX").string();
  require(mkdtemp(folder.data()) != nullptr, "a temporary folder", folder);
  const std::filesystem::path path =
      std::filesystem::path(folder) / ("seed" + std::string(extension(kind)));
  golden::VectorWriter writer(path, kind, header);
  writer.write(batch);
  (void)writer.finish();
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove_all(folder);
  return bytes;
}

/// The first records of sets of several operations, as files of each kind.
std::vector<std::string> vector_seeds() {
  constexpr std::size_t kRecords = 3;
  std::vector<std::string> seeds;
  for (const std::string_view name : kSets) {
    golden::VectorReader reader(checkout() + "/" + in_set(name));
    golden::VectorHeader header = reader.header();
    golden::RecordBatch batch;
    header.count = reader.read(batch, kRecords);
    for (const golden::FileKind kind : golden::kFileKinds) {
      seeds.push_back(bytes_as(kind, header, batch));
    }
  }
  return seeds;
}

/// A manifest of a committed set, or members that take the place of those that it has: one that is
/// wrong among right ones is reached in no other way.
Outcome manifest(std::string_view input) {
  static const auto kWhole =
      nlohmann::ordered_json::parse(file_of_checkout(in_set(kFma) + ".json"));
  std::string text(input);
  if (const auto members = golden::json_of_text(input); members.is_object()) {
    auto json = kWhole;
    json.update(members);
    text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const MemoryFile file(text);
  return read_or_refuse<VectorError>(
      input, [&] { golden::check_manifest(file.path(), checkout() + "/" + in_set(kFma)); });
}

std::vector<std::string> manifest_seeds() {
  return {file_of_checkout(in_set(kFma) + ".json"), "{}", R"({"created": "2026-01-01", "axis": 1})",
          R"({"lanes": 1, "shard": "0/1", "generator": {"name": ["x"]}})", "[]"};
}

/// What is read and written is read as the same.
Outcome coverage(std::string_view input) {
  const MemoryFile file(input);
  (void)golden::looks_like_coverage(input);
  return read_or_refuse<VectorError>(input, [&] {
    const std::string text = golden::coverage_json(golden::read_coverage(file.path()));
    const MemoryFile again(text);
    require(golden::coverage_json(golden::read_coverage(again.path())) == text,
            "its own text stays", text);
  });
}

std::vector<std::string> coverage_seeds() {
  golden::Covergroup group;
  group.name = "block";
  group.configuration = "mxfp4";
  group.samples = 4;
  group.points.emplace_back("scale", "of the block").bins = {
      {"low", 3, golden::Reach::kOpen}, {"high", 0, golden::Reach::kUnreachable}};
  return {golden::coverage_json({group})};
}

}  // namespace

Target vectors_target() { return {"vectors", vectors, vector_seeds}; }
Target manifests_target() { return {"manifests", manifest, manifest_seeds, 100}; }
Target coverage_target() { return {"coverage", coverage, coverage_seeds}; }

}  // namespace mx::fuzz
