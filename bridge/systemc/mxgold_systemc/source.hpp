// Drives the pins of a quantizer from vectors: reset, beats, random words, and a receiver; with
// seeded stalls on both sides and garbage wherever nothing is valid.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <systemc>
#include <utility>

#include "mxgold_systemc/pins.hpp"
#include "mxgold_systemc/vectors.hpp"

namespace mxgold {

/// SplitMix64.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  /// True in `percent` of the cases.
  bool happens(unsigned percent) { return next() % 100 < percent; }

 private:
  std::uint64_t state_;
};

struct SourceOptions {
  std::uint64_t seed = 1;
  unsigned input_stall = 0;   ///< percent of the cycles in which nothing is offered
  unsigned output_stall = 0;  ///< percent of the cycles in which nothing is taken
  unsigned reset_cycles = 3;
  /// A vector that is not sent, to see a checker find it; none by default.
  std::size_t lose = ~std::size_t{0};
  std::uint64_t patience = 4096;  ///< cycles without an answer after which the source gives up
};

template <class Ports = Shape<>, class Pins = TwoState>
class QuantizerSource : public sc_core::sc_module {
 public:
  template <int Bits>
  using Pin = typename Pins::template Pin<Bits>;
  template <int Bits>
  using In = sc_core::sc_in<Pin<Bits>>;
  template <int Bits>
  using Out = sc_core::sc_out<Pin<Bits>>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_out<bool> rst_ni{"rst_ni"};
  Out<Ports::kData> s_axis_tdata{"s_axis_tdata"};
  Out<Ports::kInKeep> s_axis_tkeep{"s_axis_tkeep"};
  Out<1> s_axis_tlast{"s_axis_tlast"};
  Out<32> s_axis_tuser{"s_axis_tuser"};
  Out<1> s_axis_tvalid{"s_axis_tvalid"};
  In<1> s_axis_tready{"s_axis_tready"};
  Out<Ports::kRandom> rnd_i{"rnd_i"};
  In<1> rnd_ready_o{"rnd_ready_o"};
  In<Ports::kCodes> m_axis_tdata{"m_axis_tdata"};
  In<Ports::kLanes> m_axis_tkeep{"m_axis_tkeep"};
  In<1> m_axis_tlast{"m_axis_tlast"};
  In<16> m_axis_tuser{"m_axis_tuser"};
  In<1> m_axis_tvalid{"m_axis_tvalid"};
  Out<1> m_axis_tready{"m_axis_tready"};

  /// Sends the vectors of a file, which has to live as long. `done` is called once, when every
  /// answer has come or none does any more; by default it stops the simulation.
  QuantizerSource(
      sc_core::sc_module_name name, const VectorFile& file, const SourceOptions& options = {},
      std::function<void()> done = [] { sc_core::sc_stop(); })
      : sc_module(name),
        file_(file),
        options_(options),
        done_(std::move(done)),
        draw_(options.seed),
        left_(options.reset_cycles + 2) {
    SC_HAS_PROCESS(QuantizerSource);
    SC_METHOD(on_edge);
    sensitive << clk_i.pos();
    dont_initialize();
    rst_ni.initialize(true);
  }

  /// Did every answer come?
  [[nodiscard]] bool finished() const { return is_done_ && answers_ == beats_; }

 private:
  static bool bit(const In<1>& port) {
    PinBits<1> bits;
    read_pin(port.read(), bits);
    return bits.value[0] != 0;
  }
  static void put(Out<1>& port, bool value) {
    const std::uint32_t word = value ? 1 : 0;
    Pin<1> pin{};
    write_pin(&word, pin);
    port.write(pin);
  }
  template <int Bits>
  void put_noise(Out<Bits>& port) {
    PinBits<Bits> bits;
    for (std::uint32_t& word : bits.value) word = draw_.next();
    put_bits(port, bits);
  }
  template <int Bits>
  static void put_bits(Out<Bits>& port, PinBits<Bits>& bits) {
    if (Bits % 32 != 0) bits.value.back() &= (std::uint32_t{1} << (Bits % 32)) - 1;
    Pin<Bits> pin{};
    write_pin(bits.value.data(), pin);
    port.write(pin);
  }

  void on_edge() {
    if (is_done_) return;
    if (left_ != 0) {
      // 1, 0, 1: a simulator that starts at 0 sees no edge.
      --left_;
      rst_ni.write(left_ == 0 || left_ > options_.reset_cycles);
      is_offered_ = false;
      put(m_axis_tready, false);
      is_ready_ = false;
    } else {
      see();
    }
    if (is_done_) return;
    offer();
    show_random();
    is_ready_ = left_ == 0 && !draw_.happens(options_.output_stall);
    put(m_axis_tready, is_ready_);
  }

  // What happened at the edge.
  void see() {
    if (is_offered_ && bit(s_axis_tready)) {
      random_.push_back({vector_, beat_});
      ++beats_;
      is_offered_ = false;
      if (++beat_ == beats_of_vector_) {
        beat_ = 0;
        ++vector_;
      }
    }
    if (bit(rnd_ready_o) && !random_.empty()) random_.pop_front();
    ++idle_;
    if (is_ready_ && bit(m_axis_tvalid)) {
      ++answers_;
      idle_ = 0;
    }
    const bool all_sent = vector_ >= file_.vectors.size();
    // A few cycles more, in which nothing may come out.
    const bool is_over = all_sent && answers_ >= beats_ && idle_ > kAfter;
    if (!is_over && idle_ < options_.patience) return;
    is_done_ = true;
    put(s_axis_tvalid, false);
    done_();
  }

  void offer() {
    if (is_offered_) return;
    if (vector_ == options_.lose) ++vector_;
    const bool has_more = left_ == 0 && vector_ < file_.vectors.size();
    is_offered_ = has_more && !(beat_ == 0 && draw_.happens(options_.input_stall));
    put(s_axis_tvalid, is_offered_);
    if (!is_offered_) {
      put_noise<Ports::kData>(s_axis_tdata);
      put_noise<Ports::kInKeep>(s_axis_tkeep);
      put_noise<32>(s_axis_tuser);
      put_noise<1>(s_axis_tlast);
      return;
    }
    show_beat(file_.vectors[vector_]);
  }

  void show_beat(const BlockVector& vector) {
    constexpr auto kLanes = static_cast<unsigned>(Ports::kLanes);
    constexpr auto kBytes = static_cast<unsigned>(Ports::kInWidth / 8);
    if (beat_ == 0) {
      const unsigned whole = (static_cast<unsigned>(file_.lanes) + kLanes - 1) / kLanes;
      const unsigned needed = (vector.elements + kLanes - 1) / kLanes;
      // A short block ends early by tlast, or comes whole with lanes that are not kept.
      ends_early_ = needed < whole && draw_.happens(50);
      beats_of_vector_ = ends_early_ ? needed : whole;
    }
    PinBits<Ports::kData> data;
    PinBits<Ports::kInKeep> keep;
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned lane = beat_ * kLanes + i;
      const bool is_kept = lane < vector.elements;
      // Lanes that are not kept, and the upper half of 16-bit sources, hold whatever they hold.
      std::uint32_t code = is_kept ? vector.source[lane] : draw_.next();
      if (kBytes == 2) code &= 0xFFFF;
      put_field(data.value.data(), i, Ports::kInWidth, code);
      put_field(keep.value.data(), i, kBytes, is_kept ? (1U << kBytes) - 1 : 0);
    }
    put_bits<Ports::kData>(s_axis_tdata, data);
    put_bits<Ports::kInKeep>(s_axis_tkeep, keep);
    PinBits<32> tuser;
    // After the first beat of a block the configuration is ignored.
    tuser.value[0] = beat_ == 0 ? vector.tuser : draw_.next();
    put_bits<32>(s_axis_tuser, tuser);
    const bool is_final = beat_ + 1 == beats_of_vector_;
    put(s_axis_tlast, is_final && (ends_early_ || draw_.happens(50)));
  }

  void show_random() {
    if (random_.empty()) {
      put_noise<Ports::kRandom>(rnd_i);
      return;
    }
    const auto [number, beat] = random_.front();
    const BlockVector& vector = file_.vectors[number];
    PinBits<Ports::kRandom> bits;
    for (unsigned i = 0; i < static_cast<unsigned>(Ports::kLanes); ++i) {
      const std::size_t lane = beat * static_cast<unsigned>(Ports::kLanes) + i;
      const std::uint32_t word = lane < vector.random.size() ? vector.random[lane] : 0;
      put_field(bits.value.data(), i, Ports::kSrBits, word & ((1U << Ports::kSrBits) - 1));
    }
    put_bits<Ports::kRandom>(rnd_i, bits);
  }

  static constexpr std::uint64_t kAfter = 64;

  const VectorFile& file_;
  SourceOptions options_;
  std::function<void()> done_;
  Draw draw_;
  unsigned left_;  ///< cycles of reset to come
  std::size_t vector_ = 0;
  unsigned beat_ = 0;
  unsigned beats_of_vector_ = 0;
  bool ends_early_ = false;
  bool is_offered_ = false;
  bool is_ready_ = false;
  bool is_done_ = false;
  std::uint64_t beats_ = 0;
  std::uint64_t answers_ = 0;
  std::uint64_t idle_ = 0;
  std::deque<std::pair<std::size_t, unsigned>> random_;  ///< beats whose words are not yet taken
};

}  // namespace mxgold
