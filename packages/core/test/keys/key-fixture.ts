import { AesGcmKeyWrapping, NodeServerKeys } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import { Database, KeyStore, type KeySupply, type ServerKeyPair } from "../../src/index.ts";
import { digests, policy } from "../fixture.ts";

export const hour = 3_600_000;
export const serverKeys = new NodeServerKeys();

/** The source of new keys: a master key of 32 equal bytes, and optional keys of the operator. */
export function supplyOf(masterKey: number | null, ...supplied: readonly ServerKeyPair[]): KeySupply {
  const wrapping = masterKey === null ? null : new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey));
  return { wrapping, serverKeys, rsaBits: 2048, supplied: new Map(supplied.map((pair) => [pair.kind, pair])) };
}

export const newPair = (): Promise<ServerKeyPair> => serverKeys.generate({ kind: "jwt" });

export interface KeyFixture {
  readonly database: Database;
  readonly keys: KeyStore;
  /** The process's clock. */
  readonly now: () => number;
  /** Moves the clocks of process and storage. */
  advance(milliseconds: number): void;
}

/** A migrated database in memory that counts look-ups of its keys. */
export async function openKeyFixture(
  absoluteLifetime = 12 * hour,
): Promise<KeyFixture & { readonly lookUps: () => number }> {
  let offset = 0;
  let lookUps = 0;
  const storage = new MemoryStorage({ clockOffset: () => offset });
  await storage.migrate();
  const { records } = storage.repositories;
  const get = records.get.bind(records);
  records.get = (kind, ids) => {
    lookUps += 1;
    return get(kind, ids);
  };
  const sessions = { ...policy.sessions, absoluteLifetime };
  return {
    database: new Database({
      alias: "",
      name: "test",
      policy: { ...policy, sessions },
      storage,
      files: new MemoryFileStore(),
      digests,
    }),
    keys: new KeyStore(records),
    lookUps: () => lookUps,
    now: () => Date.now() + offset,
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}
