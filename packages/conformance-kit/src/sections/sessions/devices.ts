import type { Digest, SessionPolicy } from "@sallyport/core";
import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { atOnce, oneByOne } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { generous, minute, second } from "../../fixtures/policy.ts";
import { isFull, Visitor, visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";

const phone = { deviceId: "phone" };
const alone = { ...generous, perDevice: 1 };

/** Opens sessions of the phone sequentially, with these limits and a second between them. */
async function openInTurn(
  { r, advance, visitor }: VisitorSubject,
  limits: readonly Partial<SessionPolicy>[],
): Promise<Digest[]> {
  return oneByOne(limits, (each) => {
    advance(second);
    return visitor.open(r, phone, { ...generous, ...each });
  });
}

/** Ends sessions sequentially. Returns whether each was live. Admission would renew them. */
async function wereLive({ r }: VisitorSubject, digests: readonly Digest[]): Promise<boolean[]> {
  return oneByOne(digests, async (digest) => (await r.sessions.end({ digest })) === 1);
}

const oneDevice = visitorChecks("sessions", {
  "of one user, app key and device live side by side up to their limit": async ({ r, visitor }) => {
    const modes = ["session", "token", "session"] as const;
    const policy = { ...generous, perDevice: 3 };
    const digests = await oneByOne(modes, (mode) => visitor.open(r, { ...phone, mode, appNames: [mode] }, policy));
    for (const [index, mode] of modes.entries()) {
      const { session } = await visitor.admitAs(r, mode, digests[index] ?? "");
      equal([session?.deviceId, session?.appNames], ["phone", [mode]], "device and app names of the session");
    }
    equal(await r.sessions.count(), 3, "how many sessions are live");
  },

  "of a device make room for the next: the oldest ends where none was renewed": async (subject) => {
    const three = { perDevice: 3 };
    const digests = await openInTurn(subject, [three, three, three, three, three]);
    equal(await subject.r.sessions.count(), 3, "how many sessions are live");
    equal(await wereLive(subject, digests), [false, false, true, true, true], "which of them were live");
  },

  "of a device make room for the next: the least recently renewed ends": async (subject) => {
    const { r, advance, visitor } = subject;
    const policy = { ...generous, perDevice: 3 };
    const digests = await oneByOne([1, 2, 3], () => visitor.open(r, phone, policy));
    // Renews the oldest session, then the next.
    for (const renewed of digests.slice(0, 2)) {
      advance(2 * minute);
      equal(await visitor.isAdmitted(r, renewed), true, "whether the session is admitted");
    }
    for (let opened = 0; opened < 2; opened += 1) {
      advance(minute);
      digests.push(await visitor.open(r, phone, policy));
    }
    equal(await wereLive(subject, digests), [false, true, false, true, true], "which of them were live");
  },

  "of a device end in numbers when their limit is lower than it was": async (subject) => {
    const limits = [5, 5, 5, 5, 2].map((perDevice) => ({ perDevice }));
    const digests = await openInTurn(subject, limits);
    equal(await wereLive(subject, digests), [false, false, false, true, true], "which of them were live");
  },

  "replace one another when a device may have one": async ({ r, visitor }) => {
    const first = await visitor.open(r, { ...phone, mode: "token", appNames: ["old"] }, alone);
    const next = await visitor.open(r, { ...phone, appNames: ["new"] }, alone);
    equal(await visitor.isAdmitted(r, first), false, "whether the replaced session is admitted");
    const { session } = await visitor.admit(r, next);
    equal([session?.mode, session?.appNames], ["session", ["new"]], "mode and app names of the session");
    equal(await r.sessions.count(), 1, "how many sessions are live");
    equal(await r.sessions.end({ digest: first }), 0, "how many replaced sessions were ended");
  },

  "leave those of another user, app key or device alone": async ({ r, visitor }) => {
    const colleague = await Visitor.create(r, { key: visitor });
    const elsewhere = await Visitor.create(r, { account: visitor.account });
    const sessions = [
      [visitor, await visitor.open(r, { deviceId: "Phone" }, alone)],
      [visitor, await visitor.open(r, { deviceId: "phone " }, alone)],
      [visitor, await visitor.open(r, { deviceId: "" }, alone)],
      [visitor, await visitor.open(r, { deviceId: null }, alone)],
      [colleague, await colleague.open(r, phone, alone)],
      [elsewhere, await elsewhere.open(r, phone, alone)],
      [visitor, await visitor.open(r, phone, alone)],
    ] as const;
    for (const [owner, digest] of sessions)
      equal(await owner.isAdmitted(r, digest), true, "whether the session is admitted");
    equal(await r.sessions.count(), sessions.length, "how many sessions are live");
  },

  "without a device replace nothing": async ({ r, visitor }) => {
    const digests = await oneByOne([1, 2, 3], () => visitor.open(r, {}, alone));
    for (const digest of digests) equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
  },

  "know devices by hostile names": async ({ r, visitor }) => {
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId }, alone);
    equal(await r.sessions.count(), hostileTexts.length, "how many sessions are live");
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId }, alone);
    equal(await r.sessions.count(), hostileTexts.length, "how many sessions are live after each was replaced");
  },

  "take the place of an expired session of the device": async ({ r, advance, visitor }) => {
    const old = await visitor.open(r, phone, alone);
    advance(11 * minute);
    const next = await visitor.open(r, phone, { ...alone, limit: 1 });
    equal(await visitor.isAdmitted(r, old), false, "whether the expired session is admitted");
    equal(await visitor.isAdmitted(r, next), true, "whether the new session is admitted");
    equal(await r.sessions.count(), 1, "how many sessions are live");
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, next), true, "whether the new session has a life of its own");
  },
});

const underLimits = visitorChecks("sessions", {
  "of a device make room under a full limit, those of others do not": async (subject) => {
    const { r, visitor } = subject;
    const colleague = await Visitor.create(r, { key: visitor });
    for (const limits of [{ limit: 4 }, { perUserLimit: 4 }]) {
      const beside = "limit" in limits ? colleague : visitor;
      const policy = { ...generous, ...limits };
      const others = [await beside.open(r, {}, policy), await visitor.open(r, { deviceId: "tablet" }, policy)];
      const ofPhone = await openInTurn(subject, [policy, policy, policy, policy, policy]);
      for (const deviceId of [null, "laptop"]) {
        await isFull(r, visitor, policy, "opening where the device has no session", { deviceId });
      }
      equal(await r.sessions.count(), 4, "how many sessions are live");
      equal(await wereLive(subject, others), [true, true], "which of the others were live");
      equal(await wereLive(subject, ofPhone), [false, false, false, true, true], "which of the device were live");
    }
  },

  "replace without taking room under a limit": async ({ r, visitor }) => {
    const policy = { ...generous, limit: 1, perUserLimit: 1 };
    for (let round = 0; round < 3; round += 1) await visitor.open(r, phone, policy);
    await isFull(r, visitor, policy, "opening for another device", { deviceId: "tablet" });
    equal(await r.sessions.count(), 1, "how many sessions are live");
  },

  "keep the session of the device when the limit is exceeded without it": async ({ r, visitor }) => {
    const old = await visitor.open(r, phone);
    await atOnce(3, () => visitor.open(r));
    for (const policy of [{ limit: 3 }, { perUserLimit: 2 }]) {
      await isFull(r, visitor, policy, "opening beyond the limit", phone);
      equal(await visitor.isAdmitted(r, old), true, "whether the session of the device is still admitted");
    }
    equal(await r.sessions.count(), 4, "how many sessions are live");
  },
});

const atOneTime = visitorChecks("sessions", {
  "of a device are exactly as many as there may be when several are opened at once": async ({ r, visitor }) => {
    const full = { ...generous, limit: 3, perUserLimit: 3 };
    for (const [policy, attempts, staying] of [
      [{ ...generous, perDevice: 3 }, 2, 2],
      [{ ...generous, perDevice: 3 }, 12, 3],
      [full, 10, 3],
      [alone, 10, 1],
    ] as const) {
      const digests = await atOnce(attempts, () => visitor.open(r, phone, policy));
      const admitted = await Promise.all(digests.map((digest) => visitor.isAdmitted(r, digest)));
      equal(admitted.filter(Boolean).length, staying, "how many of the sessions are admitted");
      equal(await r.sessions.end({ userId: visitor.account.userId }), staying, "how many sessions were live");
    }
  },

  "of a device fill a limit exactly when others want its places at once": async ({ r, visitor }) => {
    for (const limits of [{ limit: 4 }, { perUserLimit: 4 }]) {
      await visitor.open(r, phone);
      const codes = await atOnce(16, (index) => {
        const session = visitor.newSession({ deviceId: index % 2 === 0 ? "phone" : null });
        return codeOf(r.sessions.open(session, { ...generous, ...limits }));
      });
      const ofPhone = codes.filter((_, index) => index % 2 === 0);
      equalCounts(ofPhone, { 0: ofPhone.length }, "how many of the device were opened");
      equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "how many sessions were live");
    }
  },
});

export const sessionDeviceChecks: readonly Check[] = [...oneDevice, ...underLimits, ...atOneTime];
