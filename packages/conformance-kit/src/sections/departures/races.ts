import { type Repositories, seesAll, ServiceError, type Storage } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences } from "../../fixtures/at-once.ts";
import { bringBack, createObject, takeAway } from "../../fixtures/objects.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const anybody = { session: null };
const all = { attributes: null, limit: 100 };
const rounds = 10;

/** A race in which one storage deletes and the other does something else; the same storage where there is only one. */
type Race = (deleter: Storage, other: Storage) => Promise<void>;

/** Starts two calls at once, the second one first in every other round. */
async function inTurns<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const second = other();
  const [first, result] = await Promise.all([one(), second]);
  return [first, result];
}

async function isThere(r: Repositories, id: string): Promise<boolean> {
  return (await r.objects.get([id], seesAll)).length > 0;
}

/** Deletes an object that nobody points to, and whom nobody has locked; whether it did. */
function deleteFree(storage: Storage, id: string): Promise<boolean> {
  return storage.transaction(async (r) => {
    const [held] = await r.departures.hold([id]);
    if (held === undefined || held.lockedBy !== null || (await r.departures.referrers([id], all)).length > 0)
      return false;
    await r.departures.depart([id], { recycled: false, leader: id });
    return true;
  });
}

const withNewReference: Race = async (deleter, { repositories: r }) => {
  for (let round = 0; round < rounds; round += 1) {
    const [target, source] = [await createObject(r), await createObject(r)];
    const links = { Boss: [target.id] };
    const [deleted, [created, changed]] = await inTurns(
      round,
      () => deleteFree(deleter, target.id),
      () =>
        Promise.all([
          codeOf(r.objects.insert([{ className: "File", attributes: { Boss: target.id }, links }])),
          codeOf(r.objects.update([changeOf(source.id, { Boss: target.id }, { links })], anybody)),
        ]),
    );
    equal(await isThere(r, target.id), !deleted, "whether the target is there");
    equal(
      [created, changed],
      deleted ? [307, 307] : [0, 0],
      `the outcomes for those who point to a target that is ${deleted ? "gone" : "there"}`,
    );
    equal((await r.departures.referrers([target.id], all)).length, deleted ? 0 : 2, "how many point to the target");
  }
};

const withUpdate: Race = async (deleter, { repositories: r }) => {
  for (let round = 0; round < rounds; round += 1) {
    const { id } = await createObject(r);
    const [, codes] = await inTurns(
      round,
      () => takeAway(deleter, [id], round % 3 === 0),
      () => atOnce(3, (number) => codeOf(r.objects.update([changeOf(id, { number })], anybody))),
    );
    holds(
      codes.every((code) => code === 0 || code === 610),
      `A change is made before, or refused with 610, not ${codes.join()}`,
    );
    const left = await r.departures.find({ kind: "id", id }, seesAll);
    equal(left?.version, 2 + occurrences(0, codes), "the version of what is left");
  }
};

const withLock: Race = async (deleter, { repositories: r }) => {
  const visitor = await Visitor.create(r);
  for (let round = 0; round < rounds; round += 1) {
    const [{ id }, session] = [await createObject(r), await visitor.open(r)];
    const [deleted, outcome] = await inTurns(
      round,
      () => deleteFree(deleter, id),
      () => r.locks.take(id, session),
    );
    equal(outcome, deleted ? "gone" : "taken", "taking the lock");
    equal((await r.locks.state(id))?.session ?? null, deleted ? null : session, "who holds the lock");
  }
};

const withDeletion: Race = async (deleter, other) => {
  const r = other.repositories;
  for (let round = 0; round < rounds; round += 1) {
    const [one, two] = [await createObject(r), await createObject(r)];
    const counts = await atOnce(6, (index) =>
      takeAway(index % 2 === 0 ? deleter : other, index % 3 === 0 ? [one.id, two.id] : [two.id, one.id]),
    );
    equal(
      counts.reduce((sum, count) => sum + count, 0),
      2,
      "how many go, in all",
    );
    for (const { id } of [one, two])
      equal((await r.departures.find({ kind: "id", id }, seesAll))?.version, 2, "the version of what is left");
  }
};

const withReturn: Race = async (deleter, other) => {
  const r = other.repositories;
  for (let round = 0; round < rounds; round += 1) {
    const [target, source] = [await createObject(r), await createObject(r)];
    await takeAway(other, [source.id], true);
    const restore = (storage: Storage) =>
      storage.transaction(async (inside) => {
        const group = await inside.departures.recycledWith(source.id);
        const kept = (await inside.departures.targets([target.id])).flatMap(({ id, remains }) => (remains ? id : []));
        return inside.departures.restore(
          group.map(({ id }) => ({ id, attributes: { Boss: kept[0] ?? null }, links: { Boss: kept } })),
        );
      });
    const [deleted, restored] = await inTurns(
      round,
      () => deleteFree(deleter, target.id),
      () => Promise.all([restore(deleter), restore(other), restore(other)]),
    );
    equal(restored.flat().length, 1, "how often it came back");
    const [back] = await r.objects.get([source.id], seesAll);
    equal(
      [back?.version, back?.attributes["Boss"]],
      [3, deleted ? null : target.id],
      "version and reference of what came back",
    );
  }
};

const takingTurns: Race = async (deleter, other) => {
  const { id } = await createObject(other.repositories);
  for (let round = 0; round < rounds; round += 1) {
    const outcomes = await Promise.all([
      takeAway(deleter, [id], true),
      bringBack(other, id),
      other.repositories.objects.update([changeOf(id, {})], anybody).catch((error: unknown) => error),
    ]);
    const [update] = outcomes.slice(2);
    holds(
      Array.isArray(update) || (update instanceof ServiceError && update.code === 610),
      "A change is made, or refused with 610",
    );
    const there = await isThere(other.repositories, id);
    equal(
      (await other.repositories.departures.find({ kind: "id", id }, seesAll)) === null,
      there,
      "whether it is there, or something is left of it",
    );
    if (!there) await bringBack(other, id);
  }
};

const races: { readonly [name: string]: Race } = {
  "see a reference that is being made, or keep it from being made": withNewReference,
  "come after a change, or before it": withUpdate,
  "see a lock that is being taken, or keep it from being taken": withLock,
  "happen once, however many delete at once": withDeletion,
  "happen before a return that would point to what goes, or after it": withReturn,
  "and returns at once leave an object either there or gone": takingTurns,
};

const alone = Object.entries(races).map(
  ([name, race]) => [name, ({ storage }) => race(storage, storage)] as const satisfies readonly [string, Check["run"]],
);
const withOthers = Object.entries(races).map(
  ([name, race]) =>
    [
      `${name}, by several processes`,
      async ({ storage, another }) => race(storage, await another()),
    ] as const satisfies readonly [string, Check["run"]],
);

export const departureRaceChecks: readonly Check[] = [
  ...checksOf("departures", Object.fromEntries(alone)),
  ...checksOf("departures", Object.fromEntries(withOthers), { needs: "severalProcesses" }),
];
