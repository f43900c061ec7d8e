import type { SessionPolicy } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { idleTimeout, minute, unlimitedSessions } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { assertFull, Visitor, visitorChecks } from "../../fixtures/visitor.ts";
import type { Subject } from "../../subject.ts";

/** Opens sessions concurrently and asserts the number of opened ones. */
async function race(
  { r }: Subject,
  visitors: readonly Visitor[],
  policy: SessionPolicy,
  opened: number,
): Promise<void> {
  const codes = await Promise.all(visitors.map((visitor) => codeOf(r.sessions.open(visitor.newSession(), policy))));
  equalCounts(codes, { 0: opened, 315: visitors.length - opened }, "numbers of opened and refused sessions");
}

const times = (count: number, visitor: Visitor): Visitor[] => Array.from({ length: count }, () => visitor);

export const sessionLimitChecks: readonly Check[] = visitorChecks("sessions", {
  "opens any number of sessions if the limits are zero": async ({ r, visitor }) => {
    await concurrently(20, () => visitor.open(r));
    equal(await r.sessions.count(), 20, "number of live sessions");
  },

  "opens sessions up to the limit of the database": async ({ r, visitor }) => {
    const policy = { ...unlimitedSessions, limit: 3 };
    for (const each of [visitor, await Visitor.create(r), await Visitor.create(r)]) await each.open(r, {}, policy);
    const refused = visitor.newSession();
    await failsWith(315, () => r.sessions.open(refused, policy), "opening one more session");
    equal(await r.sessions.count(), 3, "number of live sessions");
    equal(await visitor.isAdmitted(r, refused.digest), false, "whether the refused session is admitted");
  },

  "opens sessions up to the limit of the user": async ({ r, visitor }) => {
    const policy = { ...unlimitedSessions, perUserLimit: 2 };
    const otherVisitor = await Visitor.create(r, { account: visitor.account });
    const colleague = await Visitor.create(r, { key: visitor });
    await visitor.open(r, {}, policy);
    await otherVisitor.open(r, {}, policy);
    await assertFull(r, visitor, policy, "opening one more session for the user");
    await colleague.open(r, {}, policy);
    await colleague.open(r, {}, policy);
    await assertFull(r, colleague, policy, "opening one more session for the other user");
    equal(await r.sessions.count(), 4, "number of live sessions");
  },

  "enforces the smaller of two limits": async ({ r, visitor }) => {
    const colleague = await Visitor.create(r, { key: visitor });
    const policy = { ...unlimitedSessions, limit: 3, perUserLimit: 2 };
    await concurrently(2, () => visitor.open(r, {}, policy));
    await assertFull(r, visitor, policy, "opening one more session for the user");
    await colleague.open(r, {}, policy);
    await assertFull(r, colleague, policy, "opening one more session in the database");
  },

  "opens another session after one is ended": async ({ r, visitor }) => {
    const policy = { ...unlimitedSessions, limit: 2, perUserLimit: 2 };
    const [digest] = await concurrently(2, () => visitor.open(r, {}, policy));
    await assertFull(r, visitor, policy);
    await r.sessions.end({ digest: digest as string });
    await visitor.open(r, {}, policy);
    await assertFull(r, visitor, policy, "opening one more session");
  },

  "opens another session after one expires, swept or not": async ({ r, advance, visitor }) => {
    const policy = { ...unlimitedSessions, limit: 2, perUserLimit: 2 };
    for (const sweep of [false, true]) {
      await concurrently(2, () => visitor.open(r, {}, policy));
      await assertFull(r, visitor, policy);
      advance(idleTimeout + minute);
      if (sweep) await r.sessions.sweep(100);
    }
    await concurrently(2, () => visitor.open(r, {}, policy));
    await assertFull(r, visitor, policy, "opening one more session after all");
  },

  "counts sessions opened under a higher limit towards a lower one": async ({ r, visitor }) => {
    await concurrently(4, () => visitor.open(r));
    await assertFull(r, visitor, { limit: 3 }, "opening a session under a lower limit");
    await assertFull(r, visitor, { perUserLimit: 4 }, "opening a session under a limit of the user");
    await visitor.open(r, {}, { ...unlimitedSessions, limit: 5, perUserLimit: 5 });
  },

  "opens one of several concurrent sessions at the last free slot": async (subject) => {
    const { r, visitor } = subject;
    const policy = { ...unlimitedSessions, limit: 5 };
    await concurrently(4, () => visitor.open(r, {}, policy));
    await race(subject, await concurrently(12, () => Visitor.create(r, { key: visitor })), policy, 1);
    equal(await r.sessions.count(), 5, "number of live sessions");
  },

  "fills all free slots exactly across concurrent calls": async (subject) => {
    const { r, visitor } = subject;
    const visitors = await concurrently(16, () => Visitor.create(r, { key: visitor }));
    await race(subject, visitors, { ...unlimitedSessions, limit: 5 }, 5);
    equal(await r.sessions.count(), 5, "number of live sessions");
  },

  "opens one of several concurrent sessions at the last free slot of a user": async (subject) => {
    const { r, visitor } = subject;
    const policy = { ...unlimitedSessions, perUserLimit: 2 };
    await visitor.open(r, {}, policy);
    await race(subject, times(12, visitor), policy, 1);
    equal(await r.sessions.count(), 2, "number of live sessions");
  },

  "enforces the limits of several users and of the database in concurrent calls": async (subject) => {
    const { r, visitor } = subject;
    const colleague = await Visitor.create(r, { key: visitor });
    const visitors = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? visitor : colleague));
    await race(subject, visitors, { ...unlimitedSessions, limit: 7, perUserLimit: 4 }, 7);
  },

  "enforces the limit exactly while sessions are ended concurrently": async (subject) => {
    const { r, visitor } = subject;
    const policy = { ...unlimitedSessions, limit: 6 };
    const digests = await concurrently(6, () => visitor.open(r, {}, policy));
    const [, ended] = await Promise.all([
      concurrently(10, () => codeOf(r.sessions.open(visitor.newSession(), policy))),
      Promise.all(digests.slice(0, 3).map((digest) => r.sessions.end({ digest }))),
    ]);
    equal(ended, [1, 1, 1], "number of sessions ended by each call");
    const live = await r.sessions.count();
    await race(subject, times(10, visitor), policy, 6 - live);
    equal(await r.sessions.count(), 6, "number of live sessions");
  },

  "enforces the limit exactly after all kinds of session changes": async (subject) => {
    const { storage, r, advance, visitor } = subject;
    for (let round = 0; round < 3; round += 1) {
      const digests = await concurrently(6, (index) =>
        visitor.open(r, { deviceId: index < 3 ? `device ${index}` : null }),
      );
      await Promise.all(digests.slice(3, 5).map((digest) => r.sessions.end({ digest })));
      await concurrently(4, (index) => visitor.open(r, { deviceId: `device ${index % 2}` }));
      await rolledBack(storage, (inside) => visitor.open(inside));
      // Longer than half of the idle timeout, so that the sessions of the round before expire.
      advance(6 * minute);
      await r.sessions.sweep(2);
    }
    const live = await r.sessions.count();
    const policy = { ...unlimitedSessions, limit: live + 4 };
    await race(subject, times(10, visitor), policy, 4);
    advance(idleTimeout + minute);
    await r.sessions.sweep(3);
    await race(subject, times(10, visitor), { ...unlimitedSessions, limit: 4 }, 4);
    equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "number of ended sessions");
    await race(subject, times(10, visitor), { ...unlimitedSessions, perUserLimit: 4 }, 4);
  },
});
