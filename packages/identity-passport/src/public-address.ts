import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";

/** Parses a space-separated list of CIDR ranges. */
function networks(family: "ipv4" | "ipv6", text: string): BlockList {
  const list = new BlockList();
  for (const range of text.split(" ")) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/** IPv4 special-purpose ranges: private, shared, loopback, link-local, documentation, multicast and others. */
const specialV4 = networks(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
);

const globalV6 = networks("ipv6", "2000::/3");

/** Special ranges in 2000::/3: protocol assignments with Teredo, documentation, and 6to4, which embeds IPv4. */
const specialV6 = networks("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20");

const loopback = networks("ipv4", "127.0.0.0/8");
loopback.addAddress("::1", "ipv6");

/** The NAT64 prefix. The last 32 bits are the IPv4 address. */
const translated = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/i;

/** Whether an address is public. False for invalid addresses. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !specialV4.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false;
  const [, high = "0", low] = translated.exec(address) ?? [];
  if (low !== undefined) return isPublicAddress(embedded(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  return globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6");
}

export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && !address.includes("%") && loopback.check(address, version === 4 ? "ipv4" : "ipv6");
}

const embedded = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join(".");

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** All addresses of a host from the system resolver. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true });

/**
 * A look-up function against SSRF. One forbidden address refuses the whole name. The connection uses the checked
 * address, so DNS rebinding has no effect.
 */
export function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  // A look-up takes a thread of Node's small pool, so concurrent look-ups of a name share one.
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();
  const addressesOf = (host: string) => {
    const cached = pending.get(host);
    if (cached !== undefined) return cached;
    const resolution = resolve(host).finally(() => pending.delete(host));
    pending.set(host, resolution);
    return resolution;
  };

  const judged = async (host: string) => {
    const addresses = await addressesOf(host);
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new AddressRefused();
    return addresses;
  };

  const look = callbackify(judged);
  return (host, { all }, callback) =>
    look(host, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      const [{ address, family } = { address: "", family: 0 }] = addresses;
      return all === true ? callback(null, [...addresses]) : callback(null, address, family);
    });
}

/** The address is not in an allowed network. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}
