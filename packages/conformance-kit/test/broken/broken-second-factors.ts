import type { FactorKey, Repositories, SecondFactor } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const later = "accept a step that is later than the last one, and are confirmed by it";
const others = "accept nothing for another secret, another app name or somebody else";
const atOnce = "accept a step for one of those who show it at once";
const inTransactions = "accept a step for one of the transactions that show it at once, and for none that fails";
const codes = "spend a recovery code once, and leave the others";
const codesAtOnce = "spend a recovery code for one of those who show it at once";
const kept = "are kept as they were begun, each for its subject and app name";
const anew = "begin anew until they are confirmed, and then no more";
const comeAtOnce = "are begun, or confirmed already, for those who come at once";
const removed = "are removed one by one, or all of a subject";
const listed = "are listed by subject and app name in the order of code points, part by part";

async function knownOf(
  { secondFactors }: Repositories,
  { subject, appName }: FactorKey,
): Promise<SecondFactor | undefined> {
  return (await secondFactors.find(subject, [appName]))[0];
}

/** Faults in second factors, and in what app names say of them. */
export const brokenSecondFactors: readonly BrokenAdapter[] = [
  broken("accepts the last step again", [later, atOnce], () => (r) => ({
    secondFactors: {
      accept: async (factor, step) =>
        (await r.secondFactors.accept(factor, step)) || (await knownOf(r, factor))?.lastStep === step,
    },
  })),

  broken("looks at the last step of a factor, then accepts", atOnce, () => (r) => ({
    secondFactors: {
      accept: async (factor, step) => {
        const known = await knownOf(r, factor);
        await pause();
        if (known === undefined || known.sealedSecret !== factor.sealedSecret || known.lastStep >= step) return false;
        await r.secondFactors.accept(factor, step);
        return true;
      },
    },
  })),

  broken("accepts a step of another secret", [others, anew], () => (r) => ({
    secondFactors: {
      accept: async (factor, step) =>
        r.secondFactors.accept({ ...factor, sealedSecret: (await knownOf(r, factor))?.sealedSecret ?? "" }, step),
    },
  })),

  broken("takes subjects for one another that differ in case", [others, kept], () => (r) => ({
    secondFactors: {
      find: (subject, names) => r.secondFactors.find(subject.toLowerCase(), names),
      accept: ({ subject, ...factor }, step) =>
        r.secondFactors.accept({ ...factor, subject: subject.toLowerCase() }, step),
    },
  })),

  broken("cuts steps to 32 bits", later, () => (r) => ({
    secondFactors: { accept: (factor, step) => r.secondFactors.accept(factor, step | 0) },
  })),

  broken(
    "forgets that steps were accepted when their transactions fail, but not that it is confirmed",
    inTransactions,
    () => {
      let outside: Repositories | undefined;
      const spent = new Set<number>();
      return (r) => {
        outside ??= r;
        return {
          secondFactors: {
            accept: async (factor, step) => {
              if (spent.has(step)) return false;
              if (r !== outside) spent.add(step);
              return r.secondFactors.accept(factor, step);
            },
          },
        };
      };
    },
  ),

  broken("recovers what is not confirmed", codes, () => (r) => ({
    secondFactors: {
      recover: async (factor, code) =>
        (await r.secondFactors.recover(factor, code)) ||
        (await knownOf(r, factor))?.recoveryCodes.includes(code) === true,
    },
  })),

  broken("spends all recovery codes with one", codes, () => {
    const spent = new Set<string>();
    return (r) => ({
      secondFactors: {
        find: async (...asked) =>
          (await r.secondFactors.find(...asked)).map((factor) =>
            spent.has(factor.subject) ? { ...factor, recoveryCodes: [] } : factor,
          ),
        recover: async (factor, code) => {
          const recovered = await r.secondFactors.recover(factor, code);
          if (recovered) spent.add(factor.subject);
          return recovered;
        },
      },
    });
  }),

  broken("looks whether a recovery code is left, then spends it", codesAtOnce, () => (r) => ({
    secondFactors: {
      recover: async (factor, code) => {
        const known = await knownOf(r, factor);
        await pause();
        await r.secondFactors.recover(factor, code);
        return known?.confirmed === true && known.recoveryCodes.includes(code);
      },
    },
  })),

  broken("takes the recovery code of anybody", codes, () => (r) => ({
    secondFactors: {
      recover: async (factor, code) => {
        const all = await r.secondFactors.list(null, 100);
        const whose = all.find(({ recoveryCodes }) => recoveryCodes.includes(code));
        return r.secondFactors.recover(whose ?? factor, code);
      },
    },
  })),

  broken("begins anew what is confirmed", [anew, comeAtOnce], () => (r) => ({
    secondFactors: {
      enrol: async (factor) => {
        await r.secondFactors.remove(factor.subject, factor.appName);
        return r.secondFactors.enrol(factor);
      },
    },
  })),

  broken("keeps the secret that came first", anew, () => (r) => ({
    secondFactors: {
      enrol: async (factor) => {
        const known = await knownOf(r, factor);
        if (known?.confirmed === false) return "enrolled";
        return r.secondFactors.enrol(factor);
      },
    },
  })),

  broken("keeps no recovery codes", [kept, codes], () => (r) => ({
    secondFactors: { enrol: (factor) => r.secondFactors.enrol({ ...factor, recoveryCodes: [] }) },
  })),

  broken("finds a factor as often as its app name is asked for", kept, () => (r) => ({
    secondFactors: {
      find: async (subject, names) =>
        (await Promise.all(names.map((name) => r.secondFactors.find(subject, [name])))).flat(),
    },
  })),

  broken("removes all factors of a subject", removed, () => (r) => ({
    secondFactors: { remove: (subject) => r.secondFactors.remove(subject, null) },
  })),

  broken("says that it removed what was not there", removed, () => (r) => ({
    secondFactors: { remove: async (...asked) => (await r.secondFactors.remove(...asked)) || true },
  })),

  broken("lists factors in the order of UTF-16", listed, () => (r) => ({
    secondFactors: {
      list: async (after, limit) => {
        const all = await r.secondFactors.list(after, 1_000);
        const keyOf = ({ subject, appName }: FactorKey) => `${subject}\0${appName}`;
        return all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).slice(0, limit);
      },
    },
  })),

  broken("begins a part of the list with the next subject", listed, () => (r) => ({
    secondFactors: {
      list: async (after, limit) => {
        const all = await r.secondFactors.list(null, 1_000);
        return all.filter(({ subject }) => after === null || subject > after.subject).slice(0, limit);
      },
    },
  })),

  broken(
    "trims app names of factors",
    "take hostile texts for what they are, and refuse what cannot be stored",
    () => (r) => ({
      secondFactors: { enrol: (factor) => r.secondFactors.enrol({ ...factor, appName: factor.appName.trim() }) },
    }),
  ),

  broken(
    "takes every app name for one without second factors",
    "names those that ask for second factors, as they were created or set last",
    () => (r) => ({
      applications: { create: ({ name, seats }) => r.applications.create({ name, seats }) },
    }),
  ),

  broken(
    "names an app name that asks for factors as often as it is asked",
    "names those that ask for second factors, as they were created or set last",
    () => (r) => ({
      applications: {
        askingForFactors: async (names) =>
          (await Promise.all(names.map((name) => r.applications.askingForFactors([name])))).flat(),
      },
    }),
  ),

  broken(
    "says that a rule which is there already was not set",
    "names those that ask for second factors, as they were created or set last",
    () => (r) => ({
      applications: {
        setSecondFactor: async (name, rule) => {
          const [known] = await r.applications.askingForFactors([name]);
          return known?.secondFactor === rule ? false : r.applications.setSecondFactor(name, rule);
        },
      },
    }),
  ),
];
