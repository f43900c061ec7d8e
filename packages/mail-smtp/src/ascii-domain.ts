import { domainToASCII } from "node:url";

/** The address with its domain as the name service spells it; `null` if that has no such name. */
export function withAsciiDomain(address: string): string | null {
  const at = address.lastIndexOf("@");
  const host = domainToASCII(address.slice(at + 1));
  return host === "" ? null : `${address.slice(0, at)}@${host}`;
}
