import {
  type ArchiveRecord,
  type Attributes,
  beforeAllChanges,
  objectIdOf,
  objectNumber,
  ofDatabase,
  type Repositories,
  seesAll,
  type Storage,
  type Visibility,
} from "@sallyport/storage";
import { ConformanceError, equal, equalInAnyOrder, failsWith, isTrue, rethrows } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { accountNamed, accountOf, createCustomAccount } from "../../fixtures/accounts.ts";
import { archived, ofSection, streamed } from "../../fixtures/archived.ts";
import { signal } from "../../fixtures/concurrently.ts";
import { changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { createAppKey } from "../../fixtures/apps.ts";
import { createObject, idsOf, tombstoneOf, objectByUuid, deleteObjects } from "../../fixtures/objects.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { createLink } from "../../fixtures/new-link.ts";
import { unlimitedSessions } from "../../fixtures/policy.ts";
import { sampleArchive, sampleWith, sampleWithObject } from "../../fixtures/sample-archive.ts";

/** A reader without principals. */
const allRows: Visibility = { classes: null, principals: new Set() };

function importInto({ archive }: Storage, records = sampleArchive) {
  return archive.import(streamed(records));
}

async function fill(storage: Storage): Promise<void> {
  equal(await importInto(storage), "imported", "the outcome of the import");
}

/** Starts an import that reads all but the last record, and completes after `release`. */
async function beginImport({ archive }: Storage) {
  const [begun, released] = [signal(), signal()];
  async function* read(): AsyncGenerator<ArchiveRecord> {
    yield* sampleArchive.slice(0, -1);
    begun.fire();
    await released.fired;
    yield* sampleArchive.slice(-1);
  }
  const outcome = archive.import(read());
  await Promise.race([begun.fired, outcome]);
  return { outcome, release: released.fire };
}

/** Asserts that an import into a non-empty database changes nothing and reads no record. */
function leavesAlone(write: (r: Repositories, storage: Storage) => Promise<unknown>): Check["run"] {
  return async ({ storage, r }) => {
    await write(r, storage);
    const before = await archived(storage);
    const unread: AsyncIterable<ArchiveRecord> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new ConformanceError("Records must not be read if the database is not empty.")),
      }),
    };
    equal(await storage.archive.import(unread), "notEmpty", "the outcome of the import");
    equal(await archived(storage), before, "the content of the database");
  };
}

/** Asserts that an import of these records fails and leaves the database empty. */
async function refuses(
  storage: Storage,
  code: 307 | 801,
  records: readonly ArchiveRecord[],
  what: string,
): Promise<void> {
  const before = await archived(storage);
  await failsWith(code, () => importInto(storage, records), what);
  equal(ofSection(await archived(storage), "classes"), ofSection(before, "classes"), `the classes after ${what}`);
  equal(await storage.repositories.settings.isEmpty(), true, `whether the database is empty after ${what}`);
}

export const importingChecks: readonly Check[] = [
  ...checksOf("archive", {
    "exports exactly the imported records": async ({ storage }) => {
      await fill(storage);
      const records = await archived(storage);
      equal(records.length, sampleArchive.length, "number of records");
      for (const [index, record] of records.entries()) equal(record, sampleArchive[index], `record ${index}`);
    },

    "makes imported data available as if it had been written": async ({ storage, r }) => {
      await fill(storage);
      const { generation, classes } = await r.model.load();
      equal([generation, classes], [7, pluck(ofSection(sampleArchive, "classes"), "definition")], "the model");
      for (const { section: _section, stamp: _stamp, ...object } of ofSection(sampleArchive, "objects")) {
        const { id, uuid } = object;
        const attributes = JSON.parse(object.attributes) as Attributes;
        equal(await r.objects.get([id], seesAll), [{ ...object, attributes }], "an object");
        equal((await objectByUuid(r, uuid))?.id, id, "the object with a UUID");
      }
      equal(await r.objects.count({ classes: ["File"] }, allRows), 4, "number of public objects");
      equal((await tombstoneOf(r, "5"))?.kind, "recycled", "a recycled object");
      const referrers = await r.deletion.referrers(["3"], { attributes: null, limit: 10 });
      equal(
        referrers.map(({ id, attribute }) => `${id} ${attribute}`).toSorted(),
        ["14 Files", "14 Other"],
        "the referrers of an object",
      );
      equal((await accountNamed(r, "Name 1"))?.secret, "$argon2id$1", "the secret of an account");
      const [custom] = ofSection(sampleArchive, "customAccounts");
      const found = await r.accounts.find({ realm: "custom", loginName: "Z" }, []);
      equal(found.account?.secret, custom?.secret, "the secret of a custom account");
      const history = await r.records.list("passwordHistory", { owner: "user:3", after: null, limit: 10 });
      const passwords = ["first", "second", ...hostileTexts];
      equal(rowsOf(history, "id", "value"), [["user:3", passwords]], "the records of an owner");
      const applications = await r.records.list("application", { after: null, limit: 10 });
      equal(new Set(pluck(applications, "version")).size, 4, "number of different record versions");
      const [all] = ofSection(sampleArchive, "appKeys");
      const admitted = await r.admission.admit({
        appKey: all?.digest ?? "",
        session: null,
        idleTimeout: unlimitedSessions.idleTimeout,
      });
      equal([admitted.appKey?.id, admitted.maintenance], ["1", true], "the admission of an app key");
      equal(pluck(await r.audit.read(0, 10), "sequence"), [7, 9], "the audit");
      equal(admitted.settingsGeneration, 4, "the settings generation of admission");
    },

    "returns imported accounts, app keys, events and records with exactly their members": async ({ storage, r }) => {
      await fill(storage);
      const keys = await r.appKeys.list(null, 10);
      for (const { section: _section, digest: _digest, ...key } of ofSection(sampleArchive, "appKeys"))
        equal(
          keys.find(({ name }) => name === key.name),
          key,
          "an app key",
        );
      const events = await r.audit.read(0, 10);
      for (const { section: _section, ...event } of ofSection(sampleArchive, "audit"))
        equal(
          events.find(({ sequence }) => sequence === event.sequence),
          event,
          "an event",
        );
      await r.audit.settle(0, 10);
      const settled = (await r.audit.read(30, 10)).map(({ sequence: _sequence, ...event }) => event);
      const tallies = ofSection(sampleArchive, "tallies").map(({ section: _section, key: _key, ...tally }) => tally);
      equalInAnyOrder(settled, tallies, "the settled tallies");
      for (const { section: _section, confusableKey: _key, ...account } of ofSection(sampleArchive, "accounts"))
        equal(await accountOf(r, account.userId), { ...account, id: account.userId }, "an account");
      for (const { section: _section, confusableKey: _key, ...account } of ofSection(sampleArchive, "customAccounts"))
        equal(await accountOf(r, account.id), { ...account, administrator: false }, "a custom account");
      const [all] = ofSection(sampleArchive, "records");
      const [{ age: _age, version, createdVersion, ...record } = { age: 0, version: 0, createdVersion: 0 }] =
        await r.records.get("application", [all?.id ?? ""]);
      equal({ section: "records", kind: "application", ...record }, all, "a record");
      equal(createdVersion, version, "the version at its creation");
    },

    "gives imported records versions of their own, and makes them due": async ({ storage, r }) => {
      await fill(storage);
      const imported = await r.records.list("application", { after: null, limit: 10 });
      await r.records.put("application", "new", 1);
      const [created] = await r.records.get("application", ["new"]);
      const highest = Math.max(...pluck(imported, "version"));
      isTrue((created?.version ?? 0) > highest, `The next version must be above ${highest}`);
      const claimed = await r.records.claim("application", 10, 1_000);
      equal(claimed.length, imported.length + 1, "number of claimed records");
      isTrue(
        claimed.every(({ claims }) => claims === 1),
        "Every record must be claimed for the first time",
      );
    },

    "stamps the changes after an import above the highest forgotten stamp": async ({ storage, r }) => {
      const settings = ofSection(sampleArchive, "settings").map((each) => ({ ...each, objects: 0, sweptStamp: 500 }));
      equal(await importInto(storage, settings), "imported", "the outcome of the import");
      const { id } = await createObject(r);
      const [created] = await changesUpTo(r, await watermarkBehind(r, [id]));
      isTrue((created?.stamp ?? 0) > 500, "The stamp of a new object must be above the highest forgotten one");
    },

    "keeps the order of changes and stamps later changes after the imported ones": async ({ storage, r }) => {
      await fill(storage);
      const { id } = await createObject(r);
      const kept = [...ofSection(sampleArchive, "objects"), ...ofSection(sampleArchive, "tombstones")];
      const former = ofSection(sampleArchive, "formerReaders").flatMap(({ id: object, entries }) =>
        entries.map(({ stamp, readers }) => ({ id: object, stamp, readers })),
      );
      const superseded = former.filter(
        (entry) => !kept.some((each) => each.id === entry.id && each.stamp === entry.stamp),
      );
      const inOrder = [...kept, ...superseded].toSorted(
        (one, other) => one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id),
      );
      const changes = await changesUpTo(r, await watermarkBehind(r, [id]));
      equal(idsOf(changes), [...idsOf(inOrder), id], "the objects, ordered by change");
      const before = changes.filter(({ kind, id: object }) => kind === "superseded" || object === objectIdOf(4));
      equal(
        pluck(before, "readersBefore"),
        pluck(
          former.toSorted((one, other) => one.stamp - other.stamp),
          "readers",
        ),
        "the readers before",
      );
      const { swept } = await r.objects.changes({ classes: [], after: beforeAllChanges, upTo: 1, limit: 1 });
      equal(swept, 63, "the highest forgotten stamp");
    },

    "never reuses an imported ID, UUID, name or sequence": async ({ storage, r }) => {
      await fill(storage);
      const { id } = await createObject(r);
      isTrue(objectNumber(id) > 3_000_000, `The first ID after the import, ${id}, must be after all imported IDs`);
      const [gone] = ofSection(sampleArchive, "tombstones");
      const again = () => createObject(r, { uuid: gone?.uuid ?? "" });
      await failsWith(307, again, "using the UUID of a deleted object");
      const [forgotten] = ofSection(sampleArchive, "sweptObjects");
      const anew = () => createObject(r, { uuid: forgotten?.uuid ?? "" });
      await failsWith(307, anew, "using the UUID of a forgotten object");
      equal(
        await r.records.put("application", "a", 1, { ifVersion: "none" }),
        "exists",
        "the outcome for an existing record",
      );
      const other = { loginName: "other", userId: id, secret: "" };
      const created = await r.accounts.create({ ...other, administrator: false }, "name 0");
      equal(created, "nameTaken", "the outcome for a confusable name");
      const custom = { ...other, id: "00000000-0000-4000-8000-aaaaaaaaaaaa", email: null };
      equal(
        await r.accounts.create(custom, "like a"),
        "nameTaken",
        "the outcome for a confusable name of a custom account",
      );
      const ids = new Set(ofSection(sampleArchive, "appKeys").map((appKey) => appKey.id));
      for (const name of ["new", "newer"]) {
        const { appKey } = await createAppKey(r, { name });
        isTrue(!ids.has(appKey.id), `The ID of a new app key, ${appKey.id}, must not be that of another`);
        ids.add(appKey.id);
      }
      await r.audit.append(auditEvent);
      const [written] = await r.audit.read(9, 10);
      isTrue((written?.sequence ?? 0) > 30, "The first sequence after the import must be after all imported sequences");
    },

    "never reuses the ID of an imported object above the last one of the archive": async ({ storage, r }) => {
      const low = sampleArchive.map((each) => (each.section === "settings" ? { ...each, lastObject: 1 } : each));
      equal(await importInto(storage, low), "imported", "the outcome of the import");
      isTrue(objectNumber((await createObject(r)).id) > 2_500_000, "The first ID must be after all imported IDs");
    },

    "allows writes to imported data": async ({ storage, r }) => {
      await fill(storage);
      await r.settings.setMaintenance(false);
      const [restored] = await storage.transaction(async (inside) => {
        await inside.deletion.recycledWith("5");
        return inside.deletion.restore([{ id: "5", attributes: {}, links: { Other: ["3"] } }]);
      });
      const { storedAt, ...object } = restored ?? { storedAt: 0 };
      const [{ section: _section, stamp: _stamp, root: _root, deletedBy: _by, ...tombstone } = { section: "" }] =
        ofSection(sampleArchive, "tombstones");
      const attributes = { Name: "recycled", Other: "3" };
      equal({ ...object, storedAt: 0 }, { ...tombstone, attributes, version: 4, storedAt: 0 }, "a restored object");
      isTrue(storedAt > 0, "A restored object must have a time");
      equal(await deleteObjects(storage, ["14"]), 1, "number of deleted objects");
      await r.settings.raise();
      equal((await r.admission.admit(ofDatabase)).settingsGeneration, 5, "the settings generation");
      const [record] = await r.records.get("application", ["a"]);
      const changed = await r.records.put("application", "a", 1, { ifVersion: record?.version ?? 0 });
      equal(changed, "stored", "the outcome of changing a record");
      equal(await r.objects.count({ classes: ["File"] }, allRows), 4, "number of public objects");
    },

    "refuses an import if an object exists": leavesAlone((r) => createObject(r)),
    "refuses an import if an object existed": leavesAlone(async (r, storage) =>
      deleteObjects(storage, [(await createObject(r)).id]),
    ),
    "refuses an import if an app key exists": leavesAlone((r) => createAppKey(r)),
    "refuses an import if a custom account exists": leavesAlone((r) => createCustomAccount(r, { userId: "1" })),
    "refuses an import if an identity link exists": leavesAlone((r) => createLink(r)),
    "refuses an import if a permanent record exists": leavesAlone((r) => r.records.put("sample", "one", 1)),
    "imports despite records with a lifetime, and keeps those records": async ({ storage, r }) => {
      await r.records.put("sample", "one", 1, { lifetime: unlimitedSessions.idleTimeout });
      await fill(storage);
      equal((await r.records.get("sample", ["one"]))[0]?.value, 1, "the record");
    },
    "refuses an import if an audit event exists": leavesAlone((r) => r.audit.append(auditEvent)),
    "refuses an import if an unsettled tally exists": leavesAlone((r) => r.audit.append(auditEvent, "key")),
    "refuses an import if the model was changed": leavesAlone((r) => r.model.change({ put: [] }, 1)),
    "refuses an import after a previous import": leavesAlone((_r, storage) => importInto(storage)),

    "rolls back an import if reading its records fails": async ({ storage, r }) => {
      const before = ofSection(await archived(storage), "classes");
      const error = new Error("cut off");
      for (const cut of [0, 1, 5, sampleArchive.length]) {
        const records = streamed(sampleArchive.slice(0, cut), error);
        await rethrows(error, () => storage.archive.import(records), `an import that fails after ${cut} records`);
        equal(ofSection(await archived(storage), "classes"), before, `the classes after ${cut} records and an error`);
        equal(await r.settings.isEmpty(), true, `whether the database is empty after ${cut} records and an error`);
      }
      await fill(storage);
    },

    "rolls back an import with contradictory records": async ({ storage }) => {
      const unused = "00000000-0000-4000-8000-bbbbbbbbbbbb";
      for (const [what, records] of Object.entries({
        "a duplicate ID": sampleWithObject({ id: objectIdOf(1_000_000) }),
        "a duplicate UUID": sampleWithObject({ uuid: "00000000-0000-4000-8000-000000000003" }),
        "the ID of a deleted object": sampleWithObject({ id: objectIdOf(2_000_000) }),
        "the UUID of a deleted object": sampleWithObject({ uuid: "00000000-0000-4000-8000-000000000005" }),
        "the ID of a forgotten object": sampleWithObject({ id: objectIdOf(2_500_000) }),
        "the ID of a deleted object as forgotten": sampleWith("sweptObjects", -1, {
          id: objectIdOf(2_000_000),
          uuid: unused,
        }),
        "the UUID of a forgotten object": sampleWithObject({ uuid: "00000000-0000-4000-8000-000000000007" }),
        "a duplicate class": sampleWith("classes", 1),
        "duplicate links of an object": sampleWith("links", 0),
        "a duplicate record": sampleWith("records", 1),
        "a duplicate app key": sampleWith("appKeys", 1, { id: "2", name: "z" }),
        "a duplicate confusable name": sampleWith("accounts", 0, { userId: "14", loginName: "other" }),
        "a duplicate custom account": sampleWith("customAccounts", 0, { loginName: "other", confusableKey: "other" }),
        "a duplicate confusable name of a custom account": sampleWith("customAccounts", 0, {
          id: unused,
          loginName: "other",
        }),
      }))
        await refuses(storage, 307, records, what);
      await fill(storage);
    },

    "rolls back an import with unstorable values": async ({ storage }) => {
      const zero = { attributes: '{"a": "\\u0000"}' };
      const large = { attributes: `{"a": "${"x".repeat(1_048_576)}"}` };
      await refuses(storage, 307, sampleWithObject({ className: "a\0b" }), "a class with a zero character");
      await refuses(storage, 307, sampleWithObject(zero), "attributes with a zero character");
      await refuses(storage, 801, sampleWithObject(large), "an object that is too large");
      await fill(storage);
    },

    "runs one import at a time": async ({ storage }) => {
      const { outcome, release } = await beginImport(storage);
      equal(await importInto(storage), "busy", "the outcome of a concurrent import");
      release();
      equal(await outcome, "imported", "the outcome of the first import");
      equal(await archived(storage), sampleArchive, "the content of the database");
    },
  }),

  ...checksOf(
    "archive",
    {
      "runs one import at a time across processes and hides it until it is complete": async ({
        storage,
        another,
        canOvertake,
      }) => {
        const other = await another();
        const before = await archived(other);
        const { outcome, release } = await beginImport(storage);
        const second = await importInto(other);
        if (canOvertake && second === "imported") {
          release();
          await failsWith(706, () => outcome, "an import that another one overtook");
          equal(await archived(other), sampleArchive, "the content seen by another process");
          return;
        }
        equal(second, "busy", "the outcome of an import by another process");
        equal(await archived(other), before, "the content seen by another process");
        equal(await other.repositories.objects.get(["3"], seesAll), [], "the object seen by another process");
        const writing = createObject(other.repositories);
        release();
        equal(await outcome, "imported", "the outcome of the import");
        const { id } = await writing;
        isTrue(objectNumber(id) > 3_000_000, "The ID of a later write must be after all imported IDs");
        equal(await importInto(other), "notEmpty", "the outcome of a later import by another process");
      },
    },
    { needs: "severalProcesses" },
  ),

  ...checksOf(
    "archive",
    {
      "refuses an import before the migration with 705": async ({ storage }) => {
        await failsWith(705, () => importInto(storage), "an import before the migration");
      },
    },
    { migrated: false },
  ),
];
