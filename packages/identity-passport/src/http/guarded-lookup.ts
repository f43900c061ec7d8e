import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** All addresses of a host, as the system knows them. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true });

/**
 * Look-ups for connections that must not lead inside: a name of which one address is not allowed has none. What was judged
 * is what the connection is made to, so a name that changes its mind in between gains nothing.
 */
export function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  // Look-ups take threads of the process, which are few: those of one name that nobody answers wait together.
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();
  const addressesOf = (host: string) => {
    const known = pending.get(host);
    if (known !== undefined) return known;
    const asked = resolve(host).finally(() => pending.delete(host));
    pending.set(host, asked);
    return asked;
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

/** The address belongs to a network that providers are not in. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}
