// The C functions under mxgold_pkg.sv. What each does is said there; handles are bridge/bus'.
#include <svdpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "bridge/bus/cover.hpp"
#include "bridge/bus/explain.hpp"
#include "bridge/bus/format_of.hpp"
#include "bridge/bus/handle.hpp"
#include "bridge/bus/score.hpp"
#include "bridge/bus/tensor.hpp"
#include "golden/text/exact.hpp"

#define MX_DPI extern "C" __attribute__((visibility("default")))

namespace {

using mx::bridge::BusIn;
using mx::bridge::BusOut;
using mx::bridge::Cover;
using mx::bridge::CoverBin;
using mx::bridge::Handle;
using mx::bridge::Score;
using mx::golden::Field;
using mx::golden::Operation;

/// mxgold_pkg::ABI_VERSION.
constexpr unsigned kAbiVersion = 1;
/// 32-bit words of mxgold_pkg::bus_t.
constexpr std::size_t kBusWords = 64;

/// A handle and the texts that it returns: they live until its next call.
struct Dpi {
  std::unique_ptr<Handle> handle;
  std::string text;
  std::string error;
};

struct DpiScore {
  std::unique_ptr<Score> score;
  std::string error;
};

struct DpiCover {
  std::unique_ptr<Cover> cover;
  std::vector<CoverBin> bins;  ///< those of the last mxgold_dpi_cover_bins()
  std::string error;
};

Dpi* dpi(void* handle) { return static_cast<Dpi*>(handle); }
DpiScore* scoreboard(void* handle) { return static_cast<DpiScore*>(handle); }
DpiCover* coverage(void* handle) { return static_cast<DpiCover*>(handle); }

BusIn in(const svBitVecVal* bus) { return {bus, kBusWords}; }
BusOut out(svBitVecVal* bus) { return {bus, kBusWords}; }

/// Runs the body of a call, 1 where it returns true. Nothing that is thrown gets into the
/// simulator: `error` says what it was.
template <typename Body>
int kept_inside(std::string& error, const Body& body) noexcept {
  try {
    return body() ? 1 : 0;
  } catch (const std::exception& thrown) {
    try {
      error = thrown.what();
    } catch (...) {
      error.clear();
    }
  } catch (...) {
    error.clear();
  }
  return 0;
}

/// The body of a call with a handle, whose error it keeps.
template <typename Body>
int guarded(void* raw, const Body& body) noexcept {
  Dpi* const one = dpi(raw);
  if (one == nullptr) return 0;
  return kept_inside(one->error, [&] {
    const bool is_right = body(*one->handle);
    one->error = one->handle->error();
    return is_right;
  });
}

template <typename Open>
void* opened(const Open& open) noexcept {
  try {
    auto one = std::make_unique<Dpi>();
    one->handle = open();
    one->error = one->handle->error();
    return one.release();
  } catch (...) {
    return nullptr;
  }
}

bool found(Handle& handle, const char* name, Field& field) {
  if (mx::bridge::find_field(name, field)) return true;
  return handle.refuse("no field is called \"" + std::string(name) + "\"");
}

/// The answer of a scalar operation.
void give(Handle& handle, std::uint64_t* code, std::uint8_t* flags) {
  *code = handle.word(Field::kCode);
  *flags = static_cast<std::uint8_t>(handle.word(Field::kFlags));
}

}  // namespace

MX_DPI unsigned mxgold_dpi_abi_version() { return kAbiVersion; }
MX_DPI const char* mxgold_dpi_version() { return MXGOLD_VERSION; }

MX_DPI void* mxgold_dpi_open(const char* text) {
  return opened([&] { return Handle::open(text); });
}

MX_DPI void* mxgold_dpi_open_word(unsigned tuser, const char* text) {
  return opened([&] { return Handle::open_word(tuser, text); });
}

MX_DPI void* mxgold_dpi_refused(const char* why) {
  return opened([&] { return Handle::refused(why); });
}

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the handle is the bench's
MX_DPI void mxgold_dpi_close(void* handle) { delete dpi(handle); }

MX_DPI int mxgold_dpi_ok(void* handle) {
  return handle != nullptr && dpi(handle)->handle->is_open() && dpi(handle)->error.empty() ? 1 : 0;
}

MX_DPI const char* mxgold_dpi_error(void* handle) {
  return handle == nullptr ? "no handle: it was never opened, or memory is exhausted"
                           : dpi(handle)->error.c_str();
}

MX_DPI const char* mxgold_dpi_text(void* handle) {
  return handle == nullptr ? "" : dpi(handle)->handle->text().c_str();
}

MX_DPI int mxgold_dpi_word(void* handle, unsigned* tuser) {
  *tuser = 0;
  return guarded(handle, [&](Handle& model) { return model.get_config_word(*tuser); });
}

MX_DPI int mxgold_dpi_set_lanes(void* handle, unsigned lanes) {
  return guarded(handle, [&](Handle& model) {
    return lanes > static_cast<unsigned>(mx::golden::kMaxLanes)
               ? model.refuse(std::to_string(lanes) + " lanes")
               : model.set_lanes(static_cast<int>(lanes));
  });
}

MX_DPI int mxgold_dpi_set_lane_bits(void* handle, const char* name, int bits) {
  return guarded(handle, [&](Handle& model) {
    Field field{};
    return found(model, name, field) && model.set_lane_bits(field, bits);
  });
}

MX_DPI unsigned mxgold_dpi_words(void* handle, const char* name) {
  Field field{};
  if (handle == nullptr || !mx::bridge::find_field(name, field)) return 0;
  return static_cast<unsigned>(dpi(handle)->handle->words(field));
}

MX_DPI int mxgold_dpi_bits(void* handle, const char* name) {
  Field field{};
  if (handle == nullptr || !mx::bridge::find_field(name, field)) return 0;
  return dpi(handle)->handle->bits(field);
}

MX_DPI int mxgold_dpi_lane_bits(void* handle, const char* name) {
  Field field{};
  if (handle == nullptr || !mx::bridge::find_field(name, field)) return 0;
  return dpi(handle)->handle->lane_bits(field);
}

MX_DPI int mxgold_dpi_refuse(void* handle, const char* why) {
  return guarded(handle, [&](Handle& model) { return model.refuse_record(why); });
}

MX_DPI int mxgold_dpi_known(void* handle, const char* name, unsigned elements, int unknown) {
  return guarded(handle, [&](Handle& model) {
    Field field{};
    return found(model, name, field) && model.start(elements) && model.known(field, unknown);
  });
}

MX_DPI int mxgold_dpi_cvt(void* handle, std::uint64_t source, unsigned random, std::uint64_t* code,
                          std::uint8_t* flags) {
  *code = 0;
  *flags = 0;
  return guarded(handle, [&](Handle& model) {
    if (!model.start(Operation::kCvt, 0)) return false;
    model.put_word(Field::kSource, source);
    model.put_word(Field::kRandom, random);
    if (!model.answer()) return false;
    give(model, code, flags);
    return true;
  });
}

MX_DPI int mxgold_dpi_arith(void* handle, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                            std::uint64_t* code, std::uint8_t* flags) {
  *code = 0;
  *flags = 0;
  return guarded(handle, [&](Handle& model) {
    if (!model.start(Operation::kArith, 0)) return false;
    model.put_word(Field::kA, a);
    model.put_word(Field::kB, b);
    model.put_word(Field::kC, c);
    if (!model.answer()) return false;
    give(model, code, flags);
    return true;
  });
}

MX_DPI int mxgold_dpi_block(void* handle, unsigned elements, const svBitVecVal* source,
                            const svBitVecVal* random, std::uint64_t* scale, svBitVecVal* code,
                            std::uint8_t* flags) {
  *scale = 0;
  *flags = 0;
  std::fill_n(code, kBusWords, 0U);
  return guarded(handle, [&](Handle& model) {
    if (!model.start(Operation::kBlock, elements) || !model.put(Field::kSource, in(source)) ||
        !model.put(Field::kRandom, in(random)) || !model.answer() ||
        !model.get(Field::kCode, out(code))) {
      return false;
    }
    *scale = model.word(Field::kScale);
    *flags = static_cast<std::uint8_t>(model.word(Field::kFlags));
    return true;
  });
}

MX_DPI int mxgold_dpi_dequantize(void* handle, unsigned elements, std::uint64_t scale,
                                 const svBitVecVal* code, svBitVecVal* value) {
  std::fill_n(value, kBusWords, 0U);
  return guarded(handle, [&](Handle& model) {
    return model.start(Operation::kDequantize, elements) && model.put_word(Field::kAScale, scale) &&
           model.put(Field::kA, in(code)) && model.answer() && model.get(Field::kCode, out(value));
  });
}

MX_DPI int mxgold_dpi_dot(void* handle, unsigned elements, const svBitVecVal* a_scale,
                          const svBitVecVal* a, const svBitVecVal* b_scale, const svBitVecVal* b,
                          std::uint64_t c, std::uint64_t* code, std::uint8_t* flags) {
  *code = 0;
  *flags = 0;
  return guarded(handle, [&](Handle& model) {
    if (!model.start(Operation::kDot, elements) || !model.put(Field::kAScale, in(a_scale)) ||
        !model.put(Field::kA, in(a)) || !model.put(Field::kBScale, in(b_scale)) ||
        !model.put(Field::kB, in(b)) || !model.put_word(Field::kC, c) || !model.answer()) {
      return false;
    }
    give(model, code, flags);
    return true;
  });
}

MX_DPI int mxgold_dpi_cast(void* handle, const svBitVecVal* source, const svBitVecVal* random,
                           std::uint64_t given_scale, svBitVecVal* scale, svBitVecVal* code) {
  std::fill_n(scale, kBusWords, 0U);
  std::fill_n(code, kBusWords, 0U);
  return guarded(handle, [&](Handle& model) {
    return model.start(Operation::kCast, 0) && model.put(Field::kSource, in(source)) &&
           model.put(Field::kRandom, in(random)) && model.put_word(Field::kAScale, given_scale) &&
           model.answer() && model.get(Field::kScale, out(scale)) &&
           model.get(Field::kCode, out(code));
  });
}

MX_DPI int mxgold_dpi_open_bits(void* handle, const char* name, svBitVecVal* bits) {
  std::fill_n(bits, kBusWords, 0U);
  return guarded(handle, [&](Handle& model) {
    Field field{};
    return found(model, name, field) && model.get_open(field, out(bits));
  });
}

MX_DPI const char* mxgold_dpi_line(void* handle, const char* operands) {
  const int is_right = guarded(
      handle, [&](Handle& model) { return model.answer_line(operands, dpi(handle)->text); });
  return is_right == 0 ? "" : dpi(handle)->text.c_str();
}

MX_DPI const char* mxgold_dpi_operands(void* handle) {
  const int is_right = guarded(handle, [&](Handle& model) {
    if (!model.is_open()) return false;
    dpi(handle)->text = model.operand_line();
    return model.accept();
  });
  return is_right == 0 ? "" : dpi(handle)->text.c_str();
}

MX_DPI const char* mxgold_dpi_explain(void* handle) {
  const int is_right =
      guarded(handle, [&](Handle& model) { return mx::bridge::explain(model, dpi(handle)->text); });
  return is_right == 0 ? "" : dpi(handle)->text.c_str();
}

MX_DPI const char* mxgold_dpi_value(void* handle, const char* name, std::uint64_t code) {
  const int is_right = guarded(handle, [&](Handle& model) {
    return mx::bridge::value_text(model, name, code, dpi(handle)->text);
  });
  return is_right == 0 ? "" : dpi(handle)->text.c_str();
}

// -- arrays --

namespace {

/// An array of an open array's type, in the simulator's memory where it lies there in one piece.
template <typename T>
class Array {
 public:
  explicit Array(svOpenArrayHandle handle)
      : handle_(handle), size_(static_cast<std::size_t>(std::max(svSize(handle, 1), 0))) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* at(std::size_t i) const {
    if (T* const all = static_cast<T*>(svGetArrayPtr(handle_)); all != nullptr) return all + i;
    const int step = svLeft(handle_, 1) <= svRight(handle_, 1) ? 1 : -1;
    return static_cast<T*>(
        svGetArrElemPtr1(handle_, svLeft(handle_, 1) + step * static_cast<int>(i)));
  }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> all;
    for (std::size_t i = 0; i < size_; ++i) all.push_back(*at(i));
    return all;
  }
  void take(std::span<const T> values) const {
    for (std::size_t i = 0; i < std::min(size_, values.size()); ++i) *at(i) = values[i];
  }

 private:
  svOpenArrayHandle handle_;
  std::size_t size_;
};

}  // namespace

MX_DPI int mxgold_dpi_answer(void* handle, unsigned elements, svOpenArrayHandle operands,
                             svOpenArrayHandle results, svOpenArrayHandle open) {
  return guarded(handle, [&](Handle& model) {
    const Array<std::uint64_t> given(operands), wanted(results);
    const Array<std::uint8_t> opened(open);
    mx::bridge::ArrayAnswer answer;
    if (!mx::bridge::answer_array(model, elements, given.values(), answer)) return false;
    if (wanted.size() != answer.results.size() || opened.size() != answer.open.size()) {
      return model.refuse("results: arrays of " + std::to_string(wanted.size()) + " and " +
                          std::to_string(opened.size()) + " words, but the answer has " +
                          std::to_string(answer.results.size()));
    }
    wanted.take(answer.results);
    opened.take(answer.open);
    return true;
  });
}

MX_DPI int mxgold_dpi_tensor(void* handle, unsigned lines, unsigned length, std::uint64_t seed,
                             svOpenArrayHandle source, svOpenArrayHandle scale,
                             svOpenArrayHandle code, std::uint64_t* tensor_scale) {
  *tensor_scale = 0;
  return guarded(handle, [&](Handle& model) {
    const Array<std::uint64_t> given(source), scales(scale), codes(code);
    mx::bridge::TensorAnswer answer;
    if (!mx::bridge::quantize_tensor(model, {lines, length, seed}, given.values(), answer)) {
      return false;
    }
    if (scales.size() != answer.scales.size() || codes.size() != answer.codes.size()) {
      return model.refuse("a tensor of " + std::to_string(lines) + " x " + std::to_string(length) +
                          " has " + std::to_string(answer.scales.size()) + " scales and " +
                          std::to_string(answer.codes.size()) + " codes, but the arrays have " +
                          std::to_string(scales.size()) + " and " + std::to_string(codes.size()));
    }
    scales.take(answer.scales);
    codes.take(answer.codes);
    *tensor_scale = answer.tensor_scale;
    return true;
  });
}

// -- scoreboards --

namespace {

template <typename Body>
int scored(void* raw, const Body& body) noexcept {
  DpiScore* const one = scoreboard(raw);
  return one == nullptr ? 0 : kept_inside(one->error, [&] { return body(*one->score); });
}

}  // namespace

MX_DPI void* mxgold_dpi_score_open(const char* text) {
  try {
    auto one = std::make_unique<DpiScore>();
    one->score = Score::open(text);
    return one.release();
  } catch (...) {
    return nullptr;
  }
}

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the handle is the bench's
MX_DPI void mxgold_dpi_score_close(void* score) { delete scoreboard(score); }

MX_DPI const char* mxgold_dpi_score_error(void* score) {
  if (score == nullptr) return "no scoreboard: it was never opened, or memory is exhausted";
  const DpiScore& one = *scoreboard(score);
  return one.error.empty() ? one.score->error().c_str() : one.error.c_str();
}

MX_DPI int mxgold_dpi_score_mask(void* score, const char* name, std::uint64_t mask) {
  return scored(score, [&](Score& one) { return one.set_mask(name, mask); });
}

MX_DPI int mxgold_dpi_score_refuse(void* score, const char* why) {
  return scored(score, [&](Score& one) { return one.refuse(why); });
}

MX_DPI int mxgold_dpi_score_expect(void* score, void* handle, const char* context) {
  return scored(score, [&](Score& one) {
    return one.expect(handle == nullptr ? nullptr : dpi(handle)->handle.get(), context);
  });
}

MX_DPI int mxgold_dpi_score_observe(void* score, std::uint64_t scale, std::uint64_t scale_unknown,
                                    const svBitVecVal* code, const svBitVecVal* code_unknown,
                                    std::uint8_t flags, std::uint8_t flags_unknown) {
  return scored(score, [&](Score& one) {
    const auto words = [](std::uint64_t x) {
      return std::array{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)};
    };
    const auto scale_words = words(scale), scale_x = words(scale_unknown);
    const std::uint32_t flags_word = flags, flags_x = flags_unknown;
    return one.observe({{{{scale_words, scale_x},
                          {in(code), in(code_unknown)},
                          {BusIn(&flags_word, 1), BusIn(&flags_x, 1)}}}});
  });
}

MX_DPI const char* mxgold_dpi_score_message(void* score) {
  return score == nullptr ? "" : scoreboard(score)->score->message().c_str();
}

MX_DPI std::uint64_t mxgold_dpi_score_count(void* score, const char* what) {
  return score == nullptr ? 0 : scoreboard(score)->score->count(what);
}

MX_DPI int mxgold_dpi_score_finish(void* score) {
  return scored(score, [&](Score& one) { return one.finish(); });
}

MX_DPI const char* mxgold_dpi_score_verdict(void* score) {
  return score == nullptr ? "FAIL mxgold: no scoreboard"
                          : scoreboard(score)->score->verdict().c_str();
}

// -- coverage --

namespace {

template <typename Body>
int covered(void* raw, const Body& body) noexcept {
  DpiCover* const one = coverage(raw);
  if (one == nullptr) return 0;
  return kept_inside(one->error, [&] {
    const bool is_right = body(*one->cover);
    one->error = one->cover->error();
    return is_right;
  });
}

}  // namespace

MX_DPI void* mxgold_dpi_cover_open(unsigned configurations) {
  try {
    auto one = std::make_unique<DpiCover>();
    one->cover = std::make_unique<Cover>(configurations);
    return one.release();
  } catch (...) {
    return nullptr;
  }
}

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the handle is the bench's
MX_DPI void mxgold_dpi_cover_close(void* cover) { delete coverage(cover); }

MX_DPI const char* mxgold_dpi_cover_error(void* cover) {
  return cover == nullptr ? "no coverage: it was never opened, or memory is exhausted"
                          : coverage(cover)->error.c_str();
}

MX_DPI int mxgold_dpi_cover_sample(void* cover, void* handle) {
  return covered(cover, [&](Cover& one) {
    return one.sample(handle == nullptr ? nullptr : dpi(handle)->handle.get());
  });
}

MX_DPI std::uint64_t mxgold_dpi_cover_count(void* cover, const char* what) {
  std::uint64_t count = 0;
  covered(cover, [&](Cover& one) {
    count = one.count(what);
    return true;
  });
  return count;
}

MX_DPI unsigned mxgold_dpi_cover_bins(void* cover) {
  covered(cover, [&](Cover& one) {
    coverage(cover)->bins = one.bins();
    return true;
  });
  return cover == nullptr ? 0 : static_cast<unsigned>(coverage(cover)->bins.size());
}

MX_DPI const char* mxgold_dpi_cover_bin(void* cover, unsigned bin, std::uint64_t* hits,
                                        int* is_reachable) {
  *hits = 0;
  *is_reachable = 0;
  if (cover == nullptr || bin >= coverage(cover)->bins.size()) return "";
  const CoverBin& found = coverage(cover)->bins[bin];
  *hits = found.hits;
  *is_reachable = found.is_reachable ? 1 : 0;
  return found.name.c_str();
}

MX_DPI int mxgold_dpi_cover_save(void* cover, const char* path) {
  return covered(cover, [&](Cover& one) { return one.save(path); });
}
