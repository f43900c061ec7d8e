import { type ExemptionGrant, type Repositories, ServiceError, type ThrottleKey } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const past = "ignores the delay of an exempted key and of no other";
const others = "delays an exempted attempt by its other keys and returns the longest wait of all";
const unreserved = "reserves no exempted key";
const counted = "counts failures of an exempted member";
const leftAlone = "keeps a pending delay when an exempted member fails, and returns the remaining wait";
const successes = "accepts a success on a delayed exempted key, but not on the other keys";
const refused = "grants no exemption with a refused success";
const ended = "ends an exemption after its lifetime, counted from the last grant";
const bounded = "keeps the most recent exemptions of a group up to its limit";

/** The keys without exemptions. */
const bare = (keys: readonly ThrottleKey[]): ThrottleKey[] => keys.map(({ key, policy }) => ({ key, policy }));

type Pass = (
  r: Repositories,
  keys: readonly ThrottleKey[],
  forget: readonly string[],
  granted: ExemptionGrant,
) => Promise<void>;

/** A storage with its own way to grant exemptions. */
function granting(fault: string, caughtBy: string | readonly string[], pass: Pass): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({
    throttle: {
      pass: (keys, forget, granted) =>
        granted === undefined ? r.throttle.pass(keys, forget) : pass(r, keys, forget, granted),
    },
  }));
}

/** Faults in throttle exemptions. */
export const brokenExemptions: readonly BrokenAdapter[] = [
  granting("grants no exemptions", [past, ended], (r, keys, forget) => r.throttle.pass(keys, forget)),

  granting("grants exemptions with refused successes", refused, async (r, keys, forget, granted) => {
    await r.throttle.pass([], [], granted);
    await r.throttle.pass(keys, forget);
  }),

  granting("grants exemptions without an expiry", [ended, "sweeps expired exemptions"], (r, keys, forget, granted) =>
    r.throttle.pass(keys, forget, { ...granted, lifetime: 1_000_000_000_000 }),
  ),

  granting("does not limit the exemptions of a group", bounded, (r, keys, forget, granted) =>
    r.throttle.pass(keys, forget, { ...granted, atMost: 1_000_000 }),
  ),

  granting("limits the exemptions of a group one too low", bounded, (r, keys, forget, granted) =>
    r.throttle.pass(keys, forget, { ...granted, atMost: granted.atMost - 1 }),
  ),

  granting("treats all groups as one", past, (r, keys, forget, granted) =>
    Promise.all(["office", "home"].map((group) => r.throttle.pass(keys, forget, { ...granted, group }))).then(() => {}),
  ),

  broken("keeps the first grant of a repeated one", [ended, bounded], () => {
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
    "checks the group limit before it grants",
    "keeps a concurrently granted exemption and restores the group limit with the next grant",
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

  broken("exempts a member from all keys", [others, unreserved], () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        for (const key of keys) {
          if (key.exemption !== undefined && (await r.throttle.attempt([key])).wait === 0)
            return { wait: 0, reserved: false };
        }
        return r.throttle.attempt(bare(keys));
      },
    },
  })),

  broken("returns the wait of the other keys only", others, () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait === 0) return attempt;
        const own = await r.throttle.attempt(keys.filter(({ exemption }) => exemption === undefined));
        return own.wait > 0 ? own : attempt;
      },
    },
  })),

  broken("reserves exempted keys", unreserved, () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        return attempt.wait > 0 || attempt.reserved
          ? attempt
          : { ...attempt, reserved: (await r.throttle.attempt(bare(keys))).reserved };
      },
    },
  })),

  broken("ignores failures of exempted members", counted, () => (r) => ({
    throttle: {
      fail: async (keys) => {
        const own = keys.filter(
          ({ exemption }) => exemption === undefined || exemption.member === "nobody" || exemption.member === "bob",
        );
        return r.throttle.fail(own);
      },
    },
  })),

  broken("restarts a pending delay with failures of exempted members", leftAlone, () => (r) => ({
    throttle: { fail: (keys) => r.throttle.fail(bare(keys)) },
  })),

  broken("hides a pending delay from exempted members", leftAlone, () => (r) => ({
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

  broken("refuses successes of exempted members", successes, () => (r) => ({
    throttle: { pass: (keys, forget, granted) => r.throttle.pass(bare(keys), forget, granted) },
  })),

  broken("accepts successes of exempted members on all keys", successes, () => (r) => ({
    throttle: {
      pass: async (keys, forget, granted) => {
        const exempted = keys.filter(({ exemption }) => exemption !== undefined);
        const isExempted = exempted.length > 0 && (await r.throttle.attempt(exempted)).wait === 0;
        return r.throttle.pass(isExempted ? [] : bare(keys), forget, granted);
      },
    },
  })),

  broken("clears the delays of exempted keys with a success", successes, () => (r) => ({
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
