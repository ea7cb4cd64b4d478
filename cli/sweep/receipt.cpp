#include "cli/sweep/receipt.hpp"

#include <unistd.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/source.hpp"
#include "golden/configuration/text.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "mxgold-sweep-receipt 3";

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Json json_of(const Sweep& sweep) {
  Json configuration;
  for (const auto& [field, value] : golden::fields_of(sweep.configuration)) {
    configuration[field] = value;
  }
  Json digests = Json::array();
  for (const golden::Digest& each : sweep.digests) digests.push_back(golden::to_hex(each));
  Json json = {{"configuration", configuration},
               {"scale", sweep.space.scale},
               {"words", token_of(sweep.space.words)},
               {"dut", sweep.dut},
               {"judge", sweep.judge},
               {"first_segment", sweep.segments.first},
               {"last_segment", sweep.segments.last},
               {"compared", sweep.compared},
               {"open", sweep.open_words()},
               {"mismatches", sweep.mismatches}};
  if (sweep.space.random) json["random"] = *sweep.space.random;
  if (sweep.first) {
    json["first_mismatch"] = {{"word", golden::hex(sweep.first->word, 32)},
                              {"code", golden::hex(sweep.first->code, 8)},
                              {"expected", golden::hex(sweep.first->expected, 8)}};
  }
  json["seconds"] = sweep.seconds;
  if (!sweep.open.empty()) json["open_in_segments"] = sweep.open;
  json["segments"] = std::move(digests);
  return json;
}

Json unsealed(const Receipt& receipt) {
  Json sweeps = Json::array();
  for (const Sweep& each : receipt.sweeps) sweeps.push_back(json_of(each));
  Json left_out = Json::array();
  for (const LeftOut& each : receipt.left_out) {
    left_out.push_back({{"conversion", each.conversion}, {"dut", each.dut}, {"why", each.why}});
  }
  Json json = {{"schema", kSchema},        {"version", receipt.version},
               {"commit", receipt.commit}, {"sources", receipt.sources},
               {"host", receipt.host},     {"sweeps", std::move(sweeps)}};
  if (!left_out.empty()) json["left_out"] = std::move(left_out);
  return json;
}

/// Fields of a receipt, each asked for by name.
class Fields {
 public:
  Fields(const std::string& path, const Json& json) : path_(path), json_(json) {}

  [[noreturn]] void refuse(std::string_view field, std::string_view what) const {
    fail(Exit::kBadInput, "{}: field '{}': {}; sweep again, or leave the file out", path_, field,
         what);
  }
  [[nodiscard]] const Json& at(std::string_view field) const {
    const auto found = json_.find(field);
    if (!json_.is_object() || found == json_.end()) refuse(field, "is missing");
    return *found;
  }
  [[nodiscard]] bool has(std::string_view field) const { return json_.contains(field); }
  [[nodiscard]] std::string text(std::string_view field) const {
    if (!at(field).is_string()) refuse(field, "is no text");
    return at(field).get<std::string>();
  }
  [[nodiscard]] std::uint64_t number(std::string_view field) const {
    if (!at(field).is_number_unsigned()) refuse(field, "is no number");
    return golden::whole<std::uint64_t>(at(field));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string& path_;
  const Json& json_;
};

golden::Configuration configuration_of(const Fields& fields, FormatCatalog& catalog) {
  std::map<std::string, std::string> values;
  const Json& json = fields.at("configuration");
  if (!json.is_object()) fields.refuse("configuration", "is no object");
  for (const auto& [field, value] : json.items()) {
    if (!value.is_string()) fields.refuse(field, "is no text");
    values[field] = value.get<std::string>();
  }
  golden::Configuration configuration;
  if (const auto problem =
          golden::parse_fields(golden::Operation::kCvt, values, catalog, configuration)) {
    fields.refuse("configuration." + problem->field, problem->what);
  }
  // What is read is written again: a field that the others contradict, as the document of a
  // profile, or that no conversion has, is found here.
  const golden::ConfigurationFields written = golden::fields_of(configuration);
  for (const auto& [field, value] : written) {
    if (values[field] != value) {
      fields.refuse("configuration." + field,
                    "is \"" + values[field] + "\", not \"" + value + "\"");
    }
  }
  if (values.size() != written.size()) {
    fields.refuse("configuration", "has fields that no conversion has");
  }
  return configuration;
}

SweepSpace space_of(const Fields& fields, const golden::Configuration& configuration) {
  SweepSpace space;
  const std::uint64_t scale = fields.number("scale");
  if (scale > kLargestScale) fields.refuse("scale", "is no scale code");
  space.scale = static_cast<std::uint8_t>(scale);
  const std::string words = fields.text("words");
  space.words = words == token_of(SweptWords::kAll) ? SweptWords::kAll : SweptWords::kBlock;
  if (words != token_of(space.words)) fields.refuse("words", "is neither all nor block");
  if (fields.has("random")) {
    const std::uint64_t random = fields.number("random");
    if (random >> 32 != 0) fields.refuse("random", "is no random word");
    space.random = static_cast<std::uint32_t>(random);
  }
  const std::string why = sweep_problem(configuration, space);
  if (!why.empty()) fields.refuse("configuration", why);
  return space;
}

/// A number in hexadecimal digits.
std::uint64_t code_of(const Fields& fields, std::string_view field) {
  const auto code = golden::parse_hex(fields.text(field));
  if (!code) fields.refuse(field, "is no number in hexadecimal digits");
  return *code;
}

std::optional<SweepMismatch> first_of(const Fields& fields) {
  const bool is_there = fields.has("first_mismatch");
  if (is_there != (fields.number("mismatches") != 0)) {
    fields.refuse("first_mismatch", "is there without mismatches, or missing beside them");
  }
  if (!is_there) return {};
  const Fields first(fields.path(), fields.at("first_mismatch"));
  const SweepMismatch mismatch{code_of(first, "word"), code_of(first, "code"),
                               code_of(first, "expected")};
  if (mismatch.code == mismatch.expected) {
    fields.refuse("first_mismatch", "has the code that was expected");
  }
  return mismatch;
}

std::vector<std::uint64_t> open_of(const Fields& fields, const Sweep& sweep) {
  constexpr std::string_view kField = "open_in_segments";
  const bool is_there = fields.has(kField);
  if (is_there != (sweep.configuration.origin.masks != 0)) {
    fields.refuse(kField, "is there where the profile leaves nothing open, or missing elsewhere");
  }
  std::vector<std::uint64_t> open;
  if (!is_there) return open;
  const Json& list = fields.at(kField);
  if (!list.is_array() || list.size() != sweep.digests.size()) {
    fields.refuse(kField, "is no list of a number for each segment");
  }
  const auto& config = std::get<ConversionConfig>(sweep.configuration.what);
  for (const Json& each : list) {
    if (!each.is_number_unsigned()) fields.refuse(kField, "holds what is no number");
    open.push_back(golden::whole<std::uint64_t>(each));
    const std::uint64_t segment = sweep.segments.first + open.size() - 1;
    if (open.back() > words_of(config, sweep.space, {segment, segment + 1})) {
      fields.refuse(kField, "is more than the words of a segment");
    }
  }
  return open;
}

Sweep sweep_of(const Fields& fields, FormatCatalog& catalog) {
  Sweep sweep;
  sweep.configuration = configuration_of(fields, catalog);
  sweep.space = space_of(fields, sweep.configuration);
  sweep.dut = fields.text("dut");
  sweep.judge = fields.text("judge");
  sweep.segments = {fields.number("first_segment"), fields.number("last_segment")};
  sweep.compared = fields.number("compared");
  sweep.mismatches = fields.number("mismatches");
  sweep.first = first_of(fields);
  if (!fields.at("seconds").is_number()) fields.refuse("seconds", "is no number");
  sweep.seconds = fields.at("seconds").get<double>();
  const Json& segments = fields.at("segments");
  const ElementFormat& source = std::get<ConversionConfig>(sweep.configuration.what).source;
  const std::uint64_t all = segments_of(source);
  const bool is_range = sweep.segments.first < sweep.segments.last && sweep.segments.last <= all;
  if (!is_range) fields.refuse("last_segment", "is no range of segments");
  if (!segments.is_array() || segments.size() != sweep.segments.last - sweep.segments.first) {
    fields.refuse("segments", "is no list of a digest for each segment");
  }
  for (const Json& each : segments) {
    const auto digest =
        each.is_string() ? golden::parse_digest(each.get<std::string>()) : std::nullopt;
    if (!digest) fields.refuse("segments", "holds what is no SHA-256");
    sweep.digests.push_back(*digest);
  }
  sweep.open = open_of(fields, sweep);
  if (sweep.open_words() != fields.number("open")) {
    fields.refuse("open", "is not the sum over the segments");
  }
  if (sweep.compared != words_of(sweep) - sweep.open_words()) {
    fields.refuse("compared", "is not, with 'open', the number of words of the segments");
  }
  if (sweep.mismatches > sweep.compared) fields.refuse("mismatches", "is more than 'compared'");
  return sweep;
}

std::vector<LeftOut> left_out_of(const Fields& fields) {
  std::vector<LeftOut> all;
  if (!fields.has("left_out")) return all;
  if (!fields.at("left_out").is_array()) fields.refuse("left_out", "is no list");
  for (const Json& each : fields.at("left_out")) {
    const Fields one(fields.path(), each);
    all.push_back({one.text("conversion"), one.text("dut"), one.text("why")});
  }
  return all;
}

Json parsed(const std::string& path, const std::string& bytes) {
  Json json;
  if (const auto problem = golden::parse_json(bytes, json)) {
    fail(Exit::kBadInput, "{}: {}", path, golden::text_of(*problem, bytes));
  }
  if (!json.is_object()) {
    fail(Exit::kBadInput, "{}: no JSON object of {} bytes: cut short, or no receipt; sweep again",
         path, bytes.size());
  }
  return json;
}

void require_seal(const std::string& path, const Json& json) {
  const Fields fields(path, json);
  Json rest = json;
  rest.erase("sha256");
  if (golden::to_hex(golden::sha256(golden::dumped(rest))) != fields.text("sha256")) {
    fields.refuse("sha256", "is not that of the content: the file was changed or damaged");
  }
}

}  // namespace

std::string text_of(const LeftOut& left_out) {
  return fmt::format("{} by {}: {}", left_out.conversion, left_out.dut, left_out.why);
}

Receipt receipt_of(std::vector<Sweep> sweeps, std::vector<LeftOut> left_out) {
  return {std::string(version()),
          std::string(commit()),
          std::string(source_digest()),
          host_name(),
          std::move(sweeps),
          std::move(left_out),
          nullptr};
}

std::string receipt_text(const Receipt& receipt) {
  Json json = unsealed(receipt);
  json["sha256"] = golden::to_hex(golden::sha256(golden::dumped(json)));
  return golden::dumped(json, 1) + "\n";
}

Receipt read_receipt(const std::string& path) {
  std::string text;
  try {
    text = golden::whole_text(path, {kMostReceiptBytes, "name an existing receipt"});
  } catch (const golden::VectorError& error) {
    throw Error(Exit::kBadInput, error.what());
  }
  return parse_receipt(path, text);
}

Receipt parse_receipt(const std::string& path, const std::string& text) {
  Json json = parsed(path, text);
  if (json.value("schema", Json()) == kFarmReceiptSchema) {
    require_seal(path, json);
    json = Json(Fields(path, json).at("result"));
  }
  const Fields fields(path, json);
  if (fields.text("schema") != kSchema) {
    fields.refuse("schema", "is not " + std::string(kSchema));
  }
  require_seal(path, json);
  Receipt receipt{fields.text("version"),
                  fields.text("commit"),
                  fields.text("sources"),
                  fields.text("host"),
                  {},
                  left_out_of(fields),
                  std::make_shared<FormatCatalog>()};
  if (!fields.at("sweeps").is_array() || fields.at("sweeps").empty()) {
    fields.refuse("sweeps", "is no list of sweeps");
  }
  for (const Json& each : fields.at("sweeps")) {
    receipt.sweeps.push_back(sweep_of(Fields(path, each), *receipt.catalog));
  }
  return receipt;
}

}  // namespace mx::cli
