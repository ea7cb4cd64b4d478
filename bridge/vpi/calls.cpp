#include "bridge/vpi/calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bridge/bus/explain.hpp"
#include "bridge/bus/tensor.hpp"
#include "bridge/vpi/operands.hpp"

namespace mx::bridge::vpi {
namespace {

using golden::Field;
using golden::Operation;

int opened(Bench& bench, std::unique_ptr<Handle> handle) {
  bench.models.push_back(std::move(handle));
  return static_cast<int>(bench.models.size());
}

int open(Bench& bench, const Arguments& in) { return opened(bench, Handle::open(in.text(0))); }

int open_word(Bench& bench, const Arguments& in) {
  std::uint64_t word = 0;
  std::string why = take_number(in, 0, "tuser", 32, word);
  return opened(bench, why.empty() ? Handle::open_word(static_cast<std::uint32_t>(word), in.text(1))
                                   : Handle::refused(std::move(why)));
}

int close(Bench& bench, const Arguments& in) {
  const Handle* const model = model_of(bench, in);
  if (model == nullptr) return 0;
  std::ranges::find(bench.models, model, &std::unique_ptr<Handle>::get)->reset();
  return 1;
}

int ok(Bench& bench, const Arguments& in) {
  const Handle* const model = model_of(bench, in);
  return model != nullptr && model->is_open() && model->error().empty() ? 1 : 0;
}

int error(Bench& bench, const Arguments& in) {
  const Handle* const model = model_of(bench, in);
  in.set_text(1,
              model == nullptr ? "no handle: it was never opened, or is closed" : model->error());
  return 1;
}

int text(Bench& bench, const Arguments& in) {
  const Handle* const model = model_of(bench, in);
  if (model == nullptr) return 0;
  in.set_text(1, model->text());
  return 1;
}

int word(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  std::uint32_t tuser = 0;
  if (model == nullptr || !model->get_config_word(tuser)) return 0;
  set_number(in, 1, tuser);
  return 1;
}

int set_lanes(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  std::uint64_t lanes = 0;
  if (model == nullptr || !known(*model, in, 1, "lanes", lanes)) return 0;
  lanes = std::min<std::uint64_t>(lanes, golden::kMaxLanes + 1);
  return model->set_lanes(static_cast<int>(lanes)) ? 1 : 0;
}

/// Requires a handle.
bool field_of(Handle& model, const Arguments& in, Field& field) {
  if (find_field(in.text(1), field)) return true;
  return model.refuse(fmt::format("no field is called \"{}\"", in.text(1)));
}

int set_lane_bits(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  Field field{};
  std::uint64_t bits = 0;
  if (model == nullptr || !field_of(*model, in, field)) return 0;
  if (!known(*model, in, 2, "bits", bits)) return 0;
  bits = std::min<std::uint64_t>(bits, 65);
  return model->set_lane_bits(field, static_cast<int>(bits)) ? 1 : 0;
}

template <typename Fact>
int fact(Bench& bench, const Arguments& in, const Fact& get_fact) {
  Handle* const model = model_of(bench, in);
  Field field{};
  if (model == nullptr || !field_of(*model, in, field)) return 0;
  return get_fact(*model, field);
}

int lane_bits(Bench& bench, const Arguments& in) {
  return fact(bench, in, [](const Handle& model, Field field) { return model.lane_bits(field); });
}

int words(Bench& bench, const Arguments& in) {
  return fact(bench, in, [](const Handle& model, Field field) {
    return static_cast<int>(model.words(field));
  });
}

int bits(Bench& bench, const Arguments& in) {
  return fact(bench, in, [](const Handle& model, Field field) { return model.bits(field); });
}

int cvt(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !model->start(Operation::kCvt, 0)) return 0;
  const bool is_right = put_number(*model, Field::kSource, in, 1) &&
                        put_number(*model, Field::kRandom, in, 2) && model->answer() &&
                        get(*model, Field::kCode, in, 3) && get(*model, Field::kFlags, in, 4);
  return is_right ? 1 : 0;
}

int arith(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !model->start(Operation::kArith, 0)) return 0;
  const bool is_right = put_number(*model, Field::kA, in, 1) &&
                        put_number(*model, Field::kB, in, 2) &&
                        put_number(*model, Field::kC, in, 3) && model->answer() &&
                        get(*model, Field::kCode, in, 4) && get(*model, Field::kFlags, in, 5);
  return is_right ? 1 : 0;
}

int block(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !start(*model, Operation::kBlock, in)) return 0;
  const bool is_right = put(*model, Field::kSource, in, 2) && put(*model, Field::kRandom, in, 3) &&
                        model->answer() && get(*model, Field::kScale, in, 4) &&
                        get(*model, Field::kCode, in, 5) && get(*model, Field::kFlags, in, 6);
  return is_right ? 1 : 0;
}

int dequantize(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !start(*model, Operation::kDequantize, in)) return 0;
  const bool is_right = put_number(*model, Field::kAScale, in, 2) &&
                        put(*model, Field::kA, in, 3) && model->answer() &&
                        get(*model, Field::kCode, in, 4);
  return is_right ? 1 : 0;
}

int dot(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !start(*model, Operation::kDot, in)) return 0;
  const bool is_right = put(*model, Field::kAScale, in, 2) && put(*model, Field::kA, in, 3) &&
                        put(*model, Field::kBScale, in, 4) && put(*model, Field::kB, in, 5) &&
                        put_number(*model, Field::kC, in, 6) && model->answer() &&
                        get(*model, Field::kCode, in, 7) && get(*model, Field::kFlags, in, 8);
  return is_right ? 1 : 0;
}

int cast(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  if (model == nullptr || !model->start(Operation::kCast, 0)) return 0;
  const bool is_right = put(*model, Field::kSource, in, 1) && put(*model, Field::kRandom, in, 2) &&
                        put_number(*model, Field::kAScale, in, 3) && model->answer() &&
                        get(*model, Field::kScale, in, 4) && get(*model, Field::kCode, in, 5);
  return is_right ? 1 : 0;
}

int open_bits(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  Field field{};
  if (model == nullptr || !field_of(*model, in, field)) return 0;
  std::vector<std::uint32_t> bus(
      (model->words(field) * static_cast<std::size_t>(model->lane_bits(field)) + 31) / 32);
  if (!model->get_open(field, bus)) return 0;
  in.set(2, bus);
  return 1;
}

int line(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  std::string results;
  if (model == nullptr || !model->answer_line(in.text(1), results)) return 0;
  in.set_text(2, results);
  return 1;
}

int explain_last(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  std::string said;
  if (model == nullptr || !explain(*model, said)) return 0;
  // vpi_printf() has a limited line in some simulators: one call for each.
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size() - 1) + 1;
    std::string format = "%s";
    vpi_printf(format.data(), said.substr(at, end - at).c_str());
    at = end;
  }
  return 1;
}

int value(Bench& bench, const Arguments& in) {
  Handle* const model = model_of(bench, in);
  std::string said;
  std::uint64_t code = 0;
  if (model == nullptr || !known(*model, in, 2, "code", code)) return 0;
  if (!value_text(*model, in.text(1), code, said)) return 0;
  in.set_text(3, said);
  return 1;
}

// -- scoreboards --

void say(const std::string& text) {
  std::string format = "%s\n";
  if (!text.empty()) vpi_printf(format.data(), text.c_str());
}

int score_open(Bench& bench, const Arguments& in) {
  bench.scores.push_back(Score::open(in.text(0)));
  say(bench.scores.back()->error());
  return static_cast<int>(bench.scores.size());
}

int score_mask(Bench& bench, const Arguments& in) {
  Score* const score = find(bench.scores, in, 0);
  if (score == nullptr) return 0;
  std::uint64_t mask = 0;
  std::string why = take_number(in, 2, "mask", 64, mask);
  const bool is_right = why.empty() ? score->set_mask(in.text(1), mask) : score->refuse(why);
  if (!is_right) say(score->error());
  return is_right ? 1 : 0;
}

int score_expect(Bench& bench, const Arguments& in) {
  Score* const score = find(bench.scores, in, 0);
  if (score == nullptr) return 0;
  const bool is_right = score->expect(find(bench.models, in, 1), in.text(2));
  say(score->message());
  return is_right ? 1 : 0;
}

/// A vector whose bits beyond its end, up to 32, count as unknown.
Vector seen(const Arguments& in, std::size_t i) {
  Vector vector = in.vector(i);
  const int left = vector.bits % 32;
  if (left != 0) vector.unknown.back() |= ~std::uint32_t{0} << left;
  return vector;
}

int score_observe(Bench& bench, const Arguments& in) {
  Score* const score = find(bench.scores, in, 0);
  if (score == nullptr) return 0;
  const Vector scale = seen(in, 1), code = seen(in, 2), flags = seen(in, 3);
  const bool is_right = score->observe(
      {{{{scale.value, scale.unknown}, {code.value, code.unknown}, {flags.value, flags.unknown}}}});
  say(score->message());
  return is_right ? 1 : 0;
}

int score_count(Bench& bench, const Arguments& in) {
  const Score* const score = find(bench.scores, in, 0);
  return score == nullptr ? 0 : static_cast<int>(score->count(in.text(1)));
}

int score_finish(Bench& bench, const Arguments& in) {
  Score* const score = find(bench.scores, in, 0);
  if (score == nullptr) {
    say("FAIL mxgold: no scoreboard");
    return 0;
  }
  const bool is_right = score->finish();
  say(score->verdict());
  return is_right ? 1 : 0;
}

constexpr Call kCalls[] = {{"$mxgold_open", "t", open},
                           {"$mxgold_open_word", "vt", open_word},
                           {"$mxgold_close", "v", close},
                           {"$mxgold_ok", "v", ok},
                           {"$mxgold_error", "vT", error},
                           {"$mxgold_text", "vT", text},
                           {"$mxgold_word", "vV", word},
                           {"$mxgold_set_lanes", "vv", set_lanes},
                           {"$mxgold_set_lane_bits", "vtv", set_lane_bits},
                           {"$mxgold_lane_bits", "vt", lane_bits},
                           {"$mxgold_words", "vt", words},
                           {"$mxgold_bits", "vt", bits},
                           {"$mxgold_cvt", "vvvVV", cvt},
                           {"$mxgold_arith", "vvvvVV", arith},
                           {"$mxgold_block", "vvvvVVV", block},
                           {"$mxgold_dequantize", "vvvvV", dequantize},
                           {"$mxgold_dot", "vvvvvvvVV", dot},
                           {"$mxgold_cast", "vvvvVV", cast},
                           {"$mxgold_open_bits", "vtV", open_bits},
                           {"$mxgold_line", "vtT", line},
                           {"$mxgold_explain", "v", explain_last},
                           {"$mxgold_value", "vtvT", value},
                           {"$mxgold_score_open", "t", score_open},
                           {"$mxgold_score_mask", "vtv", score_mask},
                           {"$mxgold_score_expect", "vvt", score_expect},
                           {"$mxgold_score_observe", "vvvv", score_observe},
                           {"$mxgold_score_count", "vt", score_count},
                           {"$mxgold_score_finish", "v", score_finish}};

}  // namespace

std::span<const Call> calls() { return kCalls; }

}  // namespace mx::bridge::vpi
