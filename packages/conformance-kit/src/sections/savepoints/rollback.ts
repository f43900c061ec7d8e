import { type Repositories, seesAll, ServiceError } from "@sallyport/storage";
import { equal, isTrue, rethrows } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { createAppName, storedAppNames } from "../../fixtures/apps.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { StateFixture } from "../../fixtures/state-fixture.ts";
import { rolledBack, rollBackNested } from "../../fixtures/rolled-back.ts";

const failure = new Error("undone");

async function knownIn(r: Repositories): Promise<string> {
  return (await storedAppNames(r, "a", "b", "c", "d", "e", "f")).join("");
}

export const savepointRollbackChecks: readonly Check[] = checksOf("nested transactions", {
  "commits a nested transaction with the outer one and returns its result": async (subject) => {
    const fixture = await StateFixture.set(subject);
    const result = await subject.storage.transaction(async (r, attempt) => {
      const inside = await attempt(async () => {
        await fixture.change(r);
        return fixture.look(r);
      });
      equal(await fixture.look(r), inside, "the state seen by the transaction after the nested one");
      return inside;
    });
    equal(await fixture.look(subject.r), result, "the state, compared with that seen by the nested transaction");
    equal([result.account, result.file, result.opened], ["new", "new", true], "the new rows");
  },

  "rolls back a nested transaction that throws and continues the outer one": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const before = await fixture.look(r);
    await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await rollBackNested(attempt, () => fixture.change(inside));
      equal(await fixture.look(inside), before, "the state seen by the transaction after the nested one");
      await createAppName(inside, "b");
    });
    equal(await fixture.look(r), before, "the state");
    equal(await knownIn(r), "ab", "the writes of the transaction before and after");
  },

  "repeats a rolled-back nested transaction": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const seen = await storage.transaction(async (inside, attempt) => {
      for (let round = 0; round < 2; round += 1) await rollBackNested(attempt, () => fixture.change(inside));
      await attempt(() => fixture.change(inside));
      return fixture.look(inside);
    });
    equal(await fixture.look(r), seen, "the state");
    equal([seen.objects, seen.sessions, seen.audit], [3, 2, 1], "number of objects, sessions and events");
  },

  "rethrows the errors of nested transactions unchanged": async ({ storage, r }) => {
    await storage.transaction(async (inside, attempt) => {
      for (const error of [new Error("mine"), new ServiceError(302, { retryAfter: 7 }), new TypeError("mine, too")]) {
        const nested = async () => {
          await inside.audit.append(auditEvent);
          throw error;
        };
        await rethrows(error, () => attempt(nested), "a nested transaction");
      }
      const atOnce = new RangeError("at once");
      const nested = () => {
        throw atOnce;
      };
      await rethrows(atOnce, () => attempt(nested), "a nested transaction whose work throws at once");
    });
    equal((await r.audit.read(0, 10)).length, 0, "number of events");
  },

  "accepts an empty nested transaction": async ({ storage, r }) => {
    const results = await storage.transaction(async (inside, attempt) => {
      const empty = await attempt(async () => "empty");
      await errorOf(() => attempt(() => Promise.reject(failure)));
      await createAppName(inside, "a");
      await errorOf(() => attempt(() => attempt(() => Promise.reject(failure))));
      return [empty, await attempt(() => attempt(() => attempt(async () => "deep")))];
    });
    equal([results, await knownIn(r)], [["empty", "deep"], "a"], "the results and the existing app names");
  },

  "rolls back each level of nested transactions separately": async ({ storage, r }) => {
    const seen = await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await attempt(async () => {
        await createAppName(inside, "b");
        await rollBackNested(attempt, () => createAppName(inside, "c"));
        await attempt(() => createAppName(inside, "d"));
      });
      return knownIn(inside);
    });
    equal([seen, await knownIn(r)], ["abd", "abd"], "the existing app names, inside and after");
  },

  "rolls back inner transactions with their outer nested transaction": async ({ storage, r }) => {
    const seen = await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await rollBackNested(attempt, async () => {
        await attempt(() => createAppName(inside, "b"));
        await attempt(async () => {
          await attempt(() => createAppName(inside, "c"));
          await createAppName(inside, "d");
        });
      });
      const after = await knownIn(inside);
      await attempt(() => createAppName(inside, "e"));
      return after;
    });
    equal(
      [seen, await knownIn(r)],
      ["a", "ae"],
      "the existing app names after the nested transaction and after the commit",
    );
  },

  "rolls back committed nested transactions if the outer one fails": async ({ storage, r }) => {
    await rolledBack(storage, async (inside, attempt) => {
      await attempt(() => createAppName(inside, "a"));
      await rollBackNested(attempt, () => createAppName(inside, "b"));
    });
    equal(await knownIn(r), "", "the existing app names");
  },

  "runs any number of nested transactions in sequence": async ({ storage, r }) => {
    await storage.transaction(async (inside, attempt) => {
      for (let round = 0; round < 100; round += 1) {
        const nested = attempt(async () => {
          await inside.objects.insert([{ className: "File", attributes: { Name: `file ${round}` } }]);
          if (round % 2 === 1) throw failure;
        });
        await nested.catch((error: unknown) =>
          isTrue(error === failure, "The nested transaction must fail with its own error"),
        );
      }
    });
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 50, "number of objects");
  },
});
