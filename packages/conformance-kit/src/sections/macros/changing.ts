import type { Repositories } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { macroNamed } from "../../fixtures/macro-named.ts";
import { occurrences } from "../../fixtures/occurrences.ts";
import { generous } from "../../fixtures/policy.ts";
import { whileOpen } from "../../fixtures/while-open.ts";

/** The generation as it is loaded, and as a request is shown it. */
async function generationsOf(r: Repositories): Promise<number[]> {
  const { generation } = await r.macros.load();
  const { macroGeneration } = await r.admission.admit({
    appKey: null,
    session: null,
    idleTimeout: generous.idleTimeout,
  });
  return [generation, macroGeneration];
}

const removal = { changedBy: "somebody", expectedVersion: null };

export const macroChangingChecks: readonly Check[] = [
  ...checksOf("macros", {
    "are stored by those who know the current version": async ({ r }) => {
      equal(await r.macros.put(macroNamed("Report"), 1), "stale", "a second version of what is not there");
      equal(await r.macros.put(macroNamed("Report"), 0), "stored", "the first version");
      for (const version of [0, 2])
        equal(
          await r.macros.put(macroNamed("Report", { text: "other" }), version),
          "stale",
          `whoever expects version ${version}`,
        );
      equal(
        [(await r.macros.history("Report", 10)).length, ...(await generationsOf(r))],
        [1, 1, 1],
        "versions and generation",
      );
      equal(await r.macros.put(macroNamed("Report", { text: "second" }), 1), "stored", "whoever expects version 1");
      equal(await r.macros.put(macroNamed("Report", { text: "third" }), null), "stored", "whoever expects nothing");
      equal(
        (await r.macros.load()).macros.map(({ version, text }) => [version, text]),
        [[3, "third"]],
        "the macro",
      );
    },

    "are removed by those who know the current version": async ({ r }) => {
      equal(await r.macros.remove("Report", removal), "unknown", "the removal of what is not there");
      equal(
        await r.macros.remove("Report", { ...removal, expectedVersion: 1 }),
        "unknown",
        "the removal of a version of what is not there",
      );
      await r.macros.put(macroNamed("Report"), null);
      await r.macros.put(macroNamed("Report"), null);
      for (const expectedVersion of [0, 1, 3])
        equal(
          await r.macros.remove("Report", { ...removal, expectedVersion }),
          "stale",
          `whoever expects version ${expectedVersion}`,
        );
      equal(
        [(await r.macros.history("Report", 10)).length, ...(await generationsOf(r))],
        [2, 2, 2],
        "versions and generation",
      );
      equal(
        await r.macros.remove("Report", { ...removal, expectedVersion: 2 }),
        "removed",
        "whoever expects version 2",
      );
      equal(await r.macros.remove("Report", removal), "unknown", "the removal of what is gone");
      equal(await r.macros.put(macroNamed("Report"), 3), "stale", "whoever expects the removal");
      equal(await r.macros.put(macroNamed("Report"), 0), "stored", "whoever expects nothing to be there");
    },

    "raise the generation by one with each change, which admission shows": async ({ r }) => {
      const changes = [
        () => r.macros.put(macroNamed("Report"), null),
        () => r.macros.put(macroNamed("Report"), 1),
        () => r.macros.put(macroNamed("Other"), 0),
        () => r.macros.remove("Report", removal),
        () => r.macros.put(macroNamed("Report"), null),
      ];
      equal(await generationsOf(r), [0, 0], "the generations at first");
      for (const [index, change] of changes.entries()) {
        await change();
        equal(await generationsOf(r), [index + 1, index + 1], `the generations after change ${index + 1}`);
      }
      const { modelGeneration } = await r.admission.admit({
        appKey: null,
        session: null,
        idleTimeout: generous.idleTimeout,
      });
      equal(modelGeneration, (await r.model.load()).generation, "the generation of the model");
    },

    "are stored by one of those who expect the same version at once": async ({ r }) => {
      for (const expected of [0, 1]) {
        const outcomes = await atOnce(10, (index) =>
          r.macros.put(macroNamed("Report", { text: `text ${index}` }), expected),
        );
        equal(
          [occurrences("stored", outcomes), occurrences("stale", outcomes)],
          [1, 9],
          "how many were stored and stale",
        );
        equal((await r.macros.load()).macros[0]?.text, `text ${outcomes.indexOf("stored")}`, "the text");
        equal(await generationsOf(r), [expected + 1, expected + 1], "the generations");
      }
    },

    "lose none of the versions that are put at once": async ({ r }) => {
      await atOnce(10, (index) =>
        r.macros.put(macroNamed(index % 2 === 0 ? "Even" : "Odd", { text: `text ${index}` }), null),
      );
      for (const [name, start] of [
        ["Even", 0],
        ["Odd", 1],
      ] as const) {
        const versions = await r.macros.history(name, 20);
        equal(
          versions.map(({ version }) => version),
          [5, 4, 3, 2, 1],
          `the versions of ${name}`,
        );
        equal(
          versions.map(({ text }) => text).toSorted(),
          [0, 2, 4, 6, 8].map((index) => `text ${index + start}`),
          `the texts of ${name}`,
        );
      }
      equal(await generationsOf(r), [10, 10], "the generations");
    },

    "are removed by one of those who remove them at once": async ({ r }) => {
      await r.macros.put(macroNamed("Report"), null);
      const outcomes = await atOnce(10, () => r.macros.remove("Report", { ...removal, expectedVersion: 1 }));
      equal(
        [occurrences("removed", outcomes), occurrences("unknown", outcomes)],
        [1, 9],
        "how many removed it and found nothing",
      );
      equal(
        (await r.macros.history("Report", 10)).map(({ version }) => version),
        [2, 1],
        "the versions",
      );
      equal(await generationsOf(r), [2, 2], "the generations");
    },

    "are loaded with the generation as of one moment": async ({ r }) => {
      const change = async () => {
        for (let round = 0; round < 20; round += 1) await r.macros.put(macroNamed("Report"), null);
      };
      const look = async () => {
        const torn: unknown[] = [];
        for (let round = 0; round < 40; round += 1) {
          const { generation, macros } = await r.macros.load();
          if (generation !== (macros[0]?.version ?? 0)) torn.push([generation, macros[0]?.version]);
        }
        return torn;
      };
      const [torn] = await Promise.all([look(), change()]);
      equal(torn, [], "generations that are not those of the macros");
    },

    "are changed by transactions as a whole, or not at all": async ({ storage, r }) => {
      const failing = storage.transaction(async (inside) => {
        await inside.macros.put(macroNamed("Report"), 0);
        equal(await generationsOf(inside), [1, 1], "the generations inside");
        equal((await inside.macros.history("Report", 10)).length, 1, "the versions inside");
        throw new Error("taken back");
      });
      await failing.catch((error: unknown) =>
        holds((error as Error).message === "taken back", `The transaction ends with ${String(error)}`),
      );
      equal(
        [...(await generationsOf(r)), (await r.macros.history("Report", 10)).length],
        [0, 0, 0],
        "generations and versions",
      );
      await storage.transaction(async (inside) => {
        await inside.macros.put(macroNamed("Report"), 0);
        await inside.macros.put(macroNamed("Report"), 1);
        await inside.macros.remove("Report", removal);
      });
      equal(
        [...(await generationsOf(r)), (await r.macros.history("Report", 10)).length],
        [3, 3, 3],
        "generations and versions",
      );
    },

    "are changed after those who change them in a transaction": async ({ storage, r }) => {
      for (const [index, end, outcome] of [
        [0, "taken back", "stored"],
        [1, "kept", "stale"],
      ] as const) {
        const name = `Report${index}`;
        const first = (inside: Repositories) => inside.macros.put(macroNamed(name, { text: "first" }), 0);
        equal(
          await whileOpen(storage, first, () => r.macros.put(macroNamed(name, { text: "second" }), 0), {
            end,
            turns: 50,
          }),
          outcome,
          `whoever came meanwhile, when it is ${end}`,
        );
        const kept = (await r.macros.history(name, 10)).map(({ version, text }) => [version, text]);
        equal(kept, [[1, outcome === "stored" ? "second" : "first"]], `the versions when it is ${end}`);
      }
      equal(await generationsOf(r), [2, 2], "the generations");
    },
  }),

  ...checksOf(
    "macros",
    {
      "of several processes are the same": async ({ r, another }) => {
        const other = (await another()).repositories;
        const outcomes = await atOnce(10, (index) => (index % 2 === 0 ? r : other).macros.put(macroNamed("Report"), 0));
        equal(
          [occurrences("stored", outcomes), occurrences("stale", outcomes)],
          [1, 9],
          "how many were stored and stale",
        );
        for (const each of [r, other]) equal(await generationsOf(each), [1, 1], "what each process sees at first");
        await r.macros.put(macroNamed("Report", { text: "new" }), 1);
        equal(
          [await generationsOf(other), (await other.macros.load()).macros.map(({ text }) => text)],
          [[2, 2], ["new"]],
          "what the other process sees",
        );
        await other.macros.remove("Report", removal);
        equal([await generationsOf(r), (await r.macros.load()).macros], [[3, 3], []], "what the first process sees");
        equal((await r.macros.history("Report", 10)).length, 3, "the versions");
      },
    },
    { needs: "severalProcesses" },
  ),
];
