#!/bin/sh
# sandbox.sh KEPT COMMAND...: run a command over a throw-away copy of the file system, kept in memory, in which only the
# folder KEPT is the real one. Needs root; start it with: unshare --mount --propagation private
set -eu
kept=$1
shift
base=/mnt
mount -t tmpfs sandbox "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay sandbox -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
for dir in /proc /dev /sys "$kept"; do mount --rbind "$dir" "$base/root$dir"; done
exec chroot "$base/root" sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
