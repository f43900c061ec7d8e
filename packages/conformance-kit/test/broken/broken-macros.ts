import type { MacroVersion, Repositories } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const raised = "raise the generation by one with each change, which admission shows";
const stored = "are stored by those who know the current version";
const removed = "are removed by those who know the current version";
const versions = "are stored version by version, and what they were is kept";
const gone = "are gone when they were removed, and their history is not";

async function currentOf({ macros }: Repositories, name: string): Promise<MacroVersion | undefined> {
  return (await macros.load()).macros.find((macro) => macro.name === name);
}

/** Faults in the macros that a database keeps. */
export const brokenMacros: readonly BrokenAdapter[] = [
  broken("begins generations with another number", ["are none in a new database", raised], () => (r) => ({
    macros: {
      load: async () => {
        const { generation, macros } = await r.macros.load();
        return { generation: generation + 1, macros };
      },
    },
  })),

  broken(
    "dates macros by the process's clock",
    "are kept as they were put, dated by the storage's clock",
    () => (r) => ({
      macros: {
        load: async () => {
          const { generation, macros } = await r.macros.load();
          return { generation, macros: macros.map((macro) => ({ ...macro, changedAt: Date.now() })) };
        },
      },
    }),
  ),

  broken("takes every macro for JavaScript", "are kept as they were put, dated by the storage's clock", () => (r) => ({
    macros: { put: (macro, expected) => r.macros.put({ ...macro, language: "js" }, expected) },
  })),

  broken("trims texts", "keep hostile texts as they are, names among them", () => (r) => ({
    macros: { put: (macro, expected) => r.macros.put({ ...macro, text: macro.text.trim() }, expected) },
  })),

  broken("takes an empty text for a removal", "are kept as they were put, dated by the storage's clock", () => (r) => ({
    macros: {
      load: async () => {
        const { generation, macros } = await r.macros.load();
        return { generation, macros: macros.filter(({ text }) => text !== "") };
      },
    },
  })),

  broken("cuts texts off", "keep long texts and names whole", () => (r) => ({
    macros: { put: (macro, expected) => r.macros.put({ ...macro, text: macro.text.slice(0, 65_535) }, expected) },
  })),

  broken("cuts off who made a change", "keep long texts and names whole", () => (r) => ({
    macros: { put: (macro, expected) => r.macros.put({ ...macro, changedBy: macro.changedBy.slice(0, 64) }, expected) },
  })),

  broken(
    "orders macros by units of UTF-16",
    "come by name, in the order of code points, each for itself",
    () => (r) => ({
      macros: {
        load: async () => {
          const { generation, macros } = await r.macros.load();
          return { generation, macros: macros.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
        },
      },
    }),
  ),

  broken(
    "takes names for one another that differ in case",
    "come by name, in the order of code points, each for itself",
    () => (r) => ({
      macros: { put: (macro, expected) => r.macros.put({ ...macro, name: macro.name.toLowerCase() }, expected) },
    }),
  ),

  broken("trims names", "come by name, in the order of code points, each for itself", () => (r) => ({
    macros: { put: (macro, expected) => r.macros.put({ ...macro, name: macro.name.trim() }, expected) },
  })),

  broken("keeps no text but the current one", [versions, gone], () => (r) => ({
    macros: {
      history: async (...asked) =>
        (await r.macros.history(...asked)).map((version, index) =>
          index === 0 ? version : { ...version, text: null },
        ),
    },
  })),

  broken("shows the first version first", versions, () => (r) => ({
    macros: { history: async (...asked) => (await r.macros.history(...asked)).toReversed() },
  })),

  broken("shows the whole history whatever is asked for", versions, () => (r) => ({
    macros: { history: (name) => r.macros.history(name, 1_000) },
  })),

  broken("stores what is there already only once", versions, () => (r) => ({
    macros: {
      put: async (macro, expected) =>
        (await currentOf(r, macro.name))?.text === macro.text ? "stored" : r.macros.put(macro, expected),
    },
  })),

  broken("forgets the history of what is removed", gone, () => (r) => ({
    macros: {
      history: async (...asked) => {
        const all = await r.macros.history(...asked);
        return all[0]?.text === null ? [] : all;
      },
    },
  })),

  broken("counts versions anew after a removal", gone, () => (r) => ({
    macros: {
      history: async (...asked) => {
        const all = await r.macros.history(...asked);
        const last = all.findIndex(({ text }) => text === null);
        return all.map((version, index) => (index < last ? { ...version, version: last - index } : version));
      },
    },
  })),

  broken("stores other texts than it was given", "are refused with a text that cannot be stored", () => (r) => ({
    macros: {
      put: (macro, expected) =>
        r.macros.put({ ...macro, text: macro.text.replaceAll(/[\0\p{Surrogate}]/gu, "") }, expected),
    },
  })),

  broken(
    "stores whatever version is expected",
    [stored, "are stored by one of those who expect the same version at once"],
    () => (r) => ({
      macros: { put: (macro) => r.macros.put(macro, null) },
    }),
  ),

  broken(
    "looks at the version of a macro, then stores",
    [
      "are stored by one of those who expect the same version at once",
      "are changed after those who change them in a transaction",
    ],
    () => (r) => ({
      macros: {
        put: async (macro, expected) => {
          if (expected !== null && expected !== ((await currentOf(r, macro.name))?.version ?? 0)) return "stale";
          await pause();
          return r.macros.put(macro, null);
        },
      },
    }),
  ),

  broken("gives up when somebody was faster", "lose none of the versions that are put at once", () => (r) => ({
    macros: {
      put: async (macro, expected) => {
        const before = (await currentOf(r, macro.name))?.version ?? 0;
        await pause();
        await r.macros.put(macro, expected ?? before);
        return "stored";
      },
    },
  })),

  broken("takes a removal for the current version", [removed, gone], () => (r) => ({
    macros: {
      put: async (macro, expected) => {
        const [latest] = await r.macros.history(macro.name, 1);
        if (expected !== null && expected !== (latest?.version ?? 0)) return "stale";
        return r.macros.put(macro, null);
      },
    },
  })),

  broken("removes whatever version is expected", removed, () => (r) => ({
    macros: { remove: (name, removal) => r.macros.remove(name, { ...removal, expectedVersion: null }) },
  })),

  broken("removes what is not there", [removed, "are removed by one of those who remove them at once"], () => (r) => ({
    macros: {
      remove: async (name, removal) => {
        const outcome = await r.macros.remove(name, removal);
        return outcome === "unknown" ? "removed" : outcome;
      },
    },
  })),

  broken("counts attempts as changes", stored, () => {
    let attempts = 0;
    return (r) => ({
      macros: {
        put: async (macro, expected) => {
          const outcome = await r.macros.put(macro, expected);
          if (outcome === "stale") attempts += 1;
          return outcome;
        },
        load: async () => {
          const { generation, macros } = await r.macros.load();
          return { generation: generation + attempts, macros };
        },
      },
    });
  }),

  broken("does not count removals", raised, () => {
    let removals = 0;
    return (r) => ({
      macros: {
        remove: async (name, removal) => {
          const outcome = await r.macros.remove(name, removal);
          if (outcome === "removed") removals += 1;
          return outcome;
        },
        load: async () => {
          const { generation, macros } = await r.macros.load();
          return { generation: generation - removals, macros };
        },
      },
    });
  }),

  broken(
    "shows requests the generation of the model",
    [raised, "finds neither app key nor session when there is none to look for"],
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, macroGeneration: admission.modelGeneration };
        },
      },
    }),
  ),

  broken("raises one generation for model and macros", raised, () => {
    let changes = 0;
    return (r) => ({
      macros: {
        put: async (macro, expected) => {
          const outcome = await r.macros.put(macro, expected);
          if (outcome === "stored") changes += 1;
          return outcome;
        },
      },
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, modelGeneration: admission.modelGeneration + changes };
        },
      },
    });
  }),

  broken("reads the generation, then the macros", "are loaded with the generation as of one moment", () => (r) => ({
    macros: {
      load: async () => {
        const { generation } = await r.macros.load();
        await pause();
        return { ...(await r.macros.load()), generation };
      },
    },
  })),

  broken("keeps macros of transactions that fail", "are changed by transactions as a whole, or not at all", () => {
    let outside: Repositories | undefined;
    let kept = 0;
    return (r) => {
      outside ??= r;
      return {
        macros: {
          put: async (macro, expected) => {
            const outcome = await r.macros.put(macro, expected);
            if (r !== outside) kept += 1;
            return outcome;
          },
          load: async () => {
            const { generation, macros } = await r.macros.load();
            return { generation: generation + (r === outside ? kept : 0), macros };
          },
        },
      };
    };
  }),
];
