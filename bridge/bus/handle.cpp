#include "bridge/bus/handle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/protocol.hpp"

namespace mx::bridge {
namespace {

using golden::Field;

constexpr std::array kShown = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                               Field::kBScale, Field::kB,      Field::kC,      Field::kScale,
                               Field::kCode,   Field::kFlags};

std::size_t words_for(std::size_t lanes, int lane_bits) {
  return (lanes * static_cast<std::size_t>(lane_bits) + 31) / 32;
}

}  // namespace

bool find_field(std::string_view name, Field& field) {
  const auto found = parse_token<Field>(name);
  if (!found || std::ranges::find(kShown, *found) == kShown.end()) return false;
  field = *found;
  return true;
}

bool Handle::refuse(std::string why) {
  error_ = std::move(why);
  return false;
}

bool Handle::refuse_record(std::string why) {
  has_answer_ = false;
  return is_open() && refuse(std::move(why));
}

bool Handle::accept() {
  error_.clear();
  return true;
}

std::unique_ptr<Handle> Handle::closed() {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  return std::unique_ptr<Handle>(new Handle);
}

std::unique_ptr<Handle> Handle::refused(std::string why) {
  std::unique_ptr<Handle> handle = closed();
  handle->refuse(std::move(why));
  return handle;
}

std::unique_ptr<Handle> Handle::made(Checked<std::unique_ptr<Model>> model, const Preset& preset) {
  if (!model) return refused(std::string(model.problem()));
  if (std::string why = preset.problem((*model)->configuration()); !why.empty()) {
    return refused(std::move(why));
  }
  std::unique_ptr<Handle> handle = closed();
  handle->model_ = std::move(model).value();
  handle->preset_ = preset;
  handle->text_ = handle->model_->text() + preset.text();
  for (const golden::FieldShape& shape : handle->model_->header().shape().fields) {
    const auto field = static_cast<std::size_t>(shape.field);
    const int bits = field_bits(handle->model_->configuration(), shape.field);
    handle->lane_bits_[field] = 8 * shape.bytes;
    handle->bits_[field] = bits == 0 ? 8 * shape.bytes : bits;
  }
  return handle;
}

std::unique_ptr<Handle> Handle::open(std::string_view text) {
  std::string shorthand(text);
  const Checked<Preset> preset = Preset::take(shorthand);
  if (!preset) return made(Problem{std::string(preset.problem())}, {});
  return made(Model::open(shorthand), *preset);
}

std::unique_ptr<Handle> Handle::open_word(std::uint32_t tuser, std::string_view text) {
  return made(Model::open_word(tuser, text), {});
}

bool Handle::get_config_word(std::uint32_t& word) {
  if (!is_open()) return false;
  const auto* const config = std::get_if<QuantizerConfig>(&model_->configuration().what);
  if (config == nullptr) return refuse("only blocks have a configuration word");
  const golden::ConfigWord found = golden::config_word_of(*config);
  if (!found.holds()) return refuse(found.problem);
  word = found.word;
  return accept();
}

bool Handle::set_lanes(int lanes) {
  has_answer_ = false;
  if (!is_open()) return false;
  if (lanes < 1 || lanes > golden::kMaxLanes) return refuse(fmt::format("{} lanes", lanes));
  std::string why = model_->set_lanes(lanes);
  return why.empty() ? accept() : refuse(std::move(why));
}

bool Handle::set_lane_bits(Field field, int bits) {
  if (!is_open()) return false;
  const int least = this->bits(field);
  if (least == 0) return refuse(fmt::format("these records have no field {}", token_of(field)));
  if (bits < least || bits > 64) {
    return refuse(
        fmt::format("field {}: lanes of {} bits; from {} to 64", token_of(field), bits, least));
  }
  lane_bits_[static_cast<std::size_t>(field)] = bits;
  return accept();
}

std::size_t Handle::words(Field field) const {
  return is_open() ? model_->record().lanes(field) : 0;
}

int Handle::bits(Field field) const { return bits_[static_cast<std::size_t>(field)]; }

std::span<const std::uint64_t> Handle::of(Field field) const {
  return std::as_const(*model_).record().of(field, 0);
}

std::span<std::uint64_t> Handle::operand(Field field) { return model_->record().of(field, 0); }

bool Handle::start(golden::Operation operation, std::uint32_t elements) {
  has_answer_ = false;
  if (!is_open()) return false;
  const golden::Operation own = model_->header().op;
  // A dot product on a matrix unit has a dot product's operands.
  const bool is_sum = operation == golden::Operation::kDot && own == golden::Operation::kMma;
  if (own != operation && !is_sum) {
    return refuse(fmt::format("a call of op={}, but the handle is op={}", token_of(operation),
                              token_of(own)));
  }
  return start(elements);
}

bool Handle::start(std::uint32_t elements) {
  has_answer_ = false;
  if (!is_open()) return false;
  std::string why = model_->set_elements(elements);
  return why.empty() ? accept() : refuse(std::move(why));
}

bool Handle::has_room(Field field, std::size_t words, std::size_t bus_words) {
  if (words_for(words, lane_bits(field)) <= bus_words) return true;
  return refuse(fmt::format("field {}: {} words of {} bits, but the packed vector has {} bits",
                            token_of(field), words, lane_bits(field), 32 * bus_words));
}

bool Handle::known(Field field, int bit) {
  if (!is_open()) return false;
  const std::size_t used = model_->used_words(field) * static_cast<std::size_t>(lane_bits(field));
  if (bit < 0 || static_cast<std::size_t>(bit) >= used) return true;
  return refuse(fmt::format("operand {}: bit {} is X or Z", token_of(field), bit));
}

bool Handle::put(Field field, BusIn bus) {
  if (!is_open()) return false;
  const std::span<std::uint64_t> words = operand(field).first(model_->used_words(field));
  if (!has_room(field, words.size(), bus.size())) return false;
  const int width = lane_bits(field);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = read_bits(bus, i * static_cast<std::size_t>(width), width);
  }
  return true;
}

bool Handle::put_word(Field field, std::uint64_t word) {
  if (!is_open()) return false;
  if (const std::span<std::uint64_t> words = operand(field); !words.empty()) words[0] = word;
  return true;
}

bool Handle::answer() {
  if (!is_open()) return false;
  if (std::string why = model_->answer(); !why.empty()) return refuse(std::move(why));
  return keep_answer();
}

bool Handle::keep_answer() {
  has_answer_ = true;
  open_ = model_->open_answer();
  open_flags_ = open_flags(preset_);
  if (preset_.nan == Machine::kMxgold && preset_.flags == Machine::kMxgold) return accept();
  std::vector<std::uint64_t> operands;
  for (const Field field : {Field::kSource, Field::kA, Field::kB, Field::kC}) {
    const std::span<const std::uint64_t> words = of(field);
    operands.insert(operands.end(), words.begin(), words.end());
  }
  golden::RecordBatch& record = model_->record();
  const ScalarAnswer answer =
      answer_of(preset_, model_->configuration(), operands,
                {record.word(Field::kCode, 0), record.word(Field::kFlags, 0)});
  record.word(Field::kCode, 0) = answer.code;
  record.word(Field::kFlags, 0) = answer.flags;
  return accept();
}

bool Handle::get(Field field, BusOut bus) {
  if (!is_open()) return false;
  std::ranges::fill(bus, 0);
  const std::span<const std::uint64_t> words = of(field);
  if (!has_room(field, words.size(), bus.size())) return false;
  const int width = lane_bits(field);
  for (std::size_t i = 0; i < words.size(); ++i) {
    write_bits(bus, i * static_cast<std::size_t>(width), width, words[i]);
  }
  return true;
}

std::uint64_t Handle::word(Field field) const {
  if (!is_open() || of(field).empty()) return 0;
  return of(field)[0];
}

bool Handle::is_alike(Field field, std::size_t word) const {
  return field == Field::kCode && open_.alike && open_.code(word);
}

std::uint64_t Handle::open_bits(Field field, std::size_t word) const {
  if (is_alike(field, word)) {
    const ElementFormat& format = *open_.alike;
    const bool is_zero = decode(format, of(field)[word]).cls == ValueClass::kZero;
    return is_zero ? format.sign_bit() : format.code_mask() & ~format.inf_code();
  }
  const bool is_open = field == Field::kScale  ? open_.scale
                       : field == Field::kCode ? open_.code(word)
                                               : open_.flags;
  if (is_open) return ones(lane_bits(field));
  return field == Field::kFlags ? open_flags_ : 0;
}

bool Handle::get_open(Field field, BusOut bus) {
  if (!is_open()) return false;
  if (!golden::is_result(field)) {
    return refuse(fmt::format("field {}: only results are open", token_of(field)));
  }
  if (!has_answer_) return refuse("there is no answer: nothing was asked, or it was refused");
  std::ranges::fill(bus, 0);
  const std::size_t count = of(field).size();
  if (!has_room(field, count, bus.size())) return false;
  const int width = lane_bits(field);
  for (std::size_t i = 0; i < count; ++i) {
    write_bits(bus, i * static_cast<std::size_t>(width), width, open_bits(field, i));
  }
  return accept();
}

bool Handle::answer_line(std::string_view line, std::string& results) {
  if (!is_open()) return false;
  results.clear();
  if (!start(0)) return false;
  golden::RecordLines lines(model_->header().shape());
  golden::RecordBatch& record = model_->record();
  if (std::string why = lines.parse_operands(line, record, 0); !why.empty()) {
    return refuse(std::move(why));
  }
  if (record.has(Field::kElements)) {
    const std::uint64_t elements = record.word(Field::kElements, 0);
    if (elements == 0 || !start(static_cast<std::uint32_t>(elements))) {
      return refuse(fmt::format("field elements: {}", elements));
    }
  }
  if (!answer()) return false;
  results = lines.results(record, 0);
  return true;
}

std::string Handle::operand_line() const {
  golden::RecordLines lines(model_->header().shape());
  return lines.operands(model_->record(), 0);
}

}  // namespace mx::bridge
