import type { AdministrationContext, Uses } from "../request/index.ts";
import { keyOverlap, type KeySupply, nextPair } from "./key-rings.ts";
import { KeySealing } from "./key-sealing.ts";
import { KeyStore } from "./key-store.ts";
import type { ServerKeyKind } from "./server-keys.ts";

export interface RotateKeyInput {
  readonly kind: ServerKeyKind;
  /** The master key of the current key is lost. The current key is refused at once. Without this flag, such a key is not rotated. */
  readonly lost?: boolean;
}

export interface KeyRotation {
  readonly keyId: string;
  /** Id of the previous key. `null` if there was none. */
  readonly before: string | null;
}

/**
 * Why a key was not rotated. `conflict`: concurrent rotation. `suppliedAlready`: the supplied key is current.
 * `suppliedBefore`: the supplied key is a former one and cannot be reused. `sealedByAnother`: another master key sealed
 * the current key. `notLost`: this master key sealed the current key.
 */
export type RotationRefusal = "conflict" | "sealedByAnother" | "suppliedAlready" | "suppliedBefore" | "notLost";

/** Replaces the current key by the supplied or a new one and audits it. The previous key stays accepted for the overlap. */
export async function rotateKey(
  context: AdministrationContext & Uses<{ readonly keySupply: KeySupply }>,
  { kind, lost = false }: RotateKeyInput,
): Promise<KeyRotation | RotationRefusal> {
  const { database, r: outside, unit, eventOf } = context;
  const { keySupply } = context.services;
  const sealing = new KeySealing(keySupply.wrapping, keySupply.serverKeys);
  // Fails before it creates a key that cannot be stored.
  sealing.assertUsable();
  const keys = new KeyStore(outside.records);
  const current = await keys.current(kind);
  if (current === null) {
    const first = sealing.seal(await nextPair(kind, keySupply));
    const { keyId } = await keys.addFirst(first, await database.storage.now());
    return keyId === first.keyId ? { keyId, before: null } : "conflict";
  }
  const isOpenable = sealing.open(current) !== undefined;
  if (!isOpenable && !lost) return "sealedByAnother";
  if (isOpenable && lost) return "notLost";
  if (current.keyId === keySupply.supplied.get(kind)?.keyId) return "suppliedAlready";
  const next = sealing.seal(await nextPair(kind, keySupply));
  const outcome = await unit.transaction(async (r) => {
    const rotated = await new KeyStore(r.records).rotate(current.keyId, next, lost ? 0 : keyOverlap(kind, database));
    if (rotated === "ok") await r.audit.append(eventOf({ type: `${kind}Key.rotated` }));
    return rotated;
  });
  if (outcome === "ok") return { keyId: next.keyId, before: current.keyId };
  return outcome === "known" ? "suppliedBefore" : "conflict";
}
