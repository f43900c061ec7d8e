import { Applications } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import { auditEvent } from "../../fixtures/every-call.ts";
import { createObject } from "../../fixtures/objects.ts";

export const processTransactionChecks: readonly Check[] = checksOf(
  "several processes",
  {
    "do not see one another's work before it is kept": async ({ storage, another }) => {
      const other = await another();
      await storage.transaction(async (r) => {
        await new Applications(r.records).create({ name: "one", seats: null });
        await r.audit.append(auditEvent);
        equal(await new Applications(other.repositories.records).known(["one"]), [], "what the other one knows before");
        equal(await other.repositories.audit.read(0, 10), [], "the audit as the other one sees it before");
      });
      equal(
        await new Applications(other.repositories.records).known(["one"]),
        ["one"],
        "what the other one knows after",
      );
    },

    "run again what lost against another, and give up with 706 the third time": async ({ storage, r, loseNext }) => {
      for (const [losses, name] of [
        [2, "one"],
        [3, "two"],
      ] as const) {
        await loseNext(losses);
        let runs = 0;
        const work = storage.transaction(async (inside) => {
          runs += 1;
          await inside.audit.append({ ...auditEvent, requestId: name });
          return new Applications(inside.records).create({ name, seats: null });
        });
        if (losses < 3) equal(await work, "created", "the outcome of the third run");
        else await failsWith(706, () => work, "a transaction that lost three times");
        equal(runs, 3, "how often the work has run");
      }
      for (const [losses, name] of [
        [2, "three"],
        [3, "four"],
      ] as const) {
        await loseNext(losses);
        const call = new Applications(r.records).create({ name, seats: null });
        if (losses < 3) equal(await call, "created", "the outcome of the third try");
        else await failsWith(706, () => call, "a call that lost three times");
      }
      equal(
        (await new Applications(r.records).known(["one", "two", "three", "four"])).toSorted(),
        ["one", "three"],
        "what is known",
      );
      equal(
        (await r.audit.read(0, 10)).map(({ requestId }) => requestId),
        ["one"],
        "the audit",
      );
      equal(await new Applications(r.records).create({ name: "four", seats: null }), "created", "the next try");
    },

    "run again what lost in a part of it, whether it minds or not": async ({ storage, r, loseNext }) => {
      for (const [losses, name] of [
        [2, "one"],
        [3, "two"],
      ] as const) {
        await loseNext(losses);
        let runs = 0;
        const work = storage.transaction(async (inside, attempt) => {
          runs += 1;
          await attempt(() => inside.audit.append({ ...auditEvent, requestId: name }));
          const lost = await attempt(() =>
            attempt(() => new Applications(inside.records).create({ name, seats: null })),
          ).then(
            () => null,
            (error: unknown) => error,
          );
          if (lost !== null)
            await failsWith(706, () => inside.audit.read(0, 1), "what is asked for after a part has lost");
          return lost;
        });
        if (losses < 3) equal(await work, null, "what the third run has lost");
        else await failsWith(706, () => work, "a transaction that lost three times");
        equal(runs, 3, "how often the work has run");
      }
      equal(await new Applications(r.records).known(["one", "two"]), ["one"], "what is known");
      equal(
        (await r.audit.read(0, 10)).map(({ requestId }) => requestId),
        ["one"],
        "the audit",
      );
      equal(await new Applications(r.records).create({ name: "two", seats: null }), "created", "the next try");
    },

    "see of a part that is undone nothing, and of the others all": async ({ storage, r, another }) => {
      const other = await another();
      const { id } = await createObject(r, { attributes: { Name: "old" } });
      await storage.transaction(async (inside, attempt) => {
        const part = attempt(async () => {
          await inside.objects.update([changeOf(id, { Name: "undone" })], { session: null });
          await new Applications(inside.records).create({ name: "undone", seats: null });
          throw new RangeError("undone");
        });
        await part.catch((error: unknown) => holds(error instanceof RangeError, "The part fails with its own error"));
        await attempt(() => new Applications(inside.records).create({ name: "kept", seats: null }));
        equal(
          await new Applications(other.repositories.records).known(["undone", "kept"]),
          [],
          "what the other one knows before",
        );
      });
      equal(
        await new Applications(other.repositories.records).known(["undone", "kept"]),
        ["kept"],
        "what the other one knows after",
      );
      const [changed] = await other.repositories.objects.update(
        [changeOf(id, { Name: "new" }, { expectedVersions: [1] })],
        { session: null },
      );
      equal([changed?.version, changed?.attributes["Name"]], [2, "new"], "what the other one makes of the object");
    },
  },
  { needs: "severalProcesses" },
);
