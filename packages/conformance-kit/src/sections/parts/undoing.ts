import { type Repositories, seesAll, ServiceError } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { createAppName, knownAppNames } from "../../fixtures/apps.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { StateFixture } from "../../fixtures/state-fixture.ts";
import { rolledBack, undone } from "../../fixtures/rolled-back.ts";

const failure = new Error("undone");

async function knownIn(r: Repositories): Promise<string> {
  return (await knownAppNames(r, "a", "b", "c", "d", "e", "f")).join("");
}

export const partUndoingChecks: readonly Check[] = checksOf("parts of transactions", {
  "are kept with the transaction, and hand on their result": async (subject) => {
    const fixture = await StateFixture.set(subject);
    const result = await subject.storage.transaction(async (r, attempt) => {
      const inside = await attempt(async () => {
        await fixture.change(r);
        return fixture.look(r);
      });
      equal(await fixture.look(r), inside, "what the transaction sees after its part");
      return inside;
    });
    equal(await fixture.look(subject.r), result, "what is there, as the part saw it");
    equal([result.account, result.file, result.opened], ["new", "new", true], "what is new");
  },

  "leave nothing of what they wrote if they throw, and the transaction goes on": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const before = await fixture.look(r);
    await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await undone(attempt, () => fixture.change(inside));
      equal(await fixture.look(inside), before, "what the transaction sees after its part");
      await createAppName(inside, "b");
    });
    equal(await fixture.look(r), before, "what is there");
    equal(await knownIn(r), "ab", "what the transaction did before and after");
  },

  "can be done again as if they had never been": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const seen = await storage.transaction(async (inside, attempt) => {
      for (let round = 0; round < 2; round += 1) await undone(attempt, () => fixture.change(inside));
      await attempt(() => fixture.change(inside));
      return fixture.look(inside);
    });
    equal(await fixture.look(r), seen, "what is there");
    equal([seen.objects, seen.sessions, seen.audit], [3, 2, 1], "how much of it");
  },

  "let their errors out unchanged": async ({ storage, r }) => {
    await storage.transaction(async (inside, attempt) => {
      for (const error of [new Error("mine"), new ServiceError(302, { retryAfter: 7 }), new TypeError("mine, too")]) {
        const thrown = await errorOf(() =>
          attempt(async () => {
            await inside.audit.append(auditEvent);
            throw error;
          }),
        );
        holds(thrown === error, "The error that comes out is the one that was thrown");
      }
      const thrown = await errorOf(() =>
        attempt(() => {
          throw new RangeError("at once");
        }),
      );
      holds(thrown instanceof RangeError, "An error thrown at once comes out as a rejection");
    });
    equal((await r.audit.read(0, 10)).length, 0, "how many events there are");
  },

  "can do nothing, and the transaction goes on": async ({ storage, r }) => {
    const results = await storage.transaction(async (inside, attempt) => {
      const empty = await attempt(async () => "empty");
      await errorOf(() => attempt(() => Promise.reject(failure)));
      await createAppName(inside, "a");
      await errorOf(() => attempt(() => attempt(() => Promise.reject(failure))));
      return [empty, await attempt(() => attempt(() => attempt(async () => "deep")))];
    });
    equal([results, await knownIn(r)], [["empty", "deep"], "a"], "the results, and what is known");
  },

  "nest, and each is undone by itself": async ({ storage, r }) => {
    const seen = await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await attempt(async () => {
        await createAppName(inside, "b");
        await undone(attempt, () => createAppName(inside, "c"));
        await attempt(() => createAppName(inside, "d"));
      });
      return knownIn(inside);
    });
    equal([seen, await knownIn(r)], ["abd", "abd"], "what is known, inside and after");
  },

  "are undone with the one that they are parts of": async ({ storage, r }) => {
    const seen = await storage.transaction(async (inside, attempt) => {
      await createAppName(inside, "a");
      await undone(attempt, async () => {
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
    equal([seen, await knownIn(r)], ["a", "ae"], "what is known, after the part and in the end");
  },

  "are undone with a transaction that fails after them": async ({ storage, r }) => {
    await rolledBack(storage, async (inside, attempt) => {
      await attempt(() => createAppName(inside, "a"));
      await undone(attempt, () => createAppName(inside, "b"));
    });
    equal(await knownIn(r), "", "what is known");
  },

  "follow one another as often as wanted": async ({ storage, r }) => {
    await storage.transaction(async (inside, attempt) => {
      for (let round = 0; round < 100; round += 1) {
        const part = attempt(async () => {
          await inside.objects.insert([{ className: "File", attributes: { Name: `file ${round}` } }]);
          if (round % 2 === 1) throw failure;
        });
        await part.catch((error: unknown) => holds(error === failure, "The part fails with its own error"));
      }
    });
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 50, "how many objects there are");
  },
});
