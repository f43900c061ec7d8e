#!/usr/bin/env bash
# client.sh [address of the server]
set -euo pipefail

server=${1:-http://127.0.0.1:8080}
appkey='appkey: demo-app-key'
oaep='-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256'
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

# The text of a member of the JSON on standard input, its escapes resolved.
member() { printf %b "$(sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p")"; }

# The bytes on standard input in hexadecimal digits, and back.
hex() { od -An -v -tx1 | tr -d ' \n'; }
unhex() { printf %b "$(sed 's/../\\x&/g')"; }

# rsa SIZE OPTION...: applies RSA to standard input in blocks of so many bytes.
rsa() {
  rm -f block.*
  split -a 4 -b "$1" - block.
  for block in block.*; do openssl pkeyutl "${@:2}" $oaep -in "$block"; done
}

# Log in: the keys, the credentials, the answer.
curl -sS "$server/v2/login/secure/key" -H "$appkey" | member key >server.pem
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out client.pem
bits=$(openssl pkey -pubin -in server.pem -noout -text | sed -n 's/.*(\([0-9]*\) bit).*/\1/p')
credentials=$(printf %s '{"user":"demo","pass":"demo","appNames":["demo-app"]}' |
  rsa $((bits / 8 - 66)) -encrypt -pubin -inkey server.pem | openssl base64 -A)
publickey=$(openssl pkey -in client.pem -pubout -outform DER | openssl base64 -A)
curl -sS "$server/v2/login/secure" -D headers -H "$appkey" -H 'Content-Type: application/json' \
  -d "{\"credentials\":\"$credentials\",\"publicKey\":\"$publickey\"}" >answer
grep -qi '^encrypted:' headers || { cat answer >&2; exit 1; }
openssl base64 -d -A -in answer | rsa 256 -decrypt -inkey client.pem >envelope

token=$(member sessionId <envelope)
key=$(member symmetricKey <envelope | openssl base64 -d -A | hex)
prefix=$(member ivPrefix <envelope | openssl base64 -d -A | hex)
number=0

# call METHOD PATH [MESSAGE]: sends a request, with or without a message, and prints the envelope of the answer.
call() {
  local request=(-X "$1" -H "$appkey" -H "Secure-Token: $token") iv
  if [ $# -gt 2 ]; then
    iv=01$prefix$(printf %016x "$number")00000000
    number=$((number + 1))
    printf %s "$3" | openssl enc -aes-256-ctr -K "$key" -iv "$iv" | openssl base64 -A >body
    request+=(-H 'Content-Type: application/text' -H "Encrypted: v=1;iv=$(printf %s "$iv" | unhex | openssl base64 -A)"
      --data-binary @body)
  fi
  curl -sS "$server$2" -D headers "${request[@]}" >answer
  iv=$(sed -n 's/^encrypted: v=1;iv=\([A-Za-z0-9+/=]*\).*/\1/Ip' headers | openssl base64 -d -A | hex)
  [ -n "$iv" ] || { cat answer >&2; exit 1; }
  [ "${iv:0:8}" = "02$prefix" ] || { echo "no answer of this session: $iv" >&2; exit 1; }
  openssl base64 -d -A -in answer | openssl enc -d -aes-256-ctr -K "$key" -iv "$iv"
  echo
}

call GET '/v1/objects/Customer?perPage=2'
call POST /v1/logout '{}'
