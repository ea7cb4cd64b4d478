// The operators that compute: on the values, each result an exact sum rounded once.
#include <string>
#include <utility>
#include <vector>

#include "emulators/torchmx/operations.hpp"
#include "emulators/torchmx/packing.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr ElementPolicy kIeeeProduct = {.overflow = Overflow::kNoneInfOrNan};

const ElementFormat& format_of(TensorType type) {
  if (type == TensorType::kBf16) return formats::bf16;
  return type == TensorType::kFp16 ? formats::fp16 : formats::fp32;
}

Problem without_product(std::string_view text) { return {std::string(text)}; }

/// The values of a tensor, unpacked.
struct Values {
  TensorType type = TensorType::kBf16;
  Shape shape;
  std::vector<Unpacked> all;
};

Values unpacked(const TensorView& tensor) {
  Values values = {tensor.type, tensor.shape, {}};
  values.all.reserve(tensor.size());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    values.all.push_back(decode(format_of(tensor.type), word_at(tensor, i)));
  }
  return values;
}

Checked<Values> values_of(const MXTensor& tensor) {
  const Checked<Tensor> values = tensor.to_dtype(tensor.orig_dtype());
  if (!values) return without_product(values.problem());
  return unpacked(*values);
}

/// Sums of products of binary32 values or narrower ones.
class Sums {
 public:
  explicit Sums(TensorType type) : type_(type) {}

  void clear() { sum_.clear(); }
  void add(const Unpacked& x) { sum_.add(x); }
  void add(const Unpacked& a, const Unpacked& b) { sum_.add(multiply(a, b)); }
  void write(Tensor& tensor, std::size_t index) const {
    const Encoded rounded = encode(sum_.value(), format_of(type_), kIeeeProduct, 0);
    set_word(tensor.bytes, width_of(type_), index, rounded.code);
  }

 private:
  ExactSum sum_{-400, 300};
  TensorType type_;
};

/// How the words of matrices lie: batch, row, column strides of b differ for its transpose.
struct Product {
  std::size_t batches = 1;
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;
  bool transposes_b = false;
};

Tensor multiplied(const Values& a, const Values& b, const Values* bias, const Product& size,
                  Shape shape) {
  Tensor result = Tensor::zeros("values", a.type, std::move(shape));
  Sums sums(a.type);
  std::size_t index = 0;
  for (std::size_t batch = 0; batch < size.batches; ++batch) {
    const Unpacked* const left = a.all.data() + batch * size.rows * size.inner;
    const Unpacked* const right = b.all.data() + batch * size.inner * size.columns;
    for (std::size_t row = 0; row < size.rows; ++row) {
      for (std::size_t column = 0; column < size.columns; ++column, ++index) {
        sums.clear();
        if (bias != nullptr) sums.add(bias->all[column]);
        for (std::size_t k = 0; k < size.inner; ++k) {
          const std::size_t at =
              size.transposes_b ? column * size.inner + k : k * size.columns + column;
          sums.add(left[row * size.inner + k], right[at]);
        }
        sums.write(result, index);
      }
    }
  }
  return result;
}

Checked<Tensor> product(const MXTensor& a, const MXTensor& b, const TensorView* bias,
                        std::size_t rank, bool transposes_b) {
  if (a.shape().size() != rank || b.shape().size() != rank) {
    return Problem{"RuntimeError: matrices of " + std::to_string(rank) +
                   " dimensions are expected"};
  }
  const std::size_t first = rank - 2;
  const Product size = {.batches = rank == 3 ? a.shape()[0] : 1,
                        .rows = a.shape()[first],
                        .inner = a.shape()[first + 1],
                        .columns = b.shape()[transposes_b ? first : first + 1],
                        .transposes_b = transposes_b};
  const std::size_t inner_of_b = b.shape()[transposes_b ? first + 1 : first];
  const bool fits = inner_of_b == size.inner && (rank == 2 || b.shape()[0] == size.batches) &&
                    a.orig_dtype() == b.orig_dtype();
  if (!fits) {
    return Problem{"RuntimeError: mat1 and mat2 cannot be multiplied: " + shape_text(a.shape()) +
                   " and " + shape_text(b.shape())};
  }
  if (bias != nullptr && (bias->type != a.orig_dtype() || bias->size() != size.columns)) {
    return Problem{"RuntimeError: the bias must have a value for each column"};
  }
  const Checked<Values> left = values_of(a);
  if (!left) return without_product(left.problem());
  const Checked<Values> right = values_of(b);
  if (!right) return without_product(right.problem());
  Values added;
  if (bias != nullptr) added = unpacked(*bias);
  Shape shape = a.shape();
  shape.back() = size.columns;
  return multiplied(*left, *right, bias == nullptr ? nullptr : &added, size, std::move(shape));
}

}  // namespace

Checked<Tensor> sum(const MXTensor& tensor, std::int64_t dim) {
  const std::optional<std::size_t> at = front_dim(dim, tensor.shape().size());
  if (!at) return Problem{"IndexError: Dimension out of range"};
  const Checked<Values> values = values_of(tensor);
  if (!values) return without_product(values.problem());
  Shape shape = tensor.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*at));
  Tensor result = Tensor::zeros("values", tensor.orig_dtype(), std::move(shape));
  const Axis axis = along(tensor.shape(), *at);
  Sums sums(tensor.orig_dtype());
  for (std::size_t o = 0; o < axis.outer; ++o) {
    for (std::size_t i = 0; i < axis.inner; ++i) {
      sums.clear();
      for (std::size_t j = 0; j < axis.size; ++j) sums.add(values->all[axis.index(o, j, i)]);
      sums.write(result, o * axis.inner + i);
    }
  }
  return result;
}

Checked<Tensor> mm(const MXTensor& a, const MXTensor& b) {
  return product(a, b, nullptr, 2, false);
}

Checked<Tensor> bmm(const MXTensor& a, const MXTensor& b) {
  return product(a, b, nullptr, 3, false);
}

Checked<Tensor> addmm(const TensorView& bias, const MXTensor& a, const MXTensor& b) {
  return product(a, b, &bias, 2, false);
}

Checked<Tensor> linear(const MXTensor& x, const MXTensor& weight, const TensorView* bias) {
  return product(x, weight, bias, 2, true);
}

}  // namespace mx::emulators::torchmx
