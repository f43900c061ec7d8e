import {
  type Attempt,
  beforeAllChanges,
  type Change,
  type Repositories,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { equal, equalInAnyOrder, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { createObject, files, idsOf, objectOf } from "../../fixtures/objects.ts";
import { pseudoRandom } from "../../fixtures/digests.ts";
import { rollBackNested } from "../../fixtures/rolled-back.ts";
import { concurrently, keepOpen, repeatWhilePending, whileOpen } from "../../fixtures/concurrently.ts";

/** The watermark and all changes up to it. */
async function lookAt(r: Repositories): Promise<{ watermark: number; changes: Change[] }> {
  const watermark = await r.objects.watermark();
  return { watermark, changes: await changesUpTo(r, watermark) };
}

/** Asserts that an open transaction never adds changes up to a watermark that was already read. */
async function overlap(storage: Storage, other: Storage, end: "committed" | "rolled back"): Promise<void> {
  const created: string[] = [];
  const insert = async (r: Repositories, count: number) => idsOf(await r.objects.insert(files(count)));
  for (let round = 0; round < 4; round += 1) {
    // A transaction that runs again gives other IDs.
    let own: string[] = [];
    const seen = await whileOpen(
      storage,
      async (inside) => (own = await insert(inside, 2)),
      async () => {
        created.push(...(await insert(other.repositories, 1)));
        return lookAt(other.repositories);
      },
      { end },
    );
    if (end === "committed") created.push(...own);
    equal(
      await changesUpTo(other.repositories, seen.watermark),
      seen.changes,
      "the changes up to the watermark, read again",
    );
    const watermark = await watermarkBehind(other.repositories, created);
    equalInAnyOrder(
      idsOf(await changesUpTo(storage.repositories, watermark)),
      created,
      "the IDs of the changed objects",
    );
  }
}

/** Asserts that a transaction never adds changes up to a watermark that was read after its start and before its first write of an object. */
async function begin(storage: Storage, other: Storage): Promise<void> {
  const starts: ((r: Repositories, attempt: Attempt) => Promise<unknown>)[] = [
    (r) => r.audit.read(0, 1),
    (r) => new Applications(r.records).create({ name: "before", seats: null }),
    (r, attempt) => rollBackNested(attempt, () => r.objects.insert(files(1))),
  ];
  const created: string[] = [];
  for (const start of starts) {
    let own: string[] = [];
    const insert = async (r: Repositories) => idsOf(await r.objects.insert(files(1)));
    const others = async () => {
      created.push(...(await insert(other.repositories)));
      return lookAt(other.repositories);
    };
    const seen = await whileOpen(storage, start, others, { last: async (inside) => (own = await insert(inside)) });
    created.push(...own);
    const { repositories: reader } = other;
    equal(await changesUpTo(reader, seen.watermark), seen.changes, "the changes up to the watermark, read again");
    const watermark = await watermarkBehind(reader, created);
    equalInAnyOrder(idsOf(await changesUpTo(reader, watermark)), created, "the IDs of the changed objects");
  }
}

/** The transactions of one writer: they create objects, update a shared one, or roll back. Returns the ids. */
async function write(storage: Storage, writer: number, shared: string): Promise<string[]> {
  const random = pseudoRandom(writer);
  const rollbackSignal = new Error("rolled back");
  const kept: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const [sizes, pauses, chance] = [[random(3), random(3)], [random(20), random(20)], random(2)];
    const changes = round % 2 === 0;
    const work = async (r: Repositories) => {
      const created: StoredObject[] = [];
      for (const [index, size] of sizes.entries()) {
        created.push(...(await r.objects.insert(files(size))));
        await keepOpen(r, pauses[index] ?? 0);
      }
      if (changes) await r.objects.update([changeOf(shared, { by: writer })], { session: null });
      if (!changes && chance === 0) throw rollbackSignal;
      return idsOf(created);
    };
    const ids = await storage.transaction(work).catch((error: unknown) => {
      if (error !== rollbackSignal) throw error;
      return [];
    });
    kept.push(...ids, ...idsOf(await storage.repositories.objects.insert(files(random(2)))));
  }
  return kept;
}

/** Writers with overlapping transactions, and a reader that follows their changes. */
async function follow(storages: readonly [Storage, Storage]): Promise<void> {
  const [{ repositories: reader }] = storages;
  const shared = await createObject(reader);
  const followed: Change[] = [];
  let reached = beforeAllChanges.stamp;
  const readOn = async (): Promise<void> => {
    const watermark = await reader.objects.watermark();
    isTrue(watermark >= reached, `The watermark ${watermark} must not be below ${reached}`);
    followed.push(...(await changesUpTo(reader, watermark, { stamp: reached, id: null }, 5)));
    reached = watermark;
  };

  const kept = await repeatWhilePending(
    concurrently(6, (writer) => write(storages[writer % 2] as Storage, writer, shared.id)),
    readOn,
  );
  const all = [shared.id, ...kept.flat()];
  await watermarkBehind(reader, all);
  await readOn();
  equalInAnyOrder(
    idsOf(followed.filter(({ id }) => id !== shared.id)),
    all.slice(1),
    "the IDs of the new objects in the followed changes",
  );
  const versions = followed.filter(({ id }) => id === shared.id).map(({ version }) => version);
  equal(
    versions,
    [...new Set(versions)].toSorted((one, other) => one - other),
    "the versions of the changed object, each once",
  );
  equal(versions.at(-1), (await objectOf(reader, shared.id))?.version, "the last followed version");
  equal(
    await changesUpTo(reader, reached),
    followed.filter(({ id, version }) => id !== shared.id || version === versions.at(-1)),
    "all changes, read from the beginning",
  );
}

const withinOne = checksOf("changes", {
  "never adds changes below a watermark that was read during an open transaction": ({ storage }) =>
    overlap(storage, storage, "committed"),

  "gives the first write of a transaction a stamp above all watermarks so far": ({ storage }) =>
    begin(storage, storage),

  "hides changes of rolled-back transactions without delaying others": ({ storage }) =>
    overlap(storage, storage, "rolled back"),

  "gives a follower every change once during concurrent writes": ({ storage }) => follow([storage, storage]),

  "gives the changes of one transaction the same stamp and shows them together": async ({ storage, r }) => {
    const looks: Change[][] = [];
    const writing = storage.transaction(async (inside) => {
      const ids: string[] = [];
      for (let step = 0; step < 3; step += 1) {
        ids.push(...idsOf(await inside.objects.insert(files(2))));
        await keepOpen(inside, 30);
      }
      return ids;
    });
    const created = await repeatWhilePending(writing, async () => looks.push((await lookAt(r)).changes));
    const last = await changesUpTo(r, await watermarkBehind(r, created));
    for (const changes of [...looks.filter(({ length }) => length > 0), last])
      equal(idsOf(changes), created, "the IDs of the changed objects");
    equal(new Set(last.map(({ stamp }) => stamp)).size, 1, "number of different stamps");
  },
});

const concurrencyChecks = checksOf(
  "changes",
  {
    "never adds changes below a watermark that another process read during an open transaction": async ({
      storage,
      another,
    }) => overlap(storage, await another(), "committed"),

    "gives the first write of a transaction a stamp above all watermarks of other processes": async ({
      storage,
      another,
    }) => begin(storage, await another()),

    "gives a follower every change once during writes by several processes": async ({ storage, another }) =>
      follow([storage, await another()]),
  },
  { needs: "severalProcesses" },
);

export const changeInterleavingChecks: readonly Check[] = [...withinOne, ...concurrencyChecks];
