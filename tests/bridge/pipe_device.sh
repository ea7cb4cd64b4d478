#!/usr/bin/env bash
# For the tests of devices on a pipe (DPI-C, VPI): $mxgold is the program, $device what --dut takes, b.tv a vector file.
# shellcheck disable=SC2154  # who sources this sets both

digest() { grep -o 'sha256:[0-9a-f]*' "$1" | tail -n 1; }

# same MODEL OTHER OPTIONS...: the device's digest is that of another way to the reference
same() {
  local model=$1 other=$2
  shift 2
  "$mxgold" run --dut "$other" "$@" >other.txt
  "$mxgold" run --dut "$device '+model=$model'" --pipe fifo "$@" >pipe.txt 2>pipe.err ||
    { cat pipe.txt pipe.err; exit 1; }
  if [ -z "$(digest pipe.txt)" ] || [ "$(digest pipe.txt)" != "$(digest other.txt)" ]; then
    echo "another digest: $model"
    cat pipe.txt other.txt
    exit 1
  fi
  grep '^PASS' pipe.txt | cut -c1-100
}

# broken STATUS TEXT MODEL FAULT: `mxgold run` ends with the status and says the text
broken() {
  local status=0
  "$mxgold" run --dut "$device '+model=$3' +fault=$4" --pipe fifo --vectors b.tv >bad.txt 2>&1 ||
    status=$?
  if [ "$status" != "$1" ] || ! grep -qF -- "$2" bad.txt; then
    echo "exit $status, expected $1 and '$2': $3 $4"
    cut -c1-400 bad.txt
    exit 1
  fi
}

# What a device does wrong in record 100 of b.tv, or altogether: each by the words that name it.
five_faults() {
  broken 1 "MISMATCH record 100 " "format=mxfp8_e4m3" flip
  broken 4 "unknown bits (X or Z)" "format=mxfp8_e4m3" x
  broken 4 "one answer was lost at record 100" "format=mxfp8_e4m3" lost
  broken 4 "ended after 0 of " "format=mxfp8_e4m3" empty
  broken 4 "format=mxfp9" "format=mxfp9" none
  broken 1 "as with rounding toward_zero for ties_to_even" "format=mxfp8_e4m3 rounding=toward_zero" none
}
