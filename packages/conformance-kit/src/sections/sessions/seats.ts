import type { Digest, NewSession, SeatKind, SeatLimit, SessionPolicy } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, sequentially } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { minute, unlimitedSessions } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";

const kinds: readonly SeatKind[] = ["concurrent", "user", "device"];

/** Two seats of an app name. */
export const twoSeats: SeatLimit = { name: "limited", seats: 2, kind: "concurrent" };

export function withSeats(...seats: readonly SeatLimit[]): SessionPolicy {
  return { ...unlimitedSessions, seats };
}

/** Opens a session with the limited app names. */
export async function openSeat(
  { r, visitor }: VisitorSubject,
  properties: Partial<NewSession> = {},
  policy: SessionPolicy = withSeats(twoSeats),
): Promise<Digest> {
  return visitor.open(r, { appNames: policy.seats?.map(({ name }) => name) ?? [], ...properties }, policy);
}

/** Asserts that the next session gets no seat. */
export async function assertNoSeat(
  subject: VisitorSubject,
  properties: Partial<NewSession> = {},
  policy: SessionPolicy = withSeats(twoSeats),
): Promise<void> {
  await failsWith(306, () => openSeat(subject, properties, policy), "opening a session without a free seat");
}

/** Sessions that each take a seat of their own, of this kind. */
function stranger(kind: SeatKind, index: number): Partial<NewSession> {
  if (kind === "user") return { userId: String(index + 10) };
  return kind === "device" ? { deviceId: `device ${index}` } : {};
}

const oneCall = visitorChecks("seats", {
  "shares a concurrent seat among the sessions of a user on a device": async (subject) => {
    await openSeat(subject, { deviceId: "phone" });
    await openSeat(subject, { deviceId: "phone", appKeyId: "other" });
    await openSeat(subject, { deviceId: "phone", userId: "2" });
    await openSeat(subject, { deviceId: "phone" });
    for (const other of [{}, { deviceId: "Phone" }, { deviceId: "" }, { deviceId: "phone", userId: "3" }])
      await assertNoSeat(subject, other);
  },

  "takes a seat of its own for a session without a device": async (subject) => {
    for (const kind of ["concurrent", "device"] as const) {
      const policy = withSeats({ ...twoSeats, name: kind, kind });
      await openSeat(subject, {}, policy);
      await openSeat(subject, {}, policy);
      await assertNoSeat(subject, {}, policy);
      await assertNoSeat(subject, { deviceId: "phone" }, policy);
    }
  },

  "shares a seat of a user among all sessions of the user": async (subject) => {
    const policy = withSeats({ ...twoSeats, kind: "user" });
    for (const own of [{}, { deviceId: "phone" }, {}, { userId: "2" }, { userId: "2", deviceId: "phone" }])
      await openSeat(subject, own, policy);
    await assertNoSeat(subject, { userId: "3" }, policy);
    await assertNoSeat(subject, { userId: "3", deviceId: "phone" }, policy);
  },

  "shares a seat of a device among all sessions on the device": async (subject) => {
    const policy = withSeats({ ...twoSeats, kind: "device" });
    for (const deviceId of ["phone", "phone", "tablet"]) await openSeat(subject, { deviceId }, policy);
    await openSeat(subject, { deviceId: "phone", userId: "2" }, policy);
    await assertNoSeat(subject, { deviceId: "watch" }, policy);
    await assertNoSeat(subject, {}, policy);
  },

  "counts the sessions with the app name only": async (subject) => {
    const { r, visitor } = subject;
    await concurrently(3, () => visitor.open(r, { appNames: ["other", "limited, too"] }));
    await concurrently(3, () => visitor.open(r));
    await openSeat(subject);
    await openSeat(subject, { appNames: ["other", "limited"] });
    await assertNoSeat(subject, { appNames: ["limited", "other"] });
    await visitor.open(r, { appNames: ["other"] });
  },

  "takes a seat of each limited app name, or none": async (subject) => {
    const [one, two] = [
      { ...twoSeats, name: "one" },
      { ...twoSeats, name: "two", seats: 1 },
    ];
    await openSeat(subject, {}, withSeats(one, two));
    await assertNoSeat(subject, {}, withSeats(one, two));
    await assertNoSeat(subject, {}, withSeats(two, one));
    equal(await subject.r.sessions.count(one), 1, "number of taken seats");
    await openSeat(subject, {}, withSeats(one));
    await assertNoSeat(subject, {}, withSeats(one));
  },

  "refuses a session for its seats before it checks the other limits": async (subject) => {
    await openSeat(subject);
    await openSeat(subject);
    for (const limit of [{ limit: 2 }, { perUserLimit: 1 }])
      await assertNoSeat(subject, {}, { ...withSeats(twoSeats), ...limit });
    const three = { ...withSeats({ ...twoSeats, seats: 3 }), limit: 2 };
    await failsWith(315, () => openSeat(subject, {}, three), "opening a session with a seat beyond the limit");
    equal(await subject.r.sessions.count(), 2, "number of live sessions");
  },

  "frees the seats of ended and expired sessions": async (subject) => {
    const { r, advance, visitor } = subject;
    const digests = [await openSeat(subject), await openSeat(subject)];
    await assertNoSeat(subject);
    await r.sessions.end({ digest: digests[0] as Digest });
    await openSeat(subject);
    await assertNoSeat(subject);
    await r.sessions.end({ userId: visitor.account.userId });
    for (const sweep of [false, true]) {
      await openSeat(subject);
      await openSeat(subject);
      await assertNoSeat(subject);
      advance(11 * minute);
      if (sweep) await r.sessions.sweep(100);
    }
    await openSeat(subject);
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "keeps the seat of a session that is used": async (subject) => {
    const { r, advance, visitor } = subject;
    const digest = await openSeat(subject);
    await openSeat(subject);
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(9 * minute);
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "frees the seat of a replaced session": async (subject) => {
    const alone = { ...withSeats({ ...twoSeats, seats: 1 }), perDevice: 1 };
    const phone = { deviceId: "phone" };
    await openSeat(subject, phone, alone);
    await openSeat(subject, phone, alone);
    await assertNoSeat(subject, { deviceId: "tablet" }, alone);
    await openSeat(subject, { ...phone, appNames: ["other"] }, { ...alone, seats: [] });
    await openSeat(subject, { deviceId: "tablet" }, alone);
    const old = await openSeat(subject, { deviceId: "watch", appNames: ["other"] }, { ...alone, seats: [] });
    await assertNoSeat(subject, { deviceId: "watch" }, alone);
    equal(await subject.visitor.isAdmitted(subject.r, old), true, "whether the session of a refused log-in stays");
  },

  "takes no seat in a transaction that is rolled back": async (subject) => {
    const { storage } = subject;
    await openSeat(subject);
    await rolledBack(storage, (r) => openSeat({ ...subject, r }));
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "counts sessions that were opened under other seats": async (subject) => {
    const { r, visitor } = subject;
    await openSeat(subject, { deviceId: "phone" }, withSeats({ ...twoSeats, seats: 9 }));
    await openSeat(subject, { deviceId: "phone", userId: "2" }, withSeats({ ...twoSeats, seats: 9, kind: "user" }));
    await visitor.open(r, { appNames: ["limited"], userId: "2" });
    const counted = await sequentially(kinds, (kind) => r.sessions.count({ name: "limited", kind }));
    equal(counted, [3, 2, 2], "numbers of taken seats");
    for (const [kind, seats] of [
      ["concurrent", 3],
      ["user", 2],
      ["device", 2],
    ] as const) {
      await assertNoSeat(subject, { userId: "3" }, withSeats({ name: "limited", seats: seats - 1, kind }));
      await assertNoSeat(subject, { userId: "3" }, withSeats({ name: "limited", seats, kind }));
    }
    await openSeat(subject, { userId: "3" }, withSeats({ ...twoSeats, seats: 4 }));
    await assertNoSeat(subject, { userId: "4" }, withSeats({ ...twoSeats, seats: 4 }));
  },

  "counts the taken seats of an app name": async (subject) => {
    const { r, visitor } = subject;
    equal(await r.sessions.count(twoSeats), 0, "number of taken seats without sessions");
    await sequentially(["phone", "phone", "tablet"], (deviceId) =>
      visitor.open(r, { deviceId, appNames: ["limited"] }),
    );
    await visitor.open(r, { appNames: ["limited"] });
    await visitor.open(r, { appNames: ["other"] });
    const counted = await sequentially(kinds, (kind) => r.sessions.count({ name: "limited", kind }));
    equal(counted, [3, 1, 3], "numbers of taken seats");
    subject.advance(11 * minute);
    equal(await r.sessions.count(twoSeats), 0, "number of taken seats after the sessions have expired");
  },

  "bounds the numbers of sessions and taken seats from above": async (subject) => {
    const { r, advance } = subject;
    const assertBounded = async (when: string) => {
      for (const seats of [undefined, ...kinds.map((kind) => ({ name: "limited", kind }))])
        equal((await r.sessions.count(seats, "bound")) >= (await r.sessions.count(seats)), true, when);
    };
    await assertBounded("whether the bounds suffice without sessions");
    const policy = { ...withSeats({ ...twoSeats, seats: 4 }), limit: 9 };
    const digest = await openSeat(subject, {}, policy);
    await openSeat(subject, { deviceId: "phone" }, { ...policy, perDevice: 1 });
    await openSeat(subject, { deviceId: "phone" }, { ...policy, perDevice: 1 });
    await openSeat(subject, {}, unlimitedSessions);
    await assertBounded("whether the bounds suffice after openings");
    await r.sessions.end({ digest });
    await assertBounded("whether the bounds suffice after an end");
    advance(11 * minute);
    await r.sessions.sweep(1);
    await openSeat(subject, {}, policy);
    await assertBounded("whether the bounds suffice after a sweep");
  },

  "tells a session without app names": async ({ r, visitor }) => {
    for (const appNames of [[], ["limited"]]) {
      const { session } = await visitor.admit(r, await visitor.open(r, { appNames }));
      equal([session?.enrolling, session?.reservedNames], [appNames.length === 0, []], "the session");
    }
  },
});

/** Concurrent callers. A pool of connections can limit the callers that wait. */
const callers = 100;

/** Makes calls from many callers, each one call after the other. Returns the codes. */
async function storm(calls: number, call: (index: number) => Promise<unknown>): Promise<number[]> {
  const codes = await concurrently(callers, (caller) => {
    const own = Array.from({ length: calls }, (_, index) => index).filter((index) => index % callers === caller);
    return sequentially(own, (index) => codeOf(call(index)));
  });
  return codes.flat();
}

const atOneTime = visitorChecks("seats", {
  "fills the seats of each kind exactly across concurrent calls": async (subject) => {
    for (const kind of kinds) {
      const seats = { name: kind, seats: 2, kind };
      const codes = await storm(500, (index) => openSeat(subject, stranger(kind, index), withSeats(seats)));
      equalCounts(codes, { 0: 2, 306: 498 }, `outcomes of concurrent calls for seats of the kind ${kind}`);
      equal(await subject.r.sessions.count(seats), 2, "number of taken seats");
    }
  },

  "fills many seats exactly across concurrent calls": async (subject) => {
    const seats = { ...twoSeats, seats: 120 };
    const codes = await storm(150, () => openSeat(subject, {}, withSeats(seats)));
    equalCounts(codes, { 0: 120, 306: 30 }, "outcomes of concurrent calls");
    equal(await subject.r.sessions.count(seats), 120, "number of taken seats");
  },

  "fills two app names exactly across concurrent calls for both": async (subject) => {
    const [one, two] = [
      { ...twoSeats, name: "one", seats: 3 },
      { ...twoSeats, name: "two" },
    ];
    const orders = [withSeats(one, two), withSeats(two, one), withSeats(one)];
    const codes = await concurrently(30, (index) => codeOf(openSeat(subject, {}, orders[index % 3])));
    const taken = await sequentially([one, two], (each) => subject.r.sessions.count(each));
    equal(taken, [3, taken[1]], "numbers of taken seats");
    equalCounts(codes, { 0: 3, 306: 27 }, "outcomes of concurrent calls");
    equal((taken[1] as number) <= 2, true, "whether the seats of the other app name suffice");
  },

  "fills the seats exactly while sessions are ended concurrently": async (subject) => {
    const { r } = subject;
    const policy = withSeats({ ...twoSeats, seats: 6 });
    const old = await concurrently(6, () => openSeat(subject, {}, policy));
    const [, ended] = await Promise.all([
      concurrently(10, () => codeOf(openSeat(subject, {}, policy))),
      Promise.all(old.slice(0, 3).map((digest) => r.sessions.end({ digest }))),
    ]);
    equal(ended, [1, 1, 1], "number of sessions ended by each call");
    const free = 6 - (await r.sessions.count(twoSeats));
    const codes = await concurrently(10, () => codeOf(openSeat(subject, {}, policy)));
    equalCounts(codes, { 0: free, 306: 10 - free }, "outcomes of concurrent calls");
    equal(await r.sessions.count(twoSeats), 6, "number of taken seats");
  },

  "fills the seats exactly while sessions without a limit are opened": async (subject) => {
    const { r, visitor } = subject;
    await openSeat(subject);
    await concurrently(20, (index) =>
      codeOf(index % 2 ? visitor.open(r, { appNames: ["limited"] }) : openSeat(subject)),
    );
    const taken = await r.sessions.count(twoSeats);
    await assertNoSeat(subject);
    await openSeat(subject, {}, withSeats({ ...twoSeats, seats: taken + 1 }));
    await assertNoSeat(subject, {}, withSeats({ ...twoSeats, seats: taken + 1 }));
  },
});

export const seatChecks: readonly Check[] = [...oneCall, ...atOneTime];
