#include "golden/files/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/source.hpp"
#include "golden/configuration/text.hpp"
#include "golden/stimulus/named_set.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kManifestSchema = "2.0.0";
constexpr std::size_t kMaxManifestBytes = std::size_t{1} << 26;
constexpr std::string_view kManifestRemedy = "regenerate it with mxgold gen";
constexpr std::string_view kSpecVersion = MXGOLD_VERSION;

constexpr std::string_view compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

/// What all configurations share, and what each has of its own.
Json configurations_json(const VectorHeader& header) {
  std::vector<ConfigurationFields> all;
  for (const Configuration& each : header.configs) all.push_back(fields_of(each));
  Json shared = Json::object();
  std::vector<bool> differs(all.front().size());
  for (std::size_t f = 0; f < differs.size(); ++f) {
    const auto& first = all.front()[f];
    differs[f] = std::ranges::any_of(
        all, [&](const ConfigurationFields& fields) { return fields[f] != first; });
    if (!differs[f]) shared[first.first] = first.second;
  }
  Json own = Json::array();
  for (const ConfigurationFields& fields : all) {
    Json each = Json::object();
    for (std::size_t f = 0; f < differs.size(); ++f) {
      if (differs[f]) each[fields[f].first] = fields[f].second;
    }
    if (all.size() > 1) own.push_back(each);
  }
  return {{"count", all.size()}, {"shared", shared}, {"own", own}};
}

Json stochastic_json(const VectorHeader& header) {
  if (header.random_words == RandomWords::kAbsent) return nullptr;
  return {{"sr_bits", header.random_bits()}, {"sr_source", "direct"}, {"key", header.seed}};
}

Json layout_json(const VectorHeader& header) {
  Json fields = Json::array();
  for (const FieldShape& shape : header.shape().fields) {
    fields.push_back({{"name", token_of(shape.field)},
                      {"role", is_result(shape.field) ? "result" : "operand"},
                      {"lanes", shape.lanes},
                      {"width", 8 * shape.bytes},
                      {"hex_digits", 2 * shape.bytes}});
  }
  return fields;
}

/// Where each policy comes from: the document of a profile with its version, or an option.
Json policy_sources(const VectorHeader& header) {
  Json sources = Json::array();
  for (const Configuration& each : header.configs) {
    const Origin& origin = each.origin;
    const Json source = {{"profile", origin.profile},
                         {"document", origin.document()},
                         {"by_option", origin.chosen},
                         {"open", mask_list(origin.masks)}};
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  return sources;
}

/// The specification that the answers of an operation follow.
Json spec_refs(Operation op) {
  const auto ref = [](std::string_view document, std::string_view section) {
    return Json{{"document", document}, {"section", section}};
  };
  const std::string version = std::string(kSpecVersion);
  Json refs = Json::array();
  switch (op) {
    case Operation::kCvt:
      refs.push_back(ref("docs/spec/formats.md", "F8, F9, F10"));
      break;
    case Operation::kBlock:
      refs.push_back(ref("docs/spec/formats.md", "F8, F9, F10, F11, F12"));
      break;
    case Operation::kDot:
      refs.push_back(ref("docs/spec/formats.md", "F13"));
      refs.push_back(ref("docs/spec/accumulators.md", "U1"));
      break;
    case Operation::kArith:
      refs.push_back(ref("docs/spec/formats.md", "F8, F9, F10"));
      break;
    case Operation::kCast:
      refs.push_back(ref("docs/spec/seed-systems.md", "S2 to S8"));
      break;
    case Operation::kDequantize:
      refs.push_back(ref("docs/spec/formats.md", "F7, F8, F12.2"));
      break;
    case Operation::kMma:
      refs.push_back(ref("docs/spec/accumulators.md", "U1, U2, U4"));
      break;
  }
  for (Json& each : refs) each["version"] = version;
  return refs;
}

Json json_of(const VectorHeader& header, const ManifestFacts& facts) {
  Json json;
  json["schema"] = kManifestSchema;
  json["set_id"] = header.set_id();
  json["file"] = facts.file_name;
  json["kind"] = extension(facts.kind);
  json["op"] = token_of(header.op);
  json["configurations"] = configurations_json(header);
  json["policy_sources"] = policy_sources(header);
  json["lanes"] = header.lanes;
  json["axis"] = facts.axis;
  json["stochastic"] = stochastic_json(header);
  json["suite"] = header.suite;
  json["level"] = header.level;
  json["shard"] = fmt::format("{}/{}", header.shard, header.shards);
  json["prng"] = {{"name", "philox4x32-10"}, {"key", header.seed}};
  json["count"] = header.count;
  json["field_layout"] = layout_json(header);
  json["byte_order"] = "little";
  json["sha256"] = to_hex(facts.file);
  json["content_sha256"] = to_hex(facts.content.records);
  json["operands_sha256"] = to_hex(facts.content.operands);
  json["generator"] = {{"name", header.generator},
                       {"version", facts.version},
                       {"commit", facts.commit.empty() ? Json(nullptr) : Json(facts.commit)},
                       {"compiler", compiler()},
                       {"options", facts.options}};
  json["oracles"] = Json::array();
  json["spec_refs"] = spec_refs(header.op);
  json["mask"] = {{"dont_care", "codes under a NaN scale where nan_scale_codes is dont_care"},
                  {"open", "the field open of each record, where a profile leaves answers open"}};
  Json classes = Json::object();
  for (const StimulusClass& c : facts.classes) classes[std::string(c.name)] = c.count;
  json["coverage_summary"] = {{"classes", classes}, {"duplicates_removed", facts.duplicates}};
  json["license"] = "Apache-2.0";
  if (!facts.created.empty()) json["created"] = facts.created;
  return json;
}

/// What a manifest may say otherwise than this program would write it: the name that the file had,
/// who made it with which options, and where the specification stood then.
constexpr std::array<std::string_view, 4> kFree = {"file", "generator", "spec_refs", "created"};
/// Of vectors that come from tensors nobody knows these.
constexpr std::array<std::string_view, 2> kOfSuites = {"axis", "coverage_summary"};

}  // namespace

std::string manifest_json(const VectorHeader& header, const ManifestFacts& facts) {
  return dumped(json_of(header, facts), 2) + "\n";
}

Digest file_digest(const std::string& path) {
  ByteSource source(path);
  Sha256 hash;
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (std::string_view bytes = source.peek(kPiece); !bytes.empty(); bytes = source.peek(kPiece)) {
    hash.update(bytes);
    source.take(bytes.size());
  }
  return hash.finish();
}

void check_manifest(const std::string& manifest_path, const std::string& path,
                    casts::CastMaker casts) {
  // A name that was made of that of the vectors: nobody chose a pipe.
  const Json json = read_json(manifest_path, {kMaxManifestBytes, kManifestRemedy, Pipes::kRefused});
  if (!json.is_object()) {
    throw VectorError(manifest_path + ": not a JSON object; regenerate it with mxgold gen");
  }
  const auto require = [&](const std::string& field, const Json& wanted) {
    const auto found = json.find(field);
    if (found == json.end() || *found != wanted) {
      throw VectorError(fmt::format(
          "{}: field {} is {}, the vector file {} has {}; regenerate both with mxgold gen",
          manifest_path, field, found == json.end() ? "missing" : dumped(*found), path,
          dumped(wanted)));
    }
  };
  // What says most of a file that is another comes first.
  require("schema", kManifestSchema);
  const Digest file = file_digest(path);
  require("sha256", to_hex(file));
  VectorReader reader(path, casts, ReadMode::kGoldens, SetCheck::kByCaller);
  const VectorHeader& header = reader.header();
  ManifestFacts facts;
  facts.kind = reader.kind();
  facts.file = file;
  std::vector<StimulusClass> classes;
  const NamedSet set(header);
  if (set.is_checked()) {
    classes = set.stimulus().classes();
    facts.classes = classes;
    facts.duplicates = set.stimulus().duplicates();
  }
  for (RecordBatch batch; reader.read(batch, 8192) != 0;) continue;
  facts.content = reader.digests();
  const Json written = json_of(header, facts);
  for (const auto& [field, wanted] : written.items()) {
    if (std::ranges::find(kFree, field) != kFree.end()) continue;
    if (!set.is_checked() && std::ranges::find(kOfSuites, field) != kOfSuites.end()) continue;
    require(field, wanted);
  }
}

}  // namespace mx::golden
