// Codes of two vectors of words to bytes in the order of their elements. Included once for each
// target of Highway.
#if defined(MX_FAST_CPU_ORDER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_CPU_ORDER_INL
#undef MX_FAST_CPU_ORDER_INL
#else
#define MX_FAST_CPU_ORDER_INL
#endif

#include "fast/cpu/keys-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// The order of load_keys<kSource, true>: of load_mixed_halves if `kMixes`, otherwise plain.
template <bool kMixes>
class Order {
#if HWY_TARGET == HWY_SCALAR
 public:
  HWY_INLINE void store(V first, V second, std::uint8_t* to) const {
    to[0] = static_cast<std::uint8_t>(hn::GetLane(first));
    to[1] = static_cast<std::uint8_t>(hn::GetLane(second));
  }
#elif HWY_TARGET <= HWY_AVX3_DL
 public:
  using Bytes = hn::Repartition<std::uint8_t, D>;

  Order() : order_(hn::Load(Bytes(), kOrder.from)) {}

  /// Words below 256, as many bytes as a vector has.
  HWY_INLINE void store(V first, V second, std::uint8_t* to) const {
    store(hn::Vec<Bytes>{_mm512_packus_epi16(first.raw, second.raw)}, to);
  }

  /// Bytes of two vectors, in the order of the instructions that pack words.
  HWY_INLINE void store(hn::Vec<Bytes> packed, std::uint8_t* to) const {
    const hn::Vec<Bytes> codes{_mm512_permutexvar_epi8(order_.raw, packed.raw)};
    hn::StoreU(codes, Bytes(), to);
  }

 private:
  static constexpr std::size_t kCodes = hn::MaxLanes(Bytes());

  /// Packed are eight words of one vector, eight of the other, and so on. Where the codes of the
  /// elements in turn are.
  struct Table {
    alignas(64) std::uint8_t from[kCodes];
  };
  static constexpr Table make_table() {
    Table t{};
    for (std::size_t i = 0; i < kCodes; ++i) {
      const std::size_t element = i % (kCodes / 2);
      const std::size_t quarter = kCodes / 4;
      const std::size_t lane = kMixes ? element % quarter * 2 + element / quarter : element;
      const std::size_t second = i / (kCodes / 2);
      t.from[i] = static_cast<std::uint8_t>(lane / 8 * 16 + 8 * second + lane % 8);
    }
    return t;
  }
  static constexpr Table kOrder = make_table();

  hn::Vec<Bytes> order_;
#else
 public:
  Order()
      : within_(hn::LoadDup128(Bytes(), kTables.within)),
        fours_(hn::Load(hn::RebindToSigned<Words>(), kTables.fours)) {}

  /// Words below 256, as many bytes as a vector has.
  HWY_INLINE void store(V first, V second, std::uint8_t* to) const {
    const Bytes bytes;
    const Words words;
    const V both = hn::Or(first, hn::ShiftLeft<8>(second));
    auto codes = hn::TableLookupBytes(hn::BitCast(bytes, both), within_);
    if constexpr (hn::MaxLanes(D()) > 8) {
      const auto fours = hn::IndicesFromVec(words, fours_);
      codes = hn::BitCast(bytes, hn::TableLookupLanes(hn::BitCast(words, codes), fours));
    }
    hn::StoreU(codes, bytes, to);
  }

 private:
  using Bytes = hn::Repartition<std::uint8_t, D>;
  using Words = hn::Repartition<std::uint32_t, D>;

  /// Codes of two vectors take turns, byte by byte: fours that belong together lie 2 or, mixed, 4
  /// bytes apart. Where they come from, within 16 bytes, and then between these.
  struct Tables {
    alignas(16) std::uint8_t within[16];
    alignas(64) std::int32_t fours[hn::MaxLanes(Words())];
  };
  static constexpr Tables make_tables() {
    Tables t{};
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned mixed = i % 4 * 4 + i / 4 % 2 * 2 + i / 8;
      t.within[i] = static_cast<std::uint8_t>(kMixes ? mixed : i % 8 * 2 + i / 8);
    }
    constexpr auto kBlocks = static_cast<std::int32_t>(hn::MaxLanes(Words()) / 4);
    for (std::int32_t i = 0; i < 4 * kBlocks; ++i) {
      const std::int32_t plain = i % (2 * kBlocks) / 2 * 4 + i % 2 + i / (2 * kBlocks) * 2;
      t.fours[i] = kMixes ? i % kBlocks * 4 + i / kBlocks : plain;
    }
    return t;
  }
  static constexpr Tables kTables = make_tables();

  hn::Vec<Bytes> within_;
  hn::Vec<hn::RebindToSigned<Words>> fours_;
#endif
};

/// Codes of two vectors of keys, each with its base, to bytes in the order of their elements.
template <class Encoder, bool kMixes>
HWY_INLINE void encode_two(const Encoder& encode, const Keys& x, V x_base, const Keys& y, V y_base,
                           const Order<kMixes>& order, std::uint8_t* to) {
#if HWY_TARGET <= HWY_AVX3_DL
  if constexpr (Encoder::kSignsBytes) {
    const V first = encode.magnitude(x, x_base);
    const V second = encode.magnitude(y, y_base);
    order.store(encode.with_signs(first, second, x.sign, y.sign), to);
  } else {
    order.store(encode(x, x_base), encode(y, y_base), to);
  }
#else
  order.store(encode(x, x_base), encode(y, y_base), to);
#endif
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
