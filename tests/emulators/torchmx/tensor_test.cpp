// T8, T10 to T13: MXTensor, its padding, its operators, its gradients.
#include "emulators/torchmx/operations.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

/// bf16 words of different values, in blocks of different exponents.
Tensor sample(Shape shape) {
  Words words;
  for (std::size_t i = 0; i < elements_of(shape); ++i) {
    words.push_back(0x3C00 + (i * 0x51D & 0x7FF) + (i % 3 == 0 ? 0x8000 : 0));
  }
  return tensor_of(TensorType::kBf16, std::move(shape), words);
}

MXTensor made(const Tensor& data, const DType& elem_dtype, std::int64_t size, Variant variant) {
  Checked<MXTensor> tensor = MXTensor::to_mx(data, elem_dtype, size, variant);
  EXPECT_EQ(tensor.problem(), "");
  return std::move(tensor).value();
}

Words values_of(const MXTensor& tensor, TensorType type = TensorType::kBf16) {
  const Checked<Tensor> values = tensor.to_dtype(type);
  EXPECT_EQ(values.problem(), "");
  return values ? words_of(*values) : Words{};
}

Words values_of(const Checked<MXTensor>& tensor) {
  EXPECT_EQ(tensor.problem(), "");
  return tensor ? values_of(*tensor) : Words{};
}

/// words[j * columns + i] at i * rows + j.
Words transposed(const Words& words, std::size_t rows, std::size_t columns) {
  Words result;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < rows; ++j) result.push_back(words[j * columns + i]);
  }
  return result;
}

MXTensorParts parts_of(Words scale, Words data, const DType& elem_dtype, std::int64_t size) {
  return {.scale_e8m0 = bytes_of(scale),
          .data = bytes_of(data),
          .elem_dtype = elem_dtype,
          .block_size = size};
}

TEST(Torchmx, KT10_OddLengthWithPadding) {
  const Tensor data = bf16s({0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0});
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    const MXTensor tensor = made(data, kFloat4E2m1, 4, variant);
    EXPECT_EQ(words_of(tensor.scale_e8m0()), (Words{0x7F, 0x7F}));
    EXPECT_EQ(words_of(tensor.data()), (Words{0x24, 0x56, 0x60}));
    EXPECT_EQ(tensor.padding(), 3);
    EXPECT_EQ(tensor.shape(), Shape{5});
    // 5 is a tie between 4 and 6.
    EXPECT_EQ(values_of(tensor), (Words{0x3F80, 0x4000, 0x4040, 0x4080, 0x4080}));
  }
}

// Padded zeros take no part in the values, whatever the type, the length and the block size.
TEST(Torchmx, T8_PadsAndTrims) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      for (const std::int64_t size : {2, 4, 8, 32}) {
        for (std::size_t length = 1; length < 40; length += 3) {
          const Tensor data = sample({2, length});
          const MXTensor tensor = made(data, each, size, variant);
          EXPECT_EQ(tensor.shape(), data.shape);
          const std::size_t stored = each == kFloat4E2m1 ? (length + 1) / 2 : length;
          EXPECT_EQ(tensor.data().shape, (Shape{2, stored}));
          // The same values as of rows that were padded before.
          const std::size_t whole = length + static_cast<std::size_t>(tensor.padding());
          Tensor padded = Tensor::zeros("values", TensorType::kBf16, {2, whole});
          for (std::size_t i = 0; i < 2 * length; ++i) {
            set_word(padded.bytes, 2, i / length * whole + i % length, word_at(data, i));
          }
          const Words all = values_of(made(padded, each, size, variant));
          const Words own = values_of(tensor);
          for (std::size_t i = 0; i < own.size(); ++i) {
            ASSERT_EQ(own[i], all[i / length * whole + i % length]) << each.name << " " << length;
          }
        }
      }
    }
  }
}

TEST(Torchmx, T8_OddBlocksNeedNoPaddingInCompat) {
  const Tensor data = sample({2, 8});
  EXPECT_EQ(exception_of(MXTensor::to_mx(data, kFloat8E4m3, 5, kSim).problem()), "AssertionError");
  EXPECT_EQ(exception_of(MXTensor::to_mx(sample({4}), kFloat4E2m1, 5, kSim).problem()),
            "AssertionError");
  for (const DType& each : kSupportedElemDtypes) {
    const MXTensor tensor = made(data, each, 5, kStrictly);
    EXPECT_EQ(tensor.shape(), (Shape{2, 8}));
    EXPECT_EQ(values_of(tensor).size(), 16U);
    EXPECT_EQ(values_of(made(sample({4}), each, 5, kStrictly)).size(), 4U);
  }
  EXPECT_EQ(made(sample({6}), kInt8, 3, kSim).padding(), 0);
}

TEST(Torchmx, T8_EmptyAndScalar) {
  for (const Variant& variant : {kSim, kStrictly}) {
    const MXTensor empty = made(tensor_of(TensorType::kBf16, {2, 0}, {}), kInt8, 4, variant);
    EXPECT_EQ(empty.shape(), (Shape{2, 0}));
    EXPECT_TRUE(values_of(empty).empty());
    const Tensor scalar = tensor_of(TensorType::kBf16, {}, {0});
    EXPECT_EQ(exception_of(MXTensor::to_mx(scalar, kInt8, 4, variant).problem()), "IndexError");
    EXPECT_EQ(exception_of(MXTensor::to_mx(sample({4}), kInt8, 0, variant).problem()),
              "ZeroDivisionError");
  }
}

TEST(Torchmx, T10_TransposesMoveTheBlockDimension) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      for (const std::size_t columns : {std::size_t{8}, std::size_t{7}}) {
        const MXTensor tensor = made(sample({4, columns}), each, 4, variant);
        const Words expected = transposed(values_of(tensor), 4, columns);
        const Checked<MXTensor> swapped = t(tensor);
        EXPECT_EQ(values_of(swapped), expected);
        EXPECT_EQ(swapped->block_dim(), 0);
        EXPECT_EQ(swapped->shape(), (Shape{columns, 4}));
        EXPECT_EQ(values_of(transpose(tensor, 0, 1)), expected);
        EXPECT_EQ(values_of(transpose(tensor, 1, 0)), expected);
        EXPECT_EQ(values_of(t(*swapped)), values_of(tensor));
      }
    }
  }
}

TEST(Torchmx, T10_TransposesOfFourDimensions) {
  const Tensor data = sample({2, 3, 4, 8});
  for (const Variant& variant : {kSim, kStrictly}) {
    const MXTensor tensor = made(data, kFloat6E3m2, 4, variant);
    const Checked<MXTensor> outer = transpose(tensor, 0, 1);
    EXPECT_EQ(outer->block_dim(), 3);
    EXPECT_EQ(outer->shape(), (Shape{3, 2, 4, 8}));
    EXPECT_EQ(values_of(transpose(*outer, 1, 0)), values_of(tensor));
    const Checked<MXTensor> far = transpose(tensor, 0, 3);
    EXPECT_EQ(far->block_dim(), 0);
    EXPECT_EQ(far->shape(), (Shape{8, 3, 4, 2}));
    EXPECT_EQ(values_of(far)[1], values_of(tensor)[96]);
    EXPECT_EQ(values_of(far)[24], values_of(tensor)[1]);
    EXPECT_EQ(exception_of(t(tensor).problem()), "AssertionError");
    EXPECT_EQ(exception_of(transpose(tensor, 0, 4).problem()), "IndexError");
  }
}

TEST(Torchmx, KT18_TransposeWithNegativeIndices) {
  const MXTensor compat = made(sample({1, 1, 4, 8}), kFloat8E4m3, 4, kSim);
  const Checked<MXTensor> left_behind = transpose(compat, -1, -2);
  EXPECT_EQ(left_behind->block_dim(), 3);
  EXPECT_EQ(exception_of(left_behind->to_dtype(TensorType::kBf16).problem()), "RuntimeError");
  const MXTensor strict = made(sample({1, 1, 4, 8}), kFloat8E4m3, 4, kStrictly);
  const Checked<MXTensor> moved = transpose(strict, -1, -2);
  EXPECT_EQ(moved->block_dim(), 2);
  EXPECT_EQ(values_of(moved), transposed(values_of(strict), 4, 8));
}

TEST(Torchmx, T10_Views) {
  for (const Variant& variant : {kSim, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      const MXTensor tensor = made(sample({6, 8}), each, 4, variant);
      const std::int64_t cube[] = {2, 3, 8};
      const std::int64_t flat[] = {48};
      const std::int64_t inferred[] = {-1, 8};
      EXPECT_EQ(values_of(view(tensor, cube)), values_of(tensor));
      EXPECT_EQ(view(tensor, cube)->block_dim(), 2);
      EXPECT_EQ(values_of(view(tensor, flat)), values_of(tensor));
      EXPECT_EQ(values_of(view(tensor, inferred)), values_of(tensor));
      const std::int64_t wrong[] = {24, 2};
      EXPECT_EQ(exception_of(view(tensor, wrong).problem()), "RuntimeError");
      const MXTensor padded = made(sample({6, 5}), each, 4, variant);
      const std::int64_t rows[] = {2, 3, 5};
      EXPECT_EQ(values_of(view(padded, rows)), values_of(padded));
      const std::int64_t all[] = {30};
      EXPECT_EQ(exception_of(view(padded, all).problem()), "AssertionError");
    }
    const MXTensor moved = *transpose(made(sample({2, 4, 8}), kInt8, 4, variant), 1, 2);
    const std::int64_t flat[] = {64};
    EXPECT_EQ(exception_of(view(moved, flat).problem()), "AssertionError");
    const MXTensor second = *transpose(made(sample({2, 2, 3, 4}), kInt8, 4, variant), 2, 3);
    const std::int64_t merged[] = {4, 4, 3};
    EXPECT_EQ(values_of(view(second, merged)), values_of(second));
    EXPECT_EQ(view(second, merged)->block_dim(), 1);
    const MXTensor first = *transpose(made(sample({2, 2, 3, 4}), kInt8, 4, variant), 1, 3);
    EXPECT_EQ(exception_of(view(first, merged).problem()), "AssertionError");
  }
}

TEST(Torchmx, T10_ExpandsAndChangesTheOriginalType) {
  for (const Variant& variant : {kSim, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      const MXTensor tensor = made(sample({1, 8}), each, 4, variant);
      const std::int64_t three[] = {3, 8};
      Words expected = values_of(tensor);
      for (int i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 8; ++j) expected.push_back(expected[j]);
      }
      EXPECT_EQ(values_of(expand(tensor, three)), expected);
      const std::int64_t wrong[] = {3, 9};
      EXPECT_FALSE(expand(tensor, wrong));
    }
    const MXTensor tensor = made(sample({2, 8}), kInt8, 4, variant);
    EXPECT_EQ(to_copy(tensor, TensorType::kFp16)->orig_dtype(), TensorType::kFp16);
    EXPECT_EQ(exception_of(to_copy(tensor, TensorType::kFp32).problem()), "AssertionError");
  }
}

TEST(Torchmx, KT21_ExpandWithANewLeadingDimension) {
  const std::int64_t cube[] = {3, 2, 8};
  const MXTensor compat = made(sample({2, 8}), kInt8, 4, kSim);
  EXPECT_EQ(exception_of(expand(compat, cube).problem()), "RuntimeError");
  const MXTensor strict = made(sample({2, 8}), kInt8, 4, kStrictly);
  Words expected;
  for (int i = 0; i < 3; ++i) {
    for (const std::uint64_t word : values_of(strict)) expected.push_back(word);
  }
  EXPECT_EQ(values_of(expand(strict, cube)), expected);
  EXPECT_EQ(expand(strict, cube)->block_dim(), 2);
}

TEST(Torchmx, T11_ConstructionChecks) {
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    MXTensorParts parts = parts_of({127}, {1, 2}, kFloat8E4m3, 2);
    EXPECT_EQ(MXTensor::make(parts, mode).problem(), "");
    parts.scale_e8m0.type = TensorType::kInt8;
    EXPECT_EQ(exception_of(MXTensor::make(parts, mode).problem()), "AssertionError");
    parts = parts_of({127}, {1, 2}, kFloat32, 2);
    EXPECT_EQ(exception_of(MXTensor::make(parts, mode).problem()), "AssertionError");
    parts = parts_of({127}, {1, 2}, kFloat8E4m3, 2);
    parts.data = tensor_of(TensorType::kBf16, {2}, {1, 2});
    EXPECT_EQ(exception_of(MXTensor::make(parts, mode).problem()), "AssertionError");
    parts = parts_of({127}, {1, 2}, kFloat8E4m3, 2);
    parts.block_dim = 7;
    EXPECT_EQ(exception_of(MXTensor::make(parts, mode).problem()), "IndexError");
    parts.block_dim = -1;
    EXPECT_EQ(MXTensor::make(parts, mode)->block_dim(), 0);
    parts = parts_of({127}, {1, 2}, kFloat8E4m3, 2);
    parts.data.shape = {1, 2};
    EXPECT_EQ(exception_of(MXTensor::make(parts, mode).problem()), "IndexError");
  }
}

TEST(Torchmx, KT16_TheElementCountIsNotChecked) {
  const MXTensorParts parts = parts_of({0x7F}, {1, 2}, kFloat8E4m3, 3);
  const Checked<MXTensor> compat = MXTensor::make(parts, Mode::kCompat);
  ASSERT_EQ(compat.problem(), "");
  EXPECT_EQ(exception_of(compat->to_dtype(TensorType::kBf16).problem()), "RuntimeError");
  EXPECT_EQ(exception_of(MXTensor::make(parts, Mode::kStrict).problem()), "ValueError");
}

TEST(Torchmx, T12_ToMxAndBack) {
  const Tensor data = bf16s({0x3F80, 0xBF00, 0x4040, 0});
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      const MXTensor tensor = made(data, each, 4, variant);
      EXPECT_EQ(tensor.orig_dtype(), TensorType::kBf16);
      EXPECT_EQ(values_of(tensor), words_of(data));
      EXPECT_EQ(values_of(tensor, TensorType::kFp32),
                (Words{0x3F800000, 0xBF000000, 0x40400000, 0}));
    }
  }
}

TEST(Torchmx, T12_GradientsPassThrough) {
  const Tensor gradient = bf16s({0x3F81, 0x4242, 0x7FC0, 0x8000, 0x3F80});
  EXPECT_EQ(words_of(to_mx_backward(gradient)), words_of(gradient));
  for (const Variant& variant : {kSim, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      const MXTensor padded = made(sample({5}), each, 4, variant);
      const Checked<Tensor> back = from_mx_backward(padded, gradient);
      if (each == kFloat4E2m1 && variant.mode == Mode::kCompat) {
        EXPECT_EQ(exception_of(back.problem()), "ValueError");
      } else {
        EXPECT_EQ(words_of(*back), words_of(gradient));
      }
    }
    const MXTensor whole = made(sample({4}), kFloat4E2m1, 4, variant);
    EXPECT_EQ(words_of(*from_mx_backward(whole, gradient)), words_of(gradient));
  }
}

TEST(Torchmx, T12_NoopForwardCastsTheGradient) {
  const Tensor gradient = sample({2, 8});
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    const Checked<MXTensor> cast = noop_fw_to_mx_bw_backward(gradient, kFloat8E4m3, 4, variant);
    EXPECT_EQ(values_of(cast), values_of(made(gradient, kFloat8E4m3, 4, variant)));
    // It does not pad.
    EXPECT_EQ(exception_of(noop_fw_to_mx_bw_backward(gradient, kInt8, 3, variant).problem()),
              "AssertionError");
  }
}

TEST(Torchmx, T13_ProductsComputeOnTheValues) {
  // Powers of two and small integers: every order of summation gives the same.
  const Tensor rows = tensor_of(TensorType::kBf16, {2, 4},
                                {0x3F80, 0x4000, 0x4040, 0x4080, 0xBF80, 0x3F00, 0, 0x4000});
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    for (const DType& each : kSupportedElemDtypes) {
      const MXTensor a = made(rows, each, 4, variant);
      const Words expected = {0x41F0, 0x4100, 0x4100, 0x40A8};  // 30, 8, 8, 5.25
      EXPECT_EQ(words_of(*mm(a, *t(a))), expected);
      EXPECT_EQ(words_of(*linear(a, a)), expected);
      const Tensor bias = bf16s({0x3F80, 0xC000});
      EXPECT_EQ(words_of(*addmm(bias, a, *t(a))), (Words{0x41F8, 0x40C0, 0x4110, 0x4050}));
      const TensorView added = bias;
      EXPECT_EQ(words_of(*linear(a, a, &added)), (Words{0x41F8, 0x40C0, 0x4110, 0x4050}));
      const std::int64_t batches[] = {1, 2, 4};
      const MXTensor batch = *view(a, batches);
      EXPECT_EQ(words_of(*bmm(batch, *transpose(batch, 1, 2))), expected);
      EXPECT_EQ(words_of(*sum(a, 0)), (Words{0, 0x4020, 0x4040, 0x40C0}));
      EXPECT_EQ(words_of(*sum(a, -1)), (Words{0x4120, 0x3FC0}));
      EXPECT_EQ(exception_of(mm(a, a).problem()), "RuntimeError");
    }
  }
}

}  // namespace
}  // namespace mx::emulators::torchmx
