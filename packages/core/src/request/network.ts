import { ServiceError } from "@sallyport/storage";

/** The network of a typical single customer: an IPv4 address, or the /64 of an IPv6 address without a zone. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const network = groupsOf(address).slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The eight groups of an IPv6 address; another number if it is malformed. */
function groupsOf(address: string): string[] {
  const [head = [], tail, ...others] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  if (tail === undefined) return [...head];
  const zeros = Math.max(1, 8 - head.length - tail.length);
  return [...head, ...Array<string>(zeros).fill("0"), ...tail, ...others.flat()];
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The network of an address that an administrator has written, also with `/64`. Throws 307 for any other text. */
export function acceptNetwork(text: string): string {
  const address = text.trim();
  if (ipv4.test(address)) return address;
  const [, ipv6 = ""] = /^([^/]*:[^/]*)(?:\/64)?$/.exec(address) ?? [];
  const groups = groupsOf(ipv6);
  if (/^(?:0+:){5}ffff$/i.test(groups.slice(0, 6).join(":")))
    throw new ServiceError(307, { detail: "An IPv4 address must be written as such, without ::ffff:." });
  if (groups.length === 8 && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return networkOf(ipv6);
  const detail = "An address must be an IPv4 address, or an IPv6 address, which stands for its /64.";
  throw new ServiceError(307, { detail });
}
