#!/usr/bin/env bash
# An S3 server for tests: Ceph with its gateway, in memory, on free ports of this machine. It needs the Debian packages
# radosgw, ceph-mon, ceph-osd and ceph-common.
#
#     .ci/ceph.sh start FOLDER     prints its address for S3_URL
#     .ci/ceph.sh stop FOLDER
set -euo pipefail
folder=$(realpath -m "$2")
conf=$folder/ceph.conf

stop() {
  for file in "$folder"/run/*.pid; do
    [ ! -s "$file" ] || kill -KILL "$(cat "$file")" 2>/dev/null || true
  done
  # A process that ends can still write.
  rm -rf "$folder" || { sleep 1 && rm -rf "$folder"; }
}

# Prints numbers of free ports.
free_ports() {
  node -e '
    const servers = Array.from({ length: Number(process.argv[1]) }, () => require("node:net").createServer());
    Promise.all(servers.map((server) => new Promise((done) => server.listen(0, "127.0.0.1", done)))).then(() => {
      console.log(servers.map((server) => server.address().port).join(" "));
      for (const server of servers) server.close();
    });' "$1"
}

# Waits until a command succeeds.
await() {
  for _ in $(seq 100); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.3
  done
  echo "Ceph does not start: $*" >&2
  return 1
}

key() {
  ceph-authtool "$folder/keyring" --gen-key -n "$@"
}

is_up() {
  timeout 10 ceph -c "$conf" osd stat | grep -q "1 up"
}

start() {
  read -r mon gateway < <(free_ports 2)
  fsid=$(cat /proc/sys/kernel/random/uuid)
  cat >"$conf" <<END
[global]
fsid = $fsid
mon_host = 127.0.0.1:$mon
public_network = 127.0.0.0/8
run_dir = $folder/run
admin_socket = $folder/run/\$name.asok
log_file = $folder/\$name.log
pid_file = $folder/run/\$name.pid
keyring = $folder/keyring
mon_data = $folder/mon
osd_data = $folder/osd
rgw_data = $folder/rgw
mon_allow_pool_size_one = true
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_crush_chooseleaf_type = 0
rgw_frontends = beast endpoint=127.0.0.1:$gateway tcp_nodelay=1
END
  ceph-authtool --create-keyring "$folder/keyring"
  key mon. --cap mon 'allow *'
  key client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
  key client.rgw.a --cap mon 'allow rwx' --cap osd 'allow rwx'
  key osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
  monmaptool --create --add a "127.0.0.1:$mon" --fsid "$fsid" "$folder/monmap"
  ceph-mon -c "$conf" -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring"
  ceph-mon -c "$conf" -i a
  osd=$(cat /proc/sys/kernel/random/uuid)
  await timeout 10 ceph -c "$conf" osd new "$osd" 0
  ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd"
  ceph-osd -c "$conf" -i 0
  await is_up
  setsid radosgw -c "$conf" -n client.rgw.a -f &
  echo $! >"$folder/run/radosgw.pid"
  await node -e "fetch('http://127.0.0.1:$gateway').catch(() => process.exit(1))"
  secret=$(node -p 'require("node:crypto").randomBytes(20).toString("hex")')
  radosgw-admin -c "$conf" user create --uid=test --display-name=test --access-key=test "--secret-key=$secret"
  echo "http://test:$secret@127.0.0.1:$gateway" >"$folder/url"
}

case $1 in
  start)
    mkdir -p "$folder"/{mon,osd,rgw,run}
    # The server outlives this script, and must not keep its output open.
    if ! "$0" run "$folder" >"$folder/start.log" 2>&1 </dev/null; then
      tail -20 "$folder/start.log" >&2
      stop
      exit 1
    fi
    cat "$folder/url"
    ;;
  run) start ;;
  stop) stop ;;
esac
