import {
  AnswerTooLargeError,
  type ErrorCode,
  type NewObject,
  type ObjectChange,
  OutdatedModelError,
  type Repositories,
  seesAll,
  type Writing,
} from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { createAppName, storedAppNames } from "../../fixtures/apps.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { createObject } from "../../fixtures/objects.ts";
import { createUser } from "../../fixtures/accounts.ts";
import { pluck } from "../../fixtures/lists.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { unlimitedSessions, minute } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const throttleKey = {
  key: "a",
  policy: { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: 60 * minute },
};

async function scene(r: Repositories) {
  const visitor = await Visitor.create(r);
  const session = await visitor.open(r);
  const [file, locked] = [await createObject(r), await createObject(r)];
  await r.locks.take(locked.id, session);
  await r.throttle.fail([throttleKey]);
  const outdated = { modelGeneration: (await r.model.load()).generation - 1 };
  const user = await createUser(r);
  const { loginName } = await createUser(r);
  return { visitor, user, name: { loginName, confusableKey: loginName }, file, locked, outdated };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const update = (r: Repositories, id: string, properties: Partial<ObjectChange> = {}) =>
  r.objects.update([changeOf(id, {}, properties)], { session: null });

const insert = (r: Repositories, object: Partial<NewObject>, options?: Writing) =>
  r.objects.insert([{ className: "File", attributes: {}, ...object }], options);

const largePage = (r: Repositories) => r.objects.find({ classes: ["File"] }, seesAll, { offset: 0, limit: 10 }, 10);

type Refused = (r: Repositories, scene: Scene) => Promise<unknown>;

/** One refused call of each kind, with its error code. */
const refusals: readonly (readonly [what: string, code: ErrorCode, call: Refused])[] = [
  ["a used UUID", 307, (r, { file }) => insert(r, { uuid: file.uuid })],
  ["a link to an unknown object", 307, (r) => insert(r, { links: { Owner: ["ZZZZZZ"] } })],
  ["an unstorable text", 307, (r) => insert(r, { attributes: { Name: "zero \0" } })],
  ["another version", 713, (r, { file }) => update(r, file.id, { expectedVersions: [9] })],
  ["a lock of another session", 713, (r, { locked }) => update(r, locked.id)],
  ["an unknown object", 304, (r) => update(r, "ZZZZZZ")],
  ["an insertion under an outdated model", 706, (r, { outdated }) => insert(r, {}, { session: null, ...outdated })],
  ["a deletion under an outdated model", 706, (r, { file, outdated }) => r.deletion.lock([file.id], outdated)],
  ["the name of another account", 307, (r, { user, name }) => r.accounts.change(user.userId, { name })],
  [
    "more sessions than the limit",
    315,
    (r, { visitor }) => r.sessions.open(visitor.newSession(), { ...unlimitedSessions, perUserLimit: 1 }),
  ],
  ["a success during a delay", 302, (r) => r.throttle.pass([throttleKey], [])],
  ["an oversized page", 307, (r) => largePage(r)],
];

export const savepointFailureChecks: readonly Check[] = checksOf("nested transactions", {
  "rolls back a nested transaction if any of its calls is refused": async ({ storage, r }) => {
    const fixture = await scene(r);
    await storage.transaction(async (inside, attempt) => {
      for (const [what, code, call] of refusals) {
        const nested = async () => {
          await createAppName(inside, `before ${what}`);
          await call(inside, fixture);
        };
        await failsWith(code, () => attempt(nested), `the refusal of ${what}`);
        await createAppName(inside, `after ${what}`);
      }
    });
    const before = refusals.map(([what]) => `before ${what}`);
    const after = refusals.map(([what]) => `after ${what}`);
    equal(await storedAppNames(r, ...before, ...after), after.toSorted(), "the existing app names");
    equal(
      await r.objects.get([fixture.file.id, fixture.locked.id], seesAll),
      [fixture.file, fixture.locked],
      "the objects",
    );
  },

  "rethrows the errors of calls unchanged": async ({ storage, r }) => {
    const { file, outdated } = await scene(r);
    await storage.transaction(async (inside, attempt) => {
      const refused = await errorOf(() => attempt(() => insert(inside, {}, { session: null, ...outdated })));
      isTrue(refused instanceof OutdatedModelError, "The error must be an OutdatedModelError");
      const tooLarge = await errorOf(() => attempt(() => largePage(inside)));
      isTrue(tooLarge instanceof AnswerTooLargeError, "The error must be an AnswerTooLargeError");
      equal(await inside.objects.get([file.id], seesAll), [file], "the next read");
    });
  },

  "retries the whole transaction after a deadlock between nested transactions, without duplicate effects": async ({
    storage,
    r,
  }) => {
    for (let round = 0; round < 2; round += 1) {
      const [one, other] = [await createUser(r), await createUser(r)];
      const before = (await r.audit.read(0, 1_000)).length;
      const started = new Set<string>();
      const deadlock = (name: string, first: string, second: string) =>
        storage.transaction(async (inside, attempt) => {
          await attempt(() => inside.audit.append({ ...auditEvent, requestId: name }));
          await attempt(() => inside.accounts.change(first, { disabled: true }));
          started.add(name);
          // Lets the other transaction lock its first row, if both can run concurrently.
          for (let turn = 0; turn < 100 && started.size < 2; turn += 1) await inside.audit.read(0, 1);
          // The losing transaction cannot continue, even if it ignores the error.
          await attempt(() => attempt(() => inside.accounts.change(second, { disabled: true }))).catch(() => {});
        });
      await Promise.all([deadlock("forth", one.userId, other.userId), deadlock("back", other.userId, one.userId)]);
      const events = pluck((await r.audit.read(0, 1_000)).slice(before), "requestId");
      equal(events.toSorted(), ["back", "forth"], "the events");
      const accounts = await r.accounts.list("database", null, 100);
      for (const { userId } of [one, other])
        equal(accounts.find((account) => account.userId === userId)?.disabled, true, "whether the account is disabled");
    }
  },
});
