import { isTrue, equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { unlimitedSessions, hour, minute, second } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

const day = 24 * hour;

export const timeChecks: readonly Check[] = checksOf("time", {
  "returns milliseconds since 1970 that never decrease": async ({ storage }) => {
    let last = Date.UTC(2024, 0, 1);
    for (let round = 0; round < 5; round += 1) {
      const now = await storage.now();
      isTrue(Number.isFinite(now) && now >= last && now < Date.UTC(2100, 0, 1), `${now} must not be before ${last}`);
      last = now;
    }
  },

  "moves with the offset of the clock": async ({ storage, advance }) => {
    for (const step of [hour, 30 * day, -7 * day]) {
      const before = await storage.now();
      advance(step);
      const moved = (await storage.now()) - before;
      isTrue(moved >= step && moved < step + minute, `The clock has moved by ${moved} ms instead of ${step} ms`);
    }
  },

  "uses the same clock for everything that is stored": async ({ storage, r, advance }) => {
    advance(3 * day);
    const before = await storage.now();
    const [object] = await r.objects.insert([{ className: "File", attributes: {} }]);
    await r.audit.append(auditEvent);
    const after = await storage.now();
    const [event] = await r.audit.read(0, 1);
    for (const at of [object?.storedAt ?? 0, event?.at ?? 0])
      isTrue(before <= at && at <= after, `${at} must be between ${before} and ${after}`);
  },

  "uses the storage clock only to decide what is expired": async ({ r, advance }) => {
    const visitor = await Visitor.create(r);
    const key = { key: "a", policy: { maxFailures: 1, initialDelay: hour, maxDelay: hour, resetAfter: day } };
    advance(10 * day);
    const digest = await visitor.open(r);
    await r.throttle.fail([key]);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    const { wait } = await r.throttle.attempt([key]);
    isTrue(wait > hour - minute && wait <= hour, `The wait must not be ${wait} ms`);
    advance(unlimitedSessions.idleTimeout + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after its expiry");
    equal(await r.sessions.count(), 0, "number of live sessions");
    advance(hour);
    equal(await r.throttle.attempt([key]), { wait: 0, reserved: true }, "the attempt after the delay");
  },

  "returns the current time inside transactions, too": async ({ storage, advance }) => {
    advance(day);
    const before = await storage.now();
    const [object] = await storage.transaction((r) => r.objects.insert([{ className: "File", attributes: {} }]));
    const after = await storage.now();
    const at = object?.storedAt ?? 0;
    isTrue(before <= at && at <= after, `${at} must be between ${before} and ${after}`);
  },
});
