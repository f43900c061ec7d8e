import { type Repositories, seesAll, type Storage, type StoredObject } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { concurrently, occurrences } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import {
  restoreObjects,
  createObject,
  createObjects,
  tombstoneOf,
  linking,
  referrersOf,
  deleteObjects,
  update,
} from "../../fixtures/objects.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const rounds = 10;

/** One round of a race between a deletion and another operation, on two storages or on one. */
type Race = (deleter: Storage, other: Storage, round: number) => Promise<void>;

/** Starts two calls concurrently, in reverse order in every second round. */
async function inTurns<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const second = other();
  return Promise.all([one(), second]);
}

async function isThere(r: Repositories, id: string): Promise<boolean> {
  return (await r.objects.get([id], seesAll)).length > 0;
}

/** Deletes an object without referrers and without a lock. Returns whether it was deleted. */
function deleteFree(storage: Storage, id: string): Promise<boolean> {
  return storage.transaction(async (r) => {
    const [locked] = await r.deletion.lock([id]);
    if (locked === undefined || locked.lockedBy !== null || (await referrersOf(r, [id])).length > 0) return false;
    await r.deletion.delete([id], { recycled: false, root: id });
    return true;
  });
}

/** Restores an object. Keeps its reference to a target that still exists. */
function restore(storage: Storage, { id: source }: StoredObject, target: StoredObject): Promise<StoredObject[]> {
  return storage.transaction(async ({ deletion }) => {
    const group = await deletion.recycledWith(source);
    const survivors = (await deletion.targets([target.id])).flatMap(({ id, exists }) => (exists ? id : []));
    const changes = { attributes: { Boss: survivors[0] ?? null }, links: { Boss: survivors } };
    return deletion.restore(group.map(({ id }) => ({ id, ...changes })));
  });
}

const races: { readonly [name: string]: Race } = {
  "serializes a deletion with new references to its target": async (deleter, { repositories: r }, round) => {
    const [target, source] = await createObjects(r, {}, {});
    const toTarget = linking({ Boss: target.id });
    const [deleted, outcomes] = await inTurns(
      round,
      () => deleteFree(deleter, target.id),
      () => Promise.all([codeOf(createObject(r, toTarget)), codeOf(update(r, source.id, {}, toTarget))]),
    );
    equal(await isThere(r, target.id), !deleted, "whether the target exists");
    const there = deleted ? "deleted" : "live";
    equal(outcomes, deleted ? [307, 307] : [0, 0], `the outcomes of linking to a target that is ${there}`);
    equal((await referrersOf(r, [target.id])).length, deleted ? 0 : 2, "number of referrers of the target");
  },

  "serializes a deletion with updates": async (deleter, { repositories: r }, round) => {
    const { id } = await createObject(r);
    const [, codes] = await inTurns(
      round,
      () => deleteObjects(deleter, [id], round % 3 === 0),
      () => concurrently(3, (number) => codeOf(update(r, id, { number }))),
    );
    const refused = occurrences(610, codes);
    equal(occurrences(0, codes) + refused, 3, "number of updates that succeed or fail with 610");
    equal((await tombstoneOf(r, id))?.version, 5 - refused, "the version of the tombstone");
  },

  "serializes a deletion with taking a lock": async (deleter, { repositories: r }, round) => {
    const [{ id }, session] = [await createObject(r), await (await Visitor.create(r)).open(r)];
    const [deleted, outcome] = await inTurns(
      round,
      () => deleteFree(deleter, id),
      () => r.locks.take(id, session),
    );
    equal(outcome, deleted ? "notFound" : "locked", "the outcome of taking the lock");
    equal((await r.locks.state(id))?.session ?? null, deleted ? null : session, "the session that holds the lock");
  },

  "deletes an object once in concurrent deletions": async (deleter, other) => {
    const r = other.repositories;
    const [one, two] = await createObjects(r, {}, {});
    const counts = await concurrently(6, (index) =>
      deleteObjects(index % 2 === 0 ? deleter : other, index % 3 === 0 ? [one.id, two.id] : [two.id, one.id]),
    );
    const sum = counts.reduce((so, count) => so + count, 0);
    equal(sum, 2, "number of deletions in total");
    for (const { id } of [one, two]) equal((await tombstoneOf(r, id))?.version, 2, "the version of the tombstone");
  },

  "serializes a deletion with a restore that links to its target": async (deleter, other, round) => {
    const r = other.repositories;
    const [target, source] = await createObjects(r, {}, {});
    await deleteObjects(other, [source.id], true);
    const [deleted, restored] = await inTurns(
      round,
      () => deleteFree(deleter, target.id),
      () => Promise.all([deleter, other, other].map((storage) => restore(storage, source, target))),
    );
    equal(restored.flat().length, 1, "number of restores");
    const [back] = await r.objects.get([source.id], seesAll);
    const expected = [3, deleted ? null : target.id];
    equal([back?.version, back?.attributes["Boss"]], expected, "the version and the reference of the restored object");
  },

  "leaves an object either live or deleted after concurrent deletions and restores": async (deleter, other) => {
    const { id } = await createObject(other.repositories);
    const [, , code] = await Promise.all([
      deleteObjects(deleter, [id], true),
      restoreObjects(other, id),
      codeOf(update(other.repositories, id, {})),
    ]);
    isTrue(code === 0 || code === 610, `An update must succeed or fail with 610, not ${code}`);
    const there = await isThere(other.repositories, id);
    equal(
      (await tombstoneOf(other.repositories, id)) === null,
      there,
      "whether exactly one of object and tombstone exists",
    );
  },
};

async function run(race: Race, deleter: Storage, other: Storage): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await race(deleter, other, round);
}

export const deletionRaceChecks: readonly Check[] = Object.entries(races)
  .map(([name, race]) => checksOf("deletion", { [name]: ({ storage }) => run(race, storage, storage) }))
  .concat(
    Object.entries(races).map(([name, race]) =>
      checksOf(
        "deletion",
        { [`${name}, across processes`]: async ({ storage, another }) => run(race, storage, await another()) },
        { needs: "severalProcesses" },
      ),
    ),
  )
  .flat();
