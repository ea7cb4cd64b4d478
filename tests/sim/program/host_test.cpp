// SPDX-License-Identifier: Apache-2.0
// What the machine lacks is no verdict and no defect of the program: exit 7, and the lack by name.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

class HostLack : public ProgramTest {};

const std::string kRun = "run --op cvt --format e4m3fn --source bf16 --suite smoke ";
const std::string kExample = "--dut process:'" MX_PYTHON " " MX_EXAMPLE "' ";

void expect_lack(const std::string& before, const std::string& arguments, const char* words) {
  const ProgramEnd end = mxgold(arguments, before);
  EXPECT_EQ(end.exit, 7) << before << arguments << end.tail();
  EXPECT_TRUE(end.says(words)) << end.tail();
  EXPECT_FALSE(end.says("FAIL")) << end.tail();
}

TEST_F(HostLack, OfFilesAndFoldersIsNamed) {
  expect_lack("prlimit --nofile=7 ", kRun + kExample, "cannot make a pipe: Too many open files");
  expect_lack("TMPDIR=/no/such/folder ", kRun + kExample + "--pipe fifo",
              "cannot make a folder for named pipes");
  expect_lack("TMPDIR=/proc ", kRun + kExample + "--pipe fifo", "for named pipes");
  expect(kRun + kExample + "--dry-run", 0, "nothing was compared");
}

#ifndef __SANITIZE_ADDRESS__  // which takes more than any limit
TEST_F(HostLack, OfMemoryOrThreadsIsNamed) {
  const std::string large =
      "gen --op cast --suite rnd --format 'dmx:MXINT8{32}' --lanes 1048576 --count 10 -o " +
      file("x.tv");
  // One allocation of several megabytes fails, so that the stack can still grow. Nearer to the last
  // page the kernel refuses that too, with a signal that no program can answer.
  expect_lack("ulimit -v 80000; ", large, "out of memory");
  // A stack larger than the address space: no thread can start, and memory is at hand.
  expect_lack("ulimit -s 4000000; ulimit -v 1500000; ", "run --dut rtl --suite smoke --threads 2",
              "lacks threads");
  expect("gen --op cvt --suite rnd --format e4m3fn --count 2 -o " + file("x.tv"), 0, "wrote 2");
}
#endif

}  // namespace
}  // namespace mx::sim::test
