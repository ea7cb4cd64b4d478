// PTX cvt instructions as structs with a function `of`. Each is a template over Clamp: the text of
// .relu stands between a head and a tail. PTX ISA, "Data Movement and Conversion: cvt".
#pragma once

#include <cstdint>

#include "tests/device/conversions/kernel.cuh"

namespace mx::device::ptx {

/// Which half of a pair holds the word that is asked about; PTX puts operand a into the upper one.
enum class Half : std::uint8_t { kLower, kUpper };

/// What the other half holds: another word for every word, so that a half that leaks is seen.
__device__ inline std::uint32_t other_word(std::uint32_t word) {
  return word * 0x9E3779B1u + 0x7F4A7C15u;
}

__device__ inline float float_of(std::uint32_t bits) { return __uint_as_float(bits); }

/// Two words of `kBits` bits as one, and the half of a word.
template <Half half, int kBits>
__device__ std::uint32_t join(std::uint32_t word) {
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  const std::uint32_t other = other_word(word) & kMask;
  return half == Half::kUpper ? (word & kMask) << kBits | other : other << kBits | (word & kMask);
}
template <Half half, int kBits>
__device__ std::uint32_t half_of(std::uint32_t pair) {
  return (half == Half::kUpper ? pair >> kBits : pair) & ((1u << kBits) - 1);
}

// One instruction with and without .relu, where the code in use has it.
#define MX_CVT(kLeast, head, tail, result, ...)    \
  if constexpr (kArchitecture >= (kLeast)) {       \
    if constexpr (kClamp == Clamp::kRelu) {        \
      asm(head ".relu" tail:result : __VA_ARGS__); \
    } else {                                       \
      asm(head tail:result : __VA_ARGS__);         \
    }                                              \
  }

/// binary32 to 16 bits.
#define MX_FLOAT_TO_16(Name, kLeast, head, tail)                                    \
  template <Clamp kClamp>                                                           \
  struct Name {                                                                     \
    static constexpr const char* kHead = head;                                      \
    static constexpr const char* kTail = tail;                                      \
    static __device__ Code of(Code input) {                                         \
      std::uint16_t word = 0;                                                       \
      [[maybe_unused]] const float x = float_of(static_cast<std::uint32_t>(input)); \
      MX_CVT(kLeast, head, tail " %0, %1;", "=h"(word), "f"(x))                     \
      return word;                                                                  \
    }                                                                               \
  };

/// binary32 to a register of 32 bits.
#define MX_FLOAT_TO_32(Name, kLeast, head, tail)                                    \
  template <Clamp kClamp>                                                           \
  struct Name {                                                                     \
    static constexpr const char* kHead = head;                                      \
    static constexpr const char* kTail = tail;                                      \
    static __device__ Code of(Code input) {                                         \
      std::uint32_t word = 0;                                                       \
      [[maybe_unused]] const float x = float_of(static_cast<std::uint32_t>(input)); \
      MX_CVT(kLeast, head, tail " %0, %1;", "=r"(word), "f"(x))                     \
      return word;                                                                  \
    }                                                                               \
  };

/// 16 bits to 16 bits.
#define MX_16_TO_16(Name, kLeast, head, tail)                            \
  template <Clamp kClamp>                                                \
  struct Name {                                                          \
    static constexpr const char* kHead = head;                           \
    static constexpr const char* kTail = tail;                           \
    static __device__ Code of(Code input) {                              \
      std::uint16_t word = 0;                                            \
      [[maybe_unused]] const auto x = static_cast<std::uint16_t>(input); \
      MX_CVT(kLeast, head, tail " %0, %1;", "=h"(word), "h"(x))          \
      return word;                                                       \
    }                                                                    \
  };

/// Two binary32 to a pair of words of `kBits` bits, in a register of type Pair (constraint `how`).
#define MX_FLOATS_TO_PAIR(Name, kLeast, head, tail, Pair, how, kBits)                 \
  template <Clamp kClamp, Half half>                                                  \
  struct Name {                                                                       \
    static constexpr const char* kHead = head;                                        \
    static constexpr const char* kTail = tail;                                        \
    static __device__ Code of(Code input) {                                           \
      Pair pair = 0;                                                                  \
      const auto word = static_cast<std::uint32_t>(input);                            \
      const std::uint32_t other = other_word(word);                                   \
      [[maybe_unused]] const float a = float_of(half == Half::kUpper ? word : other); \
      [[maybe_unused]] const float b = float_of(half == Half::kUpper ? other : word); \
      MX_CVT(kLeast, head, tail " %0, %1, %2;", how(pair), "f"(a), "f"(b))            \
      return half_of<half, kBits>(pair);                                              \
    }                                                                                 \
  };

/// A pair of fp16 to a pair of bytes.
#define MX_HALVES_TO_BYTES(Name, kLeast, head, tail)                                     \
  template <Clamp kClamp, Half half>                                                     \
  struct Name {                                                                          \
    static constexpr const char* kHead = head;                                           \
    static constexpr const char* kTail = tail;                                           \
    static __device__ Code of(Code input) {                                              \
      std::uint16_t pair = 0;                                                            \
      [[maybe_unused]] const auto x = join<half, 16>(static_cast<std::uint32_t>(input)); \
      MX_CVT(kLeast, head, tail " %0, %1;", "=h"(pair), "r"(x))                          \
      return half_of<half, 8>(pair);                                                     \
    }                                                                                    \
  };

/// A pair of bytes to a pair of fp16.
#define MX_BYTES_TO_HALVES(Name, kLeast, head, tail)                                    \
  template <Clamp kClamp, Half half>                                                    \
  struct Name {                                                                         \
    static constexpr const char* kHead = head;                                          \
    static constexpr const char* kTail = tail;                                          \
    static __device__ Code of(Code input) {                                             \
      std::uint32_t pair = 0;                                                           \
      [[maybe_unused]] const auto x =                                                   \
          static_cast<std::uint16_t>(join<half, 8>(static_cast<std::uint32_t>(input))); \
      MX_CVT(kLeast, head, tail " %0, %1;", "=r"(pair), "h"(x))                         \
      return half_of<half, 16>(pair);                                                   \
    }                                                                                   \
  };

template <class Function>
std::string text_of(Clamp clamp) {
  return std::string(Function::kHead) + (clamp == Clamp::kRelu ? ".relu" : "") + Function::kTail;
}

/// Adds a form without .relu.
template <template <Clamp> class Name, class Word>
void add_plain(Part& part) {
  part.forms.push_back(
      device_form<Name<Clamp::kNone>, Word>(text_of<Name<Clamp::kNone>>(Clamp::kNone)));
}
/// Adds the forms with and without .relu.
template <template <Clamp> class Name, class Word>
void add_both(Part& part) {
  add_plain<Name, Word>(part);
  part.forms.push_back(device_form<Name<Clamp::kRelu>, Word>(
      text_of<Name<Clamp::kRelu>>(Clamp::kRelu), Clamp::kRelu));
}
template <template <Clamp, Half> class Name, class Word, Clamp clamp>
void add_halves(Part& part) {
  const std::string text = text_of<Name<clamp, Half::kUpper>>(clamp);
  part.forms.push_back(device_form<Name<clamp, Half::kUpper>, Word>(text + " upper half", clamp));
  part.forms.push_back(device_form<Name<clamp, Half::kLower>, Word>(text + " lower half", clamp));
}
/// Adds both halves, with and without .relu.
template <template <Clamp, Half> class Name, class Word>
void add_pair(Part& part) {
  add_halves<Name, Word, Clamp::kNone>(part);
  add_halves<Name, Word, Clamp::kRelu>(part);
}

}  // namespace mx::device::ptx
