import {
  type Application,
  applicationKind,
  factorRecord,
  formerPasswordsKind,
  type SecondFactor,
} from "../access/index.ts";
import {
  type ArchiveRecord,
  type Digests,
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  type RecordKind,
  type RecordOf,
  type RecordValue,
} from "@sallyport/storage";
import { type ProviderEntry, providerEntryKind } from "../identities/index.ts";
import { keyRingKind, type StoredKey } from "../keys/index.ts";
import { currentMacroKind, type MacroVersion, macroVersionKind, macroVersionRecord } from "../macros/index.ts";

/** Sections of the first archive format, in their order. */
export const earlierSections = [
  "settings",
  "classes",
  "macros",
  "applications",
  "appKeys",
  "objects",
  "links",
  "departures",
  "accounts",
  "customAccounts",
  "identityProviders",
  "identityLinks",
  "secondFactors",
  "passwordHistory",
  "keys",
  "audit",
  "tallies",
] as const;

export type EarlierRecord =
  | ({ readonly section: "macros" } & MacroVersion)
  | ({ readonly section: "applications" } & Omit<Application, "seatKind">)
  | (Omit<RecordOf<"tombstones">, "section" | "root"> & {
      readonly section: "departures";
      readonly leader: RecordOf<"tombstones">["root"];
    })
  | ({ readonly section: "identityProviders" } & ProviderEntry)
  | ({ readonly section: "identityLinks"; readonly linkedAt: number } & IdentityLink)
  | ({ readonly section: "secondFactors" } & SecondFactor)
  /** The latest secret is last. */
  | { readonly section: "passwordHistory"; readonly subject: string; readonly secrets: readonly string[] }
  /** The earliest key is first. */
  | ({ readonly section: "keys" } & StoredKey);

/**
 * Converts the records of a first-format archive to the current format.
 *
 * @param writtenAt time for records without one, milliseconds since 1970
 */
export async function* fromEarlier(
  records: AsyncIterable<ArchiveRecord | EarlierRecord>,
  writtenAt: number,
  digests: Digests,
): AsyncGenerator<ArchiveRecord> {
  const macros = new Map<string, MacroVersion>();
  const rings = new Map<string, StoredKey[]>();
  const recordOf = <Value>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    { owner = null, createdAt = writtenAt }: { readonly owner?: string | null; readonly createdAt?: number } = {},
  ): RecordOf<"records"> => ({ section: "records", kind, id, owner, value: value as RecordValue, createdAt });
  for await (const record of records) {
    switch (record.section) {
      case "macros": {
        const { section: _section, ...version } = record;
        macros.set(version.name, version);
        const { id, owner, value, createdAt } = macroVersionRecord(version);
        yield recordOf(macroVersionKind, id, value, { owner, createdAt });
        break;
      }
      case "applications": {
        const { section: _section, ...application } = record;
        yield recordOf(applicationKind, application.name, application);
        break;
      }
      case "departures": {
        const { leader: root, ...tombstone } = record;
        yield { ...tombstone, section: "tombstones", root };
        break;
      }
      case "identityProviders": {
        const { section: _section, ...entry } = record;
        yield recordOf(providerEntryKind, entry.type, entry);
        break;
      }
      case "identityLinks": {
        const { section: _section, linkedAt: createdAt, ...link } = record;
        const owner = linkOwner(link.userId);
        yield recordOf(identityLinkKind, identityLinkId(link, digests), link, { owner, createdAt });
        break;
      }
      case "secondFactors": {
        const { section: _section, ...factor } = record;
        const { kind, id, owner } = factorRecord(factor);
        yield recordOf(kind, id, factor, { owner });
        break;
      }
      case "passwordHistory": {
        const { subject, secrets } = record;
        yield recordOf(formerPasswordsKind, subject, secrets.toReversed(), { owner: subject });
        break;
      }
      case "keys": {
        const { section: _section, ...key } = record;
        rings.set(key.kind, [key, ...(rings.get(key.kind) ?? [])]);
        break;
      }
      default:
        yield record;
    }
  }
  for (const { name, text, language, ...version } of macros.values()) {
    if (text !== null && language !== null)
      yield recordOf(currentMacroKind, name, { name, text, language, ...version });
  }
  for (const [kind, keys] of rings)
    yield recordOf(keyRingKind, kind, keys, { createdAt: keys.at(-1)?.createdAt ?? writtenAt });
}
