// The reference against a certificate on every pattern of a source: all 2^32 of binary32.
//
//   certificate_exhaustive FORMAT [--source fp32] [--rounding all] [--overflow sat_finite]
//                          [--shard 0/1] [--threads 2]
//
// Prints for each rounding the number of patterns, of mismatches, the SHA-256 of the reference's
// codes (one byte a pattern, in order; over the shard where there is one) and the seconds it took.
// Exit code: 0 all agree, 2 usage, 6 the two disagree or nothing was compared.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/certificates/certificate.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kBatch = 256;  ///< chunks between two updates of the digest

struct Options {
  std::string format;
  std::string source = "fp32";
  std::string rounding = "all";
  std::string overflow = "sat_finite";
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  unsigned threads = 2;
};

struct Result {
  std::uint64_t patterns = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t first_mismatch = 0;
  Digest digest{};
};

/// One thread's share of a batch: codes of patterns from `first`, and where they differ from the
/// certificate.
void run_share(const Conversion& conversion, const ConversionThresholds& thresholds,
               std::uint64_t first, std::span<std::uint8_t> bytes, Result& result) {
  std::vector<std::uint64_t> patterns(kChunk);
  std::vector<std::uint64_t> codes(kChunk);
  std::vector<std::uint8_t> golden(kChunk);
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    const std::size_t count = std::min(kChunk, bytes.size() - at);
    for (std::size_t i = 0; i < count; ++i) patterns[i] = first + at + i;
    bulk::convert(conversion, std::span(patterns).first(count), {}, std::span(codes).first(count),
                  {});
    expand(thresholds, first + at, std::span(golden).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      bytes[at + i] = static_cast<std::uint8_t>(codes[i]);
      if (codes[i] == golden[i]) continue;
      if (result.mismatches++ == 0) result.first_mismatch = patterns[i];
    }
    result.patterns += count;
  }
}

Result run(const ConversionConfig& config, const ThresholdCertificate& certificate,
           const Options& options) {
  const ConversionThresholds thresholds = conversion_thresholds(certificate, config.policy);
  const Conversion conversion = Conversion::make(config).value();
  const std::uint64_t all = std::uint64_t{1} << certificate.source.bits;
  const std::uint64_t begin = all / options.shards * options.shard;
  const std::uint64_t end =
      options.shard + 1 == options.shards ? all : all / options.shards * (options.shard + 1);
  Result total;
  Sha256 hash;
  std::vector<std::uint8_t> bytes;
  tbb::task_arena arena(static_cast<int>(options.threads));
  for (std::uint64_t first = begin; first < end; first += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk * kBatch, end - first)));
    std::vector<Result> results(options.threads);
    const std::size_t share = bytes.size() / options.threads;
    arena.execute([&] {
      tbb::parallel_for(0U, options.threads, [&](unsigned t) {
        const std::size_t at = share * t;
        const std::size_t size = t + 1 == options.threads ? bytes.size() - at : share;
        run_share(conversion, thresholds, first + at, std::span(bytes).subspan(at, size),
                  results[t]);
      });
    });
    for (const Result& result : results) {
      if (total.mismatches == 0) total.first_mismatch = result.first_mismatch;
      total.mismatches += result.mismatches;
      total.patterns += result.patterns;
    }
    hash.update(std::as_bytes(std::span(bytes)));
  }
  total.digest = hash.finish();
  return total;
}

bool run_all(const Options& options) {
  FormatCatalog catalog;
  const ElementFormat* source = catalog.find(options.source);
  const ElementFormat* destination = catalog.find(options.format);
  const auto overflow = parse_token<Overflow>(options.overflow);
  if (source == nullptr || destination == nullptr || !overflow ||
      !certificate_problem(*source, *destination).empty()) {
    std::fprintf(stderr, "no certificate of %s to %s under %s\n", options.source.c_str(),
                 options.format.c_str(), options.overflow.c_str());
    std::exit(2);
  }
  const ThresholdCertificate certificate = make_certificate(*source, *destination);
  std::uint64_t runs = 0;
  bool agrees = true;
  for (std::size_t r = 0; r < kDeterministic; ++r) {
    ElementPolicy policy;
    policy.rounding = deterministic_rounding(r);
    policy.overflow = *overflow;
    if (options.rounding != "all" && options.rounding != token_of(policy.rounding)) continue;
    ++runs;
    const auto start = std::chrono::steady_clock::now();
    const Result result = run({*source, *destination, policy}, certificate, options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const bool passed = result.mismatches == 0 && result.patterns != 0;
    agrees = agrees && passed;
    std::printf("%s cvt.%s-%s.%s.%s shard %llu/%llu N=%llu mismatches=%llu sha256:%s %.1f s\n",
                passed ? "PASS" : "FAIL", options.source.c_str(), options.format.c_str(),
                std::string(token_of(policy.rounding)).c_str(), options.overflow.c_str(),
                static_cast<unsigned long long>(options.shard),
                static_cast<unsigned long long>(options.shards),
                static_cast<unsigned long long>(result.patterns),
                static_cast<unsigned long long>(result.mismatches), to_hex(result.digest).c_str(),
                seconds.count());
    if (!passed) {
      std::printf("first mismatch at pattern %llx\n",
                  static_cast<unsigned long long>(result.first_mismatch));
    }
    std::fflush(stdout);
  }
  return agrees && runs != 0;
}

bool parse(int argc, char** argv, Options& options) {
  if (argc < 2) return false;
  options.format = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--source") {
      options.source = value;
    } else if (name == "--rounding") {
      options.rounding = value;
    } else if (name == "--overflow") {
      options.overflow = value;
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--shard") {
      const auto shard = parse_shard(value);
      if (!shard) return false;
      options.shard = shard->index;
      options.shards = shard->count;
    } else {
      return false;
    }
  }
  return argc % 2 == 0 && options.threads != 0;
}

}  // namespace
}  // namespace mx::golden

int main(int argc, char** argv) {
  mx::golden::Options options;
  if (!mx::golden::parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: certificate_exhaustive FORMAT [--source S] [--rounding R|all] "
                 "[--overflow O] [--shard i/n] [--threads T]\n");
    return 2;
  }
  return mx::golden::run_all(options) ? 0 : 6;
}
