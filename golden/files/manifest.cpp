#include "golden/files/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/bytes/source.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kManifestSchema = "1.0.0";
constexpr std::size_t kMaxManifestBytes = std::size_t{1} << 20;

constexpr std::string_view compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list.begin(), list.end(), ","));
}

Json policy_json(const VectorHeader& header) {
  Json policy = Json::object();
  if (header.op == RecordKind::kCvt) {
    const Policies policies{header.policy, {}};
    for (const PolicyField& field : policy_fields()) {
      if (field.scope == FieldScope::kElement && field.name != "e8m0_quirk")
        policy[std::string(field.name)] = field.read(policies);
    }
    return policy;
  }
  policy["rounding"] = joined(header.roundings);
  policy["rule"] = joined(header.rules);
  policy["overflow"] = joined(header.overflows);
  policy["dst_ftz"] = token_of(ResultSubnormals::kKeep);
  policy["tininess"] = token_of(Tininess::kAfterRounding);
  policy["staging"] = token_of(Staging::kNone);
  policy["others"] = "in the tuser word of each vector";
  return policy;
}

Json stochastic_json(const VectorHeader& header) {
  if (header.random_words == RandomWords::kAbsent) return nullptr;
  const Rounding mode =
      header.op == RecordKind::kCvt ? header.policy.rounding : header.context.stochastic;
  return {{"mode", token_of(mode)},
          {"sr_bits", header.random_bits()},
          {"sr_source", "direct"},
          {"key", header.seed}};
}

void add_fields(const std::vector<Field>& fields, std::string_view role, Json& out) {
  for (const Field& field : fields) {
    out.push_back({{"name", field.name},
                   {"role", role},
                   {"lanes", field.lanes},
                   {"width", 8 * field.bytes},
                   {"hex_digits", 2 * field.bytes}});
  }
}

Json layout_json(const VectorHeader& header) {
  const RecordLayout layout = header.layout();
  Json fields = Json::array();
  add_fields(layout.operands, "operand", fields);
  add_fields(layout.results, "result", fields);
  return fields;
}

Json spec_refs() {
  return {{{"document", "formats.md"}, {"section", "8, 9, 10, 11, 12"}},
          {{"document", "rtl.md"}, {"section", "5.6, 6"}},
          {{"document", "verification.md"}, {"section", "4, 10"}}};
}

std::string read_small_file(const std::string& path) {
  ByteSource source(path);
  const std::string_view text = source.peek(kMaxManifestBytes + 1);
  if (text.size() > kMaxManifestBytes) {
    throw VectorError(path + ": too large for a manifest; name the .json file beside the vectors");
  }
  return std::string(text);
}

}  // namespace

std::string manifest_json(const VectorHeader& header, const ManifestFacts& facts) {
  const bool cvt = header.op == RecordKind::kCvt;
  Json json;
  json["schema"] = kManifestSchema;
  json["set_id"] = header.set_id();
  json["file"] = facts.file_name;
  json["kind"] = extension(facts.kind);
  json["op"] = to_string(header.op);
  json["src_fmt"] = header.source.name;
  json["dst_fmt"] = cvt ? std::string(header.destination.name) : joined(header.formats);
  json["scale_fmt"] = cvt ? Json(nullptr) : Json("e8m0");
  json["block_size"] = cvt ? Json(nullptr) : Json(header.context.block_size);
  json["axis"] = cvt ? Json(nullptr) : Json(-1);
  json["policy"] = policy_json(header);
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
  json["spec_refs"] = spec_refs();
  json["policy_source"] = facts.profile.empty() ? Json(nullptr) : Json(facts.profile);
  json["mask"] = {{"normative", "all result bits"},
                  {"dont_care", cvt ? "" : "code under scale ff where tuser bit 17 is 0"}};
  Json classes = Json::object();
  for (const StimulusClass& c : facts.classes) classes[std::string(c.name)] = c.count;
  json["coverage_summary"] = {{"classes", classes}, {"duplicates_removed", facts.duplicates}};
  json["license"] = "Apache-2.0";
  if (!facts.created.empty()) json["created"] = facts.created;
  return json.dump(2) + "\n";
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

void check_manifest(const std::string& manifest_path, const std::string& path) {
  const Json json = Json::parse(read_small_file(manifest_path), nullptr, false);
  if (!json.is_object()) {
    throw VectorError(manifest_path + ": not a JSON object; regenerate it with mxgold gen");
  }
  const auto require = [&](const std::string& field, const Json& wanted) {
    const auto found = json.find(field);
    if (found == json.end() || *found != wanted) {
      throw VectorError(fmt::format(
          "{}: field {} is {}, the vector file {} has {}; regenerate both with mxgold gen",
          manifest_path, field, found == json.end() ? "missing" : found->dump(), path,
          wanted.dump()));
    }
  };
  require("schema", kManifestSchema);
  require("sha256", to_hex(file_digest(path)));
  VectorReader reader(path);
  const VectorHeader& header = reader.header();
  require("set_id", header.set_id());
  require("kind", extension(reader.kind()));
  require("op", to_string(header.op));
  require("src_fmt", header.source.name);
  require("policy", policy_json(header));
  require("shard", fmt::format("{}/{}", header.shard, header.shards));
  require("count", header.count);
  require("field_layout", layout_json(header));
  if (header.op == RecordKind::kCvt) {
    for (CvtBatch batch; reader.read(batch, 8192) != 0;) continue;
  } else {
    for (BlockBatch batch; reader.read(batch, 8192) != 0;) continue;
  }
  require("content_sha256", to_hex(reader.digests().records));
  require("operands_sha256", to_hex(reader.digests().operands));
}

}  // namespace mx::golden
