import type { Repositories } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { createAppName, knownAppNames } from "../../fixtures/apps.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { pluck } from "../../fixtures/lists.ts";
import { createObject, update } from "../../fixtures/objects.ts";
import { processChecks } from "./process-checks.ts";

const audited = async (r: Repositories) => pluck(await r.audit.read(0, 10), "requestId");

/** Asserts that work succeeds after two conflicts, and fails with 706 after three. */
async function thirdTime<T>(losses: number, work: Promise<T>, outcome: T, what: string): Promise<void> {
  if (losses < 3) equal(await work, outcome, `the outcome of the third time of ${what}`);
  else await failsWith(706, () => work, `${what} that lost three times`);
}

export const processTransactionChecks: readonly Check[] = processChecks(true, {
  "do not see one another's work before it is kept": async ({ storage, other }) => {
    await storage.transaction(async (r) => {
      await createAppName(r, "one");
      await r.audit.append(auditEvent);
      equal(await knownAppNames(other, "one"), [], "what the other one knows before");
      equal(await other.audit.read(0, 10), [], "the audit as the other one sees it before");
    });
    equal(await knownAppNames(other, "one"), ["one"], "what the other one knows after");
  },

  "run again what lost against another, and give up with 706 the third time": async ({ storage, r, loseNext }) => {
    for (const [name, losses] of Object.entries({ one: 2, two: 3 })) {
      await loseNext(losses);
      let runs = 0;
      const work = storage.transaction(async (inside) => {
        runs += 1;
        await inside.audit.append({ ...auditEvent, requestId: name });
        return createAppName(inside, name);
      });
      await thirdTime(losses, work, "created", "a transaction");
      equal(runs, 3, "how often the work has run");
    }
    for (const [name, losses] of Object.entries({ three: 2, four: 3 })) {
      await loseNext(losses);
      await thirdTime(losses, createAppName(r, name), "created", "a call");
    }
    equal(await knownAppNames(r, "one", "two", "three", "four"), ["one", "three"], "what is known");
    equal(await audited(r), ["one"], "the audit");
    equal(await createAppName(r, "four"), "created", "the next try");
  },

  "run again what lost in a part of it, whether it minds or not": async ({ storage, r, loseNext }) => {
    for (const [name, losses] of Object.entries({ one: 2, two: 3 })) {
      await loseNext(losses);
      let runs = 0;
      const work = storage.transaction(async (inside, attempt) => {
        runs += 1;
        await attempt(() => inside.audit.append({ ...auditEvent, requestId: name }));
        const part = attempt(() => attempt(() => createAppName(inside, name)));
        const lost = await part.then(() => null).catch((error: unknown) => error);
        if (lost !== null)
          await failsWith(706, () => inside.audit.read(0, 1), "what is asked for after a part has lost");
        return lost;
      });
      await thirdTime(losses, work, null, "a transaction");
      equal(runs, 3, "how often the work has run");
    }
    equal(await knownAppNames(r, "one", "two"), ["one"], "what is known");
    equal(await audited(r), ["one"], "the audit");
    equal(await createAppName(r, "two"), "created", "the next try");
  },

  "see of a part that is undone nothing, and of the others all": async ({ storage, r, other }) => {
    const { id } = await createObject(r, { attributes: { Name: "old" } });
    await storage.transaction(async (inside, attempt) => {
      const part = attempt(async () => {
        await update(inside, id, { Name: "undone" });
        await createAppName(inside, "undone");
        throw new RangeError("undone");
      });
      await part.catch((error: unknown) => holds(error instanceof RangeError, "The part fails with its own error"));
      await attempt(() => createAppName(inside, "kept"));
      equal(await knownAppNames(other, "undone", "kept"), [], "what the other one knows before");
    });
    equal(await knownAppNames(other, "undone", "kept"), ["kept"], "what the other one knows after");
    const changed = await update(other, id, { Name: "new" }, { expectedVersions: [1] });
    equal([changed.version, changed.attributes["Name"]], [2, "new"], "what the other one makes of the object");
  },
});
