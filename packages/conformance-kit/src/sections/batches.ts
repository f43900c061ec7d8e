import {
  type BatchRepositories,
  type Digest,
  type ErrorCode,
  type Repositories,
  ServiceError,
  type ThrottleKey,
} from "@sallyport/storage";
import { equal, failsWith, rethrows } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { equalCounts, pluck } from "../fixtures/lists.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { unlimitedSessions, hour, minute } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

const failing: ThrottleKey = {
  key: "failing",
  policy: { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: hour },
};
const other: ThrottleKey = { ...failing, key: "other" };

interface LogInOptions {
  readonly keys?: readonly ThrottleKey[];
  readonly limit?: number;
  readonly deviceId?: string | null;
}

/** The calls of a log-in: clear failures, open a session, append an event. */
function logInCalls(
  r: BatchRepositories,
  visitor: Visitor,
  { keys = [], limit = 0, deviceId = null }: LogInOptions = {},
) {
  const session = visitor.newSession({ mode: "secure", deviceId });
  const calls = [
    r.throttle.pass(keys, [other.key]),
    r.sessions.open(session, { ...unlimitedSessions, limit }),
    r.audit.append(auditEvent),
  ] as const;
  return { digest: session.digest, calls };
}

/** The visible state after log-ins. */
async function look(r: Repositories) {
  return {
    sessions: await r.sessions.count(),
    events: (await r.audit.read(0, 100)).length,
    waits: (await r.throttle.attempt([other])).wait > 0,
  };
}

export const batchChecks: readonly Check[] = checksOf("batches", {
  "commits all calls of a batch and answers each": async ({ storage, r }) => {
    const visitor = await Visitor.create(r);
    await r.throttle.fail([other]);
    let digest: Digest = "";
    await storage.batch((batched) => {
      const { digest: opened, calls } = logInCalls(batched, visitor);
      digest = opened;
      return Promise.all(calls);
    });
    equal(await look(r), { sessions: 1, events: 1, waits: false }, "the state after a log-in");
    equal((await visitor.admitAs(r, "secure", digest)).session?.mode, "secure", "the session");
    const [wait] = await storage.batch((batched) =>
      Promise.all([batched.throttle.fail([other]), batched.audit.append(auditEvent)]),
    );
    equal(wait, minute, "the wait after a failure");
    equal(await look(r), { sessions: 1, events: 2, waits: true }, "the state after a failure");
  },

  "rolls back a batch if any of its calls fails": async ({ storage, r }) => {
    const visitor = await Visitor.create(r);
    await r.throttle.fail([other, failing]);
    await visitor.open(r);
    const refusals: readonly [LogInOptions, ErrorCode][] = [
      [{ keys: [failing] }, 302],
      [{ limit: 1 }, 315],
      [{ deviceId: "zero \0" }, 307],
    ];
    for (const [options, code] of refusals) {
      const logIn = () => storage.batch((batched) => Promise.all(logInCalls(batched, visitor, options).calls));
      await failsWith(code, logIn, `a log-in refused with ${code}`);
      equal(await look(r), { sessions: 1, events: 0, waits: true }, `the state after ${code}`);
    }
  },

  "rolls back a batch with a failed call even if the work ignores the failure": async ({ storage, r }) => {
    const visitor = await Visitor.create(r);
    await visitor.open(r);
    const careless = storage.batch(async (batched) => {
      const [passed, opened, appended] = logInCalls(batched, visitor, { limit: 1 }).calls;
      await Promise.all([codeOf(passed), codeOf(opened), codeOf(appended)]);
    });
    await failsWith(315, () => careless, "a log-in that ignores the failure");
    equal(await look(r), { sessions: 1, events: 0, waits: false }, "the state");
  },

  "refuses batch calls after the first answer": async ({ storage, r }) => {
    const late = storage.batch(async (batched) => {
      await batched.audit.append(auditEvent);
      return codeOf(batched.audit.append({ ...auditEvent, requestId: "late" }));
    });
    equal(await late, 799, "the code of a call after an answer");
    equal(pluck(await r.audit.read(0, 10), "requestId"), [auditEvent.requestId], "the audit");
  },

  "rethrows an error of batch work unchanged and writes nothing": async ({ storage, r }) => {
    for (const error of [new Error("mine"), new ServiceError(302, { retryAfter: 7 })]) {
      const work = () => {
        throw error;
      };
      await rethrows(error, () => storage.batch(work), "a batch");
    }
    equal(await look(r), { sessions: 0, events: 0, waits: false }, "the state");
    equal(await storage.batch(async () => "nothing"), "nothing", "the result of work without calls");
  },

  "enforces a limit exactly across concurrent batches and rolls back refused ones": async ({ storage, r }) => {
    const visitor = await Visitor.create(r);
    const logIn = () => storage.batch((batched) => Promise.all(logInCalls(batched, visitor, { limit: 5 }).calls));
    equalCounts(
      await concurrently(24, () => codeOf(logIn())),
      { 0: 5, 315: 19 },
      "numbers of opened and refused sessions",
    );
    equal(await look(r), { sessions: 5, events: 5, waits: false }, "the state");
  },
});
