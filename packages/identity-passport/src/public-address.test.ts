import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

test.each([
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "fe80::1",
  "fe80::1%eth0",
  "fc00::1",
  "fd12:3456:789a::1",
  "fec0::1",
  "ff02::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "3fff::1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::1",
  "64:ff9b:1::808:808",
  "2606:4700::1%eth0",
  "example.com",
  "",
  "1.2.3",
  "0x7f.1",
  "2130706433",
])("%p is not on the open Internet", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.0.1.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:801::200e",
  "64:ff9b::808:808",
])("%p is", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("loopback addresses are those of this machine alone", () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1"]) expect(isLoopbackAddress(address)).toBe(true);
  for (const address of ["128.0.0.1", "0.0.0.0", "10.0.0.1", "::", "::2", "fe80::1", "::1%lo", "localhost", ""])
    expect(isLoopbackAddress(address)).toBe(false);
});
