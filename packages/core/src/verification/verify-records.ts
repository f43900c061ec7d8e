import {
  type AccountId,
  accountOwner,
  type ArchiveRecord,
  type Attributes,
  type ClassDefinition,
  confusableKeyOf,
  type Digests,
  isObjectId,
  type JsonValue,
  type Links,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import { Model, type ModelClass } from "../model/index.ts";
import { isUserClass } from "../objects/index.ts";
import type { SnapshotObject, SnapshotObjects } from "./snapshot-objects.ts";
import { hashOf, numberOf, Numbers } from "./number-list.ts";
import { type ObjectState, ObjectTable } from "./object-table.ts";
import { BytesVerifier } from "./verify-bytes.ts";
import { StoredRecordVerifier } from "./verify-stored-records.ts";
import type { Invariant, Violation } from "./violation.ts";

/**
 * Recomputes what must hold between the records of one snapshot, section by section in the order of an archive. Needs
 * some 30 bytes for each object that was ever created, and 24 for each file.
 */
export class RecordVerifier implements SnapshotObjects {
  private readonly table = new ObjectTable();
  private readonly definitions: ClassDefinition[] = [];
  private readonly classNames: string[] = [];
  private readonly classNumbers = new Map<string, number>();
  private readonly uuids = new Numbers();
  /** Targets of links that are not live, with an object that has such a link. */
  private readonly targets = new Map<ObjectId, ObjectId>();
  private cachedModel: Model | undefined;
  private settings: RecordOf<"settings"> | undefined;
  /** The deletions that tombstones belong to. */
  private readonly roots = new Set<ObjectId>();
  private lastAudit = 0;
  private readonly bytes: BytesVerifier;
  private readonly records: StoredRecordVerifier;
  private violations: Violation[] = [];

  constructor(digests: Digests) {
    const report = this.report.bind(this);
    this.bytes = new BytesVerifier(this, report);
    this.records = new StoredRecordVerifier(this, digests, report);
  }

  /** Checks the next record. Returns the violations that it shows. */
  check(record: ArchiveRecord): readonly Violation[] {
    this.violations = [];
    switch (record.section) {
      case "settings":
        this.settings = record;
        break;
      case "classes":
        this.definitions.push(record.definition);
        break;
      case "appKeys":
        this.records.addAppKey(record.name);
        break;
      case "objects":
        this.checkObject(record);
        break;
      case "links":
        this.checkLinks(record);
        break;
      case "tombstones":
        this.checkTombstone(record);
        break;
      case "formerReaders":
        this.checkFormerReaders(record);
        break;
      case "sweptObjects":
        this.add(record, { state: "swept", stamp: 0, links: 0, className: "" });
        break;
      case "accounts":
        this.checkAccount(record, record.userId, `The account "${record.loginName}"`);
        break;
      case "customAccounts":
        this.checkAccount(record, record.id, `The custom user "${record.loginName}"`);
        if (!this.records.hasPerson(accountOwner(record.userId)))
          this.report(
            "accounts",
            `The custom user "${record.loginName}" acts as ${record.userId}, which has no account.`,
          );
        break;
      case "records":
        this.bytes.check(record);
        this.records.check(record);
        break;
      case "audit":
        this.checkAudit(record.sequence);
    }
    return this.violations;
  }

  /** The violations that only the end shows. */
  end(): readonly Violation[] {
    this.violations = [];
    for (const number of this.table.withUncheckedLinks())
      this.report("links", `The object ${objectIdOf(number)} has references that are not stored as links.`);
    // A recycled target keeps its links, for the case that it is restored.
    for (const [target, source] of this.targets) {
      const state = this.stateOf(target);
      if (state !== "recycled")
        this.report("links", `The object ${source} has a link to ${target}, which is ${state ?? "unknown"}.`);
    }
    for (const root of this.roots) {
      if (this.stateOf(root) !== "recycled")
        this.report("tombstones", `The recycled objects of the deletion ${root} have lost their first one.`);
    }
    if (this.uuids.repeated().length > 0) this.report("objects", "Several objects have the same UUID.");
    const { lastAudit = 0 } = this.settings ?? {};
    this.bytes.end();
    this.records.end();
    if (this.lastAudit > lastAudit)
      this.report("audit", `The audit event ${this.lastAudit} is above the highest number, ${lastAudit}.`);
    return this.violations;
  }

  find(id: ObjectId): SnapshotObject | undefined {
    const entry = this.table.get(objectNumber(id));
    return entry === undefined ? undefined : { ...entry, className: this.classNames[entry.classNumber] ?? "" };
  }

  get model(): Model {
    this.cachedModel ??= new Model({ generation: 0, classes: this.definitions });
    return this.cachedModel;
  }

  private checkObject({ attributes, ...object }: RecordOf<"objects">): void {
    const { id, className } = object;
    const modelClass = this.model.find(className);
    if (modelClass === undefined) this.report("objects", `The object ${id} is of the unknown class ${className}.`);
    const links = modelClass === undefined ? {} : referencesIn(attributes, modelClass);
    this.add(object, { ...object, state: "live", links: digestOf(links) });
  }

  private checkTombstone({ id, uuid, className, stamp, root, version, attributes }: RecordOf<"tombstones">): void {
    const state = attributes === null ? "deleted" : "recycled";
    this.add({ id, uuid, version }, { className, stamp, state, links: 0 });
    if (state === "recycled") this.roots.add(root);
  }

  private add(
    { id, uuid, version = 1 }: { readonly id: ObjectId; readonly uuid: string; readonly version?: number },
    { className, ...entry }: { state: ObjectState; className: string; stamp: number; links: number },
  ): void {
    const number = objectNumber(id);
    const { lastObject = 0 } = this.settings ?? {};
    if (this.table.get(number) !== undefined) this.report("objects", `The object ${id} is stored twice.`);
    if (number > lastObject)
      this.report("objects", `The object ${id} is above the highest id, ${objectIdOf(lastObject)}.`);
    if (version < 1) this.report("objects", `The object ${id} has the version ${version}.`);
    if (entry.state !== "swept" && entry.stamp < 1) this.report("stamps", `The object ${id} has no stamp.`);
    this.uuids.add(numberOf(uuid));
    let classNumber = this.classNumbers.get(className);
    if (classNumber === undefined) {
      classNumber = this.classNames.push(className) - 1;
      this.classNumbers.set(className, classNumber);
    }
    this.table.set(number, { ...entry, version: entry.state === "swept" ? 0 : version, classNumber });
  }

  private checkLinks({ id, links }: RecordOf<"links">): void {
    const number = objectNumber(id);
    const source = this.table.get(number);
    if (source?.state !== "live")
      return this.report("links", `The object ${id} has links, but is ${source?.state ?? "unknown"}.`);
    for (const target of new Set(Object.values(links).flat())) {
      if (this.stateOf(target) !== "live") this.targets.set(target, id);
    }
    const className = this.classNames[source.classNumber] ?? "";
    const declared = new Set(this.model.find(className)?.links.map(({ name }) => name));
    // The links of an attribute that left the class stay.
    const declaredLinks = Object.entries(links).filter(([name]) => declared.has(name));
    if (digestOf(Object.fromEntries(declaredLinks)) !== source.links)
      this.report("links", `The links of the object ${id} differ from its references.`);
    this.table.set(number, { ...source, links: 0 });
  }

  private checkFormerReaders({ id, className, entries }: RecordOf<"formerReaders">): void {
    const object = this.table.get(objectNumber(id));
    if (object === undefined || object.state === "swept")
      return this.report(
        "formerReaders",
        `Former readers are kept of the object ${id}, which is ${object?.state ?? "unknown"}.`,
      );
    if (this.classNumbers.get(className) !== object.classNumber)
      this.report("formerReaders", `The former readers of the object ${id} name another class, ${className}.`);
    let last = 0;
    for (const { stamp } of entries) {
      if (stamp <= last || stamp > object.stamp)
        this.report("stamps", `The stamps of the former readers of the object ${id} do not rise to its own.`);
      last = stamp;
    }
  }

  private checkAccount(
    { userId, loginName, confusableKey }: Omit<RecordOf<"accounts" | "customAccounts">, "section">,
    id: AccountId,
    whose: string,
  ): void {
    const user = this.find(userId);
    if (user?.state !== "live" || !isUserClass(this.model, user.className))
      this.report("accounts", `${whose} belongs to ${userId}, which is not a user.`);
    if (confusableKey !== confusableKeyOf(loginName))
      this.report("accounts", `${whose} is not protected from names that look like it.`);
    this.records.addPerson(accountOwner(id));
  }

  private checkAudit(sequence: number): void {
    if (sequence <= this.lastAudit) this.report("audit", `The audit event ${sequence} is out of order.`);
    this.lastAudit = Math.max(this.lastAudit, sequence);
  }

  private stateOf(id: ObjectId): ObjectState | undefined {
    return this.table.get(objectNumber(id))?.state;
  }

  private report(invariant: Invariant, finding: string): void {
    this.violations.push({ invariant, finding });
  }
}

/** The objects that attributes reference. A value of another form is not a reference: it reads as `null`. */
function referencesIn(text: string, { links }: ModelClass): Links {
  if (links.length === 0) return {};
  const attributes = JSON.parse(text) as Attributes;
  return Object.fromEntries(links.map(({ name }) => [name, idsIn(attributes[name])]));
}

function idsIn(value: JsonValue | undefined): ObjectId[] {
  const listed = Array.isArray(value) ? value : [value];
  return listed.filter((each): each is ObjectId => typeof each === "string" && isObjectId(each));
}

/** A digest of links in any order; 0 without any. */
function digestOf(links: Links): number {
  const lines = Object.entries(links).flatMap(([name, ids]) => [...new Set(ids)].map((id) => `${name}:${id}`));
  if (lines.length === 0) return 0;
  return hashOf(lines.toSorted().join(), 0) || 1;
}
