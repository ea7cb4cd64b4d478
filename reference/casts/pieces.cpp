#include "reference/casts/pieces.hpp"

#include <algorithm>

#include "reference/parallel/threads.hpp"

namespace mx::casts {
namespace {

using Results = std::vector<Tensor>;

/// One input cut along an axis.
class Pieces {
 public:
  Pieces(const CastInput& input, std::size_t axis, std::size_t length, std::size_t words)
      : input_(input), axis_(axis), length_(length), words_(words) {}

  [[nodiscard]] std::size_t count() const { return (extent() - 1) / length_ + 1; }

  [[nodiscard]] CastInput at(std::size_t index) const {
    CastInput piece{.tensor = cut(input_.tensor, index), .axis = input_.axis};
    for (const TensorView& operand : input_.operands) {
      piece.operands.push_back(is_cut(operand) ? cut(operand, index) : operand);
    }
    // As many words for each element, in the order of the elements.
    const std::size_t each = words_ / input_.tensor.size();
    const std::size_t before = index * length_ * (input_.tensor.size() / extent());
    piece.random = input_.random.subspan(before * each, piece.tensor.size() * each);
    return piece;
  }

  /// The results of all pieces, one behind the other; nothing where they do not fit together.
  [[nodiscard]] std::optional<Results> joined(const std::vector<Results>& pieces) const {
    Results whole;
    for (const Tensor& first : pieces[0]) {
      Shape shape = first.shape;
      if (shape.size() <= axis_) return std::nullopt;
      shape[axis_] = 0;
      for (const Results& piece : pieces) {
        if (piece.size() != pieces[0].size()) return std::nullopt;
        const Tensor& part = piece[whole.size()];
        if (part.shape.size() != shape.size()) return std::nullopt;
        shape[axis_] += part.shape[axis_];
      }
      whole.push_back(Tensor::unset(first.name, first.type, std::move(shape)));
    }
    share_work(pieces.size(), 1, input_.threads, [&](std::uint64_t first, std::uint64_t) {
      for (std::size_t i = 0; i < whole.size(); ++i) place(pieces, first, i, whole[i]);
    });
    return whole;
  }

 private:
  [[nodiscard]] std::size_t extent() const { return input_.tensor.shape[axis_]; }

  [[nodiscard]] bool is_cut(const TensorView& operand) const {
    return operand.shape.size() == input_.tensor.shape.size() && operand.shape[axis_] == extent() &&
           cut_axis(operand.shape) == axis_;
  }

  [[nodiscard]] TensorView cut(const TensorView& tensor, std::size_t index) const {
    TensorView piece = tensor;
    const std::size_t first = index * length_;
    piece.shape[axis_] = std::min(length_, extent() - first);
    const std::size_t entry = tensor.bytes.size() / extent();
    piece.bytes = tensor.bytes.subspan(first * entry, piece.shape[axis_] * entry);
    return piece;
  }

  static void place(const std::vector<Results>& pieces, std::size_t piece, std::size_t result,
                    Tensor& whole) {
    std::size_t before = 0;
    for (std::size_t i = 0; i < piece; ++i) before += pieces[i][result].bytes.size();
    const TensorBytes& bytes = pieces[piece][result].bytes;
    std::copy(bytes.begin(), bytes.end(),
              whole.bytes.begin() + static_cast<std::ptrdiff_t>(before));
  }

  const CastInput& input_;
  std::size_t axis_;
  std::size_t length_;
  std::size_t words_;
};

}  // namespace

std::optional<std::size_t> cut_axis(const Shape& shape) {
  const auto found = std::ranges::find_if(shape, [](std::size_t size) { return size > 1; });
  if (found == shape.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shape.begin());
}

std::size_t piece_length(const Cast& cast, const CastInput& input, std::size_t least) {
  const std::optional<std::size_t> axis = cut_axis(input.tensor.shape);
  const std::size_t elements = input.tensor.size();
  if (input.threads < 2 || !axis || elements < 2 * least) return 0;
  const std::size_t unit = cast.piece(input, *axis);
  if (unit == 0) return 0;
  // Some pieces for each thread, so that none waits long for the last.
  const std::size_t wanted =
      std::max(least, elements / (4 * static_cast<std::size_t>(input.threads)));
  const std::size_t extent = input.tensor.shape[*axis];
  const std::size_t entries = (wanted - 1) / (elements / extent) + 1;
  const std::size_t length = ((entries - 1) / unit + 1) * unit;
  return length < extent ? length : 0;
}

Checked<Results> apply_on_threads(const Cast& cast, const CastInput& input, std::size_t least) {
  const std::size_t length = piece_length(cast, input, least);
  if (length == 0) return cast.apply(input);
  const auto words = cast.random_words(input);
  if (!words || *words % input.tensor.size() != 0 || *words > input.random.size()) {
    return cast.apply(input);
  }
  const Pieces pieces(input, *cut_axis(input.tensor.shape), length, *words);
  std::vector<Results> results(pieces.count());
  share_work(results.size(), 1, input.threads, [&](std::uint64_t index, std::uint64_t) {
    Checked<Results> made = cast.apply(pieces.at(index));
    if (made) results[index] = *std::move(made);
  });
  // What a piece refuses, the whole tells with its own positions.
  if (std::ranges::any_of(results, &Results::empty)) return cast.apply(input);
  std::optional<Results> whole = pieces.joined(results);
  if (!whole) return cast.apply(input);
  return *std::move(whole);
}

}  // namespace mx::casts
