// Types of pins as Verilator's --sc gives them, and their bits as words of 32.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <type_traits>

namespace mxgold {

/// What a port of so many bits carries in a model made by `verilator --sc`.
struct TwoState {
  template <int Bits>
  using Pin = std::conditional_t<
      Bits == 1, bool,
      std::conditional_t<Bits <= 32, std::uint32_t,
                         std::conditional_t<Bits <= 64, std::uint64_t, sc_dt::sc_bv<Bits>>>>;
};

/// Ports that know X and Z.
struct FourState {
  template <int Bits>
  using Pin = std::conditional_t<Bits == 1, sc_dt::sc_logic, sc_dt::sc_lv<Bits>>;
};

/// Bits of a pin, lowest first. `unknown`: which of them are X or Z; their value is 0 then.
template <int Bits>
struct PinBits {
  static constexpr int kWords = (Bits + 31) / 32;
  using Words = std::array<std::uint32_t, static_cast<std::size_t>(kWords)>;
  Words value{};
  Words unknown{};

  [[nodiscard]] bool is_known() const {
    for (const std::uint32_t word : unknown) {
      if (word != 0) return false;
    }
    return true;
  }
};

template <int Bits>
void read_pin(const bool& pin, PinBits<Bits>& bits) {
  bits.value[0] = pin ? 1 : 0;
}
template <int Bits>
void read_pin(const std::uint32_t& pin, PinBits<Bits>& bits) {
  bits.value[0] = pin;
}
template <int Bits>
void read_pin(const std::uint64_t& pin, PinBits<Bits>& bits) {
  bits.value[0] = static_cast<std::uint32_t>(pin);
  bits.value[1] = static_cast<std::uint32_t>(pin >> 32);
}
template <int Bits>
void read_pin(const sc_dt::sc_bv<Bits>& pin, PinBits<Bits>& bits) {
  for (int i = 0; i < PinBits<Bits>::kWords; ++i) {
    bits.value[static_cast<std::size_t>(i)] = pin.get_word(i);
  }
}
template <int Bits>
void read_pin(const sc_dt::sc_logic& pin, PinBits<Bits>& bits) {
  bits.unknown[0] = pin.is_01() ? 0 : 1;
  bits.value[0] = pin == sc_dt::SC_LOGIC_1 ? 1 : 0;
}
template <int Bits>
void read_pin(const sc_dt::sc_lv<Bits>& pin, PinBits<Bits>& bits) {
  for (int i = 0; i < PinBits<Bits>::kWords; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // The control word marks X and Z.
    bits.unknown[at] = pin.get_cword(i);
    bits.value[at] = pin.get_word(i) & ~bits.unknown[at];
  }
}

/// Bits above the pin's have to be 0.
inline void write_pin(const std::uint32_t* words, bool& pin) { pin = (words[0] & 1) != 0; }
inline void write_pin(const std::uint32_t* words, std::uint32_t& pin) { pin = words[0]; }
inline void write_pin(const std::uint32_t* words, std::uint64_t& pin) {
  pin = std::uint64_t{words[1]} << 32 | words[0];
}
inline void write_pin(const std::uint32_t* words, sc_dt::sc_logic& pin) {
  pin = sc_dt::sc_logic((words[0] & 1) != 0);
}
template <int Bits>
void write_pin(const std::uint32_t* words, sc_dt::sc_bv<Bits>& pin) {
  for (int i = 0; i < PinBits<Bits>::kWords; ++i) pin.set_word(i, words[i]);
}
template <int Bits>
void write_pin(const std::uint32_t* words, sc_dt::sc_lv<Bits>& pin) {
  for (int i = 0; i < PinBits<Bits>::kWords; ++i) {
    pin.set_word(i, words[i]);
    pin.set_cword(i, 0);
  }
}

/// Field `index` of fields of `width` bits, 1 to 32, side by side.
inline std::uint32_t get_field(const std::uint32_t* words, unsigned index, unsigned width) {
  const unsigned first = index * width;
  std::uint64_t both = words[first / 32];
  if (first % 32 + width > 32) both |= std::uint64_t{words[first / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> (first % 32)) & (~std::uint32_t{0} >> (32 - width));
}

/// The same, written over zeros.
inline void put_field(std::uint32_t* words, unsigned index, unsigned width, std::uint32_t value) {
  const unsigned first = index * width;
  words[first / 32] |= value << (first % 32);
  if (first % 32 + width > 32) words[first / 32 + 1] |= value >> (32 - first % 32);
}

/// The widths of the ports of mx_quantizer. `InWidth`: 32 where fp32 is among its sources, else 16.
template <int Lanes = 32, int InWidth = 32, int SrBits = 8>
struct Shape {
  static constexpr int kLanes = Lanes;
  static constexpr int kInWidth = InWidth;
  static constexpr int kSrBits = SrBits;
  static constexpr int kData = Lanes * InWidth;
  static constexpr int kInKeep = Lanes * InWidth / 8;
  static constexpr int kRandom = Lanes * SrBits;
  static constexpr int kCodes = Lanes * 8;
};

}  // namespace mxgold
