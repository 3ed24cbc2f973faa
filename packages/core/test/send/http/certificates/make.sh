#!/bin/sh
# Makes the certificates of the tests, valid from 2020 to 2120: of an authority, and of a service and a client for which it vouches.
# `service.pem` and `client.pem` have the key too. The tests need only the results: run this only to replace them.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
touch "$work/index"
cat > "$work/config" <<END
[ca]
default_ca = tests
[tests]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[ca_extensions]
basicConstraints = critical, CA:TRUE
[extensions]
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:service.test, IP:127.0.0.1
END
sign() {
  name=$1
  shift
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" \
    -keyout "$work/$name.key" -out "$work/$name.csr"
  openssl ca -batch -notext -config "$work/config" -in "$work/$name.csr" -out "$work/$name.crt" \
    -startdate 20200101000000Z -enddate 21200101000000Z -keyfile "$work/ca.key" "$@"
}
sign ca -selfsign -extensions ca_extensions
cp "$work/ca.crt" ca.pem
for name in service client; do
  sign $name -cert ca.pem -extensions extensions
  cat "$work/$name.key" "$work/$name.crt" > $name.pem
done
rm -r "$work"
