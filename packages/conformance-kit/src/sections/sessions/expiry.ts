import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { createAppKey } from "../../fixtures/create-app-key.ts";
import { generous, hour, minute, second } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

/** `generous` lets a session idle for 10 minutes; it is then extended at most once a minute. */
export const sessionExpiryChecks: readonly Check[] = checksOf("sessions", {
  "live as long as their idle time-out without a request": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const [used, unused] = [await visitor.open(r), await visitor.open(r)];
    advance(10 * minute - 10 * second);
    equal(await visitor.isAdmitted(r, used), true, "whether the session is admitted just before its time is over");
    advance(11 * second);
    equal(await visitor.isAdmitted(r, unused), false, "whether the session is admitted when its time is over");
  },

  "are as good as absent in every call when they are expired": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    await visitor.open(r);
    advance(10 * minute + second);
    equal(await r.sessions.count(), 0, "how many sessions are live");
    equal(await r.sessions.end({ digest }), 0, "how many sessions were ended by digest");
    equal(await r.sessions.end({ userId: visitor.account.userId }), 0, "how many sessions were ended by user");
  },

  "slide: every request gives them their idle time-out again": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    for (let request = 0; request < 6; request += 1) {
      advance(8 * minute);
      equal(await visitor.isAdmitted(r, digest), true, `whether request ${request} is admitted`);
    }
    equal(await r.sessions.count(), 1, "how many sessions are live");
  },

  "are extended from the request, not from the end": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    advance(5 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(10 * minute + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted when its time is over");
  },

  "are not extended before the touch interval has passed": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    advance(45 * second);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(10 * minute - 40 * second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted when its first time is over");
  },

  "are extended once the touch interval has passed": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    advance(minute + second);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(10 * minute - 10 * second);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted within its new time");
  },

  "with short time-outs are extended after a tenth of them": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const policy = { ...generous, idleTimeout: 100 * second };
    const digest = await visitor.open(r, {}, policy);
    advance(12 * second);
    equal(await visitor.isAdmitted(r, digest, policy.idleTimeout), true, "whether the session is admitted");
    advance(92 * second);
    equal(
      await visitor.isAdmitted(r, digest, policy.idleTimeout),
      true,
      "whether the session is admitted within its new time",
    );
  },

  "are extended by the idle time-out that the request names": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    advance(2 * minute);
    equal(await visitor.isAdmitted(r, digest, 30 * minute), true, "whether the session is admitted");
    advance(29 * minute);
    equal(
      await visitor.isAdmitted(r, digest, 30 * minute),
      true,
      "whether the session is admitted within its new time",
    );
  },

  "are not extended by requests that they do not let in": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const stranger = await createAppKey(r);
    const digest = await visitor.open(r);
    advance(5 * minute);
    await r.admission.admit({ appKey: stranger.digest, session: digest, idleTimeout: generous.idleTimeout });
    await r.admission.admit({ appKey: null, session: digest, idleTimeout: generous.idleTimeout });
    advance(5 * minute + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted when its time is over");
  },

  "end at their absolute lifetime, however busy they are": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r);
    for (let passed = 0; passed < 2 * hour - 8 * minute; passed += 8 * minute) {
      equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted before its absolute end");
      advance(8 * minute);
    }
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted just before its absolute end");
    advance(8 * minute + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after its absolute end");
    equal(await r.sessions.count(), 0, "how many sessions are live");
  },

  "are not extended beyond their absolute end by a late request": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const policy = { ...generous, absoluteLifetime: 15 * minute };
    const digest = await visitor.open(r, {}, policy);
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(6 * minute + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after its absolute end");
    equal(await r.sessions.end({ digest }), 0, "how many sessions were ended");
  },

  "end at their absolute lifetime when their idle time-out is longer": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const digest = await visitor.open(r, {}, { ...generous, absoluteLifetime: 5 * minute });
    advance(5 * minute - 10 * second);
    equal(await r.sessions.count(), 1, "how many sessions are live before");
    advance(11 * second);
    equal(await r.sessions.count(), 0, "how many sessions are live after");
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after its absolute end");
  },
});
