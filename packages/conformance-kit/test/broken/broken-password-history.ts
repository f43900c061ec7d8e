import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const latestFirst = "shows the latest first, as many as asked for";
const keeps = "keeps as many as it is told with the last one";

/** Faults in the history of passwords. */
export const brokenPasswordHistory: readonly BrokenAdapter[] = [
  broken("shows the oldest first", [latestFirst, keeps], () => (r) => ({
    passwordHistory: {
      latest: async (subject, limit) => (await r.passwordHistory.latest(subject, limit)).toReversed(),
    },
  })),

  broken("shows all whatever is asked for", latestFirst, () => (r) => ({
    passwordHistory: { latest: (subject) => r.passwordHistory.latest(subject, 100) },
  })),

  broken("keeps all of them", [keeps, "is undone with the transaction that added to it"], () => (r) => ({
    passwordHistory: { add: (subject, secret) => r.passwordHistory.add(subject, secret, 100) },
  })),

  broken("keeps one more", keeps, () => (r) => ({
    passwordHistory: { add: (subject, secret, keep) => r.passwordHistory.add(subject, secret, keep + 1) },
  })),

  broken("keeps one at least", keeps, () => (r) => ({
    passwordHistory: { add: (subject, secret, keep) => r.passwordHistory.add(subject, secret, Math.max(1, keep)) },
  })),

  broken("compares subjects in any case", "is of one subject each", () => (r) => ({
    passwordHistory: {
      add: (subject, secret, keep) => r.passwordHistory.add(subject.toLowerCase(), secret, keep),
      latest: (subject, limit) => r.passwordHistory.latest(subject.toLowerCase(), limit),
    },
  })),

  broken("does not see blanks at the end of subjects", "is of one subject each", () => (r) => ({
    passwordHistory: {
      add: (subject, secret, keep) => r.passwordHistory.add(subject.trimEnd(), secret, keep),
      latest: (subject, limit) => r.passwordHistory.latest(subject.trimEnd(), limit),
    },
  })),

  broken("keeps each secret once", "keeps the same secret as often as it was current", () => (r) => ({
    passwordHistory: {
      add: async (subject, secret, keep) => {
        if (!(await r.passwordHistory.latest(subject, keep)).includes(secret))
          await r.passwordHistory.add(subject, secret, keep);
      },
    },
  })),

  broken("writes down what it has read and one more", "loses none of those that are added at once", () => (r) => ({
    passwordHistory: {
      add: async (subject, secret, keep) => {
        const before = await r.passwordHistory.latest(subject, 100);
        await pause();
        await r.passwordHistory.add(subject, secret, 0);
        for (const each of [...before.toReversed(), secret]) await r.passwordHistory.add(subject, each, keep);
      },
    },
  })),

  broken("cuts secrets off", "keeps hostile texts as they are, and none that cannot be stored", () => (r) => ({
    passwordHistory: { add: (subject, secret, keep) => r.passwordHistory.add(subject, secret.slice(0, 255), keep) },
  })),

  broken(
    "stores other texts than it was given",
    "keeps hostile texts as they are, and none that cannot be stored",
    () => (r) => ({
      passwordHistory: {
        add: (subject, secret, keep) =>
          r.passwordHistory.add(subject, secret.replaceAll(/[\0\p{Surrogate}]/gu, ""), keep),
      },
    }),
  ),

  broken("keeps what a transaction added that failed", "is undone with the transaction that added to it", () => {
    const kept = new Map<string, string[]>();
    return (r) => ({
      passwordHistory: {
        add: async (subject, secret, keep) => {
          await r.passwordHistory.add(subject, secret, keep);
          kept.set(subject, [secret, ...(kept.get(subject) ?? [])].slice(0, keep));
        },
        latest: async (subject, limit) => (kept.get(subject) ?? []).slice(0, limit),
      },
    });
  }),
];
