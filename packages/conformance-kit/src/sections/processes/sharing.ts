import { type RecordRoom, seesAll } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { accountNamed, createUser } from "../../fixtures/accounts.ts";
import { atOnce, occurrences } from "../../fixtures/at-once.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { createObject } from "../../fixtures/objects.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { generous, hour, minute, second } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const severalProcesses = { needs: "severalProcesses" } as const;

const unmigrated = checksOf(
  "several processes",
  {
    "migrate one database at once, every migration once": async ({ storage, another }) => {
      const other = await another();
      const reports = await Promise.all([storage.migrate(), other.migrate(), storage.migrate(), other.migrate()]);
      const applied = reports.flatMap((report) => report.applied);
      holds(applied.length > 0, "Migrations at once name nothing that they applied");
      equal(new Set(applied).size, applied.length, "how many names of migrations differ");
      await Promise.all([storage.health(), other.health()]);
    },

    "can use a database that another one has migrated": async ({ storage, another }) => {
      const other = await another();
      await failsWith(705, () => other.repositories.sessions.count(), "a call before the migration");
      await storage.migrate();
      await other.health();
      equal(await other.repositories.sessions.count(), 0, "how many sessions are live");
    },
  },
  { ...severalProcesses, migrated: false },
);

const migrated = checksOf(
  "several processes",
  {
    "let one another go on when one is closed": async ({ storage, r, another }) => {
      const other = await another();
      const { loginName, userId } = await createUser(other.repositories);
      await other.close();
      await failsWith(706, () => other.health(), "health after close");
      await storage.health();
      equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
    },

    "accept no session that another one has ended, from the very next request": async ({ r, another }) => {
      const other = await another();
      const visitor = await Visitor.create(r);
      for (let round = 0; round < 5; round += 1) {
        const digest = await visitor.open(r);
        equal(await visitor.isAdmitted(other.repositories, digest), true, "whether the session is admitted");
        await r.sessions.end({ digest });
        equal(await visitor.isAdmitted(other.repositories, digest), false, "whether the ended session is admitted");
      }
    },

    "see at once what another one has switched": async ({ r, another }) => {
      const other = await another();
      const visitor = await Visitor.create(r);
      const digest = await visitor.open(r);
      await visitor.admit(other.repositories, digest);
      const { generation } = await r.model.load();
      await r.settings.setMaintenance(true);
      await r.appKeys.setEnabled(visitor.appKey.name, false);
      await r.accounts.change(visitor.account.userId, { disabled: true });
      await r.model.change({ put: [] }, generation);
      const { maintenance, appKey, session, modelGeneration } = await visitor.admit(other.repositories, digest);
      equal([maintenance, appKey?.enabled, session], [true, false, null], "maintenance, app key and session");
      equal(modelGeneration, (await r.model.load()).generation, "the generation of the model");
    },

    "keep a limit of sessions exactly, together": async ({ r, another }) => {
      const other = await another();
      const visitor = await Visitor.create(r);
      for (const policy of [
        { ...generous, limit: 5 },
        { ...generous, perUserLimit: 9 },
      ]) {
        const codes = await atOnce(16, (index) =>
          codeOf((index % 2 === 0 ? r : other.repositories).sessions.open(visitor.newSession(), policy)),
        );
        equal(occurrences(0, codes), policy.limit || 4, "how many were opened");
      }
      equal(await other.repositories.sessions.count(), 9, "how many sessions are live");
    },

    "keep the sessions of a device exactly, together": async ({ r, another }) => {
      const other = await another();
      const visitor = await Visitor.create(r);
      for (const [policy, staying] of [
        [{ ...generous, perDevice: 3 }, 3],
        [{ ...generous, perUserLimit: 2 }, 2],
        [{ ...generous, limit: 1 }, 1],
      ] as const) {
        await atOnce(16, (index) =>
          visitor.open(index % 2 === 0 ? r : other.repositories, { deviceId: "phone" }, policy),
        );
        equal(await other.repositories.sessions.count(), staying, "how many sessions are live");
      }
    },

    "keep the room of records exactly, together": async ({ r, another }) => {
      const other = await another();
      const put = (index: number, owner: string, room: RecordRoom) =>
        (index % 2 === 0 ? r : other.repositories).records.putWithin("providerState", freshDigest(), index, {
          owner,
          lifetime: hour,
          room,
        });
      const own = await atOnce(16, (index) => put(index, "network:a", { ofOwner: 5, inAll: 100 }));
      equal(
        [occurrences("stored", own), occurrences("ownerFull", own)],
        [5, 11],
        "how many of one owner were stored and refused",
      );
      const all = await atOnce(16, (index) => put(index, `network:${index}`, { ofOwner: 5, inAll: 9 }));
      equal(
        [occurrences("stored", all), occurrences("full", all)],
        [4, 12],
        "how many of all owners were stored and refused",
      );
    },

    "keep a quota of the recycle bin exactly, together": async ({ storage, r, another }) => {
      const other = await another();
      const objects = await atOnce(12, () => createObject(r));
      const outcomes = await atOnce(12, (index) =>
        (index % 2 === 0 ? storage : other).transaction(async ({ departures }) => {
          const [held] = await departures.hold([objects[index]?.id ?? ""]);
          const id = held?.object.id ?? "";
          return departures.depart([id], { recycled: true, leader: id, deletedBy: "A1", quota: 5 });
        }),
      );
      equal(
        [occurrences("departed", outcomes), occurrences("full", outcomes)],
        [5, 7],
        "how many had room and how many were refused",
      );
    },

    "let one attempt through together when a delay is over": async ({ r, another, advance }) => {
      const other = await another();
      const key = {
        key: "a",
        policy: { freeFailures: 1, firstDelay: minute, longestDelay: minute, forgetAfter: hour },
      };
      await r.throttle.fail([key]);
      holds((await other.repositories.throttle.attempt([key])).wait > 0, "The other one waits, too");
      advance(minute + second);
      const attempts = await atOnce(12, (index) => (index % 2 === 0 ? r : other.repositories).throttle.attempt([key]));
      equal(attempts.filter(({ claimed }) => claimed).length, 1, "how many were claimed");
    },

    "give objects ids of their own, together": async ({ r, another }) => {
      const other = await another();
      const batches = await atOnce(12, (index) =>
        (index % 2 === 0 ? r : other.repositories).objects.insert([
          { className: "File", attributes: { from: index } },
          { className: "File", attributes: { from: index } },
        ]),
      );
      equal(new Set(batches.flat().map(({ id }) => id)).size, 24, "how many ids differ");
      equal(await other.repositories.objects.count({ classes: ["File"] }, seesAll), 24, "how many objects there are");
    },

    "change one version of an object once, and lock it once, together": async ({ r, another }) => {
      const other = await another();
      const of = (index: number) => (index % 2 === 0 ? r : other.repositories);
      const { id } = await createObject(r);
      const codes = await atOnce(12, (index) =>
        codeOf(of(index).objects.update([changeOf(id, { by: index }, { expectedVersions: [1] })], { session: null })),
      );
      equal([occurrences(0, codes), occurrences(713, codes)], [1, 11], "how many changed it and how many were refused");
      const visitor = await Visitor.create(r);
      const sessions = await atOnce(8, () => visitor.open(r));
      const outcomes = await Promise.all(sessions.map((session, index) => of(index).locks.take(id, session)));
      equal(
        [occurrences("taken", outcomes), occurrences("held", outcomes)],
        [1, 7],
        "how many took the lock and how many did not",
      );
      const holder = sessions[outcomes.indexOf("taken")] ?? "";
      equal((await other.repositories.locks.state(id))?.session, holder, "who holds it");
      await failsWith(
        713,
        () => other.repositories.objects.update([changeOf(id, {})], { session: null }),
        "a write of another session elsewhere",
      );
      await r.sessions.end({ digest: holder });
      equal(await other.repositories.locks.state(id), null, "the lock, once its session has ended elsewhere");
    },

    "let one change of a model win, together": async ({ r, another }) => {
      const other = await another();
      const { generation } = await r.model.load();
      const outcomes = await atOnce(8, (index) =>
        (index % 2 === 0 ? r : other.repositories).model.change({ put: [] }, generation),
      );
      equal(occurrences("ok", outcomes), 1, "how many changed the model");
    },

    "give out every number of a channel once, and accept it once, together": async ({ r, another }) => {
      const other = await another();
      const session = await (await Visitor.create(r)).openSecure(r);
      const of = (index: number) => (index % 2 === 0 ? r : other.repositories).channels;
      const firsts = await atOnce(20, (index) => of(index).reserveOut(session, 10));
      equal(
        firsts.toSorted((one, next) => Number((one ?? -1n) - (next ?? -1n))),
        Array.from({ length: 20 }, (_, index) => BigInt(10 * index)),
        "the first numbers",
      );
      for (const number of [3n, 900n, 2n ** 64n - 1n]) {
        const verdicts = await atOnce(8, (index) => of(index).acceptIn(session, number));
        equal(
          [occurrences("fresh", verdicts), occurrences("seen", verdicts)],
          [1, 7],
          `how often ${number} was fresh and seen`,
        );
      }
      await other.repositories.sessions.end({ digest: session });
      equal(
        [await r.channels.reserveOut(session, 1), await r.channels.acceptIn(session, 1n)],
        [null, "gone"],
        "the answers when another one has ended the session",
      );
    },

    "let one client have the blocks of a message, together": async ({ r, another }) => {
      const other = await another();
      const blocks = [freshDigest(), freshDigest(), freshDigest()];
      const verdicts = await atOnce(8, (index) =>
        (index % 2 === 0 ? r : other.repositories).channels.claimBlocks(
          { blocks: index % 3 === 0 ? blocks : blocks.toReversed(), clientKey: freshDigest(), keyId: "key" },
          { uses: 3, within: minute },
        ),
      );
      equal(
        [occurrences("first", verdicts), occurrences("refused", verdicts)],
        [1, 7],
        "how many were first and refused",
      );
    },

    "take a record once, and put it once in the place of a version, together": async ({ r, another }) => {
      const other = await another();
      const of = (index: number) => (index % 2 === 0 ? r : other.repositories).records;
      for (let round = 0; round < 4; round += 1) {
        const digest = freshDigest();
        await of(round).put("accountLink", digest, "first", { lifetime: minute });
        const [first] = await of(round + 1).get("accountLink", [digest]);
        equal(first?.value, "first", "what the other one reads");
        const outcomes = await atOnce(12, (index) =>
          of(index).put("accountLink", digest, "link", { lifetime: minute, ifVersion: first?.version ?? 0 }),
        );
        equal(
          [occurrences("stored", outcomes), occurrences("stale", outcomes)],
          [1, 11],
          "how many were put in its place",
        );
        const answers = await atOnce(12, (index) => of(index).take("accountLink", digest));
        equal(
          [occurrences("link", answers), occurrences(null, answers)],
          [1, 11],
          "how many were given it and how many were not",
        );
      }
    },

    "write a version of a record once, together": async ({ r, another }) => {
      const other = await another();
      const of = (index: number) => (index % 2 === 0 ? r : other.repositories).records;
      const first = await atOnce(8, (index) => of(index).put("sample", "one", index, { ifVersion: "none" }));
      equal([occurrences("stored", first), occurrences("exists", first)], [1, 7], "how many put the first");
      const [record] = await r.records.get("sample", ["one"]);
      equal(record?.value, first.indexOf("stored"), "the value of the first");
      const ifVersion = record?.version ?? 0;
      const next = await atOnce(8, (index) => of(index).put("sample", "one", index, { ifVersion }));
      equal([occurrences("stored", next), occurrences("stale", next)], [1, 7], "how many put the next");
      const [now] = await other.repositories.records.get("sample", ["one"]);
      equal([now?.value, now?.born], [next.indexOf("stored"), record?.born], "the value of the next");
    },
  },
  severalProcesses,
);

/** What processes have in common. */
export const processSharingChecks: readonly Check[] = [...unmigrated, ...migrated];

export const processClockChecks: readonly Check[] = checksOf(
  "several processes",
  {
    "share one clock": async ({ storage, another, advance }) => {
      const other = await another();
      advance(hour);
      const first = await storage.now();
      const middle = await other.now();
      const last = await storage.now();
      holds(first <= middle && middle <= last, `${middle} is between ${first} and ${last}`);
    },
  },
  severalProcesses,
);
