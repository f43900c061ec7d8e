import { type ExemptionGrant, type Repositories, ServiceError, type ThrottleKey } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const past = "lets an attempt past a key that it is exempted from, and no other";
const others = "holds up an exempted attempt by its other keys, and answers the longest wait of all";
const unclaimed = "claims no key for who is exempted from it";
const counted = "counts failures of who is exempted like any others";
const leftAlone = "leaves a delay that runs as it is when one who is exempted fails, and answers what is left of it";
const successes = "lets a success pass a key that it is exempted from, not its others";
const refused = "grants nothing with a success that is refused";
const ended = "ends exemptions with their time, from the last grant on";
const bounded = "keeps so many exemptions of a group, those granted last";

/** The keys as if nobody was exempted from them. */
const bare = (keys: readonly ThrottleKey[]): ThrottleKey[] => keys.map(({ key, policy }) => ({ key, policy }));

type Pass = (
  r: Repositories,
  keys: readonly ThrottleKey[],
  forget: readonly string[],
  granted: ExemptionGrant,
) => Promise<void>;

/** A storage that grants in its own way. */
function granting(fault: string, caughtBy: string | readonly string[], pass: Pass): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({
    throttle: {
      pass: (keys, forget, granted) =>
        granted === undefined ? r.throttle.pass(keys, forget) : pass(r, keys, forget, granted),
    },
  }));
}

/** Faults in what is exempted from failures. */
export const brokenExemptions: readonly BrokenAdapter[] = [
  granting("grants nothing", [past, ended], (r, keys, forget) => r.throttle.pass(keys, forget)),

  granting("grants whatever becomes of the success", refused, async (r, keys, forget, granted) => {
    await r.throttle.pass([], [], granted);
    await r.throttle.pass(keys, forget);
  }),

  granting(
    "grants for ever",
    [ended, "loses exemptions that are over with what is forgotten"],
    (r, keys, forget, granted) => r.throttle.pass(keys, forget, { ...granted, lifetime: 1_000_000_000_000 }),
  ),

  granting("bounds no group", bounded, (r, keys, forget, granted) =>
    r.throttle.pass(keys, forget, { ...granted, atMost: 1_000_000 }),
  ),

  granting("bounds a group one too low", bounded, (r, keys, forget, granted) =>
    r.throttle.pass(keys, forget, { ...granted, atMost: granted.atMost - 1 }),
  ),

  granting("takes all groups for one", past, (r, keys, forget, granted) =>
    Promise.all(["office", "home"].map((group) => r.throttle.pass(keys, forget, { ...granted, group }))).then(() => {}),
  ),

  broken("keeps the first grant of who is granted again", [ended, bounded], () => {
    const known = new Set<string>();
    return (r) => ({
      throttle: {
        pass: (keys, forget, granted) => {
          const name = `${granted?.group} ${granted?.member}`;
          const again = known.has(name);
          known.add(name);
          return r.throttle.pass(keys, forget, again ? undefined : granted);
        },
      },
    });
  }),

  broken(
    "keeps the bound by looking first",
    "keeps an exemption that is granted by many at once, and the bound of a group from the next grant on",
    () => {
      const known: string[] = [];
      return (r) => ({
        throttle: {
          pass: async (keys, forget, granted) => {
            if (granted === undefined) return r.throttle.pass(keys, forget);
            const isFull = known.length >= granted.atMost;
            await pause();
            known.push(granted.member);
            return r.throttle.pass(keys, forget, isFull ? undefined : { ...granted, atMost: 1_000 });
          },
        },
      });
    },
  ),

  broken("lets who is exempted past all keys", [others, unclaimed], () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        for (const key of keys) {
          if (key.exemption !== undefined && (await r.throttle.attempt([key])).wait === 0)
            return { wait: 0, claimed: false };
        }
        return r.throttle.attempt(bare(keys));
      },
    },
  })),

  broken("answers the wait of the other keys alone", others, () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait === 0) return attempt;
        const own = await r.throttle.attempt(keys.filter(({ exemption }) => exemption === undefined));
        return own.wait > 0 ? own : attempt;
      },
    },
  })),

  broken("claims what is exempted, too", unclaimed, () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        return attempt.wait > 0 || attempt.claimed
          ? attempt
          : { ...attempt, claimed: (await r.throttle.attempt(bare(keys))).claimed };
      },
    },
  })),

  broken("counts no failures of who is exempted", counted, () => (r) => ({
    throttle: {
      fail: async (keys) => {
        const own = keys.filter(
          ({ exemption }) => exemption === undefined || exemption.member === "nobody" || exemption.member === "bob",
        );
        return r.throttle.fail(own);
      },
    },
  })),

  broken("counts failures of who is exempted while a delay runs", leftAlone, () => (r) => ({
    throttle: { fail: (keys) => r.throttle.fail(bare(keys)) },
  })),

  broken("says nothing of a delay to who is exempted", leftAlone, () => (r) => ({
    throttle: {
      fail: async (keys) => {
        const [before] = await Promise.all(
          keys.filter(({ exemption }) => exemption !== undefined).map((key) => r.throttle.attempt(bare([key]))),
        );
        const spared = keys.some(({ exemption }) => exemption?.member === "ada") && (before?.wait ?? 0) > 0;
        return r.throttle.fail(spared ? keys.filter(({ exemption }) => exemption === undefined) : keys);
      },
    },
  })),

  broken("refuses successes of who is exempted", successes, () => (r) => ({
    throttle: { pass: (keys, forget, granted) => r.throttle.pass(bare(keys), forget, granted) },
  })),

  broken("lets successes of who is exempted pass all keys", successes, () => (r) => ({
    throttle: {
      pass: async (keys, forget, granted) => {
        const exempted = keys.filter(({ exemption }) => exemption !== undefined);
        const isExempted = exempted.length > 0 && (await r.throttle.attempt(exempted)).wait === 0;
        return r.throttle.pass(isExempted ? [] : bare(keys), forget, granted);
      },
    },
  })),

  broken("forgets the delays that a success is exempted from", successes, () => (r) => ({
    throttle: {
      pass: async (keys, forget, granted) => {
        await r.throttle
          .pass(
            keys,
            [...forget, ...keys.filter(({ exemption }) => exemption?.member === "ada").map(({ key }) => key)],
            granted,
          )
          .catch((error: unknown) => {
            if (error instanceof ServiceError) throw error;
          });
      },
    },
  })),
];
