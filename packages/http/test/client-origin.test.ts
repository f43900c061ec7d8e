import type { IncomingMessage } from "node:http";
import { OriginResolver } from "../src/client-origin.ts";

/** Addresses of clients behind proxies. */
describe("client origin", () => {
  const request = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
    ({ socket: { remoteAddress, ...(encrypted ? { encrypted } : {}) }, headers }) as unknown as IncomingMessage;

  describe("without proxies", () => {
    const resolver = new OriginResolver([]);

    test.each([
      ["192.0.2.7", "192.0.2.7", "192.0.2.7", false],
      ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7", false],
      ["127.0.0.1", "127.0.0.1", "127.0.0.1", true],
      ["::1", "::1", "0:0:0:0::/64", true],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false],
      ["fe80::1%eth0", "fe80::1", "fe80:0:0:0::/64", false],
    ])("%s comes from %s in %s", (peer, address, network, secure) => {
      expect(resolver.resolve(request(peer))).toEqual({ address, network, secure });
    });

    test("forwarded headers are ignored", () => {
      const forged = { "x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https" };
      expect(resolver.resolve(request("192.0.2.7", forged))).toMatchObject({ address: "192.0.2.7", secure: false });
    });

    test("a TLS socket is secure", () => {
      expect(resolver.resolve(request("192.0.2.7", {}, true)).secure).toBe(true);
    });
  });

  describe("behind proxies", () => {
    const resolver = new OriginResolver(["10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48"]);

    test.each([
      ["one hop", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["two proxies", "10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"],
      ["an address forged by the client", "10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"],
      ["an IPv6 proxy", "2001:db8:ffff::1", "198.51.100.1", "198.51.100.1"],
      ["an address with a port", "10.0.0.1", "198.51.100.1:51234", "198.51.100.1"],
      ["a proxy with a port", "10.0.0.1", "198.51.100.1, 10.0.0.2:443", "198.51.100.1"],
      ["an IPv6 address in brackets", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"],
      ["an IPv6 address with a port", "10.0.0.1", "[2001:DB8::1]:51234", "2001:db8::1"],
      ["an IPv4-mapped address with a port", "10.0.0.1", "[::ffff:1.2.3.4]:80", "1.2.3.4"],
      ["a request of a proxy", "10.0.0.1", "10.0.0.3, 10.0.0.9", "10.0.0.3"],
      ["IPv4-mapped IPv6 in capitals", "10.0.0.1", "::FFFF:1.2.3.4", "1.2.3.4"],
      ["IPv4-mapped IPv6 in hexadecimal digits", "10.0.0.1", "::ffff:102:304", "1.2.3.4"],
      ["another spelling of a proxy", "10.0.0.1", "198.51.100.1, ::ffff:a00:2", "198.51.100.1"],
      ["an address with a zone", "10.0.0.1", "fe80::1%eth0", "fe80::1"],
      ["an untrusted peer that forwards", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
    ])("%s", (_name, peer, forwarded, address) => {
      expect(resolver.resolve(request(peer, { "x-forwarded-for": forwarded })).address).toBe(address);
    });

    test.each([
      ["a word", "unknown"],
      ["nothing", ""],
      ["a trailing comma", "198.51.100.1,"],
      ["something unreadable before a proxy", "198.51.100.1, x, 10.0.0.9"],
      ["a name", "localhost"],
      ["a socket", "unix:"],
      ["an obfuscated client", "_hidden"],
      ["an address in octal digits", "0177.0.0.1"],
      ["an address in fewer parts", "127.1"],
      ["a number", "2130706433"],
      ["a port without an address", ":8080"],
      ["an open bracket", "[::1"],
      ["IPv4 in brackets", "[127.0.0.1]"],
      ["a long port", "198.51.100.1:512345"],
      ["another port", "198.51.100.1:80:80"],
      ["no header", undefined],
    ])("a trusted proxy on this machine that forwards %s has an unknown client from outside", (_name, forwarded) => {
      const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      const origin = { address: "unknown", network: "unknown", secure: false };
      expect(resolver.resolve(request("127.0.0.1", headers))).toEqual(origin);
      expect(resolver.resolve(request("10.0.0.1", headers))).toEqual(origin);
      expect(resolver.resolve(request("127.0.0.1", headers, true))).toEqual({ ...origin, secure: true });
    });

    test.each([
      ["https", true],
      ["http", false],
      ["http, https", true],
      ["https, http", false],
    ])("the protocol %s decides", (protocol, secure) => {
      const headers = { "x-forwarded-for": "198.51.100.1", "x-forwarded-proto": protocol };
      expect(resolver.resolve(request("127.0.0.1", headers)).secure).toBe(secure);
    });

    test("a forwarded request without a protocol is not secure", () => {
      expect(resolver.resolve(request("127.0.0.1", { "x-forwarded-for": "198.51.100.1" })).secure).toBe(false);
    });
  });

  test.each(["nonsense", "10.0.0.0/99", "10.0.0.256"])("the proxy %s is refused", (proxy) => {
    expect(() => new OriginResolver([proxy])).toThrow(/\S/);
  });
});
