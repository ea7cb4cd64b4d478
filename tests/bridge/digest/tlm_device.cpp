// A device of `mxgold run --dut process:'...'`: QuantizerTarget and DotTarget behind the lines of a
// pipe (docs/pipe-protocol.md). Every record is a job: operands into the target's
// buffer, GO, the results out of it.
//
//   bridge_tlm_device [--model TEXT] [--fault FAULT]
//
// The configuration is TEXT, or the word of each record. FAULT, at record 100: flip (a bit of an
// answer), x (a digit that is none), lost (no answer); or empty (no answer at all).
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kFaulty = 100;

/// A field of the line `# fields`.
struct Field {
  std::string name;
  std::size_t words = 1;
  std::size_t digits = 0;
};

/// Operands of a record as the target's buffer wants them: little-endian words.
using Operands = std::map<std::string, Bytes>;

struct Header {
  bool is_dot = false;
  std::vector<Field> operands;
  std::vector<Field> results;
};

void read_fields(std::istringstream& words, Header& header) {
  std::string word;
  std::vector<Field>* side = &header.operands;
  while (words >> word) {
    if (word == "|") {
      side = &header.results;
      continue;
    }
    Field field;
    field.name = word.substr(0, word.find_first_of("[:"));
    if (word.find('[') != std::string::npos)
      field.words = std::stoul(word.substr(word.find('[') + 1));
    field.digits = std::stoul(word.substr(word.find(':') + 1));
    side->push_back(field);
  }
}

/// The header up to `# count N`; false where it ends before.
bool read_header(std::istream& in, Header& header) {
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string hash;
    std::string key;
    std::string value;
    words >> hash >> key;
    if (key == "fields") read_fields(words, header);
    if (key == "op") header.is_dot = words >> value && value == "dot";
    if (key == "count") return true;
  }
  return false;
}

class PipeInitiator : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<PipeInitiator> socket{"socket"};

  PipeInitiator(sc_module_name name, const Header& header, std::string model, std::string fault)
      : sc_module(name), header_(header), model_(std::move(model)), fault_(std::move(fault)) {
    SC_HAS_PROCESS(PipeInitiator);
    SC_THREAD(run);
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  // Where operands and results lie in the buffer.
  static constexpr std::uint64_t kSide = 0x4000, kResults = 0x20000, kScales = 0x30000,
                                 kFlags = 0x38000;

  void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_time delay = SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok() && problem_.empty()) problem_ = payload.get_response_string();
  }
  void write(std::uint64_t address, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, 4);
  }
  void write_wide(std::uint64_t address, std::uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, 8);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, address, &value, 4);
    return value;
  }

  void run() {
    std::string text = model_.empty() ? "block_size=32 random_bits=8" : model_;
    access(tlm::TLM_WRITE_COMMAND, reg::kText, text.data(), text.size() + 1);
    write(reg::kSelect, model_.empty() ? reg::kByWord : reg::kByText);
    write(reg::kRows, 1);
    write(reg::kColumns, 1);
    write_wide(reg::kOut, kResults);
    write_wide(reg::kScaleOut, kScales);
    write_wide(reg::kFlagsOut, kFlags);
    std::string line;
    while (problem_.empty() && fault_ != "empty" && std::getline(std::cin, line)) {
      if (line.empty() || line.front() == '#') continue;
      const std::string answer = answer_to(line);
      if (problem_.empty() && !(fault_ == "lost" && record_ == kFaulty))
        std::cout << answer << '\n';
      ++record_;
    }
    // Nothing is left to happen: the simulation ends without a word of its own among the answers.
    std::cout.flush();
  }

  [[nodiscard]] Operands operands_of(const std::string& line) const {
    std::istringstream words(line);
    std::string word;
    Operands operands;
    for (const Field& field : header_.operands) {
      Bytes& bytes = operands[field.name];
      // Random words take four bytes each there.
      const std::size_t width = field.name == "random" ? 4 : field.digits / 2;
      for (std::size_t i = 0; i < field.words && words >> word; ++i) {
        const std::uint64_t value = std::stoull(word, nullptr, 16);
        for (std::size_t byte = 0; byte < width; ++byte) {
          bytes.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
        }
      }
    }
    return operands;
  }

  static std::uint32_t number(const Bytes& bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 4; ++i)
      value |= std::uint32_t{bytes[i]} << 8 * i;
    return value;
  }

  std::string answer_to(const std::string& line) {
    Operands operands = operands_of(line);
    static constexpr std::array<std::pair<const char*, std::uint64_t>, 6> kPlaces = {
        {{"source", reg::kSource},
         {"random", reg::kRandom},
         {"a", reg::kSource},
         {"a_scale", reg::kScaleIn},
         {"b", reg::kB},
         {"b_scale", reg::kBScale}}};
    std::uint64_t at = 0;
    for (const auto& [name, address] : kPlaces) {
      at += kSide;
      const auto found = operands.find(name);
      if (found == operands.end()) continue;
      access(tlm::TLM_WRITE_COMMAND, reg::kBuffer + at, found->second.data(), found->second.size());
      write_wide(address, at);
    }
    if (model_.empty()) write(reg::kTuser, number(operands["tuser"]));
    write_wide(reg::kLength, number(operands["elements"]));
    write(reg::kControl, reg::kGo | reg::kLocal);
    while ((read(reg::kStatus) & reg::kBusy) != 0) wait(100, SC_NS);
    if ((read(reg::kStatus) & reg::kError) != 0) {
      std::array<char, 512> why{};
      access(tlm::TLM_READ_COMMAND, reg::kMessage, why.data(), why.size());
      problem_ = "record " + std::to_string(record_) + ": " + why.data();
    }
    write(reg::kStatus, reg::kDone | reg::kError);
    return results(number(operands["elements"]));
  }

  // Lanes beyond the elements are zeros.
  std::string results(std::size_t elements) {
    std::string text;
    for (const Field& field : header_.results) {
      const std::size_t width = field.digits / 2;
      const std::size_t words = field.words == 1 ? 1 : elements;
      Bytes bytes(field.words * width);
      const std::uint64_t at =
          field.name == "scale" ? kScales : (field.name == "flags" ? kFlags : kResults);
      access(tlm::TLM_READ_COMMAND, reg::kBuffer + at, bytes.data(), words * width);
      if (field.name == "code" && fault_ == "flip" && record_ == kFaulty) bytes[0] ^= 1;
      for (std::size_t i = 0; i < field.words; ++i) {
        if (!text.empty()) text += ' ';
        for (std::size_t byte = width; byte-- > 0;) {
          std::array<char, 3> digits{};
          std::snprintf(digits.data(), digits.size(), "%02x", bytes[i * width + byte]);
          text += digits.data();
        }
      }
    }
    if (fault_ == "x" && record_ == kFaulty) text.front() = 'x';
    return text;
  }

  const Header& header_;
  std::string model_;
  std::string fault_;
  std::uint64_t record_ = 0;
  std::string problem_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  Header header;
  if (!read_header(std::cin, header)) {
    std::cerr << "bridge_tlm_device: the header ends before \"# count N\"\n";
    return 1;
  }
  std::unique_ptr<Target> target;
  if (header.is_dot) {
    target = std::make_unique<DotTarget>("target");
  } else {
    target = std::make_unique<QuantizerTarget>("target");
  }
  PipeInitiator initiator("initiator", header, options["--model"], options["--fault"]);
  initiator.socket.bind(target->socket);
  sc_start();
  if (initiator.problem().empty()) return 0;
  std::cerr << "bridge_tlm_device: " << initiator.problem() << '\n';
  return 1;
}
