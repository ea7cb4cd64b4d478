#!/bin/bash
# A Slurm cluster of one host, for tests: a controller and several node daemons on the loopback
# interface, with ports, state and logs of its own in one folder. Needs root and slurm-wlm; nothing
# outside the folder is read or written, and no daemon of the system is touched.
#
#   cluster.sh up FOLDER NODES     starts it and waits until the nodes are idle
#   cluster.sh node FOLDER I       starts node daemon I again (after a kill)
#   cluster.sh down FOLDER         stops it
#
# Commands of Slurm find it by SLURM_CONF=FOLDER/slurm.conf. Exit 77: no Slurm, or not root.
set -u

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] || usage
what=$1
mkdir -p "$2" && folder=$(cd "$2" && pwd) || exit 2
export SLURM_CONF=$folder/slurm.conf

need() {
  for program in slurmctld slurmd sbatch squeue scontrol; do
    command -v "$program" >/dev/null || {
      echo "SKIP: no $program: apt-get install slurm-wlm" >&2
      exit 77
    }
  done
  [ "$(id -u)" = 0 ] || {
    echo "SKIP: Slurm's daemons without authentication run as root only" >&2
    exit 77
  }
}

# A free port and the ones behind it: of each user of the machine another.
first_port() { echo $((20000 + $$ % 20000)); }

configure() {
  local nodes=$1 port host
  port=$(first_port)
  host=$(hostname -s)
  mkdir -p "$folder/state"
  {
    cat <<END
ClusterName=mxgold
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=2
MinJobAge=300
JobRequeue=0
MaxArraySize=${MX_ARRAY_SIZE:-1001}
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldLogFile=$folder/slurmctld.log
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdPidFile=$folder/slurmd.%n.pid
PartitionName=farm Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    for ((i = 0; i < nodes; ++i)); do
      mkdir -p "$folder/spool.n$i"
      echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1 + i)) CPUs=1 State=UNKNOWN"
    done
  } >"$folder/slurm.conf"
  cat >"$folder/cgroup.conf" <<END
CgroupPlugin=cgroup/v1
CgroupAutomount=no
ConstrainCores=no
ConstrainRAMSpace=no
END
}

start_node() {
  slurmd -c -N "n$1" >>"$folder/start.log" 2>&1
}

wait_for_nodes() {
  local nodes=$1 idle=0
  for _ in $(seq 100); do
    idle=$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)
    [ "$idle" -ge "$nodes" ] && return 0
    sleep 0.1
  done
  echo "cluster: $idle of $nodes nodes are idle; see $folder/*.log" >&2
  return 1
}

case $what in
up)
  [ $# = 3 ] || usage
  need
  configure "$3"
  slurmctld -c >>"$folder/start.log" 2>&1 || {
    cat "$folder/start.log" >&2
    exit 1
  }
  for ((i = 0; i < $3; ++i)); do start_node "$i"; done
  wait_for_nodes "$3"
  ;;
node)
  [ $# = 3 ] || usage
  start_node "$3"
  ;;
down)
  for file in "$folder"/slurmd.*.pid "$folder"/slurmctld.pid; do
    [ -e "$file" ] && kill "$(cat "$file")" 2>/dev/null
  done
  for _ in $(seq 50); do
    ls "$folder"/*.pid >/dev/null 2>&1 || break
    sleep 0.1
  done
  exit 0
  ;;
*) usage ;;
esac
