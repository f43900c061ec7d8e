import { type RecordQuota, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { accountNamed, createUser } from "../../fixtures/accounts.ts";
import { atOnce, occurrences } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { createObject, files, idsOf, update } from "../../fixtures/objects.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { generous, hour, minute, second } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";
import { processChecks } from "./process-checks.ts";

const unmigrated = processChecks(false, {
  "migrate one database at once, every migration once": async ({ storage, otherStorage }) => {
    const reports = await atOnce(4, (index) => (index % 2 === 0 ? storage : otherStorage).migrate());
    const applied = reports.flatMap((report) => report.applied);
    holds(applied.length > 0, "Migrations at once name nothing that they applied");
    equal(new Set(applied).size, applied.length, "how many names of migrations differ");
    await Promise.all([storage.health(), otherStorage.health()]);
  },

  "can use a database that another one has migrated": async ({ storage, otherStorage, other }) => {
    await failsWith(705, () => other.sessions.count(), "a call before the migration");
    await storage.migrate();
    await otherStorage.health();
    equal(await other.sessions.count(), 0, "how many sessions are live");
  },
});

const migrated = processChecks(true, {
  "let one another go on when one is closed": async ({ storage, r, otherStorage, other }) => {
    const { loginName, userId } = await createUser(other);
    await otherStorage.close();
    await failsWith(706, () => otherStorage.health(), "health after close");
    await storage.health();
    equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
  },

  "accept no session that another one has ended, from the very next request": async ({ r, other }) => {
    const visitor = await Visitor.create(r);
    for (let round = 0; round < 5; round += 1) {
      const digest = await visitor.open(r);
      equal(await visitor.isAdmitted(other, digest), true, "whether the session is admitted");
      await r.sessions.end({ digest });
      equal(await visitor.isAdmitted(other, digest), false, "whether the ended session is admitted");
    }
  },

  "see at once what another one has switched": async ({ r, other }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    await visitor.admit(other, digest);
    const { generation } = await r.model.load();
    await r.settings.setMaintenance(true);
    await r.appKeys.setEnabled(visitor.appKey.name, false);
    await r.accounts.change(visitor.account.userId, { disabled: true });
    await r.model.change({ put: [] }, generation);
    const { maintenance, appKey, session, modelGeneration } = await visitor.admit(other, digest);
    equal([maintenance, appKey?.enabled, session], [true, false, null], "maintenance, app key and session");
    equal(modelGeneration, (await r.model.load()).generation, "the generation of the model");
  },

  "keep a limit of sessions exactly, together": async ({ r, other, of }) => {
    const visitor = await Visitor.create(r);
    for (const [limits, opened] of [[{ limit: 5 }, 5] as const, [{ perUserLimit: 9 }, 4] as const]) {
      const policy = { ...generous, ...limits };
      const codes = await atOnce(16, (index) => codeOf(of(index).sessions.open(visitor.newSession(), policy)));
      equalCounts(codes, { 0: opened }, "how many were opened");
    }
    equal(await other.sessions.count(), 9, "how many sessions are live");
  },

  "keep the sessions of a device exactly, together": async ({ r, other, of }) => {
    const visitor = await Visitor.create(r);
    for (const limits of [{ perDevice: 3 }, { perUserLimit: 2 }, { limit: 1 }]) {
      const policy = { ...generous, ...limits };
      await atOnce(16, (index) => visitor.open(of(index), { deviceId: "phone" }, policy));
      equal(await other.sessions.count(), Object.values(limits)[0], "how many sessions are live");
    }
  },

  "keep the room of records exactly, together": async ({ of }) => {
    const put = (index: number, owner: string, quota: RecordQuota) =>
      of(index).records.putWithin("providerState", freshDigest(), index, { owner, lifetime: hour, quota });
    const own = await atOnce(16, (index) => put(index, "network:a", { ofOwner: 5, inAll: 100 }));
    equalCounts(own, { stored: 5, ownerFull: 11 }, "how many of one owner were stored and refused");
    const all = await atOnce(16, (index) => put(index, `network:${index}`, { ofOwner: 5, inAll: 9 }));
    equalCounts(all, { stored: 4, full: 12 }, "how many of all owners were stored and refused");
  },

  "keep a quota of the recycle bin exactly, together": async ({ storage, r, otherStorage }) => {
    const objects = await atOnce(12, () => createObject(r));
    const outcomes = await atOnce(12, (index) =>
      (index % 2 === 0 ? storage : otherStorage).transaction(async ({ deletion }) => {
        const [held] = await deletion.lock([objects[index]?.id ?? ""]);
        const id = held?.object.id ?? "";
        return deletion.delete([id], { recycled: true, root: id, deletedBy: "A1", quota: 5 });
      }),
    );
    equalCounts(outcomes, { deleted: 5, full: 7 }, "how many had room and how many were refused");
  },

  "let one attempt through together when a delay is over": async ({ r, other, of, advance }) => {
    const policy = { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: hour };
    const key = { key: "a", policy };
    await r.throttle.fail([key]);
    holds((await other.throttle.attempt([key])).wait > 0, "The other one waits, too");
    advance(minute + second);
    const attempts = await atOnce(12, (index) => of(index).throttle.attempt([key]));
    equal(attempts.filter(({ claimed }) => claimed).length, 1, "how many were claimed");
  },

  "give objects ids of their own, together": async ({ other, of }) => {
    const batches = await atOnce(12, (index) => of(index).objects.insert(files(2)));
    equal(new Set(idsOf(batches.flat())).size, 24, "how many ids differ");
    equal(await other.objects.count({ classes: ["File"] }, seesAll), 24, "how many objects there are");
  },

  "change one version of an object once, and lock it once, together": async ({ r, other, of }) => {
    const { id } = await createObject(r);
    const codes = await atOnce(12, (index) => codeOf(update(of(index), id, { by: index }, { expectedVersions: [1] })));
    equalCounts(codes, { 0: 1, 713: 11 }, "how many changed it and how many were refused");
    const visitor = await Visitor.create(r);
    const sessions = await atOnce(8, () => visitor.open(r));
    const outcomes = await Promise.all(sessions.map((session, index) => of(index).locks.take(id, session)));
    equalCounts(outcomes, { taken: 1, held: 7 }, "how many took the lock and how many did not");
    const holder = sessions[outcomes.indexOf("taken")] ?? "";
    equal((await other.locks.state(id))?.session, holder, "who holds it");
    await failsWith(713, () => update(other, id, {}), "a write of another session elsewhere");
    await r.sessions.end({ digest: holder });
    equal(await other.locks.state(id), null, "the lock, once its session has ended elsewhere");
  },

  "let one change of a model win, together": async ({ r, of }) => {
    const { generation } = await r.model.load();
    const outcomes = await atOnce(8, (index) => of(index).model.change({ put: [] }, generation));
    equalCounts(outcomes, { ok: 1 }, "how many changed the model");
  },

  "give out every number of a channel once, and accept it once, together": async ({ r, other, of }) => {
    const session = await (await Visitor.create(r)).openSecure(r);
    const firsts = await atOnce(20, (index) => of(index).channels.reserveOut(session, 10));
    const expected = Array.from({ length: 20 }, (_, index) => BigInt(10 * index));
    equalInAnyOrder(firsts, expected, "the first numbers");
    for (const number of [3n, 900n, 2n ** 64n - 1n]) {
      const verdicts = await atOnce(8, (index) => of(index).channels.acceptIn(session, number));
      equalCounts(verdicts, { fresh: 1, seen: 7 }, `how often ${number} was fresh and seen`);
    }
    await other.sessions.end({ digest: session });
    equal(await r.channels.reserveOut(session, 1), null, "the next number when another one has ended the session");
    equal(await r.channels.acceptIn(session, 1n), "gone", "the verdict when another one has ended the session");
  },

  "let one client have the blocks of a message, together": async ({ of }) => {
    const blocks = [freshDigest(), freshDigest(), freshDigest()];
    const verdicts = await atOnce(8, (index) =>
      of(index).channels.claimBlocks(
        { blocks: index % 3 === 0 ? blocks : blocks.toReversed(), clientKey: freshDigest(), keyId: "key" },
        { uses: 3, within: minute },
      ),
    );
    equalCounts(verdicts, { first: 1, refused: 7 }, "how many were first and refused");
  },

  "take a record once, and put it once in the place of a version, together": async ({ of }) => {
    for (let round = 0; round < 4; round += 1) {
      const digest = freshDigest();
      await of(round).records.put("accountLink", digest, "first", { lifetime: minute });
      const [first] = await of(round + 1).records.get("accountLink", [digest]);
      equal(first?.value, "first", "what the other one reads");
      const outcomes = await atOnce(12, (index) =>
        of(index).records.put("accountLink", digest, "link", { lifetime: minute, ifVersion: first?.version ?? 0 }),
      );
      equalCounts(outcomes, { stored: 1, stale: 11 }, "how many were put in its place");
      const answers = await atOnce(12, (index) => of(index).records.take("accountLink", digest));
      equal([occurrences("link", answers), occurrences(null, answers)], [1, 11], "how many were given it and not");
    }
  },

  "write a version of a record once, together": async ({ r, other, of }) => {
    const first = await atOnce(8, (index) => of(index).records.put("sample", "one", index, { ifVersion: "none" }));
    equalCounts(first, { stored: 1, exists: 7 }, "how many put the first");
    const [record] = await r.records.get("sample", ["one"]);
    equal(record?.value, first.indexOf("stored"), "the value of the first");
    const ifVersion = record?.version ?? 0;
    const next = await atOnce(8, (index) => of(index).records.put("sample", "one", index, { ifVersion }));
    equalCounts(next, { stored: 1, stale: 7 }, "how many put the next");
    const [now] = await other.records.get("sample", ["one"]);
    equal([now?.value, now?.born], [next.indexOf("stored"), record?.born], "the value of the next");
  },
});

/** Checks of the state shared by processes. */
export const processSharingChecks: readonly Check[] = [...unmigrated, ...migrated];

export const processClockChecks: readonly Check[] = processChecks(true, {
  "share one clock": async ({ storage, otherStorage, advance }) => {
    advance(hour);
    const first = await storage.now();
    const middle = await otherStorage.now();
    const last = await storage.now();
    holds(first <= middle && middle <= last, `${middle} is between ${first} and ${last}`);
  },
});
