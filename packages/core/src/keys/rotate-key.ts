import type { AdministrationContext } from "../request/index.ts";
import { keyOverlap, type KeySupply, nextPair } from "./key-rings.ts";
import { KeySealing } from "./key-sealing.ts";
import { KeyStore } from "./key-store.ts";
import type { ServerKeyKind } from "./server-keys.ts";

export interface RotateKeyInput {
  readonly kind: ServerKeyKind;
  /** The current key was sealed under a master key that is no more. It is refused from then on. Such a key stays in its place otherwise. */
  readonly lost?: boolean;
}

export interface KeyRotation {
  readonly keyId: string;
  /** Id of the one before; `null` if there was none. */
  readonly before: string | null;
}

/**
 * Why a key was not rotated: `overtaken`: somebody else did it meanwhile; `suppliedAlready`: the supplied key is the current one;
 * `suppliedBefore`: it was, and cannot be again; `sealedByAnother`: another master key sealed the current key; `notLost`: it
 * was this one.
 */
export type RotationRefusal = "overtaken" | "sealedByAnother" | "suppliedAlready" | "suppliedBefore" | "notLost";

/** Puts the supplied key, or a new one, into the place of the current one, which is accepted for a while still, and tells the audit. */
export class RotateKey {
  private readonly sealing: KeySealing;

  constructor(private readonly supply: KeySupply) {
    this.sealing = new KeySealing(supply.wrapping, supply.serverKeys);
  }

  async rotateKey(
    { database, r: outside, unit, eventOf }: AdministrationContext,
    { kind, lost = false }: RotateKeyInput,
  ): Promise<KeyRotation | RotationRefusal> {
    // Before a key is made that could not be kept.
    this.sealing.assertUsable();
    const keys = new KeyStore(outside.records);
    const current = await keys.current(kind);
    if (current === null) {
      const first = this.sealing.seal(await nextPair(kind, this.supply));
      const { keyId } = await keys.addFirst(first, await database.storage.now());
      return keyId === first.keyId ? { keyId, before: null } : "overtaken";
    }
    const isOpenable = this.sealing.open(current) !== undefined;
    if (!isOpenable && !lost) return "sealedByAnother";
    if (isOpenable && lost) return "notLost";
    if (current.keyId === this.supply.supplied.get(kind)?.keyId) return "suppliedAlready";
    const next = this.sealing.seal(await nextPair(kind, this.supply));
    const outcome = await unit.transaction(async (r) => {
      const rotated = await new KeyStore(r.records).rotate(current.keyId, next, lost ? 0 : keyOverlap(kind, database));
      if (rotated === "ok") await r.audit.append(eventOf({ type: `${kind}Key.rotated` }));
      return rotated;
    });
    if (outcome === "ok") return { keyId: next.keyId, before: current.keyId };
    return outcome === "known" ? "suppliedBefore" : "overtaken";
  }
}
