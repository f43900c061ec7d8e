import { type Repositories, ServiceError } from "@sallyport/storage";
import {
  KeyStore,
  type RotationRefusal,
  type ServerKeyKind,
  type StoredKey,
  rotateKey,
  type KeySupply,
} from "../keys/index.ts";
import type { AdministrationContext, Uses } from "../request/index.ts";

export interface AdministeredKey extends Pick<StoredKey, "kind" | "keyId" | "createdAt" | "acceptedUntil"> {
  /** Number of token sessions that a former key of tokens signed, up to `maxCounted`; `null` for other keys. */
  readonly sessions: number | null;
}

const pageSize = 500;
const maxCounted = 10_000;

/** Lists the accepted keys, of each kind the current one first. */
export async function listKeys({ r }: Pick<AdministrationContext, "r">): Promise<AdministeredKey[]> {
  const keys = new KeyStore(r.records);
  const [rsa, jwt] = [await keys.accepted("rsa"), await keys.accepted("jwt")];
  const listed: AdministeredKey[] = [];
  for (const [index, { kind, keyId, createdAt, acceptedUntil }] of [...rsa, ...jwt].entries()) {
    const successor = index > rsa.length ? jwt[index - rsa.length - 1] : undefined;
    const sessions = successor === undefined ? null : await tokenSessions(r, createdAt, successor.createdAt);
    listed.push({ kind, keyId, createdAt, acceptedUntil, sessions });
  }
  return listed;
}

/** Number of token sessions that were opened in a time. */
async function tokenSessions({ sessions }: Repositories, from: number, until: number): Promise<number> {
  let count = 0;
  let after: string | null = null;
  while (count < maxCounted) {
    const page = await sessions.list({ after, limit: pageSize });
    count += page.filter(({ mode, openedAt }) => mode === "token" && openedAt >= from && openedAt < until).length;
    after = page.at(-1)?.digest ?? null;
    if (page.length < pageSize) break;
  }
  return Math.min(count, maxCounted);
}

const refusals: Readonly<Record<RotationRefusal, readonly [code: 307 | 705 | 713, detail: string]>> = {
  conflict: [713, "Another process rotated the key at the same time."],
  sealedByAnother: [705, "Another master key encrypted the current key."],
  notLost: [307, "The master key decrypts the current key."],
  suppliedAlready: [307, "The key of the configuration is already the current one."],
  suppliedBefore: [307, "The key of the configuration was rotated out and cannot be used again."],
};

/** Replaces the current key. A key file of the configuration that is in use or was used: 307. No master key: 705. */
export async function rotateServerKey(
  context: AdministrationContext & Uses<{ readonly keySupply: KeySupply }>,
  kind: ServerKeyKind,
): Promise<{ readonly keyId: string; readonly before: string | null }> {
  const outcome = await rotateKey(context, { kind });
  if (typeof outcome !== "string") return outcome;
  const [code, detail] = refusals[outcome];
  throw new ServiceError(code, { detail });
}
