#include "tests/device/conversions/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/support/stimuli.hpp"

namespace mx::device {
namespace {

/// As many inputs as bulk::convert and the second-level cache like.
constexpr std::size_t kBlock = std::size_t{1} << 15;

/// Binary64 has too many words: those that aim at the destination, and random ones.
std::vector<Code> structured(const ElementFormat& source, const ElementFormat& destination) {
  oracle::Stream stream(900);
  std::vector<Code> all = oracle::special_patterns(source);
  for (const auto& more :
       {oracle::exponent_patterns(source), oracle::threshold_patterns(source, destination, 4, 2),
        oracle::random_patterns(source, destination, 2'000'000, stream)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  // In rising order, so that the first differences are the least.
  std::ranges::sort(all);
  return all;
}

std::vector<Inputs> chunks_of(std::uint64_t first, std::uint64_t last, const Code* words) {
  std::vector<Inputs> chunks;
  for (std::uint64_t begin = first; begin < last; begin += kChunk) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, last - begin));
    chunks.push_back({words == nullptr ? nullptr : words + begin, begin, count});
  }
  return chunks;
}

std::vector<Inputs> chunks_of(const ElementFormat& source, const std::vector<Code>& words,
                              const Shard& shard) {
  if (!words.empty()) return chunks_of(0, words.size(), words.data());
  if (source.bits < 32) return chunks_of(0, std::uint64_t{1} << source.bits, nullptr);
  constexpr int kBinade = 23;
  std::vector<Inputs> chunks;
  for (std::uint64_t binade = shard.index; binade < 512; binade += shard.count) {
    const auto more = chunks_of(binade << kBinade, (binade + 1) << kBinade, nullptr);
    chunks.insert(chunks.end(), more.begin(), more.end());
  }
  return chunks;
}

void store(std::span<const Code> words, std::size_t bytes, std::uint8_t* out) {
  const auto as = [&](auto zero) {
    for (const Code word : words) {
      const auto narrow = static_cast<decltype(zero)>(word);
      std::memcpy(out, &narrow, sizeof(narrow));
      out += sizeof(narrow);
    }
  };
  if (bytes == 1) as(std::uint8_t{});
  if (bytes == 2) as(std::uint16_t{});
  if (bytes == 4) as(std::uint32_t{});
}

Code load(const std::uint8_t* words, std::size_t bytes, std::size_t i) {
  const auto as = [&](auto word) -> Code {
    std::memcpy(&word, words + i * sizeof(word), sizeof(word));
    return word;
  };
  if (bytes == 1) return as(std::uint8_t{});
  if (bytes == 2) return as(std::uint16_t{});
  return as(std::uint32_t{});
}

/// The answers to one block of inputs, with `.relu` and without.
class Answers {
 public:
  Answers(const Part& part, const Rule& rule) : rule_(rule), bytes_(part.forms.front().bytes) {
    has_relu_ = std::ranges::any_of(part.forms,
                                    [](const Form& form) { return form.clamp == Clamp::kRelu; });
  }

  void make(const Inputs& chunk, std::size_t begin, std::size_t count) {
    inputs_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      inputs_[i] = chunk.words == nullptr ? chunk.first + begin + i : chunk.words[begin + i];
    }
    words_.resize(count);
    rule_.answer(inputs_, words_);
    store(words_, bytes_, bytes_of(Clamp::kNone).data());
    if (!has_relu_) return;
    for (std::size_t i = 0; i < count; ++i) words_[i] = rule_.relu(inputs_[i], words_[i]);
    store(words_, bytes_, bytes_of(Clamp::kRelu).data());
  }

  void compare(Clamp clamp, const std::uint8_t* found, Tally& tally) {
    const std::uint8_t* const expected = bytes_of(clamp).data();
    if (std::memcmp(expected, found, inputs_.size() * bytes_) == 0) {
      tally.add_equal(inputs_.size());
      return;
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Difference one{inputs_[i], load(expected, bytes_, i), load(found, bytes_, i)};
      if (one.expected == one.found) {
        tally.add_equal(1);
      } else {
        tally.add_different(rule_, one);
      }
    }
  }

 private:
  std::vector<std::uint8_t>& bytes_of(Clamp clamp) {
    return clamp == Clamp::kRelu ? relu_bytes_ : plain_bytes_;
  }

  const Rule& rule_;
  std::size_t bytes_;
  bool has_relu_ = false;
  std::vector<Code> inputs_;
  std::vector<Code> words_;
  std::vector<std::uint8_t> plain_bytes_ = std::vector<std::uint8_t>(kBlock * 4);
  std::vector<std::uint8_t> relu_bytes_ = std::vector<std::uint8_t>(kBlock * 4);
};

void judge(const Part& part, const Inputs& chunk, Lane& lane, Answers& answers,
           std::vector<Tally>& tallies) {
  lane.start(part, chunk);
  const std::vector<const std::uint8_t*> found = lane.finish();
  for (std::size_t begin = 0; begin < chunk.count; begin += kBlock) {
    answers.make(chunk, begin, std::min(kBlock, chunk.count - begin));
    for (std::size_t f = 0; f < found.size(); ++f) {
      const Form& form = part.forms[f];
      answers.compare(form.clamp, found[f] + begin * form.bytes, tallies[f]);
    }
  }
}

}  // namespace

Sweep::Sweep(Where where, std::size_t bytes, Shard shard) : shard_(shard) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < threads; ++i) lanes_.push_back(std::make_unique<Lane>(where, bytes));
}

std::vector<Tally> Sweep::run(const Part& part, const Rule& rule) {
  const ElementFormat& source = rule.source();
  const std::vector<Code> words =
      source.bits == 64 ? structured(source, rule.destination()) : std::vector<Code>{};
  const std::vector<Inputs> chunks = chunks_of(source, words, shard_);
  std::vector<std::vector<Tally>> tallies(lanes_.size(), std::vector<Tally>(part.forms.size()));
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t lane = 0; lane < std::min(lanes_.size(), chunks.size()); ++lane) {
      threads.emplace_back([&, lane] {
        Answers answers(part, rule);
        for (std::size_t i = next++; i < chunks.size(); i = next++) {
          judge(part, chunks[i], *lanes_[lane], answers, tallies[lane]);
        }
      });
    }
  }
  for (std::size_t lane = 1; lane < tallies.size(); ++lane) {
    for (std::size_t f = 0; f < part.forms.size(); ++f) tallies[0][f].merge(tallies[lane][f]);
  }
  return tallies[0];
}

std::vector<std::vector<Code>> Sweep::ask(const Part& part, const std::vector<Code>& inputs) {
  if (inputs.empty()) return std::vector<std::vector<Code>>(part.forms.size());
  lanes_.front()->start(part, {inputs.data(), 0, inputs.size()});
  const std::vector<const std::uint8_t*> found = lanes_.front()->finish();
  std::vector<std::vector<Code>> all;
  for (std::size_t f = 0; f < found.size(); ++f) {
    std::vector<Code>& words = all.emplace_back();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      words.push_back(load(found[f], part.forms[f].bytes, i));
    }
  }
  return all;
}

std::vector<Code> special_words(const ElementFormat& source) {
  if (source.bits <= 8) return {};
  const Code sign = source.sign_bit();
  const Code infinity = source.max_code + 1;
  const Code quiet = infinity | Code{1} << (source.man_bits - 1);
  return {0,
          sign,
          1,
          sign | 1,
          infinity,
          sign | infinity,
          quiet,
          sign | quiet,
          infinity | 1,
          sign | infinity | 1,
          sign - 1,
          sign | (sign - 1)};
}

}  // namespace mx::device
