import {
  AnswerTooLargeError,
  type NewObject,
  OutdatedModelError,
  type Repositories,
  seesAll,
  ServiceError,
  type StoredObject,
  Applications,
} from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { createObject } from "../../fixtures/objects.ts";
import { createUser } from "../../fixtures/accounts.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { generous, minute } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const throttleKey = {
  key: "a",
  policy: { freeFailures: 1, firstDelay: minute, longestDelay: minute, forgetAfter: 60 * minute },
};

interface Scene {
  readonly visitor: Visitor;
  readonly users: readonly { readonly userId: string; readonly loginName: string }[];
  readonly file: StoredObject;
  readonly locked: StoredObject;
  readonly generation: number;
}

async function scene(r: Repositories): Promise<Scene> {
  const visitor = await Visitor.create(r);
  const session = await visitor.open(r);
  const [file, locked] = [await createObject(r), await createObject(r)];
  await r.locks.take(locked.id, session);
  await r.throttle.fail([throttleKey]);
  const { generation } = await r.model.load();
  return { visitor, users: [await createUser(r), await createUser(r)], file, locked, generation };
}

function inserted(r: Repositories, object: Partial<NewObject>): Promise<unknown> {
  return r.objects.insert([{ className: "File", attributes: {}, ...object }]);
}

/** A call of each kind that is refused, with the code of it. */
const refusals: readonly (readonly [
  what: string,
  code: number,
  call: (r: Repositories, scene: Scene) => Promise<unknown>,
])[] = [
  ["a UUID in use", 307, (r, { file }) => inserted(r, { uuid: file.uuid })],
  ["a link to nothing", 307, (r) => inserted(r, { links: { Owner: ["ZZZZZZ"] } })],
  ["a text that cannot be stored", 307, (r) => inserted(r, { attributes: { Name: "zero \0" } })],
  [
    "another version",
    713,
    (r, { file }) => r.objects.update([changeOf(file.id, {}, { expectedVersions: [9] })], { session: null }),
  ],
  ["a lock of another session", 713, (r, { locked }) => r.objects.update([changeOf(locked.id, {})], { session: null })],
  ["an object that is not there", 304, (r) => r.objects.update([changeOf("ZZZZZZ", {})], { session: null })],
  [
    "an object under an outdated model",
    706,
    (r, { generation }) =>
      r.objects.insert([{ className: "File", attributes: {} }], { session: null, modelGeneration: generation - 1 }),
  ],
  [
    "a departure under an outdated model",
    706,
    (r, { file, generation }) => r.departures.hold([file.id], { modelGeneration: generation - 1 }),
  ],
  [
    "a name of another account",
    307,
    (r, { users: [one, other] }) =>
      r.accounts.change(one?.userId ?? "", {
        name: { loginName: other?.loginName ?? "", confusableKey: other?.loginName ?? "" },
      }),
  ],
  [
    "more sessions than there may be",
    315,
    (r, { visitor }) => r.sessions.open(visitor.newSession(), { ...generous, perUserLimit: 1 }),
  ],
  ["a success while a delay runs", 302, (r) => r.throttle.pass([throttleKey], [])],
  [
    "a page that is too large",
    307,
    (r) => r.objects.find({ classes: ["File"] }, seesAll, { offset: 0, limit: 10 }, 10),
  ],
];

export const partFailingChecks: readonly Check[] = checksOf("parts of transactions", {
  "leave nothing behind when a call of theirs is refused, whichever it is": async ({ storage, r }) => {
    const stage = await scene(r);
    const kept: string[] = [];
    await storage.transaction(async (inside, attempt) => {
      kept.length = 0;
      for (const [what, code, call] of refusals) {
        const error = await errorOf(() =>
          attempt(async () => {
            await new Applications(inside.records).create({ name: `before ${what}`, seats: null });
            await call(inside, stage);
          }),
        );
        equal(error instanceof ServiceError ? error.code : error, code, `the refusal of ${what}`);
        await new Applications(inside.records).create({ name: `after ${what}`, seats: null });
        kept.push(`after ${what}`);
      }
    });
    const asked = refusals.flatMap(([what]) => [`before ${what}`, `after ${what}`]);
    equal((await new Applications(r.records).known(asked)).toSorted(), kept.toSorted(), "what is known");
    equal(await r.objects.get([stage.file.id, stage.locked.id], seesAll), [stage.file, stage.locked], "the objects");
  },

  "let the errors of calls out as they are": async ({ storage, r }) => {
    const { file, generation } = await scene(r);
    await storage.transaction(async (inside, attempt) => {
      const outdated = await errorOf(() =>
        attempt(() =>
          inside.objects.insert([{ className: "File", attributes: {} }], {
            session: null,
            modelGeneration: generation - 1,
          }),
        ),
      );
      holds(outdated instanceof OutdatedModelError, "The error says that the model is outdated");
      const tooLarge = await errorOf(() =>
        attempt(() => inside.objects.find({ classes: ["File"] }, seesAll, { offset: 0, limit: 10 }, 10)),
      );
      holds(tooLarge instanceof AnswerTooLargeError, "The error says that the answer would be too large");
      equal(await inside.objects.get([file.id], seesAll), [file], "what is read next");
    });
  },

  "that block one another have the whole work run again, without doing anything twice": async ({ storage, r }) => {
    for (let round = 0; round < 2; round += 1) {
      const [one, other] = [await createUser(r), await createUser(r)];
      const before = (await r.audit.read(0, 1_000)).length;
      const started = new Set<string>();
      const crossing = (name: string, first: string, second: string) =>
        storage.transaction(async (inside, attempt) => {
          await attempt(() => inside.audit.append({ ...auditEvent, requestId: name }));
          await attempt(() => inside.accounts.change(first, { disabled: true }));
          started.add(name);
          // Gives the other one time to take its first, where both can run at once.
          for (let turn = 0; turn < 100 && started.size < 2; turn += 1) await inside.audit.read(0, 1);
          // Whoever loses here cannot go on, whether it minds or not.
          await attempt(() => attempt(() => inside.accounts.change(second, { disabled: true }))).catch(() => {});
        });
      await Promise.all([crossing("forth", one.userId, other.userId), crossing("back", other.userId, one.userId)]);
      const events = (await r.audit.read(0, 1_000)).slice(before).map(({ requestId }) => requestId);
      equal(events.toSorted(), ["back", "forth"], "the events");
      const accounts = await r.accounts.list("database", null, 100);
      for (const { userId } of [one, other])
        equal(accounts.find((account) => account.userId === userId)?.disabled, true, "whether the account is disabled");
    }
  },
});
