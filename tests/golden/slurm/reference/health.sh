#!/bin/sh
# Written by Charter from the site's YAML; edits here are overwritten. Change the site instead.

# slurmd runs this on every node (HealthCheckProgram), with SLURMD_NODENAME and nothing else in its environment. A node that
# fails is drained with the reason, unless somebody drained it before; it stays so until somebody resumes it.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
here=${0%/*}
if [ -e "$here/slurm.conf" ]; then
    SLURM_CONF=$here/slurm.conf
    export SLURM_CONF
fi
node=${SLURMD_NODENAME:-$(hostname -s)}
faults=

fault() {
    faults="${faults:+$faults, }$1"
}

devices() {
    for file in "$@"; do
        [ -c "$file" ] || fault "gpu_lost ${file##*/}"
    done
}

# A GPU that fell off the bus keeps its device file; nvidia-smi no longer lists it, or never answers.
gpus() {
    command -v nvidia-smi >/dev/null || return 0
    if found=$(timeout 19 nvidia-smi -L); then
        found=$(printf '%s\n' "$found" | grep -c '^GPU ')
        [ "$found" -ge "$1" ] || fault "gpu_lost $found of $1"
    else
        fault "gpu_lost nvidia-smi fails"
    fi
}

rails() {
    for nic in "$@"; do
        if [ -e "/sys/class/infiniband/$nic/ports/1/state" ]; then
            grep -q ACTIVE "/sys/class/infiniband/$nic/ports/1/state" || fault "rail_down $nic"
        elif [ "$(cat "/sys/class/net/$nic/operstate" 2>/dev/null)" != up ]; then
            fault "rail_down $nic"
        fi
    done
}

case $node in
    su01-n01|su01-n02|su01-n03|su01-n04|su01-n05|su01-n06|su01-n07|su01-n08|su01-n09|su01-n10|su01-n11|su01-n12|su01-n13|su01-n14|su01-n15|su01-n16|su01-n17|su01-n18|su01-n19|su01-n20|su01-n21|su01-n22|su01-n23|su01-n24|su01-n25|su01-n26|su01-n27|su01-n28|su01-n29|su01-n30|su01-n31|su01-n32|su02-n01|su02-n02|su02-n03|su02-n04|su02-n05|su02-n06|su02-n07|su02-n08|su02-n09|su02-n10|su02-n11|su02-n12|su02-n13|su02-n14|su02-n15|su02-n16|su02-n17|su02-n18|su02-n19|su02-n20|su02-n21|su02-n22|su02-n23|su02-n24|su02-n25|su02-n26|su02-n27|su02-n28|su02-n29|su02-n30|su02-n31|su02-n32)
        devices /dev/nvidia0 /dev/nvidia1 /dev/nvidia2 /dev/nvidia3 /dev/nvidia4 /dev/nvidia5 /dev/nvidia6 /dev/nvidia7
        gpus 8
        rails mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7
        ;;
    *) exit 0 ;;
esac

if ! said=$(timeout 29 /usr/sbin/nhc 2>&1); then
    said=$(printf '%s\n' "$said" | head -n 1 | tr -cd '[:alnum:] ._:/-' | cut -c 1-100)
    fault "health_check ${said:-failed}"
fi
[ -n "$faults" ] || exit 0

# A technician's drain keeps its reason, and its jobs are his to decide on.
facts=$(scontrol show node "$node") || exit 1
case $(printf '%s\n' "$facts" | sed -n 's/^ *State=\([^ ]*\).*/\1/p') in
    *DRAIN*) printf '%s\n' "$facts" | grep -q '^ *Reason=charter: ' || exit 0 ;;
    *) scontrol update NodeName="$node" State=DRAIN Reason="charter: $faults" || exit 1 ;;
esac

# Each batch job begins again elsewhere, 3 times at most; after that it is held. AdminComment, which users can't write, counts.
squeue --noheader --nodelist="$node" --states=RUNNING --Format=JobID:20 | while read -r job; do
    case $job in '' | *[!0-9]*) continue ;; esac
    note=$(squeue --noheader --jobs="$job" --Format=AdminComment:1000 | sed 's/ *$//')
    count=$(printf '%s\n' "$note" | sed -n 's/.*charter_failures=\([0-9]\{1,6\}\).*/\1/p')
    rest=$(printf '%s\n' "$note" | sed 's/ *charter_failures=[0-9]*//')
    count=$((${count:-0} + 1))
    if [ "$count" -gt 3 ]; then
        scontrol requeuehold "$job" || continue
    else
        scontrol requeue "$job" || continue
    fi
    scontrol update JobId="$job" AdminComment="${rest:+$rest }charter_failures=$count"
done
