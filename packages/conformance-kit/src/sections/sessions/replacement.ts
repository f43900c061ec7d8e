import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { generous, minute } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

export const sessionReplacementChecks: readonly Check[] = checksOf("sessions", {
  "replace the session of the same user, app key and device": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const first = await visitor.open(r, { deviceId: "phone", mode: "token", appNames: ["old"] });
    const next = await visitor.open(r, { deviceId: "phone", appNames: ["new"] });
    equal(await visitor.isAdmitted(r, first), false, "whether the replaced session is admitted");
    const { session } = await visitor.admit(r, next);
    equal([session?.mode, session?.appNames], ["session", ["new"]], "mode and app names of the session");
    equal(await r.sessions.count(), 1, "how many sessions are live");
    equal(await r.sessions.end({ digest: first }), 0, "how many replaced sessions were ended");
  },

  "leave those of another user, app key or device alone": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const colleague = await Visitor.create(r, { key: visitor });
    const elsewhere = await Visitor.create(r, { account: visitor.account });
    const device = { deviceId: "phone" };
    const sessions = [
      [visitor, await visitor.open(r, { deviceId: "Phone" })],
      [visitor, await visitor.open(r, { deviceId: "phone " })],
      [visitor, await visitor.open(r, { deviceId: "" })],
      [visitor, await visitor.open(r, { deviceId: null })],
      [colleague, await colleague.open(r, device)],
      [elsewhere, await elsewhere.open(r, device)],
      [visitor, await visitor.open(r, device)],
    ] as const;
    for (const [owner, digest] of sessions) equal(await owner.isAdmitted(r, digest), true, "whether the session is admitted");
    equal(await r.sessions.count(), sessions.length, "how many sessions are live");
  },

  "without a device replace nothing": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const digests = [await visitor.open(r), await visitor.open(r), await visitor.open(r)];
    for (const digest of digests) equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
  },

  "know devices by hostile names": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId });
    equal(await r.sessions.count(), hostileTexts.length, "how many sessions are live");
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId });
    equal(await r.sessions.count(), hostileTexts.length, "how many sessions are live after each was replaced");
  },

  "replace without taking room under a limit": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const policy = { ...generous, limit: 1, perUserLimit: 1 };
    for (let round = 0; round < 3; round += 1) await visitor.open(r, { deviceId: "phone" }, policy);
    await failsWith(315, () => r.sessions.open(visitor.newSession({ deviceId: "tablet" }), policy), "opening for another device");
    equal(await r.sessions.count(), 1, "how many sessions are live");
  },

  "keep the session of the device when the limit is exceeded without it": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const old = await visitor.open(r, { deviceId: "phone" });
    await atOnce(3, () => visitor.open(r));
    for (const policy of [{ ...generous, limit: 3 }, { ...generous, perUserLimit: 2 }]) {
      await failsWith(315, () => r.sessions.open(visitor.newSession({ deviceId: "phone" }), policy), "opening beyond the limit");
      equal(await visitor.isAdmitted(r, old), true, "whether the session of the device is still admitted");
    }
    equal(await r.sessions.count(), 4, "how many sessions are live");
  },

  "take the place of an expired session of the device": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const old = await visitor.open(r, { deviceId: "phone" });
    advance(11 * minute);
    const next = await visitor.open(r, { deviceId: "phone" }, { ...generous, limit: 1 });
    equal(await visitor.isAdmitted(r, old), false, "whether the expired session is admitted");
    equal(await visitor.isAdmitted(r, next), true, "whether the new session is admitted");
    equal(await r.sessions.count(), 1, "how many sessions are live");
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, next), true, "whether the new session has a life of its own");
  },

  "leave one session of a device when several are opened at once": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const policy = { ...generous, limit: 1, perUserLimit: 1 };
    for (const each of [generous, policy]) {
      const digests = await atOnce(10, () => visitor.open(r, { deviceId: "phone" }, each));
      const admitted = await Promise.all(digests.map((digest) => visitor.isAdmitted(r, digest)));
      equal(admitted.filter(Boolean).length, 1, "how many of the sessions are admitted");
      equal(await r.sessions.count(), 1, "how many sessions are live");
    }
  },
});
