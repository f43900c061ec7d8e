import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { atOnce } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { generous, minute, second } from "../../fixtures/policy.ts";
import { Visitor, visitorChecks } from "../../fixtures/visitor.ts";

export const sessionEndingChecks: readonly Check[] = visitorChecks("sessions", {
  "are counted while they live": async ({ r, visitor }) => {
    equal(await r.sessions.count(), 0, "how many sessions are live at first");
    const digests = await atOnce(5, () => visitor.open(r));
    equal(await r.sessions.count(), 5, "how many sessions are live");
    await r.sessions.end({ digest: digests[0] as string });
    equal(await r.sessions.count(), 4, "how many sessions are live after one was ended");
  },

  "end one at a time by their digest": async ({ r, visitor }) => {
    const [digest, other] = [await visitor.open(r), await visitor.open(r)];
    equal(await r.sessions.end({ digest }), 1, "how many sessions were ended");
    equal(await r.sessions.end({ digest }), 0, "how many sessions were ended again");
    equal(await r.sessions.end({ digest: freshDigest() }), 0, "how many sessions of an unknown digest were ended");
    equal(await visitor.isAdmitted(r, other), true, "whether the other session is admitted");
  },

  "end all at once by their user, whatever app key opened them": async ({ r, visitor }) => {
    const elsewhere = await Visitor.create(r, { account: visitor.account });
    const colleague = await Visitor.create(r, { key: visitor });
    const own = [await visitor.open(r), await visitor.open(r, { deviceId: "phone" }), await visitor.openSecure(r)];
    const [far, other] = [await elsewhere.open(r), await colleague.open(r)];
    equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "how many sessions were ended");
    for (const digest of own) {
      equal(await visitor.isAdmitted(r, digest), false, "whether an ended session is admitted");
      equal((await visitor.admitAs(r, "secure", digest)).session, null, "an ended session as a secure one");
    }
    equal(await elsewhere.isAdmitted(r, far), false, "whether the ended session of another app key is admitted");
    equal(await colleague.isAdmitted(r, other), true, "whether another user's session is admitted");
    equal(await r.sessions.end({ userId: visitor.account.userId }), 0, "how many sessions were ended again");
  },

  "are ended by one of those who end them at once": async ({ r, visitor }) => {
    const digest = await visitor.open(r);
    const ended = await atOnce(10, () => r.sessions.end({ digest }));
    equal(ended.toSorted(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "how many sessions each call has ended");
  },

  "are swept away when they are expired, no more than asked for": async ({ r, advance, visitor }) => {
    await atOnce(5, () => visitor.open(r));
    advance(8 * minute);
    const live = await visitor.open(r);
    equal(await r.sessions.sweep(10), 0, "how many sessions were swept while all lived");
    advance(2 * minute + second);
    equal(await r.sessions.sweep(0), 0, "how many sessions a sweep of none has swept");
    equal(await r.sessions.sweep(2), 2, "how many sessions the first sweep has swept");
    equal(await r.sessions.sweep(10), 3, "how many sessions the second sweep has swept");
    equal(await r.sessions.sweep(10), 0, "how many sessions the third sweep has swept");
    equal(await visitor.isAdmitted(r, live), true, "whether the live session is admitted");
  },

  "are swept away when their absolute end is over": async ({ r, advance, visitor }) => {
    const digest = await visitor.open(r, {}, { ...generous, absoluteLifetime: 12 * minute });
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(3 * minute + second);
    equal(await r.sessions.sweep(10), 1, "how many sessions were swept");
  },

  "are swept by one of those who sweep at once": async ({ r, advance, visitor }) => {
    await atOnce(12, () => visitor.open(r));
    advance(11 * minute);
    const swept = await atOnce(6, () => r.sessions.sweep(100));
    const rest = await r.sessions.sweep(100);
    const all = swept.reduce((sum, each) => sum + each, rest);
    equal(all, 12, "how many sessions were swept in all");
  },
});
