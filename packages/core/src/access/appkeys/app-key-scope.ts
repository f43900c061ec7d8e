import type { AppKey, Digest, Digests, RecordKind, Repositories } from "@sallyport/storage";

/** The routes that an app key opens: those of applications, or those of administration and no others. */
export type AppKeyScope = "app" | "admin";

/** Names of the app keys with scope `admin`. */
export const administrationKeys: RecordKind<true> = "administrationKey";

/** Owner of the names of those that consoles have, which expire. */
export const ofConsoles = "console";

/**
 * The digest under which storage has a key. The scopes share no digest, so a key of one scope is unknown to the routes of
 * the other, in the same look-up and time.
 */
export function appKeyDigest(key: string, scope: AppKeyScope, digests: Digests): Digest {
  const digest = digests.sha256(key);
  // Inverted: no text can be found that has this SHA-256.
  return scope === "app" ? digest : (BigInt(`0x${digest}`) ^ allBits).toString(16).padStart(64, "0");
}

/** All bits of a SHA-256. */
const allBits = 2n ** 256n - 1n;

/** Records that a key has scope `admin`, for lists. Call it in the transaction that creates the key. */
export async function markAdministrationKey(
  { records }: Pick<Repositories, "records">,
  name: string,
  owner: typeof ofConsoles | null = null,
): Promise<void> {
  await records.put(administrationKeys, name, true, { owner });
}

export interface ScopedAppKey extends AppKey {
  readonly scope: AppKeyScope;
  readonly isOfConsole: boolean;
}

/** Adds the scopes to listed app keys. */
export async function withScopes(
  { records }: Pick<Repositories, "records">,
  keys: readonly AppKey[],
): Promise<ScopedAppKey[]> {
  const marked = await records.get(
    administrationKeys,
    keys.map(({ name }) => name),
  );
  const owners = new Map(marked.map(({ id, owner }) => [id, owner]));
  return keys.map((key) => {
    const owner = owners.get(key.name);
    return { ...key, scope: owner === undefined ? "app" : "admin", isOfConsole: owner === ofConsoles };
  });
}
