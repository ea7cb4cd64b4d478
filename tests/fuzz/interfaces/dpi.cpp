// The functions under mxgold_pkg.sv, called as a simulator calls them: a handle of a line of text,
// then calls in any order with arguments of any value. Arrays are the simulator's.
#include <array>
#include <functional>
#include <span>

#include "tests/fuzz/draw.hpp"

namespace {

using Bus = std::array<std::uint32_t, 64>;  // mxgold_pkg::bus_t

/// What a handle of an open array stands for here.
struct OpenArray {
  void* data;
  int size;
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): a simulator's functions, IEEE 1800-2017 annex H.
extern "C" {
int svSize(const void* array, int /*dimension*/) {
  return static_cast<const OpenArray*>(array)->size;
}
int svLeft(const void* /*array*/, int /*dimension*/) { return 0; }
int svRight(const void* array, int /*dimension*/) {
  return static_cast<const OpenArray*>(array)->size - 1;
}
void* svGetArrayPtr(const void* array) { return static_cast<const OpenArray*>(array)->data; }
void* svGetArrElemPtr1(const void* /*array*/, int /*index*/) { return nullptr; }

unsigned mxgold_dpi_abi_version();
const char* mxgold_dpi_version();
void* mxgold_dpi_open(const char* text);
void* mxgold_dpi_open_word(unsigned tuser, const char* text);
void* mxgold_dpi_refused(const char* why);
void mxgold_dpi_close(void* handle);
int mxgold_dpi_ok(void* handle);
const char* mxgold_dpi_error(void* handle);
const char* mxgold_dpi_text(void* handle);
int mxgold_dpi_word(void* handle, unsigned* tuser);
int mxgold_dpi_set_lanes(void* handle, unsigned lanes);
int mxgold_dpi_set_lane_bits(void* handle, const char* name, int bits);
unsigned mxgold_dpi_words(void* handle, const char* name);
int mxgold_dpi_bits(void* handle, const char* name);
int mxgold_dpi_lane_bits(void* handle, const char* name);
int mxgold_dpi_refuse(void* handle, const char* why);
int mxgold_dpi_known(void* handle, const char* name, unsigned elements, int unknown);
int mxgold_dpi_cvt(void* handle, std::uint64_t source, unsigned random, std::uint64_t* code,
                   std::uint8_t* flags);
int mxgold_dpi_arith(void* handle, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                     std::uint64_t* code, std::uint8_t* flags);
int mxgold_dpi_block(void* handle, unsigned elements, const std::uint32_t* source,
                     const std::uint32_t* random, std::uint64_t* scale, std::uint32_t* code,
                     std::uint8_t* flags);
int mxgold_dpi_dequantize(void* handle, unsigned elements, std::uint64_t scale,
                          const std::uint32_t* code, std::uint32_t* value);
int mxgold_dpi_dot(void* handle, unsigned elements, const std::uint32_t* a_scale,
                   const std::uint32_t* a, const std::uint32_t* b_scale, const std::uint32_t* b,
                   std::uint64_t c, std::uint64_t* code, std::uint8_t* flags);
int mxgold_dpi_cast(void* handle, const std::uint32_t* source, const std::uint32_t* random,
                    std::uint64_t given_scale, std::uint32_t* scale, std::uint32_t* code);
int mxgold_dpi_open_bits(void* handle, const char* name, std::uint32_t* bits);
const char* mxgold_dpi_line(void* handle, const char* operands);
const char* mxgold_dpi_operands(void* handle);
const char* mxgold_dpi_explain(void* handle);
const char* mxgold_dpi_value(void* handle, const char* name, std::uint64_t code);
int mxgold_dpi_answer(void* handle, unsigned elements, void* operands, void* results, void* open);
int mxgold_dpi_tensor(void* handle, unsigned lines, unsigned length, std::uint64_t seed,
                      void* source, void* scale, void* code, std::uint64_t* tensor_scale);
void* mxgold_dpi_score_open(const char* text);
void mxgold_dpi_score_close(void* score);
const char* mxgold_dpi_score_error(void* score);
int mxgold_dpi_score_mask(void* score, const char* name, std::uint64_t mask);
int mxgold_dpi_score_refuse(void* score, const char* why);
int mxgold_dpi_score_expect(void* score, void* handle, const char* context);
int mxgold_dpi_score_observe(void* score, std::uint64_t scale, std::uint64_t scale_unknown,
                             const std::uint32_t* code, const std::uint32_t* code_unknown,
                             std::uint8_t flags, std::uint8_t flags_unknown);
const char* mxgold_dpi_score_message(void* score);
std::uint64_t mxgold_dpi_score_count(void* score, const char* what);
int mxgold_dpi_score_finish(void* score);
const char* mxgold_dpi_score_verdict(void* score);
void* mxgold_dpi_cover_open(unsigned configurations);
void mxgold_dpi_cover_close(void* cover);
const char* mxgold_dpi_cover_error(void* cover);
int mxgold_dpi_cover_sample(void* cover, void* handle);
std::uint64_t mxgold_dpi_cover_count(void* cover, const char* what);
unsigned mxgold_dpi_cover_bins(void* cover);
const char* mxgold_dpi_cover_bin(void* cover, unsigned bin, std::uint64_t* hits, int* is_reachable);
int mxgold_dpi_cover_save(void* cover, const char* path);
}
// NOLINTEND(readability-identifier-naming)

namespace mx::fuzz {
namespace {

constexpr int kMostCalls = 24;
constexpr std::array<const char*, 12> kFields = {"source",  "random", "a_scale", "a",
                                                 "b_scale", "b",      "c",       "scale",
                                                 "code",    "flags",  "",        "nothing"};

/// One bench: a handle, a scoreboard, and what the bytes say next.
struct Bench {
  Draw draw;
  std::string_view input;
  void* handle = nullptr;
  void* score = nullptr;

  Bus bus() {
    Bus words{};
    for (std::size_t count = draw.below(24), i = 0; i < count; ++i) {
      words[i] = static_cast<std::uint32_t>(draw.word(4));
    }
    return words;
  }
  const char* field() { return kFields[draw.below(kFields.size())]; }
  unsigned few() { return static_cast<unsigned>(draw.below(8) == 7 ? draw.word(4) : draw.word(1)); }

  /// What a call says of itself: 1, or 0 and why.
  void check(int is_right) const {
    require(is_right == 0 || is_right == 1, "a call says 0 or 1", input);
    if (is_right == 0) require_words(mxgold_dpi_error(handle), input);
    if (is_right == 1) require(mxgold_dpi_ok(handle) == 1, "what succeeds leaves no error", input);
  }
};

void call_operation(Bench& bench) {
  std::uint64_t word = 0, scale = 0;
  std::uint8_t flags = 0;
  Bus out{}, more{};
  Draw& draw = bench.draw;
  switch (draw.below(6)) {
    case 0:
      bench.check(mxgold_dpi_cvt(bench.handle, draw.word(4), bench.few(), &word, &flags));
      break;
    case 1:
      bench.check(
          mxgold_dpi_arith(bench.handle, draw.word(4), draw.word(4), draw.word(4), &word, &flags));
      break;
    case 2:
      bench.check(mxgold_dpi_block(bench.handle, bench.few(), bench.bus().data(),
                                   bench.bus().data(), &scale, out.data(), &flags));
      break;
    case 3:
      bench.check(mxgold_dpi_dequantize(bench.handle, bench.few(), draw.word(2), bench.bus().data(),
                                        out.data()));
      break;
    case 4:
      bench.check(mxgold_dpi_dot(bench.handle, bench.few(), bench.bus().data(), bench.bus().data(),
                                 bench.bus().data(), bench.bus().data(), draw.word(4), &word,
                                 &flags));
      break;
    default:
      bench.check(mxgold_dpi_cast(bench.handle, bench.bus().data(), bench.bus().data(),
                                  draw.word(4), out.data(), more.data()));
  }
}

void call_arrays(Bench& bench) {
  Draw& draw = bench.draw;
  std::vector<std::uint64_t> first(draw.below(130)), second(draw.below(70)), third(draw.below(130));
  std::vector<std::uint8_t> open(draw.below(70));
  for (std::uint64_t& each : first) each = draw.word(2);
  const auto array = [](auto& values) {
    return OpenArray{values.data(), static_cast<int>(values.size())};
  };
  OpenArray a = array(first), b = array(second), c = array(third), o = array(open);
  if (draw.below(2) == 0) {
    bench.check(mxgold_dpi_answer(bench.handle, bench.few(), &a, &b, &o));
    return;
  }
  std::uint64_t scale = 0;
  const unsigned lines = bench.few(), length = bench.few();
  bench.check(mxgold_dpi_tensor(bench.handle, lines, length, draw.word(2), &a, &b, &c, &scale));
}

void call_last_record(Bench& bench) {
  Bus bits{};
  Draw& draw = bench.draw;
  switch (draw.below(5)) {
    case 0:
      bench.check(mxgold_dpi_open_bits(bench.handle, bench.field(), bits.data()));
      break;
    case 1:
      (void)mxgold_dpi_explain(bench.handle);
      break;
    case 2:
      (void)mxgold_dpi_value(bench.handle, bench.field(), draw.word(8));
      break;
    case 3: {
      // The operands of a record are a line that is answered.
      const std::string line = mxgold_dpi_operands(bench.handle);
      (void)mxgold_dpi_line(bench.handle, line.c_str());
      break;
    }
    default:
      (void)mxgold_dpi_line(bench.handle, draw.line().c_str());
  }
  (void)mxgold_dpi_ok(bench.handle);
}

/// Without collectors: the bins of a configuration take up to a second to be proved.
void call_cover(Bench& bench) {
  std::uint64_t hits = 0;
  int is_reachable = 0;
  void* const cover = mxgold_dpi_cover_open(0);
  const int is_right = mxgold_dpi_cover_sample(cover, bench.handle);
  if (is_right == 0) require_words(mxgold_dpi_cover_error(cover), bench.input);
  require(mxgold_dpi_cover_count(cover, "contradicted") == 0, "what is unreachable is not hit",
          bench.input);
  const unsigned bins = mxgold_dpi_cover_bins(cover);
  (void)mxgold_dpi_cover_bin(cover, bins / 2, &hits, &is_reachable);
  require(*mxgold_dpi_cover_bin(cover, bins, &hits, &is_reachable) == '\0',
          "no bin behind the last", bench.input);
  require(mxgold_dpi_cover_save(cover, "/nonexistent/cover.json") == 0, "no such folder",
          bench.input);
  mxgold_dpi_cover_close(cover);
}

/// A handle that is refused stays so.
void open_refused(std::string_view input) {
  void* const other = mxgold_dpi_refused("operand tuser: bit 3 is X or Z");
  require(other != nullptr, "there is memory", input);
  require(mxgold_dpi_known(other, "source", 0, -1) == 0 && mxgold_dpi_ok(other) == 0,
          "a refused handle answers nothing", input);
  require_words(mxgold_dpi_error(other), input);
  mxgold_dpi_close(other);
}

/// A handle of a configuration word and a line.
void open_word(Bench& bench, unsigned word) {
  void* const other = mxgold_dpi_open_word(word, bench.draw.line().c_str());
  require(other != nullptr, "there is memory", bench.input);
  if (mxgold_dpi_ok(other) != 1) require_words(mxgold_dpi_error(other), bench.input);
  mxgold_dpi_close(other);
}

void call_setting(Bench& bench) {
  unsigned word = 0;
  switch (bench.draw.below(6)) {
    case 0:
      bench.check(mxgold_dpi_set_lanes(bench.handle, bench.few()));
      break;
    case 4:
      bench.check(mxgold_dpi_refuse(bench.handle, "operand elements: bit 0 is X or Z"));
      break;
    case 5: {
      const char* const name = bench.field();
      const unsigned elements = bench.few();
      bench.check(
          mxgold_dpi_known(bench.handle, name, elements, static_cast<int>(bench.draw.word(2)) - 1));
      break;
    }
    case 1:
      bench.check(
          mxgold_dpi_set_lane_bits(bench.handle, bench.field(), static_cast<int>(bench.few())));
      break;
    case 2:
      bench.check(mxgold_dpi_word(bench.handle, &word));
      open_refused(bench.input);
      open_word(bench, bench.few() % 2 == 0 ? word : bench.few());
      break;
    default:
      (void)mxgold_dpi_words(bench.handle, bench.field());
      (void)mxgold_dpi_bits(bench.handle, bench.field());
      (void)mxgold_dpi_lane_bits(bench.handle, bench.field());
  }
}

void call_score(Bench& bench) {
  Draw& draw = bench.draw;
  switch (draw.below(5)) {
    case 0:
      (void)mxgold_dpi_score_mask(bench.score, bench.field(), draw.word(8));
      break;
    case 4:
      require(mxgold_dpi_score_refuse(bench.score, "operand mask: bit 0 is X or Z") == 0,
              "a refusal is no success", bench.input);
      require_words(mxgold_dpi_score_error(bench.score), bench.input);
      break;
    case 1:
      (void)mxgold_dpi_score_expect(bench.score, draw.below(8) == 7 ? nullptr : bench.handle,
                                    "context");
      break;
    case 2: {
      const auto byte = [&] { return static_cast<std::uint8_t>(draw.word(1)); };
      const std::uint64_t scale = draw.word(2), unknown = draw.word(1);
      const Bus code = bench.bus(), code_unknown = bench.bus();
      (void)mxgold_dpi_score_observe(bench.score, scale, unknown, code.data(), code_unknown.data(),
                                     byte(), byte());
      break;
    }
    default:
      (void)mxgold_dpi_score_count(bench.score, "compared");
  }
  require(mxgold_dpi_score_message(bench.score) != nullptr, "a message is a text", bench.input);
}

/// A line opens the handle, a second one the scoreboard; every further byte is a call.
Outcome dpi(std::string_view input) {
  Bench bench{Draw(input), input};
  const std::string text = bench.draw.line(), score = bench.draw.line();
  bench.handle = mxgold_dpi_open(text.c_str());
  bench.score = mxgold_dpi_score_open(score.c_str());
  require(bench.handle != nullptr && bench.score != nullptr, "there is memory", input);
  require(mxgold_dpi_abi_version() > 0, "an interface has a version", input);
  require_words(mxgold_dpi_version(), input);
  const bool is_open = mxgold_dpi_ok(bench.handle) == 1;
  if (!is_open) require_words(mxgold_dpi_error(bench.handle), input);
  if (is_open) {
    void* const again = mxgold_dpi_open(mxgold_dpi_text(bench.handle));
    require(mxgold_dpi_ok(again) == 1, "its own text is read", mxgold_dpi_text(bench.handle));
    mxgold_dpi_close(again);
  }
  constexpr std::array kCalls = {call_operation,   call_operation, call_arrays,
                                 call_last_record, call_setting,   call_score};
  for (int call = 0; call < kMostCalls && !bench.draw.is_empty(); ++call) {
    kCalls[bench.draw.below(kCalls.size())](bench);
  }
  call_cover(bench);
  (void)mxgold_dpi_score_error(bench.score);
  (void)mxgold_dpi_score_finish(bench.score);
  require_words(mxgold_dpi_score_verdict(bench.score), input);
  mxgold_dpi_score_close(bench.score);
  mxgold_dpi_close(bench.handle);
  return is_open ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  const std::string cvt = bytes_of("\x00\x00\x3F\xA6\x66\x66\x00\x00");
  const std::string arith = bytes_of("\x00\x01\x00\x00\x3C\x01\x00\x00\x3C\x02\x00\x00\x7B\xFF");
  const std::string block = bytes_of("\x00\x02\x00\x00\x02\x3F\x80\x00\x00\x40\x49\x0F\xDB\x00");
  const std::string back = bytes_of("\x00\x03\x00\x00\x00\x7F\x01\x12\x34\x56\x78");
  const std::string dot =
      bytes_of("\x00\x04\x00\x00\x01\x7F\x01\x12\x34\x56\x01\x7F\x01\x12\x34\x56");
  const std::string cast =
      bytes_of("\x00\x05\x02\x3F\x80\x00\x00\x40\x49\x0F\xDB\x00\x00\x00\x00\x00");
  const std::string after =
      bytes_of("\x03\x00\x08\x03\x01\x03\x03\x05\x01\x00\x05\x03\x04\x02\x04\x05\x00\x00\x00\x26");
  const std::string score = "\nname=bench nan=any errors=2\n";
  all.push_back("op=cvt destination=e4m3fn" + score + cvt + after);
  all.push_back("op=arith operation=fma format=fp16 preset=x86" + score + arith + after);
  all.push_back("format=mxfp4" + score + block + after);
  all.push_back("op=dequantize format=mxfp8_e4m3 result=bf16" + score + back + after);
  all.push_back("op=dot a=mxfp4" + score + dot + after);
  all.push_back("op=mma unit=mi200_bf16 a=bf16" + score + dot + after);
  all.push_back("op=cast cast=dmx:MXFP8[E4M3]{32}" + score + cast + after);
  return all;
}

}  // namespace

Target dpi_target() { return {"dpi", dpi, seeds}; }

}  // namespace mx::fuzz
