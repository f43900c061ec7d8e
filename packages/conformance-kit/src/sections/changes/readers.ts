import {
  beforeAllChanges,
  type Change,
  isVisible,
  type ObjectId,
  type Repositories,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { sequentially } from "../../fixtures/concurrently.ts";
import { pseudoRandom } from "../../fixtures/digests.ts";
import { rowsOf } from "../../fixtures/lists.ts";
import { minute } from "../../fixtures/policy.ts";
import {
  changesSince,
  createInOneCall,
  createObject,
  deleteObjects,
  idsOf,
  noSession,
  restoreObjects,
  update,
} from "../../fixtures/objects.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";

type Readers = readonly ObjectId[] | null;

/** Sets the readers of an object several times. Each call is its own transaction outside of one. */
async function setReaders(r: Repositories, id: ObjectId, ...lists: readonly Readers[]): Promise<void> {
  await sequentially(lists, (readers) => update(r, id, {}, { readers }));
}

/** The kinds and readers of the changes of one object, after `stamp`. */
async function feedOf(r: Repositories, id: ObjectId, stamp = 0): Promise<unknown[][]> {
  const { id: last } = await createObject(r);
  const changes = await changesUpTo(r, await watermarkBehind(r, [last]), { stamp, id: null });
  return rowsOf(
    changes.filter((change) => change.id === id),
    "kind",
    "readers",
    "readersBefore",
  );
}

/** Deletes an object within an open transaction. */
async function deleteInside({ deletion }: Repositories, id: ObjectId, recycled = false): Promise<void> {
  await deletion.lock([id]);
  await deletion.delete([id], { recycled, root: id });
}

/** A client that follows the changes of what the principals can read. */
class Follower {
  readonly held = new Set<ObjectId>();
  /** Everything that a commit has ever shown to the principals. */
  readonly shown = new Set<ObjectId>();
  private reached = beforeAllChanges.stamp;

  constructor(private readonly principals: ReadonlySet<ObjectId>) {}

  canRead(className: string, readers: Readers): boolean {
    return isVisible({ className, readers }, { classes: null, principals: this.principals });
  }

  /** Reads on in pages of one class after another. `between` runs after each page. */
  async follow(r: Repositories, between: () => Promise<unknown>): Promise<void> {
    const upTo = await r.objects.watermark();
    const start = this.reached;
    for (let after = { stamp: start, id: null as ObjectId | null }; ; ) {
      const { changes, swept } = await r.objects.changes({ classes: ["File", "Image"], after, upTo, limit: 2 });
      if (start > 0 && after.stamp < swept) {
        this.held.clear();
        this.reached = 0;
        return this.follow(r, between);
      }
      for (const change of changes) this.take(change, start === 0);
      const last = changes.at(-1);
      if (last === undefined) break;
      after = { stamp: last.stamp, id: last.id };
      await between();
    }
    this.reached = upTo;
  }

  private take({ id, className, kind, readers, readersBefore }: Change, isFirst: boolean): void {
    const reads = this.canRead(className, readers);
    if (kind === "stored" && reads) {
      this.held.add(id);
      return;
    }
    if (isFirst || !this.canRead(className, readersBefore) || (kind === "superseded" && reads)) return;
    isTrue(this.shown.has(id), `A follower must not learn of ${id}, which it never could read (${kind})`);
    this.held.delete(id);
  }
}

/** Random writes, each of one transaction, which keep track of what every follower could read after it. */
class Writer {
  readonly live = new Map<ObjectId, StoredObject>();
  private readonly recycled = new Map<ObjectId, StoredObject>();

  constructor(
    private readonly storage: Storage,
    private readonly followers: readonly Follower[],
    private readonly random: (limit: number) => number,
  ) {}

  async write(): Promise<void> {
    const steps = Array.from({ length: 1 + this.random(3) }, () => this.random(12));
    const [live, recycled] = [new Map(this.live), new Map(this.recycled)];
    await this.storage.transaction(async (r) => {
      for (const step of steps) await this.step(r, step, live, recycled);
    });
    for (const [mine, now] of [
      [this.live, live],
      [this.recycled, recycled],
    ] as const) {
      mine.clear();
      for (const [id, object] of now) mine.set(id, object);
      for (const { id, className, readers } of now.values())
        for (const follower of this.followers) if (follower.canRead(className, readers)) follower.shown.add(id);
    }
  }

  private async step(
    r: Repositories,
    step: number,
    live: Map<ObjectId, StoredObject>,
    recycled: Map<ObjectId, StoredObject>,
  ): Promise<void> {
    const readers = [null, null, [], ["A"], ["B"], ["A", "B"], ["C"]][this.random(7)] as Readers;
    // A few objects change often.
    const chosen = [...live.values()].slice(-4)[this.random(Math.min(live.size, 4))];
    const gone = [...recycled.values()].slice(-2)[this.random(Math.min(recycled.size, 2))];
    if (step < 3 || (chosen === undefined && step < 11)) {
      const created = await createObject(r, { className: step === 0 ? "Image" : "File", readers });
      live.set(created.id, created);
    } else if (step < 8 && chosen !== undefined) {
      const [changed] = await r.objects.update([changeOf(chosen.id, {}, { readers })], noSession);
      if (changed !== undefined) live.set(chosen.id, changed);
    } else if (step < 9 && chosen !== undefined) {
      await update(r, chosen.id, { Name: "new" });
    } else if (step < 11 && chosen !== undefined) {
      await deleteInside(r, chosen.id, step === 10);
      live.delete(chosen.id);
      if (step === 10) recycled.set(chosen.id, chosen);
    } else if (gone !== undefined) {
      await r.deletion.recycledWith(gone.id);
      if (this.random(2) === 0) await r.deletion.purge([gone.id]);
      else live.set(gone.id, (await r.deletion.restore([{ id: gone.id, attributes: {}, links: {} }]))[0] ?? gone);
      recycled.delete(gone.id);
    }
  }
}

/** Followers of random writes must hold exactly what they can read, and learn of nothing else. */
async function followReaders(storage: Storage, sweep: () => Promise<unknown>): Promise<void> {
  const { repositories: r } = storage;
  const random = pseudoRandom(7);
  const followers = [["A"], ["B"], ["A", "C"], ["D"]].map((principals) => new Follower(new Set(principals)));
  const writer = new Writer(storage, followers, random);
  for (let round = 1; round <= 80; round += 1) {
    await writer.write();
    const follower = followers[random(followers.length)];
    if (random(3) === 0) await follower?.follow(r, async () => random(3) === 0 && writer.write());
    if (round > 60 && random(5) === 0) await sweep();
    if (round % 20 > 0) continue;
    await watermarkBehind(r, [...writer.live.keys()]);
    for (const [index, each] of followers.entries()) {
      await each.follow(r, async () => {});
      const readable = [...writer.live.values()].filter(({ className, readers }) => each.canRead(className, readers));
      equal(
        [...each.held].toSorted(),
        idsOf(readable).toSorted(),
        `what follower ${index} holds after ${round} rounds`,
      );
    }
  }
}

export const changeReadersChecks: readonly Check[] = checksOf("changes", {
  "reports a change if only the readers of an object change": async ({ r }) => {
    const [first, second] = await createInOneCall(r, {}, {});
    const reached = await watermarkBehind(r, idsOf([first, second]));
    for (const readers of [["A1"], [], null]) await update(r, first.id, {}, { readers });
    const { last, changes } = await changesSince(r, reached);
    equal(
      rowsOf(changes, "id", "version", "kind"),
      [
        [first.id, 4, "superseded"],
        [first.id, 4, "superseded"],
        [first.id, 4, "stored"],
        [last.id, 1, "stored"],
      ],
      "the changes after the updates",
    );
  },

  "reports current readers, and none before the creation": async ({ r }) => {
    const [open, restricted, hidden] = await createInOneCall(r, {}, { readers: ["A1", "B2"] }, { readers: [] });
    equal(await feedOf(r, open.id), [["stored", null, []]], "the changes of an open object");
    equal(await feedOf(r, restricted.id), [["stored", ["A1", "B2"], []]], "the changes of a restricted object");
    equal(await feedOf(r, hidden.id), [["stored", [], []]], "the changes of a hidden object");
    for (const { id } of [open, restricted, hidden]) await update(r, id, { Name: "new" });
    equal(await feedOf(r, open.id), [["stored", null, null]], "the changes of an open object after an update");
    equal(
      await feedOf(r, restricted.id),
      [["stored", ["A1", "B2"], ["A1", "B2"]]],
      "the changes of a restricted object after an update",
    );
  },

  "reports the readers before a change of readers, also after a later change": async ({ r }) => {
    const { id } = await createObject(r);
    await setReaders(r, id, ["A1", "B2"]);
    equal(await feedOf(r, id), [["stored", ["A1", "B2"], null]], "the changes after a restriction");
    await update(r, id, { Name: "new" });
    const superseded = ["superseded", ["A1", "B2"], null];
    equal(await feedOf(r, id), [superseded, ["stored", ["A1", "B2"], ["A1", "B2"]]], "the changes after an update");
    await setReaders(r, id, ["B2"]);
    await update(r, id, { Name: "newer" });
    equal(
      await feedOf(r, id),
      [
        ["superseded", ["B2"], null],
        ["superseded", ["B2"], ["A1", "B2"]],
        ["stored", ["B2"], ["B2"]],
      ],
      "the changes after a second restriction",
    );
  },

  "gives each superseded change its own place, the class and the current version": async ({ r }) => {
    const { id, uuid } = await createObject(r, { className: "Image" });
    await setReaders(r, id, ["A1"], []);
    const upTo = await watermarkBehind(r, [id, (await createObject(r)).id]);
    const all = await changesUpTo(r, upTo, beforeAllChanges, 1, ["Image"]);
    const same = [id, uuid, "Image", 3];
    equal(rowsOf(all, "id", "uuid", "className", "version"), [same, same], "the changes");
    const expected = [
      ["superseded", null],
      ["stored", ["A1"]],
    ];
    equal(rowsOf(all, "kind", "readersBefore"), expected, "the kinds and the readers before");
    isTrue((all[0]?.stamp ?? 0) < (all[1]?.stamp ?? 0), "Each change must have its own stamp");
  },

  "keeps each reader in the last change that ended its access": async ({ r }) => {
    const { id } = await createObject(r, { readers: ["A1", "B2"] });
    await setReaders(r, id, ["A1"], ["B2"], ["A1"], []);
    await update(r, id, {});
    equal(
      await feedOf(r, id),
      [
        ["superseded", [], ["B2"]],
        ["superseded", [], ["A1"]],
        ["stored", [], []],
      ],
      "the changes",
    );
  },

  "takes nothing back if readers are added again": async ({ r }) => {
    const { id } = await createObject(r);
    await setReaders(r, id, ["A1"], null);
    await update(r, id, {});
    equal(
      await feedOf(r, id),
      [
        ["superseded", null, null],
        ["superseded", null, ["A1"]],
        ["stored", null, null],
      ],
      "the changes",
    );
  },

  "reports the readers before the whole transaction": async ({ storage, r }) => {
    const [open, own] = await createInOneCall(r, {}, { readers: ["A1"] });
    await storage.transaction(async (inside) => {
      await update(inside, open.id, { Name: "new" });
      await setReaders(inside, open.id, ["A1"], ["B2"]);
      await setReaders(inside, own.id, null, ["B2"], ["B2", "C3"]);
    });
    equal(await feedOf(r, open.id), [["stored", ["B2"], null]], "the changes of an open object");
    equal(await feedOf(r, own.id), [["stored", ["B2", "C3"], ["A1"]]], "the changes of a restricted object");
    const created = await storage.transaction(async (inside) => {
      const object = await createObject(inside);
      await update(inside, object.id, { Name: "new" });
      await setReaders(inside, object.id, ["A1"]);
      return object;
    });
    equal(await feedOf(r, created.id), [["stored", ["A1"], []]], "the changes of a new object");
  },

  "reports the readers of deleted objects, and those before": async ({ storage, r }) => {
    const [first, second, third] = await createInOneCall(r, { readers: ["A1"] }, { readers: ["A1"] }, {});
    await deleteObjects(storage, [first.id]);
    equal(await feedOf(r, first.id), [["deleted", ["A1"], ["A1"]]], "the changes of a deleted object");
    await storage.transaction(async (inside) => {
      await setReaders(inside, second.id, null);
      await deleteInside(inside, second.id);
    });
    equal(await feedOf(r, second.id), [["deleted", null, ["A1"]]], "the changes of one opened before");
    await setReaders(r, third.id, ["A1"]);
    await deleteObjects(storage, [third.id], true);
    const superseded = ["superseded", ["A1"], null];
    equal(
      await feedOf(r, third.id),
      [superseded, ["recycled", ["A1"], ["A1"]]],
      "the changes of one restricted before",
    );
    const created = await storage.transaction(async (inside) => {
      const object = await createObject(inside);
      await deleteInside(inside, object.id);
      return object;
    });
    equal(await feedOf(r, created.id), [["deleted", null, []]], "the changes of one that no user could read");
  },

  "tells which changes let others than before see an object": async ({ storage, r }) => {
    const { id } = await createObject(r);
    const revealing = async () => {
      const { changes } = await changesSince(r, 0);
      return rowsOf(
        changes.filter((change) => change.id === id),
        "kind",
        "reveals",
      );
    };
    equal(await revealing(), [["stored", false]], "a new object");
    await deleteObjects(storage, [id], true);
    equal(await revealing(), [["recycled", false]], "a deleted object");
    await restoreObjects(storage, id);
    equal(await revealing(), [["stored", true]], "a restored object");
    await update(r, id, { Name: "new" });
    const written = [
      ["superseded", true],
      ["stored", false],
    ];
    equal(await revealing(), written, "a restored object after an update");
    await setReaders(r, id, ["A1"]);
    equal(await revealing(), [["stored", true]], "an object with other readers");
  },

  "keeps readers before through the recycle bin": async ({ storage, r }) => {
    const { id } = await createObject(r);
    await setReaders(r, id, ["A1"]);
    await deleteObjects(storage, [id], true);
    await restoreObjects(storage, id);
    const superseded = ["superseded", ["A1"], null];
    equal(await feedOf(r, id), [superseded, ["stored", ["A1"], ["A1"]]], "the changes after the restoration");
    await deleteObjects(storage, [id], true);
    await storage.transaction(async (inside) => {
      await inside.deletion.recycledWith(id);
      await inside.deletion.restore([{ id, attributes: {}, links: {} }]);
      await setReaders(inside, id, ["B2"]);
    });
    equal(
      await feedOf(r, id),
      [
        ["superseded", ["B2"], null],
        ["stored", ["B2"], ["A1"]],
      ],
      "the changes after a restoration for other readers",
    );
  },

  "forgets readers before with their rolled-back transaction": async ({ storage, r }) => {
    const { id } = await createObject(r);
    await rolledBack(storage, (inside) => setReaders(inside, id, ["A1"]));
    await storage.transaction(async (inside, attempt) => {
      const failed = attempt(async () => {
        await setReaders(inside, id, ["B2"]);
        throw new Error("rolled back");
      });
      await failed.catch(() => {});
      await update(inside, id, {});
    });
    equal(await feedOf(r, id), [["stored", null, null]], "the changes");
  },

  "reports no readers before for readers that stay": async ({ r }) => {
    const { id } = await createObject(r, { readers: ["A1"] });
    await setReaders(r, id, ["A1"], ["A1"]);
    await update(r, id, {});
    equal(await feedOf(r, id), [["stored", ["A1"], ["A1"]]], "the changes");
  },

  "lets each follower hold what it can read, and learn of nothing else": async ({ storage, r, advance }) => {
    await followReaders(storage, async () => {
      advance(minute);
      await r.deletion.sweep(minute, 1_000);
    });
  },
});
