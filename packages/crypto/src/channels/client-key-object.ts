import { createPublicKey, type KeyObject } from "node:crypto";
import type { ClientKey } from "@sallyport/core";

const prepared = new WeakMap<ClientKey, KeyObject>();

/** The key of a client as Node takes it. */
export function clientKeyObject(client: ClientKey): KeyObject {
  let key = prepared.get(client);
  if (key === undefined) {
    key = createPublicKey({ key: Buffer.from(client.spki), format: "der", type: "spki" });
    prepared.set(client, key);
  }
  return key;
}
