// The system functions of mxgold.vpi, called as a simulator calls them: with arguments of any kind,
// width and state, in any order.
#include <algorithm>
#include <array>

#include "bridge/vpi/run.hpp"
#include "tests/fuzz/draw.hpp"
#include "tests/fuzz/interfaces/vpi_simulator.hpp"

namespace mx::fuzz {
namespace {

using bridge::vpi::Bench;
using bridge::vpi::Call;
using bridge::vpi::Role;

using Word = decltype(s_vpi_vecval::aval);

constexpr int kMostCalls = 24;
constexpr std::array<int, 9> kSizes = {1, 4, 8, 16, 32, 64, 256, 1024, 2048};
constexpr std::array<const char*, 12> kTexts = {"source", "random", "a_scale", "a",     "b",    "c",
                                                "scale",  "code",   "flags",   "wrong", "3f80", ""};

/// Of no vector and no text.
VpiObject of_other_kind(std::size_t which) {
  switch (which) {
    case 0:
      return vpi_other(vpiRealVar, vpiRealVal, 1);
    case 1:
      return vpi_other(vpiConstant, vpiRealVal, 0);
    case 2:
      return vpi_other(vpiMemoryWord, vpiRealVal, 1);
    case 3:
      return vpi_other(vpiMemory, vpiSuppressVal, 4);
    case 4:
      return vpi_other(vpiModule, vpiSuppressVal, -1);
    case 5:
      return vpi_other(vpiSysFuncCall, vpiTimeVal, 64);
    case 6:
      return vpi_other(vpiParameter, vpiRealVal, 1);
    default:
      return vpi_other(vpiNamedEvent, vpiSuppressVal, 0);
  }
}

Word word_of(std::uint64_t value) { return static_cast<Word>(value); }

VpiObject number(std::uint64_t value, int size) {
  return vpi_vector({{word_of(value), 0}, {word_of(value >> 32), 0}}, size);
}

/// Words that are drawn, then the last of them again; an X in some of them.
VpiObject drawn_vector(Draw& draw) {
  const std::size_t kind = draw.below(12);
  if (kind < 2) return number(draw.word(1 + 3 * kind), 32);
  const int size = kind < 11 ? kSizes[kind - 2] : static_cast<int>(draw.word(2) % 4100);
  std::vector<s_vpi_vecval> bits(static_cast<std::size_t>(size + 31) / 32);
  const std::size_t drawn = draw.below(6);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i].aval = i < drawn ? word_of(draw.word(4)) : (i == 0 ? 0 : bits[i - 1].aval);
  }
  if (draw.below(8) == 7 && !bits.empty()) {
    bits[draw.below(bits.size())].bval = word_of(1U << draw.below(32));
  }
  VpiObject object = vpi_vector(std::move(bits), size);
  if (draw.below(4) == 3) object.type = vpiConstant;
  return object;
}

VpiObject argument(Draw& draw, Role role, bool is_first) {
  const std::size_t which = draw.below(64);
  if (which < 8) return of_other_kind(which);
  if (which < 10) return vpi_text(kTexts[draw.below(kTexts.size())]);
  if (which < 12) return drawn_vector(draw);
  switch (role) {
    case Role::kVector:
      // Handles are the first numbers.
      return is_first && which < 56 ? number(1 + which / 50, 32) : drawn_vector(draw);
    case Role::kText:
      return vpi_text(which < 16 ? draw.line() : kTexts[draw.below(kTexts.size())]);
    case Role::kVectorResult:
      return vpi_vector({}, kSizes[draw.below(kSizes.size())]);
    case Role::kTextResult:
      return which % 2 == 0 ? vpi_text("old") : vpi_vector({}, 512);
  }
  return {};
}

/// One call; what it answers keeps its laws.
int called(const Call& call, Bench& bench, std::vector<VpiObject> arguments,
           std::string_view input) {
  for (std::size_t i = 0; i < arguments.size() && i < call.roles.size(); ++i) {
    const Role role{call.roles[i]};
    arguments[i].is_result = role == Role::kVectorResult || role == Role::kTextResult;
  }
  {
    VpiSimulator compiler(arguments, input);
    if (!bridge::vpi::problem_of(call).empty()) return -1;  // it never runs
  }
  VpiSimulator simulator(std::move(arguments), input);
  bridge::vpi::run(call, bench);
  const int result = simulator.result();
  for (std::size_t i = 0; result == 0 && i < call.roles.size(); ++i) {
    const VpiObject& object = simulator.arguments()[i];
    const Role role{call.roles[i]};
    if (role == Role::kVectorResult && object.natural == vpiVectorVal && object.size > 0) {
      require((object.bits[0].bval & 1) == 1, "what fails answers X", input);
    }
    if (role == Role::kTextResult && object.natural == vpiStringVal) {
      require(object.text.empty(), "what fails says no text", input);
    }
  }
  return result;
}

const Call& call_named(std::string_view name) {
  return *std::ranges::find(bridge::vpi::calls(), name, &Call::name);
}

/// A line opens a handle, a second one a scoreboard; calls follow.
Outcome vpi(std::string_view input) {
  Draw draw(input);
  Bench bench;
  const std::string text = draw.line(), score = draw.line();
  require(called(call_named("$mxgold_open"), bench, {vpi_text(text)}, input) == 1,
          "handles are numbered from 1", input);
  require(called(call_named("$mxgold_score_open"), bench, {vpi_text(score)}, input) == 1,
          "scoreboards are numbered from 1", input);
  const bool is_open = called(call_named("$mxgold_ok"), bench, {number(1, 32)}, input) == 1;
  require(is_open || !bench.models[0]->error().empty(), "a refusal without words", input);
  for (int turn = 0; turn < kMostCalls && !draw.is_empty(); ++turn) {
    const Call& call = bridge::vpi::calls()[draw.below(bridge::vpi::calls().size())];
    std::vector<VpiObject> arguments;
    for (std::size_t i = 0; i < call.roles.size(); ++i) {
      arguments.push_back(argument(draw, Role{call.roles[i]}, i == 0));
    }
    if (draw.below(64) == 63) arguments.pop_back();
    (void)called(call, bench, std::move(arguments), input);
  }
  return is_open ? Outcome::kRead : Outcome::kRefused;
}

/// A call as bytes of which `vpi` makes right arguments. A letter for each vector and text after
/// the handle: w and c are words of 2,048 bits, the second for codes of 4 bits; 0, 1 and m are the
/// numbers 0, 1 and 32; k, o and l are texts.
std::string seed_of(std::string_view name, std::string_view letters) {
  const Call& call = call_named(name);
  std::string seed(1, static_cast<char>(&call - bridge::vpi::calls().data()));
  for (std::size_t i = 0, next = 0; i < call.roles.size(); ++i) {
    const Role role{call.roles[i]};
    seed += '0';
    if (role == Role::kVectorResult) seed += '\x08';
    if (role == Role::kVectorResult || role == Role::kTextResult) continue;
    if (role == Role::kVector && i == 0) continue;
    switch (letters.at(next++)) {
      case 'w':
        seed += bytes_of("\x0A\x01\x3F\x80\x3F\x80\x00\x00");
        break;
      case 'c':
        seed += bytes_of("\x0A\x01\x02\x02\x02\x02\x00\x00");
        break;
      case '1':
        seed += bytes_of("\x00\x01");
        break;
      case 'm':
        seed += bytes_of("\x00\x20");
        break;
      case 'k':
        seed += '\x07';  // "code"
        break;
      case 'o':
        seed += '\x09';  // "wrong"
        break;
      case 'l':
        seed += '\x0A';  // "3f80"
        break;
      default:
        seed += bytes_of("\x00\x00");
    }
  }
  return seed + '\0';
}

std::vector<std::string> seeds() {
  struct Record {
    const char* text;
    const char* call;
    const char* letters;
  };
  constexpr std::array kRecords = {
      Record{"op=cvt source=bf16 destination=e4m3fn", "$mxgold_cvt", "10"},
      Record{"op=arith operation=fma format=fp16 preset=x86", "$mxgold_arith", "110"},
      Record{"format=mxfp4", "$mxgold_block", "0ww"},
      Record{"op=dequantize format=mxfp8_e4m3 result=bf16", "$mxgold_dequantize", "01w"},
      Record{"op=dot a=mxfp4", "$mxgold_dot", "0wcwc0"},
      Record{"op=mma unit=mi300_f16 a=fp16", "$mxgold_dot", "0wcwc0"},
      Record{"op=cast cast=dmx:MXFP8[E4M3]{32}", "$mxgold_cast", "ww0"}};
  std::vector<std::string> all;
  for (const Record& record : kRecords) {
    std::string seed = std::string(record.text) + "\nname=bench nan=any errors=2\n";
    seed += seed_of("$mxgold_set_lane_bits", "km") + seed_of("$mxgold_set_lanes", "m");
    seed += seed_of(record.call, record.letters) + seed_of("$mxgold_open_bits", "k");
    seed += seed_of("$mxgold_explain", "") + seed_of("$mxgold_value", "k1");
    seed += seed_of("$mxgold_score_mask", "k1") + seed_of("$mxgold_score_expect", "1k");
    seed += seed_of("$mxgold_score_observe", "www") + seed_of("$mxgold_score_count", "o");
    seed += seed_of("$mxgold_line", "l") + seed_of("$mxgold_score_finish", "");
    seed += seed_of("$mxgold_text", "") + seed_of("$mxgold_word", "");
    seed += seed_of("$mxgold_lane_bits", "k") + seed_of("$mxgold_words", "k");
    seed += seed_of("$mxgold_bits", "k") + seed_of("$mxgold_open_word", "k");
    seed += seed_of("$mxgold_close", "") + seed_of("$mxgold_error", "");
    all.push_back(seed);
  }
  return all;
}

}  // namespace

Target vpi_target() { return {"vpi", vpi, seeds}; }

}  // namespace mx::fuzz
