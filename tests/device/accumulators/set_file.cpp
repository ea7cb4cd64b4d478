#include "tests/device/accumulators/set_file.hpp"

#include <bit>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>

namespace mx::probe {
namespace {

static_assert(std::endian::native == std::endian::little, "words are written as they stand");

void write_words(std::ofstream& file, std::span<const std::uint32_t> words) {
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size_bytes()));
}

void write_padded(std::ofstream& file, std::string_view text, std::size_t size) {
  std::string padded(text);
  padded.resize(size, '\0');
  file.write(padded.data(), static_cast<std::streamsize>(size));
}

void write_section(std::ofstream& file, const Instruction& instruction,
                   const StimulusClass& stimulus, Run run) {
  const DotProducts dots = make_stimuli(instruction, stimulus);
  const std::vector<std::uint32_t> a = pack_codes(dots.a, instruction.a.bytes);
  const std::vector<std::uint32_t> b = pack_codes(dots.b, instruction.b.bytes);
  const Answer answer = run(instruction, a, b, dots.c);
  write_padded(file, instruction.name, 32);
  write_padded(file, stimulus.name, 16);
  const std::array<std::uint32_t, 4> shape{
      static_cast<std::uint32_t>(instruction.k), static_cast<std::uint32_t>(instruction.a.bytes),
      static_cast<std::uint32_t>(dots.c.size()), answer.differing};
  write_words(file, shape);
  write_words(file, a);
  write_words(file, b);
  write_words(file, dots.c);
  write_words(file, answer.d);
}

}  // namespace

Answer run_nothing(const Instruction&, const std::vector<std::uint32_t>&,
                   const std::vector<std::uint32_t>&, const std::vector<std::uint32_t>& c) {
  return {std::vector<std::uint32_t>(c.size()), 0};
}

bool write_sets(const std::string& folder, Run run) {
  std::ofstream file;
  std::string_view open;
  for (const Instruction& instruction : kInstructions) {
    if (instruction.file != open) {
      open = instruction.file;
      file.close();
      file.open(std::filesystem::path(folder) / (std::string(open) + ".set"),
                std::ios::binary | std::ios::trunc);
    }
    for (const StimulusClass& stimulus : kClasses) write_section(file, instruction, stimulus, run);
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write %s/%s.set\n", folder.c_str(), std::string(open).c_str());
      return false;
    }
  }
  return true;
}

}  // namespace mx::probe
