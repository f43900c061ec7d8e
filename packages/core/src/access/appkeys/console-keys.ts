import {
  allPages,
  type AppKey,
  type Digest,
  ofDatabase,
  type RandomSource,
  type RecordKind,
  type Repositories,
  ServiceError,
  type Storage,
} from "@sallyport/storage";
import type { Database } from "../../request/index.ts";
import {
  administrationKeys,
  appKeyDigest,
  markAdministrationKey,
  ofConsoles,
  type ScopedAppKey,
} from "./app-key-scope.ts";

/** The digest of the built-in app key of consoles. No text can be found that has this SHA-256. */
export const builtInDigest: Digest = "0".repeat(64);

/** The app key of the sessions that consoles have for the routes of applications. It has no text, so no client can send it. */
export async function builtInAppKey(r: Pick<Repositories, "admission" | "appKeys">): Promise<AppKey> {
  for (let count = 1; ; count += 1) {
    const found = await appKeyOf(r, builtInDigest);
    if (found !== null) return found;
    // Another app key can have the name.
    const name = count === 1 ? "(console)" : `(console ${count})`;
    await r.appKeys.create({ name, appNames: null, origins: [] }, builtInDigest);
  }
}

async function appKeyOf({ admission }: Pick<Repositories, "admission">, digest: Digest): Promise<AppKey | null> {
  return (await admission.admit({ ...ofDatabase, appKey: digest })).appKey;
}

/** Milliseconds for which an app key of a console is valid. */
const keyLifetime = 12 * 3_600_000;

/** The valid app keys of consoles: names by digest. */
const consoleKeys: RecordKind<string> = "consoleKey";

/** Begins the text of each app key of a console. No other key of scope `admin` has a dot. */
const keyPrefix = "console.";

export interface ConsoleKey {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Creates an app key of scope `admin` that expires. Call it in a transaction. */
export async function createConsoleKey(
  r: Repositories,
  { clock, digests }: Pick<Database, "clock" | "digests">,
  random: RandomSource,
): Promise<ConsoleKey> {
  const now = await clock.now({ joined: true });
  const key = `${keyPrefix}${random.secret()}`;
  const digest = appKeyDigest(key, "admin", digests);
  // The digest tells keys of one moment apart.
  const name = `console ${new Date(now).toISOString()} ${digest.slice(0, 4)}`;
  if ((await r.appKeys.create({ name, appNames: null, origins: [] }, digest)) === "nameTaken")
    throw new ServiceError(713, { detail: `An app key with the name "${name}" exists.` });
  await markAdministrationKey(r, name, ofConsoles);
  await r.records.put(consoleKeys, digest, name, { lifetime: keyLifetime });
  const { id } = (await appKeyOf(r, digest)) as AppKey;
  return { key, name, id, expiresAt: now + keyLifetime };
}

/** Whether a text can be an app key of a console, which may have expired. */
export function isConsoleKey(key: string | null): boolean {
  return key?.startsWith(keyPrefix) === true;
}

/** Whether the app key of a console has not expired. */
export async function isValidConsoleKey({ records }: Pick<Repositories, "records">, digest: Digest): Promise<boolean> {
  return (await records.get(consoleKeys, [digest])).length > 0;
}

/** Without the built-in app key, and without those of consoles that have expired. */
export async function listedKeys(
  r: Pick<Repositories, "admission" | "records">,
  keys: readonly ScopedAppKey[],
): Promise<ScopedAppKey[]> {
  const builtIn = await appKeyOf(r, builtInDigest);
  const others = keys.filter(({ id }) => id !== builtIn?.id);
  if (!others.some(({ isOfConsole }) => isOfConsole)) return others;
  const names = await validNames(r);
  return others.filter(({ isOfConsole, name }) => !isOfConsole || names.has(name));
}

async function validNames({ records }: Pick<Repositories, "records">): Promise<Set<string>> {
  const valid = await allPages(
    (page) => records.list(consoleKeys, page),
    ({ id }) => id,
  );
  return new Set(valid.map(({ value }) => value));
}

/** Removes at most `limit` app keys of consoles that have expired. Returns their number. */
export function removeExpiredConsoleKeys(storage: Pick<Storage, "transaction">, limit: number): Promise<number> {
  return storage.transaction(async (r) => {
    // Their names are in the order of their creation, and so of their ends.
    const oldest = await r.records.list(administrationKeys, { owner: ofConsoles, after: null, limit });
    if (oldest.length === 0) return 0;
    const names = await validNames(r);
    const expired = oldest.map(({ id }) => id).filter((name) => !names.has(name));
    for (const name of expired) await r.appKeys.remove(name);
    await r.records.remove(administrationKeys, { ids: expired });
    return expired.length;
  });
}
