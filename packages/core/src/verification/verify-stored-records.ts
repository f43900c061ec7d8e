import {
  administrationKeys,
  applicationKind,
  appRulesKind,
  type Ban,
  banKind,
  banTimerKind,
  deviceKind,
  factorRecord,
  secondFactorKind,
  subjectId,
  subjectOwner,
} from "../access/index.ts";
import {
  type Digests,
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  type RecordKind,
  type RecordOf,
} from "@sallyport/storage";
import { keyRingKind, type StoredKey } from "../keys/index.ts";
import {
  currentMacroKind,
  type MacroVersion,
  macroVersionKind,
  macroVersionRecord,
  type StoredMacro,
} from "../macros/index.ts";
import { type StoredResult, requestResultKind } from "../repetition/index.ts";
import { isSyncSchema, changeResultKind, syncSchemaKind } from "../sync/index.ts";
import type { SnapshotObjects, ReportViolation } from "./snapshot-objects.ts";
import type { Invariant } from "./violation.ts";

type StoredRecord = RecordOf<"records">;

/** Where a record must be, by its value. */
type Place = Pick<StoredRecord, "id"> & Partial<Pick<StoredRecord, "owner">>;

/**
 * Recomputes what must hold between records of all kinds and the accounts. Keeps the accounts, the macros and the records
 * whose person comes later.
 */
export class StoredRecordVerifier {
  /** Owners of records that are removed with an account or a link. */
  private readonly persons = new Set<string>();
  private readonly ownedByLinks: Pick<StoredRecord, "kind" | "id" | "owner">[] = [];
  private readonly appKeys = new Set<string>();
  private readonly linkIds = new Set<string>();
  private readonly macros = new Map<string, StoredMacro>();
  private readonly latestVersions = new Set<string>();
  private readonly timedBans = new Set<string>();
  private readonly checks = new Map<string, (record: StoredRecord) => void>();

  constructor(
    private readonly objects: SnapshotObjects,
    private readonly digests: Digests,
    private readonly report: ReportViolation,
  ) {
    this.on(identityLinkKind, (record, link) => this.checkLink(record, link));
    this.on(secondFactorKind, (record, factor) => this.at("identities", record, factorRecord(factor)));
    this.on(banKind, (record, ban) => this.checkBan(record, ban));
    this.on(banTimerKind, ({ id }) => this.timedBans.delete(id));
    this.on(appRulesKind, (record, { subject }) => this.at("rules", record, this.placeOf(subject)));
    this.on(deviceKind, (record, { userId, deviceId }) => {
      const place = this.placeOf(
        userId === null ? { kind: "device", deviceId } : { kind: "userOnDevice", userId, deviceId },
      );
      this.at("rules", record, place);
    });
    this.on(applicationKind, (record, { name }) => this.at("seats", record, { id: name }));
    this.on(administrationKeys, ({ id }) => {
      if (!this.appKeys.has(id)) report("keys", `The administration key "${id}" is unknown.`);
    });
    this.on(keyRingKind, ({ id }, keys) => this.checkKeys(id, keys));
    this.on(currentMacroKind, ({ id }, macro) => {
      this.macros.set(id, macro);
    });
    this.on(macroVersionKind, (record, version) =>
      this.checkMacroVersion(record, { ...version, changedAt: record.createdAt }),
    );
    for (const kind of [requestResultKind, changeResultKind])
      this.on(kind, (record, result) => this.checkResult(record, result));
    this.on(syncSchemaKind, ({ id, value }) => {
      if (!isSyncSchema(value, id)) report("synchronization", `The record of the schema ${id} is none.`);
    });
  }

  addPerson(owner: string): void {
    this.persons.add(owner);
  }

  addAppKey(name: string): void {
    this.appKeys.add(name);
  }

  hasPerson(owner: string): boolean {
    return this.persons.has(owner);
  }

  check(record: StoredRecord): void {
    this.checkOwner(record);
    try {
      this.checks.get(record.kind)?.(record);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.report("records", `The record ${record.id} of the kind ${record.kind} has another form.`);
    }
  }

  end(): void {
    for (const record of this.ownedByLinks) this.requirePerson(record);
    for (const id of this.timedBans) this.report("rules", `The ban of ${id} has no timer.`);
    for (const name of this.macros.keys()) {
      if (!this.latestVersions.has(name)) this.report("macros", `The macro ${name} has no version.`);
    }
  }

  private on<Value>(kind: RecordKind<Value>, check: (record: StoredRecord, value: Value) => void): void {
    this.checks.set(kind, (record) => check(record, record.value as unknown as Value));
  }

  /** Records of devices are written after the answer of a log-in, when the account can be gone. */
  private checkOwner(record: StoredRecord): void {
    const { kind, id, owner } = record;
    if (owner === null || kind === deviceKind) return;
    if (owner.startsWith("link:")) this.ownedByLinks.push({ kind, id, owner });
    else if (/^(?:user|custom):/.test(owner)) this.requirePerson(record);
  }

  private requirePerson({ kind, id, owner }: Pick<StoredRecord, "kind" | "id" | "owner">): void {
    if (!this.persons.has(owner ?? ""))
      this.report("identities", `The record ${id} of the kind ${kind} belongs to ${owner}, which has no account.`);
  }

  /** Requires a record to be where reads by id and by owner look for it. */
  private at(invariant: Invariant, { kind, id, owner }: StoredRecord, place: Place): void {
    if (id !== place.id || owner !== (place.owner ?? null))
      this.report(invariant, `The record ${id} of the kind ${kind} must be ${place.id} of ${place.owner ?? "no one"}.`);
  }

  private placeOf(subject: Parameters<typeof subjectId>[0]): Place {
    return { id: subjectId(subject, this.digests), owner: subjectOwner(subject) };
  }

  private checkLink(record: StoredRecord, link: IdentityLink): void {
    this.at("identities", record, { id: identityLinkId(link, this.digests), owner: linkOwner(link.userId) });
    if (this.linkIds.has(link.id)) this.report("identities", `Several linked accounts have the id ${link.id}.`);
    this.linkIds.add(link.id);
    this.addPerson(`link:${link.id}`);
  }

  private checkBan(record: StoredRecord, { subject, begun, until }: Ban): void {
    this.at("rules", record, this.placeOf(subject));
    if (!begun || until !== null) this.timedBans.add(record.id);
  }

  private checkKeys(kind: string, keys: readonly StoredKey[]): void {
    const isCurrent = keys.map(({ acceptedUntil }) => acceptedUntil === null);
    if (isCurrent.lastIndexOf(true) !== 0) this.report("keys", `The first key of ${kind} is not the only current one.`);
    if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length)
      this.report("keys", `Several keys of ${kind} have the same id.`);
  }

  /** The latest version of a name comes first. */
  private checkMacroVersion(record: StoredRecord, version: MacroVersion): void {
    const { name, text } = version;
    this.at("macros", record, macroVersionRecord(version));
    if (this.latestVersions.has(name)) return;
    this.latestVersions.add(name);
    const current = this.macros.get(name);
    const isSame = current?.version === version.version && current.text === text;
    if (current === undefined ? text !== null : !isSame)
      this.report("macros", `The current macro ${name} is not its latest version, ${version.version}.`);
  }

  private checkResult({ kind, id }: StoredRecord, { outcome }: StoredResult): void {
    const { objectId, version = 0 } = (outcome ?? {}) as { readonly objectId?: string; readonly version?: number };
    if (objectId === undefined) return;
    const object = this.objects.find(objectId);
    if (object === undefined)
      this.report("results", `The record ${id} of the kind ${kind} has written ${objectId}, which is unknown.`);
    else if (object.state !== "swept" && object.version < version)
      this.report(
        "results",
        `The record ${id} of the kind ${kind} has written the version ${version} of ${objectId}, which has the version ${object.version}.`,
      );
  }
}
