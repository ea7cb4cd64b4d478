// A Verilated mx_quantizer behind the Dut interface, for any Verilator build of it.
#pragma once

#include <fmt/format.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "golden/config_word/config_word.hpp"
#include "sim/dut/dut.hpp"
#include "sim/dut/noise.hpp"
#include "sim/dut/verilated.hpp"

namespace mx::sim {

/// Random words waiting for rnd_ready_o, in block order: word k belongs to block k (spec R5.5).
class RandomQueue {
 public:
  using Word = std::array<std::uint8_t, kLanes>;

  void clear() { head_ = tail_ = 0; }
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] bool full() const { return tail_ - head_ == kDepth; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] std::size_t taken() const { return head_; }
  [[nodiscard]] const Word& front() const { return words_[head_ % kDepth]; }
  void pop() { ++head_; }
  void push(const BlockIn& block) {
    Word& word = words_[tail_++ % kDepth];
    for (std::size_t i = 0; i < kLanes; ++i) word[i] = static_cast<std::uint8_t>(block.random[i]);
  }

 private:
  // More blocks than a pipeline with its skid buffers can hold.
  static constexpr std::size_t kDepth = 64;
  std::array<Word, kDepth> words_{};
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

template <typename Model>
class VerilatedModel : public Dut {
 public:
  explicit VerilatedModel(std::string_view name) : name_(name) {}
  ~VerilatedModel() override = default;

  [[nodiscard]] std::string_view name() const override { return name_; }

  void configure(const Setup& setup) override {
    words_.clear();
    for (const golden::Configuration& each : setup.configs) {
      const QuantizerConfig& config = std::get<QuantizerConfig>(each.what);
      if (const std::string why = refusal(config); !why.empty()) {
        throw UnsupportedError(fmt::format("{}: {}", name_, why));
      }
      words_.push_back(golden::config_word_of(config).word);
    }
    context_ = std::make_unique<VerilatedContext>();
    // 2: variables start at random values; the seed must not be 0, which draws one from the system.
    context_->randReset(2);
    context_->randSeed(static_cast<int>(setup.seed % 0x7FFFFFFE) + 1);
    model_ = make_model(*context_);
  }

  [[nodiscard]] std::string refusal(const QuantizerConfig& config) const override {
    const golden::ConfigWord word = golden::config_word_of(config);
    if (!word.holds()) return word.problem + " (docs/spec/rtl.md R5.6)";
    if (config.format.elements() != kLanes) {
      return fmt::format("built for blocks of {}, asked for blocks of {}", kLanes,
                         config.format.elements());
    }
    const bool draws = is_stochastic(config.element.rounding);
    if (draws && (config.element.rounding != Rounding::kStochasticA ||
                  config.element.random_bits != kRtlRandomBits)) {
      return fmt::format("built for stochastic_a with {} random bits, asked for {} with {}",
                         kRtlRandomBits, token_of(config.element.rounding),
                         config.element.random_bits);
    }
    return {};
  }

  /// Seven stages and the skid's spare entry. mx_skid: ready is low while that entry is full, and
  /// an answer shows then.
  [[nodiscard]] std::optional<std::uint32_t> depth() const override { return 8; }

  void reset(const Reset& reset) override {
    random_.clear();
    random_shown_ = kNothingShown;
    Noise noise(reset.noise);
    Model& m = *model_;
    m.clk_i = 0;
    m.rst_ni = 1;
    m.eval();
    m.rst_ni = 0;
    settle_in_reset(reset, noise);
    for (std::uint32_t edge = 0; edge < reset.edges; ++edge) {
      m.clk_i = 1;
      m.eval();
      m.clk_i = 0;
      settle_in_reset(reset, noise);
    }
    m.rst_ni = 1;
  }

  void tick(const Drive& drive, Observed& observed) override {
    Model& m = *model_;
    settle(drive, observed);
    const bool takes_random = m.rnd_ready_o;
    m.clk_i = 1;
    m.eval();
    if (takes_random) take_random();
    if (drive.offer != nullptr && observed.ready) {
      if (random_.full())
        throw DutError(fmt::format("{}: does not take its random words{}", name_, kWordOfBlock));
      random_.push(*drive.offer);
    }
  }

  [[nodiscard]] bool peek(const Drive& drive, Observed& observed) override {
    settle(drive, observed);
    return true;
  }
  [[nodiscard]] bool ready_is_registered() const override { return true; }
  [[nodiscard]] bool ready_is_free() const override { return true; }
  [[nodiscard]] std::unique_ptr<Pace> pace() const override {
    return std::make_unique<StagesPace>(kRtlLatency);
  }

  void end_of_output() override {
    if (!random_.empty()) {
      throw DutError(fmt::format("{}: {} blocks came out without taking their random words{}",
                                 name_, random_.size(), kWordOfBlock));
    }
  }

 protected:
  [[nodiscard]] virtual std::unique_ptr<Model> make_model(VerilatedContext& context) {
    if constexpr (std::is_constructible_v<Model, VerilatedContext*>) {
      return std::make_unique<Model>(&context);
    } else {
      return nullptr;
    }
  }
  [[nodiscard]] Model& model() { return *model_; }

 private:
  static constexpr std::size_t kNothingShown = ~std::size_t{0};
  static constexpr std::string_view kWordOfBlock =
      "; broken: random word k belongs to block k (spec R5.5)";

  // Inputs change while the clock is low; outputs settle to what the edge will see.
  void settle(const Drive& drive, Observed& observed) {
    Model& m = *model_;
    Noise noise(drive.noise);
    m.s_axis_tvalid = drive.offer != nullptr;
    if (drive.offer == nullptr) {
      show_noise(noise);
    } else if (drive.offer != offered_) {
      show(*drive.offer);
    }
    m.m_axis_tready = drive.ready;
    if (random_.empty()) {
      show_random_noise(noise);
    } else if (random_.taken() != random_shown_) {
      show_random();
    }
    m.clk_i = 0;
    m.eval();
    observed.ready = m.s_axis_tready;
    observed.valid = m.m_axis_tvalid;
    if (observed.valid) {
      std::memcpy(observed.block.codes.data(), m.m_axis_tdata.data(), kLanes);
      observed.block.status = m.m_axis_tuser;
      observed.block.keep = m.m_axis_tkeep;
      observed.block.last = m.m_axis_tlast;
    }
  }

  void show(const BlockIn& block) {
    Model& m = *model_;
    offered_ = &block;
    std::memcpy(m.s_axis_tdata.data(), block.source.data(), sizeof(block.source));
    m.s_axis_tuser = words_[block.config];
    m.s_axis_tlast = block.last;
    for (std::size_t word = 0; word < 4; ++word) {
      // A bit for each lane becomes four for each slot's bytes.
      std::uint32_t spread = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((block.keep >> (8 * word + lane) & 1) != 0) spread |= 0xFU << (4 * lane);
      }
      m.s_axis_tkeep.data()[word] = spread;
    }
  }

  void settle_in_reset(const Reset& reset, Noise& noise) {
    model_->s_axis_tvalid = reset.offering;
    model_->m_axis_tready = noise.next() & 1;
    show_noise(noise);
    show_random_noise(noise);
    model_->eval();
    if (model_->m_axis_tvalid)
      throw DutError(name_ +
                     ": m_axis_tvalid is high in reset; broken: a reset clears every valid bit "
                     "(spec R6)");
  }

  void show_noise(Noise& noise) {
    Model& m = *model_;
    offered_ = nullptr;
    for (std::size_t word = 0; word < kLanes; ++word) m.s_axis_tdata.data()[word] = noise.next();
    for (std::size_t word = 0; word < 4; ++word) m.s_axis_tkeep.data()[word] = noise.next();
    m.s_axis_tuser = noise.next();
    m.s_axis_tlast = noise.next() & 1;
  }

  void show_random_noise(Noise& noise) {
    for (std::size_t word = 0; word < kLanes / 4; ++word) model_->rnd_i.data()[word] = noise.next();
    random_shown_ = kNothingShown;
  }

  void show_random() {
    std::memcpy(model_->rnd_i.data(), random_.front().data(), kLanes);
    random_shown_ = random_.taken();
  }

  void take_random() {
    if (random_.empty()) {
      throw DutError(
          fmt::format("{}: rnd_ready_o takes a random word although no block awaits one{}", name_,
                      kWordOfBlock));
    }
    random_.pop();
  }

  std::string name_;
  std::vector<std::uint32_t> words_;  ///< by number of the configuration
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  RandomQueue random_;
  std::size_t random_shown_ = kNothingShown;  ///< number of the word that rnd_i carries
  const BlockIn* offered_ = nullptr;
};

}  // namespace mx::sim
