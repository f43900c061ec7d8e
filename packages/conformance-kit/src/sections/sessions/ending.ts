import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { unlimitedSessions, minute, second } from "../../fixtures/policy.ts";
import { Visitor, visitorChecks } from "../../fixtures/visitor.ts";

export const sessionEndingChecks: readonly Check[] = visitorChecks("sessions", {
  "counts live sessions": async ({ r, visitor }) => {
    equal(await r.sessions.count(), 0, "number of live sessions at the beginning");
    const digests = await concurrently(5, () => visitor.open(r));
    equal(await r.sessions.count(), 5, "number of live sessions");
    await r.sessions.end({ digest: digests[0] as string });
    equal(await r.sessions.count(), 4, "number of live sessions after one is ended");
  },

  "ends one session by its digest": async ({ r, visitor }) => {
    const [digest, other] = [await visitor.open(r), await visitor.open(r)];
    equal(await r.sessions.end({ digest }), 1, "number of ended sessions");
    equal(await r.sessions.end({ digest }), 0, "number of sessions ended again");
    equal(await r.sessions.end({ digest: freshDigest() }), 0, "number of ended sessions with an unknown digest");
    equal(await visitor.isAdmitted(r, other), true, "whether the other session is admitted");
  },

  "ends all sessions of a user across app keys": async ({ r, visitor }) => {
    const otherVisitor = await Visitor.create(r, { account: visitor.account });
    const colleague = await Visitor.create(r, { key: visitor });
    const own = [await visitor.open(r), await visitor.open(r, { deviceId: "phone" }), await visitor.openSecure(r)];
    const [far, other] = [await otherVisitor.open(r), await colleague.open(r)];
    equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "number of ended sessions");
    for (const digest of own) {
      equal(await visitor.isAdmitted(r, digest), false, "whether an ended session is admitted");
      equal((await visitor.admitAs(r, "secure", digest)).session, null, "an ended secure session");
    }
    equal(await otherVisitor.isAdmitted(r, far), false, "whether the ended session of another app key is admitted");
    equal(await colleague.isAdmitted(r, other), true, "whether the session of another user is admitted");
    equal(await r.sessions.end({ userId: visitor.account.userId }), 0, "number of sessions ended again");
  },

  "ends each session in one of several concurrent calls": async ({ r, visitor }) => {
    const digest = await visitor.open(r);
    const ended = await concurrently(10, () => r.sessions.end({ digest }));
    equal(ended.toSorted(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "number of sessions ended by each call");
  },

  "sweeps expired sessions up to the limit": async ({ r, advance, visitor }) => {
    await concurrently(5, () => visitor.open(r));
    advance(8 * minute);
    const live = await visitor.open(r);
    equal(await r.sessions.sweep(10), 0, "number of live sessions that were swept");
    advance(2 * minute + second);
    equal(await r.sessions.sweep(0), 0, "number of sessions swept with a limit of zero");
    equal(await r.sessions.sweep(2), 2, "number of sessions swept by the first call");
    equal(await r.sessions.sweep(10), 3, "number of sessions swept by the second call");
    equal(await r.sessions.sweep(10), 0, "number of sessions swept by the third call");
    equal(await visitor.isAdmitted(r, live), true, "whether the live session is admitted");
  },

  "sweeps sessions after their absolute lifetime": async ({ r, advance, visitor }) => {
    const digest = await visitor.open(r, {}, { ...unlimitedSessions, absoluteLifetime: 12 * minute });
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(3 * minute + second);
    equal(await r.sessions.sweep(10), 1, "number of swept sessions");
  },

  "sweeps each session in one of several concurrent calls": async ({ r, advance, visitor }) => {
    await concurrently(12, () => visitor.open(r));
    advance(11 * minute);
    const swept = await concurrently(6, () => r.sessions.sweep(100));
    const rest = await r.sessions.sweep(100);
    const all = swept.reduce((sum, each) => sum + each, rest);
    equal(all, 12, "number of swept sessions in total");
  },
});
