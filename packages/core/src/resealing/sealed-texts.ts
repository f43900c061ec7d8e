import { type SecondFactor, secondFactorKind } from "../access/index.ts";
import { type Upload, uploadKind } from "../files/index.ts";
import {
  type ProviderEntry,
  providerEntryKind,
  providerStates,
  returnCodeLifetime,
  returnCodes,
  stateLifetime,
} from "../identities/index.ts";
import { deletedMarker, keyRingKind, type SealedPurpose, type SealedUse, type StoredKey } from "../keys/index.ts";
import { mailJobs } from "../mail/index.ts";
import { fileKind, type StoredFile } from "../objects/index.ts";
import { type StoredResult, requestResultAge, requestResultKind } from "../repetition/index.ts";
import type { RecordValue, StoredRecord } from "@sallyport/storage";

/** Seals one text of a record again. Returns it as it is if that is not possible or needed. */
export type Reseal = (sealed: string, purpose: SealedPurpose) => string;

/** How the records of a kind are treated under a new master key. */
export interface SealedRecords<Value = RecordValue> {
  readonly kind: string;
  /**
   * `change`: sealed again as a change of the record, so that concurrent writers notice. `inPlace`: sealed again without
   * another version, for records whose next writer seals them again as well. `expire`: kept until the records end.
   */
  readonly treatment: "change" | "inPlace" | "expire";
  /** The value with each of its sealed texts replaced. Members other than those stay the same. */
  readonly map: (value: Value, reseal: Reseal, alias: string) => Value;
  /** When the record ends at the latest, in milliseconds since 1970. `null`: never by itself. */
  readonly endOf: (record: StoredRecord<Value>) => number | null;
}

const never = () => null;

/** Erases the type of the values, as storage does. */
function records<Value>(sealed: SealedRecords<Value>): SealedRecords {
  return sealed as unknown as SealedRecords;
}

interface Sealed {
  readonly sealed: string;
}

/** A record with a lifetime from its creation, sealed as a whole or in one member. */
function expiring<Value extends Sealed>(
  kind: string,
  purposeOf: (alias: string) => SealedPurpose,
  lifetimeOf: (value: Value) => number,
): SealedRecords {
  return records<Value>({
    kind,
    treatment: "expire",
    map: (value, reseal, alias) => ({ ...value, sealed: reseal(value.sealed, purposeOf(alias)) }),
    endOf: ({ createdAt, value }) => createdAt + lifetimeOf(value),
  });
}

/**
 * Everything that is sealed under the master key, by its use: the record kinds that contain it, the channels of `sessions`,
 * or texts of `clients` or of a `formerPlace`. A client keeps a `Secure-Token` as long as its session, and lists again after
 * a refused cursor. Links of files are sealed under keys of the database, which stay the same. Servers need the text of a former place until their configuration names the new one.
 */
export const sealedTexts: Readonly<
  Record<SealedUse, readonly SealedRecords[] | "clients" | "formerPlace" | "sessions">
> = {
  "server key": [
    records<readonly StoredKey[]>({
      kind: keyRingKind,
      treatment: "change",
      map: (ring, reseal) =>
        ring.map((key) =>
          key.wrappedPrivateKey === deletedMarker
            ? key
            : { ...key, wrappedPrivateKey: reseal(key.wrappedPrivateKey, "server key") },
        ),
      endOf: never,
    }),
  ],
  "second factor": [
    records<SecondFactor>({
      kind: secondFactorKind,
      treatment: "change",
      map: (factor, reseal) => ({ ...factor, sealedSecret: reseal(factor.sealedSecret, "second factor") }),
      endOf: never,
    }),
  ],
  "provider data": [
    records<ProviderEntry>({
      kind: providerEntryKind,
      treatment: "change",
      map: (entry, reseal) => ({ ...entry, sealedData: reseal(entry.sealedData, "provider data") }),
      endOf: never,
    }),
  ],
  "file key": [
    // Before the files, because a finished upload passes its key on.
    records<Upload>({
      kind: uploadKind,
      treatment: "inPlace",
      map: (upload, reseal) => ({ ...upload, key: upload.key === null ? null : reseal(upload.key, "file key") }),
      endOf: ({ value }) => value.expiresAt,
    }),
    records<StoredFile>({
      kind: fileKind,
      treatment: "change",
      map: (file, reseal) => ({ ...file, key: file.key === null ? null : reseal(file.key, "file key") }),
      endOf: never,
    }),
  ],
  outbox: [
    // A delivery rewrites its job without another version, so an outdated job could replace it.
    expiring<Sealed & { readonly lifetime: number }>(
      mailJobs,
      (alias) => `outbox|${alias}`,
      ({ lifetime }) => lifetime,
    ),
  ],
  "provider state": [
    expiring(
      providerStates,
      () => "provider state",
      () => stateLifetime,
    ),
  ],
  "provider return code": [
    expiring(
      returnCodes,
      () => "provider return code",
      () => returnCodeLifetime,
    ),
  ],
  "request result": [
    records<StoredResult>({
      kind: requestResultKind,
      treatment: "expire",
      map: (result, reseal) => {
        const { sealedData = null, ...outcome } = (result.outcome ?? {}) as { readonly sealedData?: string | null };
        return sealedData === null
          ? result
          : { ...result, outcome: { ...outcome, sealedData: reseal(sealedData, "request result") } };
      },
      endOf: ({ createdAt }) => createdAt + requestResultAge,
    }),
  ],
  "channel key": "sessions",
  "secure token": "clients",
  cursor: "clients",
  "file link": "clients",
  "former place": "formerPlace",
};
