// Sixty-four lanes as one wide netlist (sim/lanes/widen.hpp) in a library of their own: compiled
// when they are first asked for, with what sim/rtl/load.cpp puts beside it; part of no other
// program.
//
// A port of n bits is n vectors of 64: bit b of lane i is bit i of vector b.
#include <verilated.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vlane_sweep.h"
#include "sim/lanes/lane_library.hpp"

namespace {

using mx::sim::LaneSetting;
using Vector = std::uint64_t;

constexpr std::size_t kLanes = 64;
/// Cycles after which every word has left, and some more.
constexpr std::size_t kDrain = 32;

struct Model {
  explicit Model(int seed) {
    context.randReset(2);
    context.randSeed(seed);
    model = std::make_unique<Vlane_sweep>(&context);
  }
  VerilatedContext context;
  std::unique_ptr<Vlane_sweep> model;
};

Model& of(void* model) { return *static_cast<Model*>(model); }

void tick(Vlane_sweep& m) {
  m.clk_i = 0;
  m.eval();
  m.clk_i = 1;
  m.eval();
}

/// A port of the same bits for every lane.
template <typename Port>
void show(Port& port, std::uint32_t bits) {
  for (std::size_t b = 0; b < sizeof(port.m_storage) / sizeof(Vector); ++b) {
    const Vector all = (bits >> b & 1) != 0 ? ~Vector{0} : 0;
    std::memcpy(port.m_storage + 2 * b, &all, sizeof all);
  }
}

/// The rows and columns of a square of bits, exchanged in place.
void transpose(std::array<std::uint32_t, 32>& rows) {
  std::uint32_t mask = 0x0000FFFF;
  for (std::size_t width = 16; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::size_t i = 0; i < 32; i = (i + width + 1) & ~width) {
      const std::uint32_t swap = ((rows[i] >> width) ^ rows[i + width]) & mask;
      rows[i] ^= swap << width;
      rows[i + width] ^= swap;
    }
  }
}

void show_words(Vlane_sweep& m, const std::uint32_t* words) {
  for (std::size_t half = 0; half < 2; ++half) {
    std::array<std::uint32_t, 32> rows{};
    std::memcpy(rows.data(), words + 32 * half, sizeof rows);
    transpose(rows);
    for (std::size_t b = 0; b < 32; ++b) m.words_i[2 * b + half] = rows[b];
  }
}

/// Eight rows of eight bits, the first in the lowest byte, with rows and columns exchanged.
Vector transposed(Vector x) {
  Vector swap = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
  x ^= swap ^ (swap << 7);
  swap = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
  x ^= swap ^ (swap << 14);
  swap = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
  return x ^ swap ^ (swap << 28);
}

void take_codes(Vlane_sweep& m, std::uint8_t* codes) {
  std::array<Vector, 8> bits{};
  std::memcpy(bits.data(), m.codes_o.m_storage, sizeof bits);
  for (std::size_t group = 0; group < kLanes / 8; ++group) {
    Vector rows = 0;
    for (std::size_t b = 0; b < 8; ++b) rows |= (bits[b] >> 8 * group & 0xFF) << 8 * b;
    rows = transposed(rows);
    std::memcpy(codes + 8 * group, &rows, sizeof rows);
  }
}

std::size_t run(void* handle, const LaneSetting& setting, const std::uint32_t* words,
                std::size_t beats, std::uint8_t* codes) {
  Vlane_sweep& m = *of(handle).model;
  show(m.config_i, setting.config_word);
  show(m.scale_i, setting.scale);
  show(m.random_i, setting.random);
  m.valid_i = 0;
  for (std::size_t cycle = 0; cycle < kDrain; ++cycle) tick(m);
  std::size_t out = 0;
  for (std::size_t beat = 0; beat < beats + kDrain; ++beat) {
    m.valid_i = beat < beats ? ~Vector{0} : 0;
    if (beat < beats) show_words(m, words + beat * kLanes);
    tick(m);
    if (m.valid_o == 0) continue;
    if (~m.valid_o != 0) throw std::runtime_error("lanes of one beat come apart");
    if (out < beats) take_codes(m, codes + out * kLanes);
    ++out;
  }
  return out;
}

}  // namespace

extern "C" const mx::sim::LaneFunctions mx_lane_functions = {
    kLanes,
    [](int seed, int) -> void* { return new Model(seed); },
    [](void* model) { delete &of(model); },
    run,
};
