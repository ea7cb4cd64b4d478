#include "cli/identify/casts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/files/tensor_file.hpp"
#include "cli/identify/answer.hpp"
#include "cli/identify/probes.hpp"
#include "cli/systems/known_casts.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/configuration/cast_case.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {
namespace {

using casts::TensorView;
using golden::Field;

/// An input and what the implementation made of it.
struct Sample {
  std::string name;
  TensorType type = TensorType::kFp32;
  casts::Shape shape;
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
  std::uint32_t scale = 0x3F800000;
  std::vector<std::uint64_t> wanted;
};

std::vector<std::uint64_t> words_of(const TensorView& tensor) {
  std::vector<std::uint64_t> words(tensor.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = casts::word_at(tensor, i);
  return words;
}

TensorView view_of(const std::string& path, const Tensor& tensor) {
  const auto type = tensor.format == nullptr ? std::nullopt : tensor_type(tensor.format->name);
  if (!type) {
    fail(Exit::kBadInput, "{}: tensor {}: systems cast floats, not {}", path,
         printable(tensor.name), tensor.dtype);
  }
  return {"values", *type, {tensor.shape.begin(), tensor.shape.end()}, tensor.data};
}

std::vector<Sample> tensor_samples(const CastIdentification& what) {
  const TensorFile inputs = TensorFile::open(what.input);
  const TensorFile outputs = TensorFile::open(what.output);
  std::vector<Sample> samples;
  for (const Tensor& tensor : inputs.tensors()) {
    const Tensor* other = outputs.find(tensor.name);
    if (other == nullptr) other = outputs.find(tensor.name + ".values");
    if (other == nullptr) continue;
    if (other->shape != tensor.shape || other->dtype != tensor.dtype) {
      fail(Exit::kBadInput, "tensor {}: {} has another shape or type than {}",
           printable(tensor.name), what.output, what.input);
    }
    const TensorView view = view_of(what.input, tensor);
    samples.push_back({tensor.name,
                       view.type,
                       view.shape,
                       words_of(view),
                       {},
                       0x3F800000,
                       words_of(view_of(what.output, *other))});
  }
  if (samples.empty()) {
    fail(Exit::kBadInput, "{} and {} have no tensor of the same name", what.input, what.output);
  }
  return samples;
}

std::vector<Sample> log_samples(const std::string& path) {
  golden::VectorHeader header;
  const golden::RecordBatch batch =
      golden::read_records(path, header, emulators::make_cast, golden::ReadMode::kAnswers);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto& what = std::get<golden::CastCase>(header.configs[batch.config(i)].what);
    const auto source = batch.of(Field::kSource, i);
    const auto codes = batch.of(Field::kCode, i);
    if (batch.has(Field::kScale)) {
      fail(Exit::kBadInput, "{}: scales and codes; identify casts by the values they give", path);
    }
    Sample sample{fmt::format("record {}", i),    what.source, {source.size()},
                  {source.begin(), source.end()}, {},          0x3F800000,
                  {codes.begin(), codes.end()}};
    for (const std::uint64_t word : batch.of(Field::kRandom, i)) {
      sample.random.push_back(static_cast<std::uint32_t>(word));
    }
    if (batch.has(Field::kAScale)) {
      sample.scale = static_cast<std::uint32_t>(batch.word(Field::kAScale, i));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

/// A cast under a setting.
struct CastCandidate {
  std::string cast;
  casts::Setting setting;

  [[nodiscard]] std::string setting_text() const {
    if (setting.mode == SystemMode::kStrict) return "strict";
    return fmt::format("compat/{}", token_of(setting.platform));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{} ({})", cast, setting_text()); }
};

/// What a cast makes of a sample; nothing where it refuses it.
std::optional<casts::Tensor> made_of(const casts::Cast& cast, const Sample& sample) {
  casts::Tensor row = casts::Tensor::zeros("values", sample.type, sample.shape);
  for (std::size_t i = 0; i < sample.source.size(); ++i) {
    casts::set_word(row.bytes, casts::width_of(sample.type), i, sample.source[i]);
  }
  casts::Tensor scale = casts::Tensor::zeros("scale", TensorType::kFp32, {1});
  casts::set_word(scale.bytes, 4, 0, sample.scale);
  casts::CastInput input{.tensor = row, .random = sample.random};
  if (!cast.row_operands().empty()) input.operands.emplace_back(scale);
  const auto words = cast.random_words(input);
  if (!words || *words > sample.random.size()) return std::nullopt;
  const auto results = cast.apply(input);
  if (!results || (*results)[0].type != sample.type || (*results)[0].shape != sample.shape) {
    return std::nullopt;
  }
  return (*results)[0];
}

Maker score(const std::vector<Sample>& samples, const CastCandidate& candidate,
            RecordTally& tally) {
  Maker maker{
      .name = candidate.cast, .variant = candidate.setting_text(), .first = {}, .facts = {}};
  maker.facts = {{"cast", candidate.cast}, {"setting", candidate.setting_text()}};
  const auto cast = emulators::make_cast(candidate.cast, candidate.setting);
  for (std::size_t at = 0; at < samples.size(); ++at) {
    const Sample& sample = samples[at];
    const auto result = cast ? made_of(**cast, sample) : std::nullopt;
    if (!result) {
      ++maker.refused;
      continue;
    }
    for (std::size_t i = 0; i < sample.wanted.size(); ++i) {
      const std::uint64_t found = casts::word_at(*result, i);
      tally.note(at, found == sample.wanted[i]);
      ++maker.compared;
      maker.agree += found == sample.wanted[i] ? 1U : 0U;
      if (found == sample.wanted[i] || !maker.first.empty()) continue;
      maker.first = fmt::format("{} element {}: source {:x} gave {:x}, not {:x}", sample.name, i,
                                sample.source[i], found, sample.wanted[i]);
    }
  }
  return maker;
}

std::vector<CastCandidate> candidates(const CastIdentification& what) {
  std::vector<CastCandidate> list;
  const Names texts =
      what.casts.empty() ? Names(known_casts().begin(), known_casts().end()) : what.casts;
  for (const std::string& text : texts) {
    if (!is_cast(text)) fail(Exit::kUsage, "{}: no cast of a system", text);
    list.push_back({text, {SystemMode::kStrict, Platform::kX86}});
    for (const Token<Platform>& platform : tokens<Platform>()) {
      list.push_back({text, {SystemMode::kCompat, platform.value}});
    }
  }
  return list;
}

/// Rows like those of a sample, as the suite of a cast has them; none where there is no suite.
std::vector<Sample> rows_like(const Sample& sample, const CastCandidate& candidate) {
  constexpr std::size_t kMostLanes = 64;
  golden::VectorHeader header;
  header.op = golden::Operation::kCast;
  header.lanes = static_cast<int>(std::min(sample.source.size(), kMostLanes));
  header.configs = {
      {golden::CastCase{emulators::make_cast, candidate.cast, candidate.setting, sample.type}, {}}};
  if (takes_random(header.configs[0])) header.random_words = golden::RandomWords::kPresent;
  if (header.lanes == 0 || !header.problem().empty()) return {};
  const golden::RecordBatch operands = probes_of(header);
  std::vector<Sample> rows;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto source = operands.of(Field::kSource, i);
    Sample row{.name = {},
               .type = sample.type,
               .shape = {source.size()},
               .source = {source.begin(), source.end()},
               .random = {},
               .wanted = {}};
    for (const std::uint64_t word : operands.of(Field::kRandom, i)) {
      row.random.push_back(static_cast<std::uint32_t>(word));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What parts casts that explain the samples, among such rows.
Partings parting_casts(const Sample& sample, const std::vector<CastCandidate>& explaining) {
  if (explaining.empty()) return {};
  const std::vector<Sample> rows = rows_like(sample, explaining.front());
  std::vector<casts::CastPointer> casts;
  std::vector<std::string> names;
  for (const CastCandidate& each : explaining) {
    casts.push_back(emulators::make_cast(each.cast, each.setting).value());
    names.push_back(each.text());
  }
  const int bits = 8 * static_cast<int>(casts::width_of(sample.type));
  return partings_of(
      names, rows.size(),
      [&](std::size_t maker, std::size_t row) -> std::string {
        const auto made = made_of(*casts[maker], rows[row]);
        return made ? words_text(words_of(TensorView(*made)), bits) : "";
      },
      [&](std::size_t row) { return words_text(rows[row].source, bits); });
}

}  // namespace

Exit identify_casts(const CastIdentification& what) {
  const std::vector<Sample> samples =
      what.log.empty() ? tensor_samples(what) : log_samples(what.log);
  WholeAnswer answer{.what = what.log.empty() ? "tensors before and after a cast" : "op cast",
                     .kind = "casts and settings",
                     .words = "elements",
                     .makers = {},
                     .tally = RecordTally(samples.size()),
                     .partings = {},
                     .notes = {}};
  std::vector<CastCandidate> explaining;
  for (const CastCandidate& each : candidates(what)) {
    answer.makers.push_back(score(samples, each, answer.tally));
    if (answer.makers.back().explains()) explaining.push_back(each);
  }
  if (!samples.empty()) answer.partings = parting_casts(samples.front(), explaining);
  return report(std::move(answer), what.is_verbose, what.is_json);
}

}  // namespace mx::cli
