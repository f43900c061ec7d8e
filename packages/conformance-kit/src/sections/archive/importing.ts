import {
  type ArchiveRecord,
  type Attributes,
  objectIdOf,
  objectNumber,
  type Repositories,
  seesAll,
  type Storage,
} from "@sallyport/core";
import { ConformanceError, equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { accountNamed, createCustomAccount } from "../../fixtures/accounts.ts";
import { archived, ofSection, streamed } from "../../fixtures/archived.ts";
import { changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { createAppKey } from "../../fixtures/create-app-key.ts";
import { createObject, idsOf, takeAway } from "../../fixtures/objects.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { createLink } from "../../fixtures/new-link.ts";
import { generous } from "../../fixtures/policy.ts";
import { sampleArchive } from "../../fixtures/sample-archive.ts";

async function fill({ archive }: Storage): Promise<void> {
  equal(await archive.import(streamed(sampleArchive)), "imported", "the import");
}

/** A stream that tells when it is read for the first time, and goes on when it is let. */
function heldBack(records: readonly ArchiveRecord[]): {
  stream: AsyncIterable<ArchiveRecord>;
  begun: Promise<void>;
  release: () => void;
} {
  let begin = () => {};
  let release = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* read(): AsyncGenerator<ArchiveRecord> {
    yield* records.slice(0, -1);
    begin();
    await released;
    yield* records.slice(-1);
  }
  return { stream: read(), begun, release };
}

/** Demands that nothing changes, and that nothing is read of what was to come. */
function leavesAlone(write: (r: Repositories, storage: Storage) => Promise<unknown>): Check["run"] {
  return async ({ storage, r }) => {
    await write(r, storage);
    const before = await archived(storage);
    const unread: AsyncIterable<ArchiveRecord> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new ConformanceError("Records are read though the database is not empty.")),
      }),
    };
    equal(await storage.archive.import(unread), "notEmpty", "the import");
    equal(await archived(storage), before, "what is there");
  };
}

/** Demands that these records are refused, and that an import succeeds afterwards. */
async function refuses(
  storage: Storage,
  code: 307 | 801,
  records: readonly ArchiveRecord[],
  what: string,
): Promise<void> {
  const before = await archived(storage);
  await failsWith(code, () => storage.archive.import(streamed(records)), what);
  equal(ofSection(await archived(storage), "classes"), ofSection(before, "classes"), `the classes after ${what}`);
  equal(await storage.repositories.settings.isEmpty(), true, `whether the database is empty after ${what}`);
}

/** The sample with another record behind the last one of its section that this changes. */
function sampleWith(changed: (record: ArchiveRecord) => ArchiveRecord | null): ArchiveRecord[] {
  return sampleArchive.flatMap((record) => [record, changed(record) ?? []].flat());
}

const last = <T>(list: readonly T[]): T => list[list.length - 1] as T;

function changedObject(change: object): (record: ArchiveRecord) => ArchiveRecord | null {
  const object = last(ofSection(sampleArchive, "objects"));
  return (record) =>
    record === object
      ? { ...object, id: objectIdOf(1_500_000), uuid: "00000000-0000-4000-8000-ffffffffffff", ...change }
      : null;
}

export const importingChecks: readonly Check[] = [
  ...checksOf("archive", {
    "is the same when it was imported and is exported again": async ({ storage }) => {
      await fill(storage);
      const records = await archived(storage);
      equal(records.length, sampleArchive.length, "how many records there are");
      for (const [index, record] of records.entries()) equal(record, sampleArchive[index], `record ${index}`);
    },

    "is there as if it had been written": async ({ storage, r }) => {
      await fill(storage);
      const { generation, classes } = await r.model.load();
      equal(
        [generation, classes],
        [7, ofSection(sampleArchive, "classes").map(({ definition }) => definition)],
        "the model",
      );
      for (const { id, uuid, className, version, storedAt, readers, attributes } of ofSection(
        sampleArchive,
        "objects",
      )) {
        const object = {
          id,
          uuid,
          className,
          version,
          storedAt,
          readers,
          attributes: JSON.parse(attributes) as Attributes,
        };
        equal(await r.objects.get([id], seesAll), [object], "an object");
        equal(((await r.objects.get({ uuids: [uuid] }, seesAll))[0] ?? null)?.id, id, "the object of a UUID");
      }
      equal(
        await r.objects.count({ classes: ["File"] }, { classes: null, principals: new Set() }),
        4,
        "how many objects everybody may see",
      );
      equal((await r.departures.find({ kind: "id", id: "5" }, seesAll))?.kind, "recycled", "a recycled object");
      const referrers = await r.departures.referrers(["3"], { attributes: null, limit: 10 });
      equal(
        referrers.map(({ id, attribute }) => `${id} ${attribute}`).toSorted(),
        ["14 Files", "14 Other"],
        "who points to an object",
      );
      equal((await accountNamed(r, "Name 1"))?.secret, "$argon2id$1", "the secret of an account");
      const [custom] = ofSection(sampleArchive, "customAccounts");
      equal(
        (await r.accounts.find({ realm: "custom", loginName: "Z" }, [])).account?.secret,
        custom?.secret,
        "the secret of a custom account",
      );
      const history = await r.records.list("passwordHistory", { owner: "user:3", after: null, limit: 10 });
      equal(
        history.map(({ id, value }) => [id, value]),
        [["user:3", ["first", "second", ...hostileTexts]]],
        "the records of an owner",
      );
      const versions = (await r.records.list("application", { after: null, limit: 10 })).map(({ version }) => version);
      equal(new Set(versions).size, 4, "how many versions the records have");
      const [all] = ofSection(sampleArchive, "appKeys");
      const admitted = await r.admission.admit({
        appKey: all?.digest ?? "",
        session: null,
        idleTimeout: generous.idleTimeout,
      });
      equal([admitted.appKey?.id, admitted.maintenance], ["1", true], "what admission says of an app key");
      equal(
        (await r.audit.read(0, 10)).map(({ sequence }) => sequence),
        [7, 9],
        "the audit",
      );
      equal(admitted.macroGeneration, 4, "the generation of macros that admission shows");
    },

    "keeps the order of changes, and stamps what comes later behind all of them": async ({ storage, r }) => {
      await fill(storage);
      const { id } = await createObject(r);
      const kept = [...ofSection(sampleArchive, "objects"), ...ofSection(sampleArchive, "departures")];
      const inOrder = kept.toSorted(
        (one, other) => one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id),
      );
      const watermark = await watermarkBehind(r, [id]);
      equal(
        idsOf(await changesUpTo(r, watermark)),
        [...idsOf(inOrder), id],
        "the objects in the order of their changes",
      );
    },

    "gives no id, UUID, name or sequence a second time": async ({ storage, r }) => {
      await fill(storage);
      const { id } = await createObject(r);
      holds(objectNumber(id) > 3_000_000, `The first id after the import, ${id}, is behind all that were given`);
      const [gone] = ofSection(sampleArchive, "departures");
      await failsWith(
        307,
        () => r.objects.insert([{ className: "File", attributes: {}, uuid: gone?.uuid ?? "" }]),
        "the UUID of an object that is gone",
      );
      equal(await r.records.put("application", "a", 1, { ifVersion: "none" }), "exists", "a record");
      equal(
        await r.accounts.create({ userId: id, loginName: "other", secret: "", administrator: false }, "name 0"),
        "nameTaken",
        "a confusable name",
      );
      const another = {
        id: "00000000-0000-4000-8000-aaaaaaaaaaaa",
        loginName: "other",
        userId: id,
        email: null,
        secret: "",
      };
      equal(await r.accounts.create(another, "like a"), "nameTaken", "a confusable name of a custom account");
      await createAppKey(r, { name: "new" });
      await r.audit.append(auditEvent);
      const [written] = await r.audit.read(9, 10);
      holds((written?.sequence ?? 0) > 30, "The first sequence after the import is behind all that were given");
    },

    "can be worked on at once": async ({ storage, r }) => {
      await fill(storage);
      await r.settings.setMaintenance(false);
      const [restored] = await storage.transaction(async (inside) => {
        await inside.departures.recycledWith("5");
        return inside.departures.restore([{ id: "5", attributes: {}, links: { Other: ["3"] } }]);
      });
      equal([restored?.id, restored?.version], ["5", 4], "an object that has come back");
      equal(await takeAway(storage, ["14"]), 1, "how many objects go");
      await r.settings.raiseMacroGeneration();
      equal((await r.settings.read()).macroGeneration, 5, "the generation of macros");
      const [known] = await r.records.get("application", ["a"]);
      const changed = await r.records.put("application", "a", 1, { ifVersion: known?.version ?? 0 });
      equal(changed, "stored", "a change of a record");
      const seen = await r.objects.count({ classes: ["File"] }, { classes: null, principals: new Set() });
      equal(seen, 4, "how many objects everybody may see");
    },

    "is refused when there is an object": leavesAlone((r) => createObject(r)),
    "is refused when there was an object": leavesAlone(async (r, storage) =>
      takeAway(storage, [(await createObject(r)).id]),
    ),
    "is refused when there is an app key": leavesAlone((r) => createAppKey(r)),
    "is refused when there is a custom account": leavesAlone((r) => createCustomAccount(r, { userId: "1" })),
    "is refused when there is a link": leavesAlone((r) => createLink(r)),
    "is refused when there is a record that stays": leavesAlone((r) => r.records.put("sample", "one", 1)),
    "is not kept from a database by records that have a lifetime, and leaves them": async ({ storage, r }) => {
      await r.records.put("sample", "one", 1, { lifetime: generous.idleTimeout });
      await fill(storage);
      equal((await r.records.get("sample", ["one"]))[0]?.value, 1, "the record");
    },
    "is refused when there is an audit": leavesAlone((r) => r.audit.append(auditEvent)),
    "is refused when attempts are counted": leavesAlone((r) => r.audit.tally("key", auditEvent)),
    "is refused when the model was changed": leavesAlone((r) => r.model.change({ put: [] }, 1)),
    "is refused when there was an import": leavesAlone((_r, storage) =>
      storage.archive.import(streamed(sampleArchive)),
    ),

    "leaves nothing behind when the records end with an error": async ({ storage, r }) => {
      const before = ofSection(await archived(storage), "classes");
      const error = new Error("cut off");
      for (const cut of [0, 1, 5, sampleArchive.length]) {
        const outcome = await storage.archive
          .import(streamed(sampleArchive.slice(0, cut), error))
          .catch((reason: unknown) => reason);
        holds(outcome === error, `The error after ${cut} records comes out unchanged`);
        equal(ofSection(await archived(storage), "classes"), before, `the classes after ${cut} records and an error`);
        equal(await r.settings.isEmpty(), true, `whether the database is empty after ${cut} records and an error`);
      }
      await fill(storage);
    },

    "leaves nothing behind of records that contradict one another": async ({ storage }) => {
      const [account] = ofSection(sampleArchive, "accounts");
      const [custom] = ofSection(sampleArchive, "customAccounts");
      const unused = "00000000-0000-4000-8000-bbbbbbbbbbbb";
      const twice: readonly (readonly [string, (record: ArchiveRecord) => ArchiveRecord | null])[] = [
        ["an id twice", changedObject({ id: objectIdOf(1_000_000) })],
        ["a UUID twice", changedObject({ uuid: "00000000-0000-4000-8000-000000000003" })],
        ["an id of an object that is gone", changedObject({ id: objectIdOf(2_000_000) })],
        ["a UUID of an object that is gone", changedObject({ uuid: "00000000-0000-4000-8000-000000000005" })],
        [
          "a class twice",
          (record) => (record.section === "classes" && record.definition.name === "File" ? record : null),
        ],
        ["a record twice", (record) => (record.section === "records" && record.id === "a" ? record : null)],
        [
          "an app key twice",
          (record) =>
            record.section === "appKeys" && record.name === "some" ? { ...record, id: "2", name: "z" } : null,
        ],
        [
          "a confusable name twice",
          (record) => (record === account ? { ...account, userId: "14", loginName: "other" } : null),
        ],
        [
          "a custom account twice",
          (record) => (record === custom ? { ...custom, loginName: "other", confusableKey: "other" } : null),
        ],
        [
          "a confusable name of a custom account twice",
          (record) => (record === custom ? { ...custom, id: unused, loginName: "other" } : null),
        ],
      ];
      for (const [what, changed] of twice) await refuses(storage, 307, sampleWith(changed), what);
      await fill(storage);
    },

    "leaves nothing behind of what cannot be stored": async ({ storage }) => {
      await refuses(storage, 307, sampleWith(changedObject({ className: "a\0b" })), "a class with a zero character");
      await refuses(
        storage,
        307,
        sampleWith(changedObject({ attributes: '{"a": "\\u0000"}' })),
        "attributes with a zero character",
      );
      await refuses(
        storage,
        801,
        sampleWith(changedObject({ attributes: `{"a": "${"x".repeat(1_048_576)}"}` })),
        "an object that is too large",
      );
      await fill(storage);
    },

    "is one at a time": async ({ storage }) => {
      const { stream, begun, release } = heldBack(sampleArchive);
      const first = storage.archive.import(stream);
      await Promise.race([begun, first]);
      equal(await storage.archive.import(streamed(sampleArchive)), "busy", "a second import at the same time");
      release();
      equal(await first, "imported", "the first import");
      equal(await archived(storage), sampleArchive, "what is there");
    },
  }),

  ...checksOf(
    "archive",
    {
      "is one at a time for all, and seen by nobody before it is whole": async ({ storage, another }) => {
        const other = await another();
        const before = await archived(other);
        const { stream, begun, release } = heldBack(sampleArchive);
        const first = storage.archive.import(stream);
        await Promise.race([begun, first]);
        equal(await other.archive.import(streamed(sampleArchive)), "busy", "an import by another process");
        equal(await archived(other), before, "what another process sees");
        equal(await other.repositories.objects.get(["3"], seesAll), [], "the object that another process sees");
        const writing = createObject(other.repositories);
        release();
        equal(await first, "imported", "the import");
        holds(
          objectNumber((await writing).id) > 3_000_000,
          "What was written meanwhile has an id behind all that were given",
        );
        equal(
          await other.archive.import(streamed(sampleArchive)),
          "notEmpty",
          "an import by another process afterwards",
        );
      },
    },
    { needs: "severalProcesses" },
  ),

  ...checksOf(
    "archive",
    {
      "is not imported with 705 before the migration": async ({ storage }) => {
        await failsWith(705, () => storage.archive.import(streamed(sampleArchive)), "an import before the migration");
      },
    },
    { migrated: false },
  ),
];
