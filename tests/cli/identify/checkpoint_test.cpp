// mxgold identify over checkpoints: weights of three types, the blocks that profiles make of them
// in the layouts of ModelOpt and compressed-tensors, and files that do not belong together.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "reference/block/rules.hpp"
#include "reference/element/encode.hpp"
#include "reference/profiles/profile.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program.hpp"
#include "tests/support/made.hpp"

namespace mx::cli::test {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr std::uint64_t kRows = 24;
constexpr std::uint64_t kColumns = 64;

/// How a weight is stored: docs/identify.md.
struct Layout {
  const char* codes;
  const char* codes_type;
  const char* scales_type;
  const char* level;
  Packing packing;
  bool divides;
};
constexpr Layout kCompressed = {".weight_packed",         "U8", "F8_E4M3", ".weight_global_scale",
                                Packing::kNibbleLowFirst, true};
constexpr Layout kModelopt = {
    ".weight", "U8", "F8_E4M3", ".weight_scale_2", Packing::kNibbleLowFirst, false};
constexpr Layout kPackedMx = {".weight_packed", "U8", "U8", "", Packing::kNibbleLowFirst, false};
constexpr Layout kPackedSix = {".weight_packed", "U8", "U8", "", Packing::kDense6, false};
constexpr Layout kEight = {".weight", "F8_E4M3", "U8", "", Packing::kBytePadded, false};

/// Numbers of a type between 2^-20 and 1, the first rows smaller; a block of zeros, and -0.
std::vector<std::uint64_t> weights_of(const ElementFormat& type, std::uint64_t seed) {
  std::vector<std::uint64_t> words;
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < kRows * kColumns; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto exponent = -static_cast<int>(state >> 60) - (i < kColumns * 4 ? 8 : 1);
    Unpacked x = unpack_integer((state >> 32 & 1) != 0, (state >> 33 & 0xFFFFF) + 1, exponent - 20);
    if (i / 32 == 5) x = {};
    if (i == 7) x = {.negative = true};
    words.push_back(encode(x, type, ElementPolicy{}, 0).code);
  }
  return words;
}

std::uint32_t amax_of(const ElementFormat& type, const std::vector<std::uint64_t>& words) {
  std::uint64_t most = 0;
  for (const std::uint64_t word : words) most = std::max(most, word & type.magnitude_mask());
  return static_cast<std::uint32_t>(
      encode(decode(type, most), formats::fp32, ElementPolicy{}, 0).code);
}

struct Stored {
  std::vector<TensorBytes> tensors;
  std::vector<std::uint64_t> codes;
  std::vector<std::uint64_t> scales;
};

/// A weight under a profile, at the level of a largest magnitude.
Stored stored_under(std::string_view profile, std::string_view variant, std::string_view block,
                    const ElementFormat& type, const std::vector<std::uint64_t>& words,
                    const Layout& layout, const std::string& name, std::uint32_t amax) {
  QuantizerConfig config =
      block_config(*find_profile(profile), *find_block_format(block), type, variant).value();
  config.tensor = tensor_level(config, decode(formats::fp32, amax));
  const Quantizer quantizer = made(config);
  const auto k = static_cast<std::size_t>(config.format.block_size);
  Stored stored;
  stored.codes.resize(words.size());
  for (std::size_t i = 0; i < words.size(); i += k) {
    const BlockResult result = quantizer.quantize_block(std::span(words).subspan(i, k), {},
                                                        std::span(stored.codes).subspan(i, k));
    stored.scales.push_back(result.scale_code);
  }
  std::vector<std::uint8_t> bytes(stored.codes.begin(), stored.codes.end());
  std::vector<std::uint8_t> packed(CodeLayout{layout.packing}.bytes(bytes.size()).value());
  pack({layout.packing}, std::as_bytes(std::span(bytes)),
       std::as_writable_bytes(std::span(packed)));
  const auto shape = [&](std::size_t all) {
    return "[" + std::to_string(kRows) + "," + std::to_string(all / kRows) + "]";
  };
  stored.tensors.push_back({name + layout.codes, layout.codes_type, shape(packed.size()),
                            std::string(packed.begin(), packed.end())});
  stored.tensors.push_back({name + ".weight_scale", layout.scales_type, shape(stored.scales.size()),
                            test::words(stored.scales, 1)});
  if (*layout.level != 0) {
    const std::uint32_t level = layout.divides ? ct_global_scale(config) : config.tensor.scale;
    stored.tensors.push_back(
        {name + layout.level, "F32", layout.divides ? "[1]" : "[]", test::words({level}, 4)});
  }
  return stored;
}

TensorBytes weight(const std::string& name, const ElementFormat& type,
                   const std::vector<std::uint64_t>& words) {
  const std::size_t size = storage_bytes(type);
  return {name + ".weight",
          type == formats::fp32   ? "F32"
          : type == formats::bf16 ? "BF16"
                                  : "F16",
          "[" + std::to_string(kRows) + "," + std::to_string(kColumns) + "]",
          test::words(words, size)};
}

class Checkpoints : public ::testing::Test {
 protected:
  ProgramEnd identify(const std::vector<TensorBytes>& weights,
                      const std::vector<TensorBytes>& checkpoint,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> line = {"identify",
                                     "--tensors-in",
                                     scratch_.write("w.safetensors", safetensors_file(weights)),
                                     "--tensors-out",
                                     scratch_.write("c.safetensors", safetensors_file(checkpoint)),
                                     "--verbose"};
    line.insert(line.end(), more.begin(), more.end());
    return run_program(line);
  }

  Scratch scratch_;
};

struct Case {
  std::string_view profile, block;
  const ElementFormat& type;
  const Layout& layout;
  std::string_view variant = "";
};

// Every layout, under every system that could have written it.
TEST_F(Checkpoints, NameTheirSystem) {
  for (const Case& each : {Case{"modelopt-0.47", "nvfp4", formats::bf16, kModelopt},
                           Case{"modelopt-0.47", "nvfp4", formats::fp32, kModelopt},
                           Case{"torchao-0.18", "nvfp4", formats::bf16, kModelopt},
                           Case{"te", "nvfp4", formats::fp32, kModelopt},
                           Case{"compressed-tensors-0.20", "nvfp4", formats::bf16, kCompressed},
                           Case{"compressed-tensors-0.20", "nvfp4", formats::fp16, kCompressed},
                           Case{"compressed-tensors-0.20", "mxfp4", formats::fp32, kPackedMx},
                           Case{"compressed-tensors-0.20", "mxfp6_e2m3", formats::fp32, kPackedSix},
                           Case{"ocp-mx-1.0", "mxfp4", formats::bf16, kPackedMx},
                           Case{"modelopt-0.47", "mxfp8_e4m3", formats::bf16, kEight}}) {
    const std::vector<std::uint64_t> words = weights_of(each.type, 3);
    const Stored stored = stored_under(each.profile, each.variant, each.block, each.type, words,
                                       each.layout, "a.b", amax_of(each.type, words));
    const ProgramEnd end = identify({weight("a.b", each.type, words)}, stored.tensors);
    const std::string name(each.profile);
    EXPECT_EQ(end.status, 0) << name << end.out << end.err;
    const std::size_t explained = end.out.find("profiles that explain every record");
    const std::size_t ruled_out = end.out.find("ruled out");
    ASSERT_NE(explained, std::string::npos) << end.out;
    const std::size_t at = end.out.find(name, explained);
    EXPECT_LT(at, ruled_out) << name << ' ' << each.block << '\n' << end.out;
    EXPECT_FALSE(says(end.out, "largest magnitude")) << end.out;
  }
}

// One code, one scale: seen, with the block's place.
TEST_F(Checkpoints, OneWrongCodeOrScaleIsSeen) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  const Stored right = stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words, kModelopt,
                                    "w", amax_of(formats::bf16, words));
  for (const std::size_t tensor : {0U, 1U}) {
    Stored wrong = right;
    wrong.tensors[tensor].data[50] ^= 1;
    const ProgramEnd end = identify({weight("w", formats::bf16, words)}, wrong.tensors);
    EXPECT_EQ(end.status, 1) << end.out << end.err;
    EXPECT_TRUE(says(end.out, tensor == 0 ? "'w.weight', block 6:" : "'w.weight', block 50:"))
        << end.out;
  }
}

// Bytes that are no scale: a sign is refused with its block, also of one block among those that are
// not taken; a NaN with or without its sign is a NaN, which no block of numbers has.
TEST_F(Checkpoints, BytesThatAreNoScaleAreNotUnknown) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  const Stored right = stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words, kModelopt,
                                    "w", amax_of(formats::bf16, words));
  const auto with = [&](const std::function<void(std::string&)>& change,
                        const std::vector<std::string>& more = {}) {
    Stored wrong = right;
    change(wrong.tensors[1].data);
    return identify({weight("w", formats::bf16, words)}, wrong.tensors, more);
  };
  const auto negative = [](char& scale) { scale = static_cast<char>(scale | 0x80); };
  const ProgramEnd one = with([&](std::string& scales) { negative(scales[70]); }, {"--count", "1"});
  EXPECT_EQ(one.status, 3) << one.out;
  EXPECT_TRUE(says(one.err, "tensor 'w.weight_scale': the scale of block 70 is")) << one.err;
  const ProgramEnd all =
      with([&](std::string& scales) { std::ranges::for_each(scales, negative); });
  EXPECT_EQ(all.status, 3) << all.out;
  for (const char nan : {'\x7F', '\xFF'}) {
    const ProgramEnd every = with([&](std::string& scales) { std::ranges::fill(scales, nan); });
    EXPECT_EQ(every.status, 1) << every.out << every.err;
  }
}

// Weights that share a number: the larger one's, in both layouts.
TEST_F(Checkpoints, FindTheLargestMagnitudeOfASharedNumber) {
  for (const Layout* const layout : {&kModelopt, &kCompressed}) {
    const bool divides = layout->divides;
    const std::string_view profile = divides ? "compressed-tensors-0.20" : "modelopt-0.47";
    std::vector<TensorBytes> weights;
    std::vector<TensorBytes> checkpoint;
    for (const std::string name : {"q", "k"}) {
      const std::vector<std::uint64_t> words = weights_of(formats::bf16, name == "q" ? 8 : 9);
      weights.push_back(weight(name, formats::bf16, words));
      const std::uint32_t amax = 0x3FB60000;
      for (TensorBytes& part :
           stored_under(profile, "", "nvfp4", formats::bf16, words, *layout, name,
                        name == "q" ? amax_of(formats::bf16, words) : amax)
               .tensors) {
        checkpoint.push_back(part);
      }
    }
    weights.push_back({"norm.weight", "BF16", "[1]", test::words({0x3F80}, 2)});
    checkpoint.push_back({"norm.weight", "BF16", "[1]", test::words({0x3F80}, 2)});
    const ProgramEnd end = identify(weights, checkpoint, {"--count", "7"});
    EXPECT_EQ(end.status, 0) << end.out << end.err;
    EXPECT_TRUE(says(end.out,
                     "1 of 2 weights have the number of another largest magnitude than "
                     "their own, as weights that share one do: 'k.weight'"))
        << end.out;
    EXPECT_TRUE(says(end.out, "not compared: 1 other tensors")) << end.out;
    EXPECT_TRUE(says(end.out, std::string(profile))) << end.out;
  }
}

// Both models in pieces, cut at other places.
TEST_F(Checkpoints, AreReadInPieces) {
  std::vector<TensorBytes> weights;
  std::vector<TensorBytes> checkpoint;
  for (const std::string name : {"q", "k", "v"}) {
    const std::vector<std::uint64_t> words =
        weights_of(formats::bf16, static_cast<unsigned char>(name.front()));
    weights.push_back(weight(name, formats::bf16, words));
    for (const TensorBytes& part : stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words,
                                                kModelopt, name, amax_of(formats::bf16, words))
                                       .tensors) {
      checkpoint.push_back(part);
    }
  }
  const auto in_pieces = [&](const std::string& name, const std::vector<TensorBytes>& tensors,
                             std::size_t cut) {
    std::string map;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      map += (i == 0 ? "\"" : ",\"") + tensors[i].name + "\":\"" + name +
             (i < cut ? "-1.safetensors\"" : "-2.safetensors\"");
    }
    const auto middle = tensors.begin() + static_cast<std::ptrdiff_t>(cut);
    scratch_.write(name + "-1.safetensors", safetensors_file({tensors.begin(), middle}));
    scratch_.write(name + "-2.safetensors", safetensors_file({middle, tensors.end()}));
    return scratch_.write(name + ".safetensors.index.json", "{\"weight_map\":{" + map + "}}");
  };
  const std::string model = in_pieces("m", weights, 1);
  const std::string made = in_pieces("c", checkpoint, 4);
  const ProgramEnd end = run_program({"identify", "--tensors-in", model, "--tensors-out", made});
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(says(end.out, "3 weights in blocks as ModelOpt writes them; 288 of 288 blocks taken"))
      << end.out;
  const auto refused = [&](const std::string& text, const char* why) {
    const std::string bad = scratch_.write("bad.safetensors.index.json", text);
    const ProgramEnd no = run_program({"identify", "--tensors-in", model, "--tensors-out", bad});
    EXPECT_EQ(no.status, 3) << no.out << no.err;
    EXPECT_TRUE(says(no.err, why)) << no.err;
  };
  refused("[]", "no JSON object");
  refused("{\"weight_map\":", "line 1, column 15: is no JSON");
  refused("{\"weight_map\":{}}", "field 'weight_map'");
  for (const char* name :
       {"7", "\"\"", "\"../c-1.safetensors\"", "\"..\"", "\"/etc/passwd\"", "\"a\\u0000b\""}) {
    refused(std::string("{\"weight_map\":{\"q.weight\":") + name + "}}",
            "tensor 'q.weight': the name of a file beside it");
  }
  refused("{\"weight_map\":{\"no.weight\":\"c-1.safetensors\"}}", "tensor 'no.weight': not in");
  refused("{\"weight_map\":{\"q.weight\":\"c-1.safetensors\",\"q.weight\":\"c-2.safetensors\"}}",
          "the name \"q.weight\" appears twice");
  refused("{\"weight_map\":{},\"weight_map\":{}}", "the name \"weight_map\" appears twice");
  refused("{\"weight_map\":{\"q.weight\":\"none.safetensors\"}}", "none.safetensors");
}

// Two sets of codes beside one tensor of scales are weights of two formats, and nothing is left
// over.
TEST_F(Checkpoints, CountEachTensorOnce) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  const std::uint32_t amax = amax_of(formats::bf16, words);
  std::vector<TensorBytes> both =
      stored_under("ocp-mx-1.0", "", "mxfp4", formats::bf16, words, kPackedMx, "w", amax).tensors;
  both.push_back(
      stored_under("ocp-mx-1.0", "", "mxfp8_e4m3", formats::bf16, words, kEight, "w", amax)
          .tensors[0]);
  const ProgramEnd end = identify({weight("w", formats::bf16, words)}, both, {"--format", "mxfp4"});
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(says(end.out, "not compared: 1 weights of other formats or types\n")) << end.out;
}

// Whatever is left out has a name: parts of weights that are not whole, weights without a block
// taken, tensors that one of the models lacks, and those that an index does not name.
TEST_F(Checkpoints, NameWhatIsNotCompared) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  std::vector<TensorBytes> checkpoint;
  std::vector<TensorBytes> weights;
  for (const std::string name : {"a", "b", "c"}) {
    weights.push_back(weight(name, formats::bf16, words));
    for (TensorBytes& part : stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words,
                                          kModelopt, name, amax_of(formats::bf16, words))
                                 .tensors) {
      checkpoint.push_back(part);
    }
  }
  weights.push_back({"gone.weight", "BF16", "[1]", test::words({0x3F80}, 2)});
  checkpoint.erase(checkpoint.begin() + 7);  // c.weight_scale
  const ProgramEnd end = identify(weights, checkpoint);
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(says(end.out,
                   "1 tensors named as parts of weights in blocks that are not whole: "
                   "'c.weight_scale_2'"))
      << end.out;
  EXPECT_TRUE(says(end.out,
                   "1 tensors of the weights' file that the checkpoint lacks: "
                   "'gone.weight'"))
      << end.out;
  // Scale codes of b are those of a: none of its blocks is taken for one that is new.
  const ProgramEnd few = identify(weights, checkpoint, {"--count", "1"});
  EXPECT_TRUE(says(few.out, "1 weights of which no block was taken: 'b.weight'")) << few.out;
  scratch_.write("all.safetensors", safetensors_file(checkpoint));
  const std::string index = scratch_.write(
      "all.safetensors.index.json",
      R"({"weight_map":{"a.weight":"all.safetensors","a.weight_scale":"all.safetensors",)"
      R"("a.weight_scale_2":"all.safetensors"}})");
  const std::string original = scratch_.write("w.safetensors", safetensors_file(weights));
  const ProgramEnd part =
      run_program({"identify", "--tensors-in", original, "--tensors-out", index});
  EXPECT_EQ(part.status, 0) << part.out << part.err;
  EXPECT_TRUE(says(part.out, "5 tensors that ")) << part.out;
}

TEST_F(Checkpoints, SayANumberThatNothingGives) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  Stored stored = stored_under("compressed-tensors-0.20", "", "nvfp4", formats::bf16, words,
                               kCompressed, "w", amax_of(formats::bf16, words));
  stored.tensors[2].data = test::words({0x45000001}, 4);  // no bf16 number
  const ProgramEnd end = identify({weight("w", formats::bf16, words)}, stored.tensors);
  EXPECT_TRUE(
      says(end.out, "1 of 1 weights have a number that no largest magnitude gives: 'w.weight'"))
      << end.out << end.err;
}

TEST_F(Checkpoints, WriteJson) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  const Stored stored = stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words, kModelopt,
                                     "w", amax_of(formats::bf16, words));
  const ProgramEnd end = identify({weight("w", formats::bf16, words)}, stored.tensors,
                                  {"--json", "--format", "nvfp4"});
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(says(end.out, "\"notes\"")) << end.out;
  EXPECT_TRUE(says(end.out, "\"place\": \"'w.weight', block ")) << end.out;
}

TEST_F(Checkpoints, AreRefusedWhereFilesDoNotBelongTogether) {
  const std::vector<std::uint64_t> words = weights_of(formats::bf16, 5);
  const Stored good = stored_under("modelopt-0.47", "", "nvfp4", formats::bf16, words, kModelopt,
                                   "w", amax_of(formats::bf16, words));
  const TensorBytes original = weight("w", formats::bf16, words);
  const auto refused = [&](const std::vector<TensorBytes>& weights,
                           const std::vector<TensorBytes>& checkpoint, int status, const char* why,
                           const std::vector<std::string>& more = {}) {
    const ProgramEnd end = identify(weights, checkpoint, more);
    EXPECT_EQ(end.status, status) << end.out << end.err;
    EXPECT_TRUE(says(end.err, why)) << end.err;
  };
  refused({weight("v", formats::bf16, words)}, good.tensors, 3, "without it: 'w.weight'");
  refused({original}, good.tensors, 3, "no weight of mxfp4 in blocks", {"--format", "mxfp4"});
  refused({original}, good.tensors, 2, "name one block format", {"--format", "nvfp4,mxfp4"});
  refused({original}, good.tensors, 2, "--count", {"--count", "0"});
  std::vector<TensorBytes> cut = good.tensors;
  cut[0].shape = "[24,31]";
  cut[0].data.resize(kRows * 31);
  refused({original}, cut, 3,
          "tensor 'w.weight': U8 [24, 31] with scales 'w.weight_scale', F8_E4M3 [24, 4], are no "
          "blocks of nvfp4 along the last axis of 'w.weight', BF16 [24, 64]");
  cut = good.tensors;
  cut[1].shape = "[24,3]";
  cut[1].data.resize(kRows * 3);
  refused({original}, cut, 3,
          "U8 [24, 32] with scales 'w.weight_scale', F8_E4M3 [24, 3], are no blocks");
  cut = good.tensors;
  cut[0].shape = "[32,24]";
  refused({original}, cut, 3,
          "U8 [32, 24] with scales 'w.weight_scale', F8_E4M3 [24, 4], are no blocks");
  cut = good.tensors;
  cut[1].shape = "[96]";
  refused({original}, cut, 3, "with scales 'w.weight_scale', F8_E4M3 [96], are no blocks");
  for (const std::uint64_t level : {0x00000000U, 0xBF800000U, 0x7F800000U, 0x7FC00000U}) {
    cut = good.tensors;
    cut[2].data = test::words({level}, 4);
    refused({original}, cut, 3, "tensor 'w.weight_scale_2': one F32 number above 0");
  }
  cut = good.tensors;
  cut[2] = {"w.weight_scale_2", "F32", "[2]", test::words({0x3F800000, 0x3F800000}, 4)};
  refused({original}, cut, 3, "one F32 number above 0");
  refused({{"w.weight", "BF16", "[0,64]", ""}},
          {{"w.weight", "U8", "[0,32]", ""},
           {"w.weight_scale", "F8_E4M3", "[0,4]", ""},
           {"w.weight_scale_2", "F32", "[]", test::words({0x3F800000}, 4)}},
          3, "no block at all");
  // Two kinds: one has to be named.
  const std::vector<std::uint64_t> wide = weights_of(formats::fp32, 5);
  std::vector<TensorBytes> both = good.tensors;
  for (const TensorBytes& part : stored_under("modelopt-0.47", "", "nvfp4", formats::fp32, wide,
                                              kModelopt, "x", amax_of(formats::fp32, wide))
                                     .tensors) {
    both.push_back(part);
  }
  refused({original, weight("x", formats::fp32, wide)}, both, 2,
          "weights of several kinds (nvfp4 from bf16, nvfp4 from fp32): name one with --format and "
          "--source");
  refused({original}, good.tensors, 3, "no weight of nvfp4 from fp16 in blocks",
          {"--format", "nvfp4", "--source", "fp16"});
  const ProgramEnd one =
      identify({original, weight("x", formats::fp32, wide)}, both, {"--source", "fp32"});
  EXPECT_EQ(one.status, 0) << one.out << one.err;
  EXPECT_TRUE(says(one.out, "fp32 -> nvfp4: 96 records")) << one.out;
}

}  // namespace
}  // namespace mx::cli::test
