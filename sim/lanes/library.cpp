// The lanes of rtl/ under sim/lanes/lane_sweep.sv in a library of their own: compiled when they are
// first asked for, with what sim/rtl/load.cpp puts beside it; part of no other program.
#include <verilated.h>

#include <cstring>
#include <memory>
#include <string>

#include "Vlane_sweep.h"
#include "sim/lanes/lane_library.hpp"

namespace {

using mx::sim::LaneSetting;

constexpr std::size_t kLanes = 32;
/// Cycles after which every word has left, and some more.
constexpr std::size_t kDrain = 32;

struct Model {
  Model(int seed, int fault) {
    const std::string choice = "+mx_fault=" + std::to_string(fault);
    const char* arguments[] = {"lanes", choice.c_str()};
    context.commandArgs(2, arguments);
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

std::size_t run(void* handle, const LaneSetting& setting, const std::uint32_t* words,
                std::size_t beats, std::uint8_t* codes) {
  Vlane_sweep& m = *of(handle).model;
  m.config_i = setting.config_word;
  m.scale_i = setting.scale;
  m.random_i = setting.random;
  m.valid_i = 0;
  for (std::size_t cycle = 0; cycle < kDrain; ++cycle) tick(m);
  std::size_t out = 0;
  for (std::size_t beat = 0; beat < beats + kDrain; ++beat) {
    m.valid_i = beat < beats;
    if (beat < beats) {
      const std::uint32_t* const from = words + beat * kLanes;
      for (std::size_t i = 0; i < kLanes; ++i) m.words_i[i] = from[i];
    }
    tick(m);
    if (!m.valid_o) continue;
    if (out < beats) std::memcpy(codes + out * kLanes, m.codes_o.data(), kLanes);
    ++out;
  }
  return out;
}

}  // namespace

extern "C" const mx::sim::LaneFunctions mx_lane_functions = {
    kLanes,
    [](int seed, int fault) -> void* { return new Model(seed, fault); },
    [](void* model) { delete &of(model); },
    run,
};
