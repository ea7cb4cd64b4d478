#include "cli/identify/checkpoint_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "backend/tensor/amax.hpp"
#include "cli/base/error.hpp"
#include "cli/identify/checkpoint.hpp"
#include "cli/text/names.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/rules.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kNamed = 3;  // names in a note

QuantizerConfig under(const CheckpointWeight& weight, ScaleRule rule, std::uint32_t amax) {
  return {*weight.original->format, weight.format(), {}, {.rule = rule}, {.amax = amax}};
}

/// Would a tensor of this largest magnitude have the number that is stored?
bool stores(const CheckpointWeight& weight, std::uint32_t amax) {
  if (weight.stored.layout->number == LevelNumber::kDivisor) {
    return ct_global_scale(under(weight, ScaleRule::kNvfp4Ct, amax)) == weight.level ||
           te_encode_scale(under(weight, ScaleRule::kNvfp4Te, amax)) == weight.level;
  }
  const Unpacked magnitude = fp32::value(amax);
  return std::ranges::any_of(
      std::array{ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Te}, [&](ScaleRule rule) {
        return tensor_level(under(weight, rule, amax), magnitude).scale == weight.level;
      });
}

/// A word of the source's type near a binary32 number, as binary32; `step` words away.
std::uint32_t near(const ElementFormat& type, std::uint32_t number, std::int64_t step) {
  const auto word =
      static_cast<std::int64_t>(encode(fp32::value(number), type, ElementPolicy{}, 0).code) + step;
  const std::int64_t most = static_cast<std::int64_t>(type.max_code);
  return fp32::round(
      decode(type, static_cast<std::uint64_t>(std::clamp<std::int64_t>(word, 1, most))));
}

/// How the number of a weight is explained.
struct Level {
  std::uint32_t amax = 0;
  enum class Of : std::uint8_t { kOwn, kOther, kNothing } of = Of::kOwn;
};

/// The largest magnitude that gives a weight its number: its own, or one beside that which the
/// number itself tells.
Level level_of(const CheckpointWeight& weight) {
  if (weight.stored.layout->number == LevelNumber::kNone) return {};
  const Tensor& original = *weight.original;
  const std::uint32_t own =
      fp32::round(backend::find_amax(*original.format, {}, original.data, backend::Choice::kAuto));
  if (stores(weight, own)) return {own, Level::Of::kOwn};
  const fp32::Bits top = fp32::from_integer(6 * 448);
  const bool divides = weight.stored.layout->number == LevelNumber::kDivisor;
  const fp32::Bits about =
      divides ? fp32::divide(top, weight.level) : fp32::multiply(top, weight.level);
  constexpr std::int64_t kReach = 64;
  for (std::int64_t step = 0; step <= kReach; ++step) {
    for (const std::int64_t signed_step : {step, -step}) {
      const std::uint32_t amax = near(*original.format, about, signed_step);
      if (stores(weight, amax)) return {amax, Level::Of::kOther};
    }
  }
  return {near(*original.format, about, 0), Level::Of::kNothing};
}

/// Which blocks of all weights are taken, counted through: some spread over them, and the first of
/// every scale code.
std::vector<std::uint64_t> taken(const std::vector<CheckpointWeight>& weights, std::size_t count) {
  std::set<std::uint64_t> places;
  std::uint64_t all = 0;
  std::array<bool, 256> seen{};
  for (const CheckpointWeight& weight : weights) {
    for (std::uint64_t i = 0; i < weight.blocks(); ++i) {
      const std::uint8_t scale = weight.scale_byte(i);
      if (!seen[scale]) places.insert(all + i);
      seen[scale] = true;
    }
    all += weight.blocks();
  }
  const std::uint64_t some = std::min<std::uint64_t>(count, all);
  for (std::uint64_t i = 0; i < some; ++i)
    places.insert(i * (all / some) + i * (all % some) / some);
  return {places.begin(), places.end()};
}

golden::LogRecord record_of(const TensorFiles& checkpoint, const CheckpointWeight& weight,
                            const Level& level, std::uint64_t index) {
  CheckpointBlock block = block_of(checkpoint, weight, index);
  golden::LogRecord record;
  record.input = {std::move(block.source), {}, level.amax};
  record.answer = {block.scale, std::move(block.codes)};
  return record;
}

std::string list_of(const std::vector<std::string>& names) {
  std::vector<std::string> some;
  for (const std::string& name : names) {
    if (some.size() < kNamed) some.push_back(printable(name));
  }
  return fmt::format("{}{}", fmt::join(some, ", "), names.size() > kNamed ? ", ..." : "");
}

/// "; "-separated kinds of what is not compared, each with some names.
void note_missing(const Checkpoint& read, const TensorFiles& weights, const TensorFiles& checkpoint,
                  const std::vector<std::string>& not_taken, std::vector<std::string>& missing) {
  const auto add = [&](const std::vector<std::string>& names, std::string_view what) {
    if (names.empty()) return;
    missing.push_back(fmt::format("{} {}: {}", names.size(), what, list_of(names)));
  };
  add(not_taken, "weights of which no block was taken");
  add(read.without_original, "weights whose original is not there");
  add(read.without_format, "weights whose scales are no block format's");
  add(read.lone_parts, "tensors named as parts of weights in blocks that are not whole");
  add(read.not_there, "tensors of the weights' file that the checkpoint lacks");
  for (const TensorFiles* const files : {&weights, &checkpoint}) {
    if (files->unnamed() == 0) continue;
    missing.push_back(
        fmt::format("{} tensors that {} does not name", files->unnamed(), files->path().string()));
  }
  if (read.others != 0) missing.push_back(fmt::format("{} other tensors", read.others));
}

void note_levels(const std::vector<CheckpointWeight>& weights, const std::vector<Level>& levels,
                 std::vector<std::string>& notes) {
  const auto named = [&](Level::Of of) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (levels[i].of == of) names.push_back(weights[i].stored.name);
    }
    return names;
  };
  const std::vector<std::string> others = named(Level::Of::kOther);
  const std::vector<std::string> nothing = named(Level::Of::kNothing);
  if (!others.empty()) {
    notes.push_back(
        fmt::format("{} of {} weights have the number of another largest magnitude than "
                    "their own, as weights that share one do: {}",
                    others.size(), weights.size(), list_of(others)));
  }
  if (!nothing.empty()) {
    notes.push_back(
        fmt::format("{} of {} weights have a number that no largest magnitude gives: {}",
                    nothing.size(), weights.size(), list_of(nothing)));
  }
}

/// The weights of the format asked about; an error where they are not all of one kind.
std::vector<CheckpointWeight> chosen(const CheckpointQuestion& question, Checkpoint& read,
                                     std::vector<std::string>& notes) {
  std::vector<CheckpointWeight> weights;
  std::set<std::string> kinds;
  for (const CheckpointWeight& weight : read.weights) {
    const bool is_asked =
        (question.format.empty() || question.format == weight.format().name) &&
        (question.source.empty() || question.source == weight.original->format->name);
    if (!is_asked) continue;
    kinds.insert(fmt::format("{} from {}", weight.format().name, weight.original->format->name));
    weights.push_back(weight);
  }
  if (weights.empty()) {
    fail(Exit::kBadInput, "{}: no weight{}{}{}{} in blocks whose original is in {}{}",
         question.checkpoint, question.format.empty() ? "" : " of ", question.format,
         question.source.empty() ? "" : " from ", question.source, question.weights,
         read.without_original.empty() ? "" : "; without it: " + list_of(read.without_original));
  }
  if (kinds.size() > 1) {
    fail(Exit::kUsage, "{}: weights of several kinds ({}): name one with --format and --source",
         question.checkpoint, fmt::join(kinds, ", "));
  }
  if (weights.size() < read.weights.size()) {
    notes.push_back(
        fmt::format("{} weights of other formats or types", read.weights.size() - weights.size()));
  }
  return weights;
}

}  // namespace

bool is_checkpoint(const std::string& path) {
  const bool may_be = path.ends_with(".safetensors") || path.ends_with(".gguf") ||
                      path.ends_with(".pt") || path.ends_with(".pth") || path.ends_with(".bin") ||
                      TensorFiles::is_index(path);
  return may_be && has_blocks(TensorFiles::open(path));
}

CheckpointLog checkpoint_log(const CheckpointQuestion& question) {
  const TensorFiles weights = TensorFiles::open(question.weights);
  const TensorFiles checkpoint = TensorFiles::open(question.checkpoint);
  Checkpoint read = read_checkpoint(weights, checkpoint, question.order);
  CheckpointLog made;
  std::vector<std::string> missing;
  const std::vector<CheckpointWeight> list = chosen(question, read, missing);
  made.log.surface = {.source = *list[0].original->format,
                      .is_block = true,
                      .destination = {},
                      .block = list[0].format()};
  std::vector<Level> levels;
  std::uint64_t all = 0;
  for (const CheckpointWeight& weight : list) {
    levels.push_back(level_of(weight));
    made.is_swizzled = made.is_swizzled || weight.stored.is_swizzled;
    all += weight.blocks();
  }
  std::vector<std::uint64_t> counts(list.size());
  std::size_t at = 0;
  std::uint64_t first = 0;
  for (const std::uint64_t place : taken(list, question.count)) {
    while (place - first >= list[at].blocks()) first += list[at++].blocks();
    golden::LogRecord record = record_of(checkpoint, list[at], levels[at], place - first);
    ++counts[at];
    record.line = made.log.records.size() + 1;
    made.log.places.push_back(
        fmt::format("{}, block {}", printable(list[at].stored.codes->name), place - first));
    made.log.records.push_back(std::move(record));
  }
  if (made.log.records.empty()) fail(Exit::kBadInput, "{}: no block at all", question.checkpoint);
  made.notes.push_back(fmt::format("{} weights in blocks as {} writes them; {} of {} blocks taken",
                                   list.size(), list[0].stored.layout->writers,
                                   made.log.records.size(), all));
  note_levels(list, levels, made.notes);
  std::vector<std::string> not_taken;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (counts[i] == 0) not_taken.push_back(list[i].stored.name);
  }
  note_missing(read, weights, checkpoint, not_taken, missing);
  if (!missing.empty()) {
    made.notes.push_back(fmt::format("not compared: {}", fmt::join(missing, "; ")));
  }
  return made;
}

}  // namespace mx::cli
