// SPDX-License-Identifier: Apache-2.0
#include "cli/create/answer_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/text/command_text.hpp"

namespace mx::cli {
namespace {

constexpr const char* kSvBench =
    R"TEXT(// Asks a device about @VECTORS@ and writes its answers to @ANSWERS@, a line for each record.
module @NAME@;
  // operand: @OPERANDS@
  // result: @RESULTS@
  reg [63:0] operand[0:@LAST_OPERAND@];
  reg [63:0] result[0:@LAST_RESULT@];
  integer vectors, answers, c, i;

  // One record: give `operand` to the device, wait for it, and set every `result`.
  task ask;
    begin
      $fatal(1, "fill in the task ask of @FILE@");  // FILL IN
    end
  endtask

  // The next word of the file, of which c is the first character not read yet.
  task take(output reg [63:0] word);
    begin
      word = 0;
      while (c == 32 || c == 10 || c == 13) c = $fgetc(vectors);
      while (c > 32) begin
        word = (word << 4) | (c <= 57 ? c - 48 : (c | 32) - 87);
        c = $fgetc(vectors);
      end
    end
  endtask

  initial begin
    vectors = $fopen("@VECTORS@", "r");
    answers = $fopen("@ANSWERS@", "w");
    if (vectors == 0 || answers == 0) $fatal(1, "@VECTORS@ or @ANSWERS@ cannot be opened");
    $fwrite(answers, "@FIELDS@\n");
    c = $fgetc(vectors);
    while (c >= 0) begin
      if (c == 35) begin  // a line of the header, or the last
        while (c != 10 && c >= 0) c = $fgetc(vectors);
      end else if (c == 10 || c == 13) begin
        c = $fgetc(vectors);
      end else begin
        for (i = 0; i <= @LAST_OPERAND@; i = i + 1) take(operand[i]);
        for (i = 0; i <= @LAST_RESULT@; i = i + 1) take(result[i]);
        for (i = 0; i <= @LAST_RESULT@; i = i + 1) result[i] = 64'bx;  // what is expected
        ask;
        for (i = 0; i <= @LAST_RESULT@; i = i + 1) $fwrite(answers, "%h ", result[i]);
        $fwrite(answers, "\n");
      end
    end
    $fclose(answers);
    $finish;
  end
endmodule
)TEXT";

constexpr const char* kVhdlBench =
    R"TEXT(-- Asks a device about @VECTORS@ and writes its answers to @ANSWERS@, a line for each record.
library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;

entity @NAME@ is
end entity;

architecture bench of @NAME@ is
  type words is array (natural range <>) of std_logic_vector(63 downto 0);
begin
  process
    file vectors : text open read_mode is "@VECTORS@";
    file answers : text open write_mode is "@ANSWERS@";
    -- operand: @OPERANDS@
    -- result: @RESULTS@
    variable operand : words(0 to @LAST_OPERAND@);
    variable result : words(0 to @LAST_RESULT@);
    variable line_in, line_out : line;

    -- One record: give `operand` to the device, wait for it, and set every `result`.
    procedure ask is
    begin
      report "fill in the procedure ask of @FILE@" severity failure;  -- FILL IN
    end procedure;

    -- The next word of the line.
    procedure take(word : out std_logic_vector(63 downto 0)) is
      constant digits : string(1 to 16) := "0123456789abcdef";
      variable value : std_logic_vector(63 downto 0) := (others => '0');
      variable nibble : std_logic_vector(3 downto 0);
      variable c : character;
      variable good : boolean;
    begin
      loop
        read(line_in, c, good);
        exit when not good or c = ' ' or c = CR;
        for d in 0 to 15 loop
          if digits(d + 1) = c then
            for b in 0 to 3 loop
              if (d / 2 ** b) mod 2 = 1 then
                nibble(b) := '1';
              else
                nibble(b) := '0';
              end if;
            end loop;
          end if;
        end loop;
        value := value(59 downto 0) & nibble;
      end loop;
      word := value;
    end procedure;

    -- A word in hexadecimal, X where bits of a digit are not known.
    procedure put(word : in std_logic_vector(63 downto 0)) is
      constant digits : string(1 to 16) := "0123456789abcdef";
      variable d : natural;
      variable known : boolean;
    begin
      for n in 15 downto 0 loop
        d := 0;
        known := true;
        for b in 3 downto 0 loop
          d := 2 * d;
          if To_X01(word(4 * n + b)) = '1' then
            d := d + 1;
          elsif To_X01(word(4 * n + b)) /= '0' then
            known := false;
          end if;
        end loop;
        if known then
          write(line_out, digits(d + 1));
        else
          write(line_out, 'X');
        end if;
      end loop;
      write(line_out, ' ');
    end procedure;
  begin
    write(line_out, string'("@FIELDS@"));
    writeline(answers, line_out);
    while not endfile(vectors) loop
      readline(vectors, line_in);
      next when line_in'length = 0;
      next when line_in(line_in'left) = '#';  -- a line of the header
      for i in operand'range loop
        take(operand(i));
      end loop;
      result := (others => (others => 'X'));
      ask;
      for i in result'range loop
        put(result(i));
      end loop;
      writeline(answers, line_out);
    end loop;
    wait;
  end process;
end architecture;
)TEXT";

constexpr const char* kCBench =
    R"TEXT(// Asks a device about @VECTORS@ and writes its answers to @ANSWERS@, a line for each record.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPERANDS = @OPERAND_WORDS@, RESULTS = @RESULT_WORDS@ };

// One record: compute every `result` of the operands.
// operand: @OPERANDS@
// result: @RESULTS@
static void ask(const uint64_t operand[OPERANDS], uint64_t result[RESULTS]) {
  (void)operand, (void)result;
  fprintf(stderr, "fill in ask() of @FILE@\n");  // FILL IN
  exit(1);                                       // and take this line away
}

int main(void) {
  FILE* const vectors = fopen("@VECTORS@", "r");
  FILE* const answers = fopen("@ANSWERS@", "w");
  if (vectors == NULL || answers == NULL) return perror("@VECTORS@ or @ANSWERS@"), 1;
  fprintf(answers, "@FIELDS@\n");
  int c;
  while ((c = fgetc(vectors)) == '#') {  // lines of the header
    while (c != '\n' && c != EOF) c = fgetc(vectors);
  }
  ungetc(c, vectors);
  uint64_t operand[OPERANDS], result[RESULTS];
  while (fscanf(vectors, "%" SCNx64, &operand[0]) == 1) {
    for (int i = 1; i < OPERANDS; ++i) {
      if (fscanf(vectors, "%" SCNx64, &operand[i]) != 1) return 1;
    }
    for (int i = 0; i < RESULTS; ++i) {
      if (fscanf(vectors, "%" SCNx64, &result[i]) != 1) return 1;
      result[i] = 0;  // what is expected
    }
    ask(operand, result);
    for (int i = 0; i < RESULTS; ++i) fprintf(answers, "%" PRIx64 " ", result[i]);
    fprintf(answers, "\n");
  }
  return fclose(answers) == 0 ? 0 : 1;
}
)TEXT";

constexpr const char* kPythonBench =
    R"TEXT(# Asks a device about @VECTORS@ and writes its answers to @ANSWERS@, a line for each record.
import sys

OPERANDS, RESULTS = @OPERAND_WORDS@, @RESULT_WORDS@


def ask(operand):
    """One record: the list of results to the list of operands.

    operand: @OPERANDS@
    result: @RESULTS@
    """
    sys.exit("fill in ask() of @FILE@")  # FILL IN


with open("@VECTORS@") as vectors, open("@ANSWERS@", "w") as answers:
    answers.write("@FIELDS@\n")
    for line in vectors:
        if line.startswith("#"):
            continue  # of the header
        words = [int(word, 16) for word in line.split()]
        result = ask(words[:OPERANDS])
        assert len(result) == RESULTS, f"{RESULTS} results, and ask() gives {len(result)}"
        answers.write(" ".join(f"{word:x}" for word in result) + "\n")
)TEXT";

/// "0 tuser, 1..32 source".
std::string places(const golden::RecordShape& shape, bool of_results) {
  std::vector<std::string> texts;
  int at = 0;
  for (const golden::FieldShape& each : shape.fields) {
    if (golden::is_result(each.field) != of_results) continue;
    texts.push_back(each.lanes == 1
                        ? fmt::format("{} {}", at, token_of(each.field))
                        : fmt::format("{}..{} {}", at, at + each.lanes - 1, token_of(each.field)));
    at += each.lanes;
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::size_t words(const golden::RecordShape& shape, bool of_results) {
  std::size_t sum = 0;
  for (const golden::FieldShape& each : shape.fields) {
    if (golden::is_result(each.field) == of_results) sum += static_cast<std::size_t>(each.lanes);
  }
  return sum;
}

std::string result_names(const golden::RecordShape& shape) {
  std::vector<std::string_view> names;
  for (const golden::FieldShape& each : shape.fields) {
    if (golden::is_result(each.field)) names.push_back(token_of(each.field));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

struct BenchLanguage {
  std::string_view name;
  std::string_view suffix;
  const char* text;
  const char* packages;
  const char* build;
  const char* run;
};

constexpr BenchLanguage kBenchLanguages[] = {
    {"sv", ".sv", kSvBench, "iverilog", "iverilog -g2012 -o @NAME@ @FILE@", "vvp -n @NAME@"},
    {"vhdl", ".vhd", kVhdlBench, "ghdl", "ghdl -a @FILE@ && ghdl -e @NAME@", "ghdl -r @NAME@"},
    {"c", ".c", kCBench, "gcc", "cc -O1 -o @NAME@ @FILE@", "./@NAME@"},
    {"python", ".py", kPythonBench, "python3", "", "python3 @FILE@"}};

}  // namespace

AnswerBench answer_bench(std::string_view language, const std::string& name,
                         const std::string& vectors, const golden::RecordShape& shape) {
  const BenchLanguage* row = std::ranges::find(kBenchLanguages, language, &BenchLanguage::name);
  const std::string file = name + std::string(row->suffix);
  const std::string answers = name + "_answers.txt";
  const auto filled = [&](std::string text) {
    return replaced(std::move(text), {{"NAME", name},
                                      {"FILE", file},
                                      {"VECTORS", vectors},
                                      {"ANSWERS", answers},
                                      {"FIELDS", result_names(shape)},
                                      {"OPERANDS", places(shape, false)},
                                      {"RESULTS", places(shape, true)},
                                      {"OPERAND_WORDS", std::to_string(words(shape, false))},
                                      {"RESULT_WORDS", std::to_string(words(shape, true))},
                                      {"LAST_OPERAND", std::to_string(words(shape, false) - 1)},
                                      {"LAST_RESULT", std::to_string(words(shape, true) - 1)}});
  };
  return {{file, filled(row->text)},
          row->packages,
          filled(row->build),
          filled(row->run) +
              fmt::format(" && {} check {} {}", program_word(), shell_quoted(vectors), answers)};
}

}  // namespace mx::cli
