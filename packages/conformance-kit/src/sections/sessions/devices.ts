import type { Digest, SessionPolicy } from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, sequentially } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { unlimitedSessions, minute, second } from "../../fixtures/policy.ts";
import { assertFull, Visitor, visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";

const phone = { deviceId: "phone" };
const alone = { ...unlimitedSessions, perDevice: 1 };

/** Opens sessions of the phone sequentially, with these limits and a second between them. */
async function openInTurn(
  { r, advance, visitor }: VisitorSubject,
  limits: readonly Partial<SessionPolicy>[],
): Promise<Digest[]> {
  return sequentially(limits, (each) => {
    advance(second);
    return visitor.open(r, phone, { ...unlimitedSessions, ...each });
  });
}

/** Ends sessions sequentially. Returns whether each was live. Admission would renew them. */
async function wereLive({ r }: VisitorSubject, digests: readonly Digest[]): Promise<boolean[]> {
  return sequentially(digests, async (digest) => (await r.sessions.end({ digest })) === 1);
}

const oneDevice = visitorChecks("sessions", {
  "keeps several sessions of a device up to its limit": async ({ r, visitor }) => {
    const modes = ["session", "token", "session"] as const;
    const policy = { ...unlimitedSessions, perDevice: 3 };
    const digests = await sequentially(modes, (mode) => visitor.open(r, { ...phone, mode, appNames: [mode] }, policy));
    for (const [index, mode] of modes.entries()) {
      const { session } = await visitor.admitAs(r, mode, digests[index] ?? "");
      equal([session?.deviceId, session?.appNames], ["phone", [mode]], "the device and the app names of the session");
    }
    equal(await r.sessions.count(), 3, "number of live sessions");
  },

  "ends the oldest session of a device beyond the limit if none was renewed": async (subject) => {
    const three = { perDevice: 3 };
    const digests = await openInTurn(subject, [three, three, three, three, three]);
    equal(await subject.r.sessions.count(), 3, "number of live sessions");
    equal(await wereLive(subject, digests), [false, false, true, true, true], "the sessions that were live");
  },

  "ends the least recently renewed session of a device beyond the limit": async (subject) => {
    const { r, advance, visitor } = subject;
    const policy = { ...unlimitedSessions, perDevice: 3 };
    const digests = await sequentially([1, 2, 3], () => visitor.open(r, phone, policy));
    // Renews the oldest session, then the next.
    for (const renewed of digests.slice(0, 2)) {
      advance(2 * minute);
      equal(await visitor.isAdmitted(r, renewed), true, "whether the session is admitted");
    }
    for (let opened = 0; opened < 2; opened += 1) {
      advance(minute);
      digests.push(await visitor.open(r, phone, policy));
    }
    equal(await wereLive(subject, digests), [false, true, false, true, true], "the sessions that were live");
  },

  "ends several sessions of a device if the limit is lowered": async (subject) => {
    const limits = [5, 5, 5, 5, 2].map((perDevice) => ({ perDevice }));
    const digests = await openInTurn(subject, limits);
    equal(await wereLive(subject, digests), [false, false, false, true, true], "the sessions that were live");
  },

  "replaces the session of a device with a limit of one": async ({ r, visitor }) => {
    const first = await visitor.open(r, { ...phone, mode: "token", appNames: ["old"] }, alone);
    const next = await visitor.open(r, { ...phone, appNames: ["new"] }, alone);
    equal(await visitor.isAdmitted(r, first), false, "whether the replaced session is admitted");
    const { session } = await visitor.admit(r, next);
    equal([session?.mode, session?.appNames], ["session", ["new"]], "the mode and the app names of the session");
    equal(await r.sessions.count(), 1, "number of live sessions");
    equal(await r.sessions.end({ digest: first }), 0, "number of ended former sessions");
  },

  "keeps the sessions of another user, app key or device": async ({ r, visitor }) => {
    const colleague = await Visitor.create(r, { key: visitor });
    const otherVisitor = await Visitor.create(r, { account: visitor.account });
    const sessions = [
      [visitor, await visitor.open(r, { deviceId: "Phone" }, alone)],
      [visitor, await visitor.open(r, { deviceId: "phone " }, alone)],
      [visitor, await visitor.open(r, { deviceId: "" }, alone)],
      [visitor, await visitor.open(r, { deviceId: null }, alone)],
      [colleague, await colleague.open(r, phone, alone)],
      [otherVisitor, await otherVisitor.open(r, phone, alone)],
      [visitor, await visitor.open(r, phone, alone)],
    ] as const;
    for (const [owner, digest] of sessions)
      equal(await owner.isAdmitted(r, digest), true, "whether the session is admitted");
    equal(await r.sessions.count(), sessions.length, "number of live sessions");
  },

  "replaces no session without a device": async ({ r, visitor }) => {
    const digests = await sequentially([1, 2, 3], () => visitor.open(r, {}, alone));
    for (const digest of digests) equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
  },

  "distinguishes devices with hostile names": async ({ r, visitor }) => {
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId }, alone);
    equal(await r.sessions.count(), hostileTexts.length, "number of live sessions");
    for (const deviceId of hostileTexts) await visitor.open(r, { deviceId }, alone);
    equal(await r.sessions.count(), hostileTexts.length, "number of live sessions after each was replaced");
  },

  "replaces an expired session of a device with a full lifetime": async ({ r, advance, visitor }) => {
    const old = await visitor.open(r, phone, alone);
    advance(11 * minute);
    const next = await visitor.open(r, phone, { ...alone, limit: 1 });
    equal(await visitor.isAdmitted(r, old), false, "whether the expired session is admitted");
    equal(await visitor.isAdmitted(r, next), true, "whether the new session is admitted");
    equal(await r.sessions.count(), 1, "number of live sessions");
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, next), true, "whether the new session has its own lifetime");
  },
});

const underLimits = visitorChecks("sessions", {
  "replaces a session of the same device at a full limit, and none of other devices": async (subject) => {
    const { r, visitor } = subject;
    const colleague = await Visitor.create(r, { key: visitor });
    for (const limits of [{ limit: 4 }, { perUserLimit: 4 }]) {
      const beside = "limit" in limits ? colleague : visitor;
      const policy = { ...unlimitedSessions, ...limits };
      const others = [await beside.open(r, {}, policy), await visitor.open(r, { deviceId: "tablet" }, policy)];
      const ofPhone = await openInTurn(subject, [policy, policy, policy, policy, policy]);
      for (const deviceId of [null, "laptop"]) {
        await assertFull(r, visitor, policy, "opening a session for a device without one", { deviceId });
      }
      equal(await r.sessions.count(), 4, "number of live sessions");
      equal(await wereLive(subject, others), [true, true], "the other sessions that were live");
      equal(
        await wereLive(subject, ofPhone),
        [false, false, false, true, true],
        "the sessions of the device that were live",
      );
    }
  },

  "replaces a session of a device at a full limit without using another slot": async ({ r, visitor }) => {
    const policy = { ...unlimitedSessions, limit: 1, perUserLimit: 1 };
    for (let round = 0; round < 3; round += 1) await visitor.open(r, phone, policy);
    await assertFull(r, visitor, policy, "opening a session for another device", { deviceId: "tablet" });
    equal(await r.sessions.count(), 1, "number of live sessions");
  },

  "keeps the session of a device if the limit is exceeded without it": async ({ r, visitor }) => {
    const old = await visitor.open(r, phone);
    await concurrently(3, () => visitor.open(r));
    for (const policy of [{ limit: 3 }, { perUserLimit: 2 }]) {
      await assertFull(r, visitor, policy, "opening a session beyond the limit", phone);
      equal(await visitor.isAdmitted(r, old), true, "whether the session of the device is admitted");
    }
    equal(await r.sessions.count(), 4, "number of live sessions");
  },
});

const atOneTime = visitorChecks("sessions", {
  "enforces the session limit of a device exactly across concurrent calls": async ({ r, visitor }) => {
    const full = { ...unlimitedSessions, limit: 3, perUserLimit: 3 };
    for (const [policy, attempts, staying] of [
      [{ ...unlimitedSessions, perDevice: 3 }, 2, 2],
      [{ ...unlimitedSessions, perDevice: 3 }, 12, 3],
      [full, 10, 3],
      [alone, 10, 1],
    ] as const) {
      const digests = await concurrently(attempts, () => visitor.open(r, phone, policy));
      const admitted = await Promise.all(digests.map((digest) => visitor.isAdmitted(r, digest)));
      equal(admitted.filter(Boolean).length, staying, "number of admitted sessions");
      equal(await r.sessions.end({ userId: visitor.account.userId }), staying, "number of live sessions");
    }
  },

  "replaces sessions of a device at a full limit during concurrent openings by others": async ({ r, visitor }) => {
    for (const limits of [{ limit: 4 }, { perUserLimit: 4 }]) {
      await visitor.open(r, phone);
      const codes = await concurrently(16, (index) => {
        const session = visitor.newSession({ deviceId: index % 2 === 0 ? "phone" : null });
        return codeOf(r.sessions.open(session, { ...unlimitedSessions, ...limits }));
      });
      const ofPhone = codes.filter((_, index) => index % 2 === 0);
      equalCounts(ofPhone, { 0: ofPhone.length }, "outcomes for the device");
      equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "number of live sessions");
    }
  },
});

export const sessionDeviceChecks: readonly Check[] = [...oneDevice, ...underLimits, ...atOneTime];
