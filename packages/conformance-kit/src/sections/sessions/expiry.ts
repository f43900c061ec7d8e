import type { SessionPolicy } from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { createAppKey } from "../../fixtures/apps.ts";
import { unlimitedSessions, minute, second } from "../../fixtures/policy.ts";
import { visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";

interface Terms {
  readonly policy?: Partial<SessionPolicy>;
  /** The idle timeout of requests; default: that of the policy. */
  readonly idleTimeout?: number;
  /** Number of live sessions at the end. */
  readonly left?: number;
}

type Step = readonly [wait: number, admitted: boolean];

/** Opens a session and asserts after each wait whether a request with it is admitted. */
function lives({ policy, idleTimeout, left }: Terms, ...steps: readonly Step[]) {
  return async ({ r, advance, visitor }: VisitorSubject): Promise<void> => {
    const digest = await visitor.open(r, {}, { ...unlimitedSessions, ...policy });
    for (const [index, [wait, admitted]] of steps.entries()) {
      advance(wait);
      equal(await visitor.isAdmitted(r, digest, idleTimeout), admitted, `whether request ${index} is admitted`);
    }
    if (left === undefined) return;
    equal(await r.sessions.count(), left, "number of live sessions");
    equal(await r.sessions.end({ digest }), left, "number of ended sessions");
  };
}

const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

/** `generous` has an idle timeout of 10 minutes. A session is extended at most once a minute. */
export const sessionExpiryChecks: readonly Check[] = visitorChecks("sessions", {
  "keeps a session for its idle timeout without a request": async ({ r, advance, visitor }) => {
    const [used, unused] = [await visitor.open(r), await visitor.open(r)];
    advance(10 * minute - 10 * second);
    equal(await visitor.isAdmitted(r, used), true, "whether the session is admitted before its expiry");
    advance(11 * second);
    equal(await visitor.isAdmitted(r, unused), false, "whether the session is admitted after its expiry");
  },

  "treats expired sessions as absent in every call": async ({ r, advance, visitor }) => {
    const digest = await visitor.open(r);
    await visitor.open(r);
    advance(10 * minute + second);
    equal(await r.sessions.count(), 0, "number of live sessions");
    equal(await r.sessions.end({ digest }), 0, "number of sessions ended by digest");
    equal(await r.sessions.end({ userId: visitor.account.userId }), 0, "number of sessions ended by user");
  },

  "renews the idle timeout with every request": lives({ left: 1 }, ...times(6, [8 * minute, true])),

  "extends a session from the time of the request": lives({}, [5 * minute, true], [10 * minute + second, false]),

  "does not extend a session before the touch interval has passed": lives(
    {},
    [45 * second, true],
    [10 * minute - 40 * second, false],
  ),

  "extends a session after the touch interval has passed": lives(
    {},
    [minute + second, true],
    [10 * minute - 10 * second, true],
  ),

  "extends a session with a short idle timeout after a tenth of it": lives(
    { policy: { idleTimeout: 100 * second }, idleTimeout: 100 * second },
    [12 * second, true],
    [92 * second, true],
  ),

  "extends a session by the idle timeout of the request": lives(
    { idleTimeout: 30 * minute },
    [2 * minute, true],
    [29 * minute, true],
  ),

  "does not extend a session with a refused request": async ({ r, advance, visitor }) => {
    const stranger = await createAppKey(r);
    const digest = await visitor.open(r);
    advance(5 * minute);
    for (const appKey of [stranger.digest, null])
      await r.admission.admit({ appKey, session: digest, idleTimeout: unlimitedSessions.idleTimeout });
    advance(5 * minute + second);
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after its expiry");
  },

  "ends a busy session at its absolute lifetime": lives({ left: 0 }, [0, true], ...times(14, [8 * minute, true]), [
    8 * minute + second,
    false,
  ]),

  "does not extend a session beyond its absolute lifetime": lives(
    { policy: { absoluteLifetime: 15 * minute }, left: 0 },
    [9 * minute, true],
    [6 * minute + second, false],
  ),

  "ends a session at its absolute lifetime if the idle timeout is longer": async ({ r, advance, visitor }) => {
    const digest = await visitor.open(r, {}, { ...unlimitedSessions, absoluteLifetime: 5 * minute });
    advance(5 * minute - 10 * second);
    equal(await r.sessions.count(), 1, "number of live sessions before the end");
    advance(11 * second);
    equal(await r.sessions.count(), 0, "number of live sessions after the end");
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted after the end");
  },
});
