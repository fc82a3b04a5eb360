#!/bin/sh
# sandbox.sh FOLDER COMMAND...: run a command over a throw-away copy of the file system, kept in memory under FOLDER.
# Needs root; start it with: unshare --mount --propagation private
set -eu
base=$1
shift
mount -t tmpfs sandbox "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay sandbox -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
for dir in proc dev sys; do mount --rbind "/$dir" "$base/root/$dir"; done
exec chroot "$base/root" "$@"
