import type {
  Digest,
  ExpectedRecord,
  LiveSession,
  Repositories,
  SessionListing,
  SessionMatch,
  SessionPolicy,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { minute, unlimitedSessions } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";

const kind = "rule";
const absent = (id: string): ExpectedRecord => ({ kind, id, version: 0 });

/** The record as it is now. */
async function asRead({ r }: Pick<VisitorSubject, "r">, id: string): Promise<ExpectedRecord> {
  const [record] = await r.records.get(kind, [id]);
  return { kind, id, version: record?.version ?? 0 };
}

function on(...basis: readonly ExpectedRecord[]): SessionPolicy {
  return { ...unlimitedSessions, basis };
}

/** The digests of at most 500 sessions that match. */
async function digestsOf(
  { sessions }: Pick<Repositories, "sessions">,
  matching: SessionMatch,
  listing: SessionListing = {},
): Promise<Digest[]> {
  const page = await sessions.list({ after: null, limit: 500 }, { matching }, listing);
  return page.map(({ digest }) => digest);
}

/** Forbids in one transaction what the record of this id stands for: it puts the record and ends the sessions. */
function forbid({ storage }: Pick<VisitorSubject, "storage">, id: string, matching: SessionMatch): Promise<number> {
  return storage.transaction(async (r) => {
    const digests = await digestsOf(r, matching, { holdsOpenings: true });
    await r.records.put(kind, id, {});
    return r.sessions.end({ digests });
  });
}

const opening = visitorChecks("sessions", {
  "opens a session while the records of its basis are unchanged": async (subject) => {
    const { r, visitor } = subject;
    await r.records.put(kind, "present", { allowed: true });
    const basis = [await asRead(subject, "present"), absent("absent")];
    for (const mode of ["session", "secure"] as const) await visitor.open(r, { mode }, on(...basis));
    await visitor.open(r, {}, on());
    equal(await r.sessions.count(), 3, "number of live sessions");
  },

  "refuses a session if a record of its basis was put, changed or removed": async (subject) => {
    const { r, visitor } = subject;
    await r.records.put(kind, "changed", 1);
    await r.records.put(kind, "removed", 1);
    const [changed, removed] = [await asRead(subject, "changed"), await asRead(subject, "removed")];
    await r.records.put(kind, "added", 1);
    await r.records.put(kind, "changed", 1);
    await r.records.remove(kind, { ids: ["removed"] });
    const fresh = await asRead(subject, "changed");
    for (const each of [absent("added"), changed, removed])
      for (const mode of ["session", "secure"] as const)
        await failsWith(318, () => visitor.open(r, { mode }, on(fresh, each)), "opening a session on an old basis");
    equal(await r.sessions.count(), 0, "number of live sessions");
    await r.records.put("other", "absent", 1);
    await visitor.open(r, {}, on(fresh, absent("absent"), absent("removed")));
  },

  "takes an expired record of a basis for none": async (subject) => {
    const { r, visitor, advance } = subject;
    await r.records.put(kind, "short", 1, { lifetime: minute });
    const short = await asRead(subject, "short");
    await visitor.open(r, {}, on(short));
    advance(2 * minute);
    await failsWith(318, () => visitor.open(r, {}, on(short)), "opening a session on an expired record");
    await visitor.open(r, {}, on(absent("short")));
  },

  "refuses an old basis before full seats and limits": async ({ r, visitor }) => {
    const full = { ...unlimitedSessions, limit: 1, seats: [{ name: "app", seats: 1, kind: "user" as const }] };
    await visitor.open(r, { appNames: ["app"] }, full);
    await r.records.put(kind, "added", 1);
    const next = { appNames: ["app"], userId: "99", deviceId: "phone" };
    await failsWith(318, () => visitor.open(r, next, { ...full, basis: [absent("added")] }), "opening a session");
    await failsWith(306, () => visitor.open(r, next, { ...full, basis: [absent("other")] }), "opening a session");
  },

  "reserves app names while the records of their basis are unchanged": async ({ r, visitor }) => {
    const digest = await visitor.open(r, { appNames: ["app"] });
    const reserve = (name: string, id: string) =>
      r.sessions.changeAppNames(digest, { reserve: [name], limits: [], basis: [absent(id)] });
    equal(await reserve("free", "added"), "changed", "the outcome");
    await r.records.put(kind, "added", 1);
    await failsWith(318, () => reserve("forbidden", "added"), "reserving a name on an old basis");
    equal((await visitor.admit(r, digest)).session?.reservedNames, ["free"], "the reserved names");
  },

  "compares ids of a basis exactly": async (subject) => {
    const { r, visitor } = subject;
    for (const id of hostileTexts) {
      await r.records.put(kind, id, 1);
      await visitor.open(r, {}, on(await asRead(subject, id)));
      await failsWith(318, () => visitor.open(r, {}, on(absent(id))), "opening a session on an old basis");
    }
    await r.records.put(kind, "Rule", 1);
    await visitor.open(r, {}, on(absent("rule"), absent("Rule ")));
  },
});

const listing = visitorChecks("sessions", {
  "ends the sessions that match a user, a device and an app name": async ({ r, visitor }) => {
    const { userId } = visitor.account;
    const open = (deviceId: string | null, appNames: readonly string[], user = userId) =>
      visitor.open(r, { deviceId, appNames, userId: user });
    const [phone, tablet] = [await open("phone", ["app"]), await open("tablet", ["app"])];
    const [other, foreign] = [await open("phone", ["other"]), await open("phone", ["app"], "99")];
    const end = async (matching: SessionMatch) => r.sessions.end({ digests: await digestsOf(r, matching) });
    equal(await end({ deviceId: "Phone" }), 0, "number of ended sessions of another device");
    equal(await end({ appName: "APP" }), 0, "number of ended sessions of another app name");
    equal(
      await end({ userId, deviceId: "phone", appName: "app" }),
      1,
      "number of ended sessions of user, device and app",
    );
    equal(await visitor.isAdmitted(r, phone), false, "whether the session of all three is admitted");
    equal(await end({ userId, deviceId: "tablet" }), 1, "number of ended sessions of user and device");
    equal(await visitor.isAdmitted(r, tablet), false, "whether the session of user and device is admitted");
    equal(await r.sessions.changeAppNames(other, { reserve: ["reserved"], limits: [] }), "changed", "the outcome");
    equal(await end({ appName: "reserved" }), 1, "number of ended sessions with a reserved name");
    equal(await end({ deviceId: "phone" }), 1, "number of ended sessions of the device");
    equal(await r.sessions.end({ digest: foreign }), 0, "number of sessions of the other user that are left");
    await open(null, []);
    equal(await end({}), 1, "number of ended sessions without a filter");
  },

  "lists the live sessions that match, and ends those of some digests": async ({ storage, r, visitor, advance }) => {
    const { userId } = visitor.account;
    const before = await storage.now();
    const expired = await visitor.open(r, {}, { ...unlimitedSessions, absoluteLifetime: minute });
    advance(2 * minute);
    const bare = await visitor.open(r, { appNames: [] });
    const phone = await visitor.open(r, { deviceId: "phone", appNames: ["b", "a"], address: "192.0.2.7" });
    await r.sessions.changeAppNames(phone, { reserve: ["c"], limits: [] });
    const shown = await r.sessions.list({ after: null, limit: 500 }, { matching: { userId } });
    equalInAnyOrder(
      shown.map(({ digest, userId: user, deviceId, appNames, reservedNames, address }) => {
        return { digest, userId: user, deviceId, appNames, reservedNames, address };
      }),
      [
        { digest: bare, userId, deviceId: null, appNames: [], reservedNames: [], address: null },
        { digest: phone, userId, deviceId: "phone", appNames: ["b", "a"], reservedNames: ["c"], address: "192.0.2.7" },
      ],
      "the listed sessions",
    );
    isTrue(
      shown.every(({ openedAt }) => openedAt >= before + 2 * minute && openedAt < before + 3 * minute),
      "The time of the opening must be by the storage's clock",
    );
    equal(await r.sessions.end({ digests: [phone, expired] }), 1, "number of ended sessions");
    equal(await r.sessions.end({ digests: [] }), 0, "number of ended sessions without a digest");
    equal([await visitor.isAdmitted(r, bare), await visitor.isAdmitted(r, phone)], [true, false], "the admissions");
  },

  "lists each of many sessions that match once": async ({ storage, r, visitor }) => {
    for (let opened = 0; opened < 500; opened += 50)
      await concurrently(50, (index) => visitor.open(r, { deviceId: `device ${opened + index}` }));
    await visitor.open(r);
    const ended = await storage.transaction(async ({ sessions }) => {
      const listed: LiveSession[] = [];
      for (let after: Digest | null = null; ; after = listed.at(-1)?.digest ?? null) {
        const page: LiveSession[] = await sessions.list(
          { after, limit: 500 },
          { matching: {} },
          { holdsOpenings: true },
        );
        listed.push(...page);
        if (page.length < 500) break;
      }
      equal(new Set(listed.map(({ digest }) => digest)).size, 501, "number of different sessions");
      equal(listed.length, 501, "number of sessions");
      const ending = listed.filter(({ deviceId }) => deviceId !== "device 7");
      return sessions.end({ digests: ending.map(({ digest }) => digest) });
    });
    equal(ended, 500, "number of ended sessions");
    equal(await r.sessions.count(), 1, "number of live sessions");
  },

  "holds the openings without any session": async ({ storage, r }) => {
    const list = ({ sessions }: Repositories) =>
      sessions.list({ after: null, limit: 500 }, { matching: { deviceId: "unknown" } }, { holdsOpenings: true });
    await rolledBack(storage, list);
    equal(await storage.transaction(list), [], "the listed sessions");
    for (const hostile of hostileTexts)
      equal(await digestsOf(r, { deviceId: hostile, appName: hostile }), [], "the listed sessions");
  },

  "lets no session of a concurrent opening survive a rule": async (subject) => {
    const { r, visitor } = subject;
    for (let round = 0; round < 4; round += 1) {
      const id = `round ${round}`;
      const device = { deviceId: id };
      // Of an app key each, so that none replaces another.
      const open = async (index: number) => {
        for (let read = 0; read < index % 10; read += 1) await r.audit.read(0, 1);
        return codeOf(r.sessions.open(visitor.newSession({ ...device, appKeyId: `${index}` }), on(absent(id))));
      };
      const [codes, ended] = await Promise.all([
        concurrently(50, open),
        (async () => {
          for (let read = 0; read < round * 3; read += 1) await r.audit.read(0, 1);
          return forbid(subject, id, device);
        })(),
      ]);
      equal(await digestsOf(r, device), [], "the sessions that survived the rule");
      equalCounts(codes, { 0: ended, 318: 50 - ended }, "the outcomes of the openings");
    }
  },
});

/** Openings on a basis of records, and the sessions that a rule can end. */
export const sessionBasisChecks: readonly Check[] = [...opening, ...listing];
