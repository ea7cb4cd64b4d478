// The option "backend" of the C interface: who computes large tensors and arrays, never a bit of
// them.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/abi/objects.hpp"
#include "backend/tensor/self_check.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/arithmetic/hadamard.hpp"
#include "reference/format/rows.hpp"

namespace mx::backend {
namespace {

struct Free {
  void operator()(mxgold_quantizer* q) const { mxgold_quantizer_destroy(q); }
  void operator()(mxgold_conversion* c) const { mxgold_conversion_destroy(c); }
};

struct Answer {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::uint32_t flags = 0;
  bool operator==(const Answer&) const = default;
};

/// Every class of word, repeated until the tensor is large.
std::vector<std::byte> large_tensor() {
  const std::vector<std::byte> piece = structured_words(formats::fp32, 32);
  std::vector<std::byte> words;
  while (words.size() / 4 < 4 * abi::kLarge) words.insert(words.end(), piece.begin(), piece.end());
  return words;
}

Answer quantized(const char* backend, const char* format, std::span<const std::byte> words,
                 bool wants_flags) {
  const std::array<mxgold_option, 1> options = {{{"backend", backend}}};
  mxgold_quantizer* made = nullptr;
  std::array<char, 200> message{};
  EXPECT_EQ(mxgold_quantizer_create("fp32", format, options.data(), 1, &made, message.data(),
                                    message.size()),
            MXGOLD_OK)
      << message.data();
  const std::unique_ptr<mxgold_quantizer, Free> quantizer(made);
  const std::array<std::uint64_t, 2> shape = {words.size() / 4 / 97, 97};
  mxgold_tensor_sizes sizes;
  EXPECT_EQ(mxgold_sizes(made, shape.data(), 2, 1, &sizes), MXGOLD_OK);
  Answer answer{std::vector<std::byte>(sizes.code_bytes), std::vector<std::byte>(sizes.scale_bytes),
                0};
  EXPECT_EQ(mxgold_quantize_tensor(made, shape.data(), 2, 1, words.data(), sizes.source_bytes, 0, 0,
                                   answer.codes.data(), sizes.code_bytes, answer.scales.data(),
                                   sizes.scale_bytes, wants_flags ? &answer.flags : nullptr),
            MXGOLD_OK);
  return answer;
}

TEST(BackendAbi, TensorsAreTheSameWhoeverComputes) {
  const std::vector<std::byte> words = large_tensor();
  for (const char* format : {"mxfp8_e4m3", "mxfp4", "mxint8", "nvfp4"}) {
    for (const bool wants_flags : {false, true}) {
      EXPECT_TRUE(quantized("auto", format, words, wants_flags) ==
                  quantized("reference", format, words, wants_flags))
          << format;
    }
  }
}

TEST(BackendAbi, TheWayBackIsTheSameWhoeverComputes) {
  const std::uint64_t blocks = abi::kLarge / 8;
  std::vector<std::byte> codes(blocks * 32);
  std::vector<std::byte> scales(blocks);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i * 7 & 0xF);
  for (std::size_t i = 0; i < blocks; ++i) scales[i] = static_cast<std::byte>(i);
  const std::uint64_t shape = codes.size();
  for (const char* output : {"fp32", "bf16", "fp16", "fp64"}) {
    std::vector<std::byte> expected;
    for (const char* backend : {"reference", "auto"}) {
      const std::array<mxgold_option, 1> options = {{{"backend", backend}}};
      mxgold_quantizer* made = nullptr;
      ASSERT_EQ(mxgold_quantizer_create("fp32", "mxfp4", options.data(), 1, &made, nullptr, 0),
                MXGOLD_OK);
      const std::unique_ptr<mxgold_quantizer, Free> quantizer(made);
      mxgold_format_info info;
      ASSERT_EQ(mxgold_format(output, &info), MXGOLD_OK);
      for (int call = 0; call < 2; ++call) {
        std::vector<std::byte> values(codes.size() * info.storage_bytes);
        EXPECT_EQ(
            mxgold_dequantize_tensor(made, &shape, 1, 0, codes.data(), codes.size(), scales.data(),
                                     scales.size(), output, values.data(), values.size()),
            MXGOLD_OK);
        if (expected.empty()) expected = values;
        EXPECT_TRUE(values == expected) << output << ' ' << backend;
      }
      // A code above the width: nothing is written.
      std::vector<std::byte> untouched(codes.size() * info.storage_bytes, std::byte{0x5A});
      const std::vector<std::byte> before = untouched;
      std::vector<std::byte> stray = codes;
      stray[stray.size() - 3] = std::byte{0x10};
      EXPECT_EQ(
          mxgold_dequantize_tensor(made, &shape, 1, 0, stray.data(), stray.size(), scales.data(),
                                   scales.size(), output, untouched.data(), untouched.size()),
          MXGOLD_BAD_CODE);
      EXPECT_TRUE(untouched == before);
    }
  }
}

// NVFP4 at the level of the tensor, and back: level, codes, scales, flags and values.
TEST(BackendAbi, TensorLevelsAreTheSameWhoeverComputes) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  const std::vector<std::byte> words = large_tensor();
  const std::uint64_t shape = words.size() / 4;
  const auto answers_of = [&](const char* backend, const char* rule, const char* rounding) {
    const std::array<mxgold_option, 4> options = {{{"backend", backend},
                                                   {"rule", rule},
                                                   {"amax_over", "ignore_nan"},
                                                   {"rounding", rounding}}};
    mxgold_quantizer* made = nullptr;
    EXPECT_EQ(mxgold_quantizer_create("fp32", "nvfp4", options.data(), 4, &made, nullptr, 0),
              MXGOLD_OK);
    const std::unique_ptr<mxgold_quantizer, Free> plain(made);
    mxgold_tensor_level level{};
    EXPECT_EQ(mxgold_find_tensor_level(made, words.data(), words.size(), &level), MXGOLD_OK);
    EXPECT_EQ(level.amax, 0x7F7FFFFFU) << "the largest number is among the structured words";
    level.amax = 0x42F00000;
    level.scale = 0x3D360B61;
    EXPECT_EQ(mxgold_quantizer_at_level(plain.get(), &level, &made), MXGOLD_OK);
    const std::unique_ptr<mxgold_quantizer, Free> quantizer(made);
    Answer answer{std::vector<std::byte>(shape), std::vector<std::byte>((shape + 15) / 16), 0};
    EXPECT_EQ(mxgold_quantize_tensor(made, &shape, 1, 0, words.data(), words.size(), 0, 0,
                                     answer.codes.data(), answer.codes.size(), answer.scales.data(),
                                     answer.scales.size(), &answer.flags),
              MXGOLD_OK);
    std::vector<std::byte> values(words.size());
    EXPECT_EQ(mxgold_dequantize_tensor(made, &shape, 1, 0, answer.codes.data(), answer.codes.size(),
                                       answer.scales.data(), answer.scales.size(), "fp32",
                                       values.data(), values.size()),
              MXGOLD_OK);
    return std::pair(answer, values);
  };
  for (const char* rule :
       {"nvfp4_exact", "nvfp4_te", "nvfp4_torchao", "nvfp4_cublas", "nvfp4_ggml"}) {
    for (const char* rounding : {"ties_to_even", "stochastic_a"}) {
      EXPECT_TRUE(answers_of("cpu", rule, rounding) == answers_of("reference", rule, rounding))
          << rule << ", " << rounding;
    }
  }
  for (const char* rule : {"nvfp4_modelopt", "nvfp4_ct"}) {
    EXPECT_TRUE(answers_of("cpu", rule, "to_odd") == answers_of("reference", rule, "to_odd"))
        << rule;
  }
}

TEST(BackendAbi, ArraysAreTheSameWhoeverComputes) {
  const std::vector<std::byte> words = large_tensor();
  std::vector<std::vector<std::byte>> answers;
  for (const char* backend : {"reference", "auto"}) {
    const std::array<mxgold_option, 1> options = {{{"backend", backend}}};
    mxgold_conversion* made = nullptr;
    ASSERT_EQ(mxgold_conversion_create("fp32", "e4m3fn", options.data(), 1, &made, nullptr, 0),
              MXGOLD_OK);
    const std::unique_ptr<mxgold_conversion, Free> conversion(made);
    for (const bool wants_flags : {false, true}) {
      std::uint32_t flags = 0;
      answers.emplace_back(words.size() / 4);
      ASSERT_EQ(mxgold_convert_array(made, words.data(), words.size(), 0, 0, answers.back().data(),
                                     answers.back().size(), wants_flags ? &flags : nullptr),
                MXGOLD_OK);
      EXPECT_EQ(flags != 0, wants_flags);
      EXPECT_TRUE(answers.back() == answers.front());
    }
  }
}

// Hadamard transforms: the seed's mask, there and back, and what is refused.
TEST(BackendAbi, TransformsGroupsOf16) {
  EXPECT_EQ(mxgold_hadamard_mask(5), drawn_hadamard_mask(5));
  std::array<float, 96> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<float>(i * 37 % 64);
  const std::array<std::uint64_t, 3> shape = {2, 16, 3};
  std::array<float, 96> values{}, back{};
  constexpr std::uint64_t kBytes = sizeof words;
  ASSERT_EQ(mxgold_hadamard_tensor("fp32", shape.data(), 3, 1, 0xD7E8, 0, words.data(), kBytes,
                                   values.data(), kBytes),
            MXGOLD_OK);
  EXPECT_NE(values, words);
  float sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += words[i * 3] * ((0xD7E8 >> i & 1) != 0 ? -1 : 1);
  EXPECT_EQ(values[0], sum / 4);
  ASSERT_EQ(mxgold_hadamard_tensor("fp32", shape.data(), 3, 1, 0xD7E8, 1, values.data(), kBytes,
                                   back.data(), kBytes),
            MXGOLD_OK);
  EXPECT_EQ(back, words);
  const auto refused = [&](const char* source, std::int64_t axis, std::uint64_t bytes) {
    return mxgold_hadamard_tensor(source, shape.data(), 3, axis, 0, 0, words.data(), bytes,
                                  values.data(), kBytes);
  };
  EXPECT_EQ(refused("fp32", 2, kBytes), MXGOLD_BAD_SIZE);
  EXPECT_EQ(refused("fp32", 3, kBytes), MXGOLD_BAD_SIZE);
  EXPECT_EQ(refused("bf16", 1, kBytes), MXGOLD_BAD_SIZE);
  EXPECT_EQ(refused("fp64", 1, kBytes), MXGOLD_BAD_VALUE);
  EXPECT_EQ(refused("fp33", 1, kBytes), MXGOLD_UNKNOWN_FORMAT);
  EXPECT_EQ(refused(nullptr, 1, kBytes), MXGOLD_NULL_ARGUMENT);
}

/// Statuses of a call whose output lies so many bytes behind the start of its input: one before it
/// and one behind it in a row touch nothing, everything between is refused and writes nothing.
template <typename Call>
void expect_refused_where_shared(std::size_t input, std::size_t output, std::vector<std::byte> room,
                                 std::size_t at, const Call& call) {
  ASSERT_GE(at, output);
  ASSERT_GE(room.size(), at + input + output);
  const std::vector<std::byte> before = room;
  for (const std::size_t first :
       {at - output + 1, at - output / 2, at, at + input / 2, at + input - 1}) {
    EXPECT_EQ(call(room.data() + at, room.data() + first), MXGOLD_OVERLAP) << first << " of " << at;
    EXPECT_EQ(room, before) << "something was written";
  }
  EXPECT_EQ(call(room.data() + at, room.data() + at - output), MXGOLD_OK);
  EXPECT_EQ(call(room.data() + at, room.data() + at + input), MXGOLD_OK);
}

TEST(BackendAbi, OutputsShareNoMemoryWithInputs) {
  constexpr std::size_t kCount = 64, kBytes = 4 * kCount;
  mxgold_conversion* made = nullptr;
  ASSERT_EQ(mxgold_conversion_create("fp32", "fp32", nullptr, 0, &made, nullptr, 0), MXGOLD_OK);
  const std::unique_ptr<mxgold_conversion, Free> conversion(made);
  const std::vector<std::byte> room(4 * kBytes);
  expect_refused_where_shared(kBytes, kBytes, room, kBytes, [&](std::byte* in, std::byte* out) {
    return mxgold_convert_array(made, in, kBytes, 0, 0, out, kBytes, nullptr);
  });
  expect_refused_where_shared(kBytes, kCount, room, kBytes, [&](std::byte* in, std::byte* out) {
    return mxgold_open_values(made, in, kBytes, reinterpret_cast<std::uint8_t*>(out), kCount,
                              nullptr);
  });
  const std::array<std::uint64_t, 1> shape = {kCount};
  expect_refused_where_shared(kBytes, kBytes, room, kBytes, [&](std::byte* in, std::byte* out) {
    return mxgold_hadamard_tensor("fp32", shape.data(), 1, 0, 1, 0, in, kBytes, out, kBytes);
  });
  std::array<std::uint64_t, 8> values{};
  EXPECT_EQ(mxgold_convert(made, values.data(), nullptr, 4, values.data() + 3, nullptr),
            MXGOLD_OVERLAP);
  EXPECT_EQ(mxgold_convert(made, values.data(), nullptr, 4, values.data() + 4, nullptr), MXGOLD_OK);
}

TEST(BackendAbi, BlocksShareNoMemoryWithInputs) {
  constexpr std::size_t kCount = 64, kBytes = 4 * kCount, kScales = 2;
  mxgold_quantizer* made = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("fp32", "mxfp8_e4m3", nullptr, 0, &made, nullptr, 0),
            MXGOLD_OK);
  const std::unique_ptr<mxgold_quantizer, Free> quantizer(made);
  const std::array<std::uint64_t, 1> shape = {kCount};
  std::vector<std::byte> apart(2 * kBytes);
  const std::vector<std::byte> room(4 * kBytes);
  const auto quantize = [&](std::byte* in, std::byte* codes, std::byte* scales) {
    return mxgold_quantize_tensor(made, shape.data(), 1, 0, in, kBytes, 0, 0, codes, kCount, scales,
                                  kScales, nullptr);
  };
  expect_refused_where_shared(kBytes, kCount, room, kBytes, [&](std::byte* in, std::byte* out) {
    return quantize(in, out, apart.data());
  });
  expect_refused_where_shared(kBytes, kScales, room, kBytes, [&](std::byte* in, std::byte* out) {
    return quantize(in, apart.data(), out);
  });
  EXPECT_EQ(quantize(apart.data(), apart.data() + kBytes, apart.data() + kBytes + kCount - 1),
            MXGOLD_OVERLAP);
  EXPECT_EQ(quantize(apart.data(), apart.data() + kBytes, apart.data() + kBytes + kCount),
            MXGOLD_OK);
  const auto dequantize = [&](std::byte* codes, std::byte* scales, std::byte* out) {
    return mxgold_dequantize_tensor(made, shape.data(), 1, 0, codes, kCount, scales, kScales,
                                    "fp32", out, kBytes);
  };
  expect_refused_where_shared(kCount, kBytes, room, kBytes, [&](std::byte* in, std::byte* out) {
    return dequantize(in, apart.data(), out);
  });
  expect_refused_where_shared(kScales, kBytes, room, kBytes, [&](std::byte* in, std::byte* out) {
    return dequantize(apart.data(), in, out);
  });

  mxgold_dot* product = nullptr;
  ASSERT_EQ(mxgold_dot_create(made, made, nullptr, 0, &product, nullptr, 0), MXGOLD_OK);
  const std::unique_ptr<mxgold_dot, decltype(&mxgold_dot_destroy)> dot(product, mxgold_dot_destroy);
  expect_refused_where_shared(kCount, 4, room, kBytes, [&](std::byte* in, std::byte* out) {
    const mxgold_rows rows{in, kCount, apart.data(), kScales, 1};  // inputs may be the same
    return mxgold_dot_rows(product, kCount, &rows, &rows, nullptr, 0, out, 4, nullptr);
  });
  std::array<std::uint64_t, 8> words{};
  std::uint64_t scale = 0;
  EXPECT_EQ(
      mxgold_quantize_block(made, words.data(), nullptr, 4, &scale, words.data() + 3, nullptr),
      MXGOLD_OVERLAP);
  EXPECT_EQ(
      mxgold_quantize_block(made, words.data(), nullptr, 4, &words[3], words.data() + 4, nullptr),
      MXGOLD_OVERLAP);
  EXPECT_EQ(
      mxgold_quantize_block(made, words.data(), nullptr, 4, &scale, words.data() + 4, nullptr),
      MXGOLD_OK);
  EXPECT_EQ(mxgold_dequantize_block(made, 127, words.data(), 4, "fp32", words.data() + 3),
            MXGOLD_OVERLAP);
  EXPECT_EQ(mxgold_dequantize_block(made, 127, words.data(), 4, "fp32", words.data() + 4),
            MXGOLD_OK);
}

TEST(BackendAbi, BackendsThatAreNoneAreRefusedInWords) {
  std::array<char, 200> message{};
  mxgold_quantizer* made = nullptr;
  const std::array<mxgold_option, 1> unknown = {{{"backend", "gpu"}}};
  EXPECT_EQ(mxgold_quantizer_create("fp32", "mxfp4", unknown.data(), 1, &made, message.data(),
                                    message.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_STREQ(message.data(), "option 'backend' does not take the value 'gpu'");
  const std::array<mxgold_option, 1> vectors = {{{"backend", "cpu"}}};
  EXPECT_EQ(mxgold_quantizer_create("fp64", "mxfp4", vectors.data(), 1, &made, message.data(),
                                    message.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_NE(std::string(message.data()).find("no fast path: "), std::string::npos);
  EXPECT_EQ(made, nullptr);
}

// Negative control: a path whose self-check finds a difference is never used.
TEST(BackendAbi, AFailedSelfCheckEndsEveryCall) {
  struct Wrong {
    [[nodiscard]] std::string self_check() const { return "code of element 3 differs"; }
  };
  const abi::Checkable<Wrong> wrong{Wrong{}};
  EXPECT_THROW(static_cast<void>(wrong.checked()), std::runtime_error);
  EXPECT_THROW(static_cast<void>(wrong.checked()), std::runtime_error);
}

}  // namespace
}  // namespace mx::backend
