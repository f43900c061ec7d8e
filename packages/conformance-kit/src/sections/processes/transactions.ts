import { RefusedByStorageError, type Repositories } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { createAppName, storedAppNames } from "../../fixtures/apps.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { pluck } from "../../fixtures/lists.ts";
import { createObject, update } from "../../fixtures/objects.ts";
import type { Subject } from "../../subject.ts";
import { processChecks } from "./process-checks.ts";

const audited = async (r: Repositories) => pluck(await r.audit.read(0, 10), "requestId");

/** The conflicts that a unit of work survives, and those after which it fails with 706. */
interface Bearable {
  readonly survived: number;
  readonly fatal: number;
}

/** A storage runs work three times. A kernel runs it at most twenty times, and can fail earlier. */
const bearableBy = ({ ofKernel }: Pick<Subject, "ofKernel">): Bearable => ({
  survived: 2,
  fatal: ofKernel === null ? 3 : 20,
});

/** Asserts that work has the outcome after conflicts that it survives, and fails with 706 after more. */
async function endsAfter<T>(losses: number, { fatal }: Bearable, work: Promise<T>, outcome: T, what: string) {
  if (losses < fatal) equal(await work, outcome, `the outcome of ${what} after ${losses} conflicts`);
  else await failsWith(706, () => work, `${what} after ${losses} conflicts`);
}

/** Asserts the number of runs of work after conflicts. */
function assertNumberOfRuns(runs: number, losses: number, { survived, fatal }: Bearable): void {
  const [least, most] = losses === survived ? [survived + 1, survived + 1] : [fatal === 3 ? 3 : 1, fatal];
  isTrue(
    runs >= least && runs <= most,
    `The work must run ${least === most ? least : `at most ${most}`} times after ${losses} conflicts, not ${runs} times`,
  );
}

const always = processChecks(true, {
  "hides uncommitted writes from other processes": async ({ storage, other }) => {
    await storage.transaction(async (r) => {
      await createAppName(r, "one");
      await r.audit.append(auditEvent);
      equal(await storedAppNames(other, "one"), [], "the app names seen by the other process before the commit");
      equal(await other.audit.read(0, 10), [], "the audit seen by the other process before the commit");
    });
    equal(await storedAppNames(other, "one"), ["one"], "the app names seen by the other process after the commit");
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

const conflicting = processChecks(
  true,
  {
    "retries after a serialization failure and gives up with 706 after the third attempt": async (subject) => {
      const { storage, r, loseNext } = subject;
      const bearable = bearableBy(subject);
      const { survived, fatal } = bearable;
      for (const [name, losses] of Object.entries({ one: survived, two: fatal })) {
        await loseNext(losses);
        let runs = 0;
        const work = storage.transaction(async (inside) => {
          runs += 1;
          await inside.audit.append({ ...auditEvent, requestId: name });
          return createAppName(inside, name);
        });
        await endsAfter(losses, bearable, work, "created", "a transaction");
        assertNumberOfRuns(runs, losses, bearable);
      }
      for (const [name, losses] of Object.entries({ three: survived, four: fatal })) {
        await loseNext(losses);
        await endsAfter(losses, bearable, createAppName(r, name), "created", "a call");
      }
      await loseNext(0);
      equal(await storedAppNames(r, "one", "two", "three", "four"), ["one", "three"], "the existing app names");
      equal(await audited(r), ["one"], "the audit");
      equal(await createAppName(r, "four"), "created", "the outcome of the next call");
    },

    "retries after a serialization failure in a nested transaction, handled or not": async (subject) => {
      const { storage, r, loseNext } = subject;
      const bearable = bearableBy(subject);
      for (const [name, losses] of Object.entries({ one: bearable.survived, two: bearable.fatal })) {
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
        await endsAfter(losses, bearable, work, null, "a transaction");
        assertNumberOfRuns(runs, losses, bearable);
      }
      await loseNext(0);
      equal(await storedAppNames(r, "one", "two"), ["one"], "the existing app names");
      equal(await audited(r), ["one"], "the audit");
      equal(await createAppName(r, "two"), "created", "the outcome of the next call");
    },
  },
  "parallelTransactions",
);

export const processTransactionChecks: readonly Check[] = [...always, ...conflicting];
