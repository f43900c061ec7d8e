import { RefusedByStorageError, type Repositories } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { createAppName, storedAppNames } from "../../fixtures/apps.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { pluck } from "../../fixtures/lists.ts";
import { createObject, update } from "../../fixtures/objects.ts";
import { processChecks } from "./process-checks.ts";

const audited = async (r: Repositories) => pluck(await r.audit.read(0, 10), "requestId");

/** Asserts that work succeeds after two conflicts, and fails with 706 after three. */
async function succeedsByThirdAttempt<T>(losses: number, work: Promise<T>, outcome: T, what: string): Promise<void> {
  if (losses < 3) equal(await work, outcome, `the outcome of the third attempt of ${what}`);
  else await failsWith(706, () => work, `${what} that failed three times`);
}

export const processTransactionChecks: readonly Check[] = processChecks(true, {
  "hides uncommitted writes from other processes": async ({ storage, other }) => {
    await storage.transaction(async (r) => {
      await createAppName(r, "one");
      await r.audit.append(auditEvent);
      equal(await storedAppNames(other, "one"), [], "the app names seen by the other process before the commit");
      equal(await other.audit.read(0, 10), [], "the audit seen by the other process before the commit");
    });
    equal(await storedAppNames(other, "one"), ["one"], "the app names seen by the other process after the commit");
  },

  "retries after a serialization failure and gives up with 706 after the third attempt": async ({
    storage,
    r,
    loseNext,
  }) => {
    for (const [name, losses] of Object.entries({ one: 2, two: 3 })) {
      await loseNext(losses);
      let runs = 0;
      const work = storage.transaction(async (inside) => {
        runs += 1;
        await inside.audit.append({ ...auditEvent, requestId: name });
        return createAppName(inside, name);
      });
      await succeedsByThirdAttempt(losses, work, "created", "a transaction");
      equal(runs, 3, "number of runs");
    }
    for (const [name, losses] of Object.entries({ three: 2, four: 3 })) {
      await loseNext(losses);
      await succeedsByThirdAttempt(losses, createAppName(r, name), "created", "a call");
    }
    equal(await storedAppNames(r, "one", "two", "three", "four"), ["one", "three"], "the existing app names");
    equal(await audited(r), ["one"], "the audit");
    equal(await createAppName(r, "four"), "created", "the outcome of the next call");
  },

  "retries after a serialization failure in a nested transaction, handled or not": async ({ storage, r, loseNext }) => {
    for (const [name, losses] of Object.entries({ one: 2, two: 3 })) {
      await loseNext(losses);
      let runs = 0;
      const work = storage.transaction(async (inside, attempt) => {
        runs += 1;
        await attempt(() => inside.audit.append({ ...auditEvent, requestId: name }));
        const nested = attempt(() => attempt(() => createAppName(inside, name)));
        const lost = await nested.then(() => null).catch((error: unknown) => error);
        if (lost !== null)
          await failsWith(706, () => inside.audit.read(0, 1), "a call after a failed nested transaction");
        return lost;
      });
      await succeedsByThirdAttempt(losses, work, null, "a transaction");
      equal(runs, 3, "number of runs");
    }
    equal(await storedAppNames(r, "one", "two"), ["one"], "the existing app names");
    equal(await audited(r), ["one"], "the audit");
    equal(await createAppName(r, "two"), "created", "the outcome of the next call");
  },

  "reports a refusal of the database as such, without a retry, and goes on": async ({ storage, r, refuseNext }) => {
    const refused = async (call: () => Promise<unknown>, what: string) => {
      const error = await failsWith(706, call, what);
      isTrue(error instanceof RefusedByStorageError, `${what} must fail with a RefusedByStorageError`);
    };
    await refuseNext(1);
    await refused(() => createAppName(r, "one"), "a refused call");
    let runs = 0;
    const work = () =>
      storage.transaction(async (inside) => {
        runs += 1;
        await createAppName(inside, "one");
      });
    await refuseNext(1);
    await refused(work, "a transaction with a refused call");
    equal(runs, 1, "number of runs of the transaction");
    await refuseNext(1);
    await storage.transaction(async (inside, attempt) => {
      await refused(() => attempt(() => createAppName(inside, "one")), "a refused call of a nested transaction");
      equal(await createAppName(inside, "two"), "created", "the outcome of a call after the nested transaction");
    });
    equal(await storedAppNames(r, "one", "two"), ["two"], "the existing app names");
  },

  "shows other processes the committed nested transactions only": async ({ storage, r, other }) => {
    const { id } = await createObject(r, { attributes: { Name: "old" } });
    await storage.transaction(async (inside, attempt) => {
      const nested = attempt(async () => {
        await update(inside, id, { Name: "undone" });
        await createAppName(inside, "undone");
        throw new RangeError("undone");
      });
      await nested.catch((error: unknown) =>
        isTrue(error instanceof RangeError, "The nested transaction must fail with its own error"),
      );
      await attempt(() => createAppName(inside, "kept"));
      equal(
        await storedAppNames(other, "undone", "kept"),
        [],
        "the app names seen by the other process before the commit",
      );
    });
    equal(
      await storedAppNames(other, "undone", "kept"),
      ["kept"],
      "the app names seen by the other process after the commit",
    );
    const changed = await update(other, id, { Name: "new" }, { expectedVersions: [1] });
    equal([changed.version, changed.attributes["Name"]], [2, "new"], "the object updated by the other process");
  },
});
