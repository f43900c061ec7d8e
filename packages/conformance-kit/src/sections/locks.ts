import { type Digest, type Repositories, seesAll } from "@sallyport/storage";
import { equal, equalToOneOf, failsWith, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { equalCounts, pluck } from "../fixtures/lists.ts";
import { concurrently, whileOpen } from "../fixtures/concurrently.ts";
import { changeOf } from "../fixtures/changes-up-to.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { createObject, files, idsOf, objectOf, deleteObjects, update } from "../fixtures/objects.ts";
import { unlimitedSessions, hour, minute } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

/** An object and two sessions that compete for it. */
async function scene(r: Repositories) {
  const visitor = await Visitor.create(r);
  const { id } = await createObject(r);
  return { visitor, id, mine: await visitor.open(r), theirs: await visitor.open(r) };
}

function write(r: Repositories, id: string, session: Digest | null): Promise<unknown> {
  return update(r, id, { Name: "new" }, {}, { session });
}

async function holderOf(r: Repositories, id: string): Promise<Digest | undefined> {
  return (await r.locks.state(id))?.session;
}

const ofObjects = checksOf("locks", {
  "takes, reports and releases a lock": async ({ storage, r, advance }) => {
    const { visitor, id, mine } = await scene(r);
    equal(await r.locks.state(id), null, "the lock of an unlocked object");
    advance(minute);
    const before = await storage.now();
    equal(await r.locks.take(id, mine), "locked", "the outcome of taking the lock");
    const after = await storage.now();
    const lock = await r.locks.state(id);
    isTrue(lock !== null && before <= lock.since && lock.since <= after, "The time must be that of the call");
    equal([lock.session, lock.userId], [mine, visitor.account.userId], "the session that holds the lock, and its user");
    equal(await r.locks.release(id, mine), "released", "the outcome of releasing it");
    equal(await r.locks.state(id), null, "the lock after the release");
    equal(await r.locks.release(id, mine), "notLocked", "the outcome of releasing it again");
  },

  "gives a lock to one session, which can take it again without effect": async ({ r, advance }) => {
    const { id, mine, theirs } = await scene(r);
    await r.locks.take(id, mine);
    const lock = await r.locks.state(id);
    advance(minute);
    equal(await r.locks.take(id, mine), "locked", "the outcome of taking it again");
    equal(await r.locks.take(id, theirs), "lockedByOther", "the outcome of taking it with another session");
    equal(await r.locks.release(id, theirs), "lockedByOther", "the outcome of releasing it with another session");
    equal(await r.locks.state(id), lock, "the lock");
    equal(await r.locks.release(id, null), "released", "the outcome of releasing it for any session");
    equal(await r.locks.take(id, theirs), "locked", "the outcome of taking it with the other session");
  },

  "locks each object separately": async ({ r }) => {
    const { id, mine, theirs } = await scene(r);
    const other = await createObject(r);
    equal(
      [await r.locks.take(id, mine), await r.locks.take(other.id, theirs)],
      ["locked", "locked"],
      "the outcomes of taking two locks",
    );
    equal([await holderOf(r, id), await holderOf(r, other.id)], [mine, theirs], "the sessions that hold them");
  },

  "refuses locks on objects that do not exist": async ({ r }) => {
    const { id, mine } = await scene(r);
    for (const nothing of ["ZZZZZZZZZZ", "0", "", "constructor", `0${id}`]) {
      equal(
        [await r.locks.take(nothing, mine), await r.locks.state(nothing), await r.locks.release(nothing, mine)],
        ["notFound", null, "notLocked"],
        `the lock of "${nothing}"`,
      );
    }
  },

  "gives a lock to one of several concurrent sessions": async ({ r }) => {
    const { visitor, id } = await scene(r);
    for (let round = 0; round < 4; round += 1) {
      const sessions = await concurrently(8, () => visitor.open(r));
      const outcomes = await Promise.all(sessions.map((session) => r.locks.take(id, session)));
      equalCounts(outcomes, { locked: 1, lockedByOther: 7 }, "numbers of granted and refused locks");
      equal(await holderOf(r, id), sessions[outcomes.indexOf("locked")], "the session that holds the lock");
      await r.locks.release(id, null);
    }
  },

  "refuses writes to locked objects without the right session with 713, all or nothing": async ({ r }) => {
    const { id, mine, theirs } = await scene(r);
    const other = await createObject(r);
    await r.locks.take(id, mine);
    for (const session of [theirs, null]) {
      await failsWith(713, () => write(r, id, session), "a write with another session");
      const changes = [changeOf(other.id, { Name: "new" }), changeOf(id, {})];
      await failsWith(713, () => r.objects.update(changes, { session }), "a write of both objects");
    }
    equal(pluck(await r.objects.get([id, other.id], seesAll), "version"), [1, 1], "the versions");
    await write(r, id, mine);
    await write(r, other.id, theirs);
    await r.locks.release(id, mine);
    await write(r, id, null);
    equal((await objectOf(r, id))?.version, 3, "the version after the allowed writes");
  },

  "passes a lock on to another session in a transaction, before any other write or lock": async ({ storage, r }) => {
    const { visitor, id, mine, theirs } = await scene(r);
    const third = await visitor.open(r);
    for (let round = 0; round < 4; round += 1) {
      await r.locks.take(id, theirs);
      const passing = storage.transaction(async (inside) => {
        await inside.objects.lock([id]);
        await inside.locks.release(id, null);
        return inside.locks.take(id, mine);
      });
      const [outcome, taken, code] = await Promise.all([
        passing,
        r.locks.take(id, third),
        codeOf(write(r, id, theirs)),
      ]);
      equal([outcome, taken], ["locked", "lockedByOther"], "the outcomes of passing the lock on and of taking it");
      equalToOneOf(code, [0, 713], "the code of a write of the former holder at the same time");
      await failsWith(713, () => write(r, id, theirs), "a later write of the former holder");
      equal(await holderOf(r, id), mine, "the session that holds the lock");
      await r.locks.release(id, mine);
    }
  },

  "refuses a write that has waited for the taker of the lock": async ({ storage, r, canOvertake }) => {
    const { id, mine, theirs } = await scene(r);
    const taking = async (inside: Repositories) => {
      await inside.objects.lock([id]);
      await inside.locks.take(id, mine);
    };
    const code = await whileOpen(storage, taking, () => codeOf(write(r, id, theirs)), { reads: 20 });
    equalToOneOf(code, [713, ...(canOvertake ? [0] : [])], "the code of the write");
    equal((await objectOf(r, id))?.version, code === 0 ? 2 : 1, "the version");
  },

  "blocks concurrent writes as soon as a lock is taken": async ({ r }) => {
    const { visitor, id, theirs } = await scene(r);
    for (let round = 0; round < 6; round += 1) {
      const mine = await visitor.open(r);
      const seen = r.locks.take(id, mine).then(async () => (await objectOf(r, id))?.version);
      const writes = concurrently(6, () => codeOf(write(r, id, theirs)));
      const [version] = await Promise.all([seen, writes]);
      equal((await objectOf(r, id))?.version, version, "the version since the lock was taken");
      await r.locks.release(id, mine);
    }
  },

  "releases locks when their session ends": async ({ r }) => {
    const { id, mine, theirs } = await scene(r);
    await r.locks.take(id, mine);
    await r.sessions.end({ digest: mine });
    equal([await r.locks.state(id), await r.locks.release(id, theirs)], [null, "notLocked"], "the lock");
    await write(r, id, theirs);
    equal(await r.locks.take(id, theirs), "locked", "the outcome of taking it");
    equal(await holderOf(r, id), theirs, "the session that holds it");
  },

  "releases locks when their session expires": async ({ r, advance }) => {
    const { visitor, id, mine } = await scene(r);
    await r.locks.take(id, mine);
    advance(hour);
    const theirs = await visitor.open(r);
    equal([await r.locks.state(id), await r.locks.release(id, null)], [null, "notLocked"], "the lock");
    await write(r, id, null);
    const taken = await r.locks.take(id, theirs);
    equal(
      [taken, await holderOf(r, id)],
      ["locked", theirs],
      "the outcome of taking it, and the session that holds it",
    );
  },

  "keeps locks as long as their session is extended": async ({ r, advance }) => {
    const { visitor, id, mine, theirs } = await scene(r);
    await r.locks.take(id, mine);
    for (let round = 0; round < 3; round += 1) {
      advance(8 * minute);
      equal(await visitor.isAdmitted(r, mine), true, "whether the session is admitted");
      equal(await r.locks.take(id, theirs), "lockedByOther", "the outcome of taking it with another session");
    }
  },

  "releases locks when a session of the same device replaces their session": async ({ r }) => {
    const { visitor, id, theirs } = await scene(r);
    const mine = await visitor.open(r, { deviceId: "phone" });
    await r.locks.take(id, mine);
    const next = await visitor.open(r, { deviceId: "phone" }, { ...unlimitedSessions, perDevice: 1 });
    equal(await r.locks.state(id), null, "the lock");
    await write(r, id, theirs);
    equal(await r.locks.take(id, theirs), "locked", "the outcome of taking it with another session");
    equal(await r.locks.take(id, next), "lockedByOther", "the outcome of taking it with the new session after that");
  },

  "leaves a locked object unchanged": async ({ r }) => {
    const { id, mine } = await scene(r);
    const before = await r.objects.get([id], seesAll);
    await r.locks.take(id, mine);
    await r.locks.release(id, mine);
    equal(await r.objects.get([id], seesAll), before, "the object");
  },

  "sweeps locks of ended sessions only": async ({ r }) => {
    const { visitor, id, mine } = await scene(r);
    await r.locks.take(id, mine);
    for (let index = 0; index < 5; index += 1) {
      const ended = await visitor.open(r);
      await r.locks.take((await createObject(r)).id, ended);
      await r.sessions.end({ digest: ended });
    }
    equal(
      [await r.sessions.sweep(3), await r.sessions.sweep(3), await r.sessions.sweep(3)],
      [3, 2, 0],
      "numbers of swept locks",
    );
    equal(await holderOf(r, id), mine, "the session that holds the remaining lock");
  },

  "sweeps expired sessions and their locks up to one limit": async ({ r, advance }) => {
    const { visitor, mine, theirs } = await scene(r);
    for (const session of [mine, theirs, theirs]) await r.locks.take((await createObject(r)).id, session);
    advance(hour);
    const { id } = await createObject(r);
    const live = await visitor.open(r);
    await r.locks.take(id, live);
    const swept = [await r.sessions.sweep(2), await r.sessions.sweep(2), await r.sessions.sweep(2)];
    equal(swept, [2, 2, 1], "numbers of swept sessions and locks");
    equal(await holderOf(r, id), live, "the session that holds the remaining lock");
  },
});

const newFiles = async (r: Repositories, count: number) => idsOf(await r.objects.insert(files(count)));

/** Asserts that a session gets five of twelve concurrent locks if the limit is five. */
async function takesFive(r: Repositories, other: Repositories, session: Digest): Promise<void> {
  const ids = await newFiles(r, 12);
  const take = (index: number) => (index % 2 === 0 ? r : other).locks.take(ids[index] ?? "", session, 5);
  equalCounts(await concurrently(12, take), { locked: 5, limitReached: 7 }, "numbers of granted and refused locks");
}

export const lockChecks: readonly Check[] = [
  ...ofObjects,
  ...checksOf("locks", {
    "limits the locks of a session": async ({ r }) => {
      const visitor = await Visitor.create(r);
      const [mine, theirs] = [await visitor.open(r), await visitor.open(r)];
      const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = ""] = await newFiles(r, 6);
      const take = (id: string, session = mine, atMost = 2) => r.locks.take(id, session, atMost);
      const three = [await take(first), await take(second), await take(third)];
      equal(three, ["locked", "locked", "limitReached"], "the outcomes of taking three locks with a limit of two");
      equal(await r.locks.state(third), null, "the refused lock");
      equal(
        [await take(first), await take(second)],
        ["locked", "locked"],
        "the outcome of locking a locked object again",
      );
      const byOthers = [await take(third, theirs), await take(fourth, theirs), await take(first, theirs)];
      equal(byOthers, ["locked", "locked", "lockedByOther"], "the outcomes of taking locks with another session");
      equal(await take(third), "lockedByOther", "the outcome of taking a lock of another session");
      equal(await take("ZZZZZZZZZZ"), "notFound", "the outcome of locking an unknown object");
      await r.locks.release(first, mine);
      await r.locks.release(fourth, null);
      equal(
        [await take(fourth), await take(first)],
        ["locked", "limitReached"],
        "the outcome of taking others after a release",
      );
      const more = [await take(first, mine, 3), await take(fifth, mine, 0), await r.locks.take(sixth, mine)];
      equal(more, ["locked", "locked", "locked"], "the outcome of taking more with a higher limit");
    },

    "does not count locks of ended sessions and of deleted objects towards the limit": async ({
      storage,
      r,
      advance,
    }) => {
      const visitor = await Visitor.create(r);
      const [first = "", second = "", third = ""] = await newFiles(r, 3);
      const both = async (one: string, other: string, session: Digest) => [
        await r.locks.take(one, session, 1),
        await r.locks.take(other, session, 1),
      ];
      const before = await visitor.open(r, { deviceId: "phone" });
      equal(
        await both(first, second, before),
        ["locked", "limitReached"],
        "the outcomes of taking two locks with a limit of one",
      );
      const mine = await visitor.open(r, { deviceId: "phone" }, { ...unlimitedSessions, perDevice: 1 });
      equal(
        await both(first, second, mine),
        ["locked", "limitReached"],
        "the outcomes of taking two locks with the next session of the device",
      );
      await deleteObjects(storage, [first], true);
      equal(
        await both(second, third, mine),
        ["locked", "limitReached"],
        "the outcome of taking others after the object is deleted",
      );
      advance(hour);
      const next = await visitor.open(r);
      equal(
        await both(second, third, next),
        ["locked", "limitReached"],
        "the outcome of taking the locks of an expired session",
      );
    },

    "does not count the former locks of an ended session towards its limit": async ({ r, advance }) => {
      const session = await (await Visitor.create(r)).open(r);
      const [first = "", second = ""] = await newFiles(r, 2);
      await r.locks.take(first, session, 1);
      advance(hour);
      equal(await r.locks.take(second, session, 1), "locked", "the outcome of taking another lock with a limit of one");
    },

    "enforces the lock limit of a session across concurrent calls": async ({ r }) => {
      const visitor = await Visitor.create(r);
      for (let round = 0; round < 4; round += 1) await takesFive(r, r, await visitor.open(r));
    },
  }),
  ...checksOf(
    "locks",
    {
      "enforces the lock limit of a session across processes": async ({ r, another }) =>
        takesFive(r, (await another()).repositories, await (await Visitor.create(r)).open(r)),
    },
    { needs: "severalProcesses" },
  ),
];
