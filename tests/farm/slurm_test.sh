#!/bin/bash
# Campaigns on a Slurm cluster of one host (cluster.sh): the result is that of a farm without Slurm,
# whatever is killed meanwhile. slurm_test.sh MXGOLD [SEED]; exit 77 without Slurm.
set -u
mxgold=$1
RANDOM=${2:-7}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
nodes=3
cluster=$work/cluster
disk=$work/disk
failed=0

# shellcheck disable=SC2317 # the trap calls it
clean() {
  "$here/cluster.sh" down "$cluster"
  mountpoint -q "$disk" 2>/dev/null && umount -l "$disk"
  rm -rf "$work"
}
trap clean EXIT

MX_ARRAY_SIZE=25 "$here/cluster.sh" up "$cluster" $nodes
status=$?
[ $status = 0 ] || exit $status
export SLURM_CONF=$cluster/slurm.conf

formats=e4m3fn,e5m2,e3m2fn,e2m3fn,e2m1fn,int8
sweep=(sweep --dut reference --source "bf16,fp16" --format "$formats" --rounding all)
fail() {
  echo "FAIL: $*" >&2
  failed=1
}
farm() { timeout 300 "$mxgold" farm "$@"; }
expect_whole() {
  cmp -s "$work/whole/result.json" "$1/result.json" || fail "$1: the result is another one: $2"
}
receipts() { (cd "$1/receipts" 2>/dev/null && stat -c '%n %i %y' ./*.json 2>/dev/null | sort); }
# Nap for up to so many tenths of a second.
nap() { sleep "$(printf '%d.%d' $((RANDOM % $1 / 10)) $((RANDOM % 10)))"; }
until_idle() {
  for _ in $(seq 600); do
    [ -z "$(squeue --noheader)" ] && return
    sleep 0.2
  done
}

farm "$work/whole" --shards 40 -- "${sweep[@]}" >/dev/null 2>&1 || fail "the farm without Slurm"

# 40 shards in arrays of at most 25 tasks: two shards a task.
start=$(date +%s%N)
farm "$work/plain" --slurm --shards 40 -- "${sweep[@]}" >"$work/out" 2>&1 || fail "plain: $(cat "$work/out")"
echo "plain: 40 shards in $((($(date +%s%N) - start) / 1000000)) ms"
grep -q 'submitted job [0-9]* with 20 tasks for 40 shards' "$work/out" || fail "plain: $(cat "$work/out")"
expect_whole "$work/plain" plain

# A planted mismatch: the exit code comes through.
farm "$work/wrong" --slurm --shards 3 -- run --dut reference:minus_zero_lost --suite smoke --format e2m1fn \
  --source bf16 >"$work/out" 2>&1
[ $? = 1 ] || fail "a mismatch is exit 1: $(cat "$work/out")"

# Nobody waits: the jobs end by themselves, and the last one merges.
farm "$work/detached" --slurm --detach --shards 7 -- "${sweep[@]}" >"$work/out" 2>&1 || fail "detached"
grep -q '^SUBMITTED ' "$work/out" || fail "detached: $(cat "$work/out")"
until_idle
expect_whole "$work/detached" detached

# The submitting process and node daemons are killed at random moments.
kills=0
for round in $(seq "${MX_FARM_KILLS:-20}"); do
  folder=$work/killed.$((round % 4))
  [ "$round" -le 4 ] && rm -rf "$folder"
  "$mxgold" farm "$folder" --slurm --shards 20 -- "${sweep[@]}" >/dev/null 2>&1 &
  farmer=$!
  nap 20
  kill -9 $farmer 2>/dev/null && kills=$((kills + 1))
  wait $farmer 2>/dev/null
  node=$((RANDOM % nodes))
  before=$(receipts "$folder")
  kill -9 "$(cat "$cluster/slurmd.n$node.pid")" 2>/dev/null && kills=$((kills + 1))
  nap 10
  "$here/cluster.sh" node "$cluster" $node
  after=$(receipts "$folder")
  lost=$(comm -23 <(echo "$before") <(echo "$after"))
  [ -z "$lost" ] || fail "round $round: receipts were written again or are gone: $lost"
done
for folder in "$work"/killed.*; do
  [ -e "$folder/campaign.json" ] || continue
  before=$(receipts "$folder")
  farm "$folder" --slurm >"$work/out" 2>&1 || fail "$folder after kills: $(cat "$work/out")"
  [ -z "$(comm -23 <(echo "$before") <(receipts "$folder"))" ] || fail "$folder: done shards were done again"
  expect_whole "$folder" "after kills"
done
echo "kills: $kills of farms and node daemons"

# Tasks that are cancelled are lost shards: submitted again by the last job.
"$mxgold" farm "$work/cancelled" --slurm --shards 20 -- "${sweep[@]}" >"$work/out" 2>&1 &
farmer=$!
for _ in $(seq 50); do
  job=$(sed -n 's/.*submitted job \([0-9]*\) with.*/\1/p' "$work/out")
  [ -n "$job" ] && break
  sleep 0.1
done
scancel "${job:-0}"
wait $farmer || fail "cancelled: $(cat "$work/out" "$work"/cancelled/slurm/*.txt)"
expect_whole "$work/cancelled" cancelled

# A full disk.
mkdir "$disk"
if mount -t tmpfs -o size=160k tmpfs "$disk"; then
  farm "$disk/c" --slurm --retries 1 --shards 40 -- "${sweep[@]}" >"$work/out" 2>&1
  status=$?
  { [ $status = 5 ] || [ $status = 3 ]; } || fail "full disk: status $status: $(cat "$work/out")"
  mount -o remount,size=32m "$disk"
  until_idle
  farm "$disk/c" --slurm >"$work/out" 2>&1 || fail "with more room: $(cat "$work/out")"
  expect_whole "$disk/c" "full disk"
else
  echo "SKIP: the part with a full disk: no tmpfs can be mounted"
fi

[ $failed = 0 ] && echo "PASS"
exit $failed
