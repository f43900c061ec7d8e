import { type RecordQuota, seesAll } from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { accountNamed, createUser } from "../../fixtures/accounts.ts";
import { concurrently, occurrences } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { createObject, files, idsOf, update } from "../../fixtures/objects.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { unlimitedSessions, hour, minute, second } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";
import { processChecks } from "./process-checks.ts";

const unmigrated = processChecks(false, {
  "applies every migration once when processes migrate concurrently": async ({ storage, otherStorage }) => {
    const reports = await concurrently(4, (index) => (index % 2 === 0 ? storage : otherStorage).migrate());
    const applied = reports.flatMap((report) => report.applied);
    isTrue(applied.length > 0, "One of the concurrent migrations must return the names of the applied migrations");
    equal(new Set(applied).size, applied.length, "number of different migration names");
    await Promise.all([storage.health(), otherStorage.health()]);
  },

  "uses a database that another process has migrated": async ({ storage, otherStorage, other }) => {
    await failsWith(705, () => other.sessions.count(), "a call before the migration");
    await storage.migrate();
    await otherStorage.health();
    equal(await other.sessions.count(), 0, "number of live sessions");
  },
});

const migrated = processChecks(true, {
  "keeps working when another process closes": async ({ storage, r, otherStorage, other }) => {
    const { loginName, userId } = await createUser(other);
    await otherStorage.close();
    await failsWith(706, () => otherStorage.health(), "the health after close");
    await storage.health();
    equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
  },

  "admits no session that another process has ended, starting with the next request": async ({ r, other }) => {
    const visitor = await Visitor.create(r);
    for (let round = 0; round < 5; round += 1) {
      const digest = await visitor.open(r);
      equal(await visitor.isAdmitted(other, digest), true, "whether the session is admitted");
      await r.sessions.end({ digest });
      equal(await visitor.isAdmitted(other, digest), false, "whether the ended session is admitted");
    }
  },

  "sees the switches of another process immediately": async ({ r, other }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    await visitor.admit(other, digest);
    const { generation } = await r.model.load();
    await r.settings.setMaintenance(true);
    await r.appKeys.setEnabled(visitor.appKey.name, false);
    await r.accounts.change(visitor.account.userId, { disabled: true });
    await r.model.change({ put: [] }, generation);
    const { maintenance, appKey, session, modelGeneration } = await visitor.admit(other, digest);
    equal(
      [maintenance, appKey?.enabled, session],
      [true, false, null],
      "the maintenance switch, the app key and the session",
    );
    equal(modelGeneration, (await r.model.load()).generation, "the generation of the model");
  },

  "enforces a session limit exactly across processes": async ({ r, other, processAt: of }) => {
    const visitor = await Visitor.create(r);
    for (const [limits, opened] of [[{ limit: 5 }, 5] as const, [{ perUserLimit: 9 }, 4] as const]) {
      const policy = { ...unlimitedSessions, ...limits };
      const codes = await concurrently(16, (index) => codeOf(of(index).sessions.open(visitor.newSession(), policy)));
      equalCounts(codes, { 0: opened }, "number of opened sessions");
    }
    equal(await other.sessions.count(), 9, "number of live sessions");
  },

  "enforces the session limit of a device exactly across processes": async ({ r, other, processAt: of }) => {
    const visitor = await Visitor.create(r);
    for (const limits of [{ perDevice: 3 }, { perUserLimit: 2 }, { limit: 1 }]) {
      const policy = { ...unlimitedSessions, ...limits };
      await concurrently(16, (index) => visitor.open(of(index), { deviceId: "phone" }, policy));
      equal(await other.sessions.count(), Object.values(limits)[0], "number of live sessions");
    }
  },

  "enforces a record quota exactly across processes": async ({ processAt: of }) => {
    const put = (index: number, owner: string, quota: RecordQuota) =>
      of(index).records.putWithin("providerState", freshDigest(), index, { owner, lifetime: hour, quota });
    const own = await concurrently(16, (index) => put(index, "network:a", { perOwner: 5, total: 100 }));
    equalCounts(own, { stored: 5, ownerFull: 11 }, "numbers of stored and refused records of one owner");
    const all = await concurrently(16, (index) => put(index, `network:${index}`, { perOwner: 5, total: 9 }));
    equalCounts(all, { stored: 4, full: 12 }, "numbers of stored and refused records of all owners");
  },

  "enforces a recycle bin quota exactly across processes": async ({ storage, r, otherStorage }) => {
    const objects = await concurrently(12, () => createObject(r));
    const outcomes = await concurrently(12, (index) =>
      (index % 2 === 0 ? storage : otherStorage).transaction(async ({ deletion }) => {
        const [locked] = await deletion.lock([objects[index]?.id ?? ""]);
        const id = locked?.object.id ?? "";
        return deletion.delete([id], { recycled: true, root: id, deletedBy: "A1", quota: 5 });
      }),
    );
    equalCounts(outcomes, { deleted: 5, full: 7 }, "numbers of recycled and refused objects");
  },

  "accepts one attempt after a delay across processes": async ({ r, other, processAt: of, advance }) => {
    const policy = { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: hour };
    const key = { key: "a", policy };
    await r.throttle.fail([key]);
    isTrue((await other.throttle.attempt([key])).wait > 0, "The other attempt must wait");
    advance(minute + second);
    const attempts = await concurrently(12, (index) => of(index).throttle.attempt([key]));
    equal(attempts.filter(({ reserved }) => reserved).length, 1, "number of reserved attempts");
  },

  "assigns unique object IDs across processes": async ({ other, processAt: of }) => {
    const batches = await concurrently(12, (index) => of(index).objects.insert(files(2)));
    equal(new Set(idsOf(batches.flat())).size, 24, "number of different IDs");
    equal(await other.objects.count({ classes: ["File"] }, seesAll), 24, "number of objects");
  },

  "accepts one update of a version and one lock of an object across processes": async ({ r, other, processAt: of }) => {
    const { id } = await createObject(r);
    const codes = await concurrently(12, (index) =>
      codeOf(update(of(index), id, { by: index }, { expectedVersions: [1] })),
    );
    equalCounts(codes, { 0: 1, 713: 11 }, "numbers of successful and refused updates");
    const visitor = await Visitor.create(r);
    const sessions = await concurrently(8, () => visitor.open(r));
    const outcomes = await Promise.all(sessions.map((session, index) => of(index).locks.take(id, session)));
    equalCounts(outcomes, { locked: 1, lockedByOther: 7 }, "numbers of granted and refused locks");
    const holder = sessions[outcomes.indexOf("locked")] ?? "";
    equal((await other.locks.state(id))?.session, holder, "the session that holds the lock");
    await failsWith(713, () => update(other, id, {}), "a write with another session in another process");
    await r.sessions.end({ digest: holder });
    equal(await other.locks.state(id), null, "the lock after its session is ended in another process");
  },

  "accepts one change of a model generation across processes": async ({ r, processAt: of }) => {
    const { generation } = await r.model.load();
    const outcomes = await concurrently(8, (index) => of(index).model.change({ put: [] }, generation));
    equalCounts(outcomes, { ok: 1 }, "numbers of successful changes");
  },

  "assigns and accepts every channel number once across processes": async ({ r, other, processAt: of }) => {
    const session = await (await Visitor.create(r)).openSecure(r);
    const firsts = await concurrently(20, (index) => of(index).channels.reserveOut(session, 10));
    const expected = Array.from({ length: 20 }, (_, index) => BigInt(10 * index));
    equalInAnyOrder(firsts, expected, "the first numbers");
    for (const number of [3n, 900n, 2n ** 64n - 1n]) {
      const verdicts = await concurrently(8, (index) => of(index).channels.acceptIn(session, number));
      equalCounts(verdicts, { fresh: 1, seen: 7 }, `numbers of fresh and seen verdicts on ${number}`);
    }
    await other.sessions.end({ digest: session });
    equal(await r.channels.reserveOut(session, 1), null, "the next number after another process has ended the session");
    equal(await r.channels.acceptIn(session, 1n), "gone", "the verdict after another process has ended the session");
  },

  "accepts the blocks of a message from one client across processes": async ({ processAt: of }) => {
    const blocks = [freshDigest(), freshDigest(), freshDigest()];
    const verdicts = await concurrently(8, (index) =>
      of(index).channels.registerBlocks(
        { blocks: index % 3 === 0 ? blocks : blocks.toReversed(), clientKey: freshDigest(), keyId: "key" },
        { uses: 3, within: minute },
      ),
    );
    equalCounts(verdicts, { first: 1, refused: 7 }, "numbers of first and refused messages");
  },

  "takes a record once and replaces a version once across processes": async ({ processAt: of }) => {
    for (let round = 0; round < 4; round += 1) {
      const digest = freshDigest();
      await of(round).records.put("accountLink", digest, "first", { lifetime: minute });
      const [first] = await of(round + 1).records.get("accountLink", [digest]);
      equal(first?.value, "first", "the record read by the other process");
      const outcomes = await concurrently(12, (index) =>
        of(index).records.put("accountLink", digest, "link", { lifetime: minute, ifVersion: first?.version ?? 0 }),
      );
      equalCounts(outcomes, { stored: 1, stale: 11 }, "numbers of successful replacements");
      const answers = await concurrently(12, (index) => of(index).records.take("accountLink", digest));
      equal(
        [occurrences("link", answers), occurrences(null, answers)],
        [1, 11],
        "numbers of calls that got the record or not",
      );
    }
  },

  "writes each version of a record once across processes": async ({ r, other, processAt: of }) => {
    const first = await concurrently(8, (index) =>
      of(index).records.put("sample", "one", index, { ifVersion: "none" }),
    );
    equalCounts(first, { stored: 1, exists: 7 }, "numbers of outcomes for the first version");
    const [record] = await r.records.get("sample", ["one"]);
    equal(record?.value, first.indexOf("stored"), "the value of the first version");
    const ifVersion = record?.version ?? 0;
    const next = await concurrently(8, (index) => of(index).records.put("sample", "one", index, { ifVersion }));
    equalCounts(next, { stored: 1, stale: 7 }, "numbers of outcomes for the next version");
    const [now] = await other.records.get("sample", ["one"]);
    equal(
      [now?.value, now?.createdVersion],
      [next.indexOf("stored"), record?.createdVersion],
      "the value of the next version",
    );
  },
});

/** Checks of the state shared by processes. */
export const processSharingChecks: readonly Check[] = [...unmigrated, ...migrated];

export const processClockChecks: readonly Check[] = processChecks(true, {
  "shares one clock across processes": async ({ storage, otherStorage, advance }) => {
    advance(hour);
    const first = await storage.now();
    const middle = await otherStorage.now();
    const last = await storage.now();
    isTrue(first <= middle && middle <= last, `${middle} must be between ${first} and ${last}`);
  },
});
