import { setImmediate as turn } from "node:timers/promises";
import { type ArchiveRecord, maxChunk, type Storage } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { archived, ofSection } from "../../fixtures/archived.ts";
import { createAppKey } from "../../fixtures/apps.ts";
import { createCustomAccount, createUser, createUserObject } from "../../fixtures/accounts.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { createLink } from "../../fixtures/new-link.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { deleteObjects, files, idsOf, restoreObjects, update } from "../../fixtures/objects.ts";

/** Writes at least one record of every archive section. */
async function writeEverything({ repositories: r }: Storage): Promise<void> {
  await r.settings.setMaintenance(true);
  await r.settings.raise();
  await r.records.put("sample", "late", 1);
  await createAppKey(r);
  await createUser(r, { loginName: "late" });
  await createCustomAccount(r, { loginName: "late" });
  await createLink(r);
  await r.audit.append(auditEvent);
  await r.audit.append(auditEvent, "late");
  const { generation } = await r.model.load();
  await r.model.change({ put: [{ name: "Late", base: null, attributes: [], rights: [] }] }, generation);
}

/** Exports a storage and calls a function after the first part. */
async function exportAround({ archive }: Storage, onStart: () => unknown): Promise<ArchiveRecord[]> {
  const records: ArchiveRecord[] = [];
  for await (const part of archive.export()) {
    if (records.length === 0) await onStart();
    records.push(...part);
  }
  return records;
}

/** Reads this many parts, then ends the iteration. */
async function readParts({ archive }: Storage, count: number): Promise<void> {
  const reading = archive.export()[Symbol.asyncIterator]();
  for (let read = 0; read < count; read += 1) await reading.next();
  await reading.return?.();
}

export const exportingChecks: readonly Check[] = [
  ...checksOf("archive", {
    "exports one consistent snapshot during concurrent writes": async ({ storage, r }) => {
      await r.objects.insert(files(3));
      const before = await archived(storage);
      let writing: Promise<void> = Promise.resolve();
      const read = await exportAround(storage, async () => {
        // Not awaited: a storage with one connection delays the write until the export ends.
        writing = writeEverything(storage);
        for (let turns = 0; turns < 20; turns += 1) await turn();
      });
      equal(read, before, "the export");
      await writing;
      isTrue(
        (await archived(storage)).length > before.length,
        "A later export must contain the writes made during the first one",
      );
    },

    "exports in non-empty, bounded parts of one section each": async ({ storage, r }) => {
      const text = "x".repeat(400_000);
      for (let batch = 0; batch < 5; batch += 1) await r.objects.insert(files(500));
      await r.objects.insert(Array.from({ length: 7 }, () => ({ className: "File", attributes: { text } })));
      let objects = 0;
      for await (const part of storage.archive.export()) {
        equal(new Set(part.map(({ section }) => section)).size, 1, "number of sections in a part");
        isTrue(part.length <= maxChunk.records, `A part must have at most ${maxChunk.records} records`);
        const characters = part
          .slice(0, -1)
          .map((record) => ("attributes" in record ? (record.attributes?.length ?? 0) : 0));
        isTrue(
          characters.reduce((sum, each) => sum + each, 0) < maxChunk.characters,
          "A part must end after one mebibyte of attributes",
        );
        objects += part.filter(({ section }) => section === "objects").length;
      }
      equal(objects, 2_507, "number of objects");
    },

    "allows the caller to stop an export at any point": async ({ storage, r }) => {
      await r.objects.insert(files(3));
      for (let place = 0; place < 4; place += 1) {
        await readParts(storage, place);
        await r.objects.insert(files(1));
      }
      equal(ofSection(await archived(storage), "objects").length, 7, "number of objects");
      await readParts(storage, 1);
      await storage.close();
      await failsWith(706, () => archived(storage), "an export after close");
    },
  }),

  ...checksOf("archive", {
    "exports accounts, links and readers of before in numeric order, however they came about": async ({
      storage,
      r,
    }) => {
      // Ids with letters, whose order is not that of numbers.
      const [one = "", two = "", low = "", high = ""] = idsOf(await r.objects.insert(files(14))).slice(10);
      const links = { Team: [high, low] };
      for (const id of [one, two]) await update(r, id, links, { links });
      await deleteObjects(storage, [one], true);
      await restoreObjects(storage, one, { links });
      for (const id of [high, low]) await update(r, id, {}, { readers: ["A1"] });
      const users = [await createUserObject(r), await createUserObject(r)];
      for (const userId of users.toReversed())
        await r.accounts.create({ userId, loginName: `name ${userId}`, secret: "secret" }, `key ${userId}`);
      const records = await archived(storage);
      equal(pluck(ofSection(records, "accounts"), "userId"), users, "the accounts");
      const inOrder = { Team: [low, high] };
      equal(
        rowsOf(ofSection(records, "links"), "id", "links"),
        [one, two].map((id) => [id, inOrder]),
        "the links",
      );
      equal(idsOf(ofSection(records, "formerReaders")), [one, low, high], "the readers of before");
    },
  }),

  ...checksOf(
    "archive",
    {
      "excludes concurrent commits from an export": async ({ storage, r, another }) => {
        await r.objects.insert(files(3));
        const before = await archived(storage);
        const other = await another();
        const read = await exportAround(storage, async () => {
          await writeEverything(other);
          await other.repositories.objects.insert(files(2_500));
          await deleteObjects(other, idsOf(ofSection(before, "objects")));
        });
        equal(read, before, "the export");
        equal(ofSection(await archived(storage), "tombstones").length, 3, "number of objects that are gone afterwards");
      },
    },
    { needs: "severalProcesses" },
  ),

  ...checksOf(
    "archive",
    {
      "refuses an export before the migration with 705": async ({ storage }) =>
        failsWith(705, () => archived(storage), "an export before the migration"),
    },
    { migrated: false },
  ),
];
