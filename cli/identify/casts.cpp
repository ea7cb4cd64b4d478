#include "cli/identify/casts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/files/tensor_file.hpp"
#include "cli/systems/known_casts.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/json_text.hpp"
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

/// A cast under a setting, and how much of the log it gives.
struct CastCandidate {
  std::string cast;
  casts::Setting setting;
  std::uint64_t agree = 0;
  std::uint64_t compared = 0;
  std::uint64_t refused = 0;  ///< samples that it does not take
  std::string first;          ///< where it differs first

  [[nodiscard]] std::string setting_text() const {
    if (setting.mode == SystemMode::kStrict) return "strict";
    return fmt::format("compat/{}", token_of(setting.platform));
  }
  [[nodiscard]] bool explains() const { return refused == 0 && compared != 0 && agree == compared; }
};

void score(const std::vector<Sample>& samples, CastCandidate& candidate) {
  const auto cast = emulators::make_cast(candidate.cast, candidate.setting);
  if (!cast) {
    candidate.refused = samples.size();
    return;
  }
  for (const Sample& sample : samples) {
    casts::Tensor row = casts::Tensor::zeros("values", sample.type, sample.shape);
    for (std::size_t i = 0; i < sample.source.size(); ++i) {
      casts::set_word(row.bytes, casts::width_of(sample.type), i, sample.source[i]);
    }
    casts::Tensor scale = casts::Tensor::zeros("scale", TensorType::kFp32, {1});
    casts::set_word(scale.bytes, 4, 0, sample.scale);
    casts::CastInput input{.tensor = row, .random = sample.random};
    if (!(*cast)->row_operands().empty()) input.operands.emplace_back(scale);
    const auto words = (*cast)->random_words(input);
    const bool can_draw = words && *words <= sample.random.size();
    const auto results =
        can_draw ? (*cast)->apply(input) : Checked<std::vector<casts::Tensor>>(Problem{"draws"});
    if (!results || (*results)[0].type != sample.type || (*results)[0].shape != sample.shape) {
      ++candidate.refused;
      continue;
    }
    for (std::size_t i = 0; i < sample.wanted.size(); ++i) {
      const std::uint64_t found = casts::word_at((*results)[0], i);
      ++candidate.compared;
      candidate.agree += found == sample.wanted[i] ? 1U : 0U;
      if (found == sample.wanted[i] || !candidate.first.empty()) continue;
      candidate.first = fmt::format("{} element {}: source {:x} gave {:x}, not {:x}", sample.name,
                                    i, sample.source[i], found, sample.wanted[i]);
    }
  }
}

std::vector<CastCandidate> candidates(const CastIdentification& what) {
  std::vector<CastCandidate> list;
  const Names texts =
      what.casts.empty() ? Names(known_casts().begin(), known_casts().end()) : what.casts;
  for (const std::string& text : texts) {
    if (!is_cast(text)) fail(Exit::kUsage, "{}: no cast of a system", text);
    list.push_back({text, {SystemMode::kStrict, Platform::kX86}, 0, 0, 0, {}});
    for (const Token<Platform>& platform : tokens<Platform>()) {
      list.push_back({text, {SystemMode::kCompat, platform.value}, 0, 0, 0, {}});
    }
  }
  return list;
}

constexpr std::size_t kNearestCasts = 5;

void print_candidates(const std::vector<CastCandidate>& list, std::size_t explaining) {
  const auto refusing =
      std::ranges::count_if(list, [](const CastCandidate& each) { return each.refused != 0; });
  fmt::print("{} casts and settings tried, {} of them refuse a tensor or draw random words\n",
             list.size(), refusing);
  for (const CastCandidate& each : list) {
    if (!each.explains()) continue;
    fmt::print("explains all {} elements: {} ({})\n", each.compared, each.cast,
               each.setting_text());
  }
  if (explaining != 0) return;
  if (std::ranges::all_of(list, [](const auto& each) { return each.compared == 0; })) {
    fmt::print("NOTHING COMPARED\n");
    return;
  }
  fmt::print("no cast explains every element; nearest:\n");
  for (std::size_t i = 0; i < std::min(kNearestCasts, list.size()); ++i) {
    fmt::print("  {} ({}): {} of {} elements, {} tensors refused; {}\n", list[i].cast,
               list[i].setting_text(), list[i].agree, list[i].compared, list[i].refused,
               list[i].first);
  }
}

}  // namespace

Exit identify_casts(const CastIdentification& what) {
  const std::vector<Sample> samples =
      what.log.empty() ? tensor_samples(what) : log_samples(what.log);
  std::vector<CastCandidate> list = candidates(what);
  for (CastCandidate& each : list) score(samples, each);
  std::ranges::stable_sort(list, [](const CastCandidate& a, const CastCandidate& b) {
    return std::pair(a.refused, b.agree) < std::pair(b.refused, a.agree);
  });
  const auto explaining =
      static_cast<std::size_t>(std::ranges::count_if(list, &CastCandidate::explains));
  const bool has_compared =
      std::ranges::any_of(list, [](const auto& c) { return c.compared != 0; });
  if (what.is_json) {
    auto json = nlohmann::ordered_json::array();
    for (const CastCandidate& each : list) {
      json.push_back({{"cast", each.cast},
                      {"setting", each.setting_text()},
                      {"explains", each.explains()},
                      {"agree", each.agree},
                      {"compared", each.compared},
                      {"refused", each.refused},
                      {"first_difference", each.first}});
    }
    fmt::print("{}\n", golden::dumped(json, 2));
  } else {
    print_candidates(list, explaining);
  }
  if (!has_compared) return Exit::kBadInput;
  return explaining != 0 ? Exit::kPass : Exit::kMismatch;
}

}  // namespace mx::cli
