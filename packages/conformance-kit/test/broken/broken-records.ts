import { ServiceError, type ThrottlePolicy, type ThrottleVerdict } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever: Partial<ThrottlePolicy> = { resetAfter: Number.MAX_SAFE_INTEGER };

/** Faults in the model, throttling and the audit. */
export const brokenRecords: readonly BrokenAdapter[] = [
  broken(
    "accepts an attempt for all concurrent callers",
    "accepts one of several concurrent attempts after a delay",
    () => {
      let running: Promise<ThrottleVerdict> | undefined;
      return (r) => ({
        throttle: {
          attempt: (keys) => {
            running ??= pause()
              .then(() => r.throttle.attempt(keys))
              .finally(() => (running = undefined));
            return running;
          },
        },
      });
    },
  ),

  broken("reserves keys one by one", "reserves no key if one of several keys is delayed", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempts: ThrottleVerdict[] = [];
        for (const key of keys) attempts.push(await r.throttle.attempt([key]));
        const wait = Math.max(0, ...attempts.map((attempt) => attempt.wait));
        return { wait, reserved: wait === 0 && attempts.some(({ reserved }) => reserved) };
      },
    },
  })),

  broken("counts a delayed attempt as a failure", "delays attempts during a pending delay", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait > 0) await r.throttle.fail(keys);
        return attempt;
      },
    },
  })),

  broken("counts concurrent failures as one", "counts every concurrent failure", () => {
    let running: Promise<number> | undefined;
    return (r) => ({
      throttle: {
        fail: (keys) => {
          running ??= pause()
            .then(() => r.throttle.fail(keys))
            .finally(() => (running = undefined));
          return running;
        },
      },
    });
  }),

  broken("never forgets failures", "forgets failures after a period without another", () => (r) => ({
    throttle: {
      attempt: (keys) =>
        r.throttle.attempt(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
      fail: (keys) => r.throttle.fail(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
    },
  })),

  broken(
    "counts failures on the first key only",
    "counts a failure on every key by the policy of the key",
    () => (r) => ({
      throttle: { fail: (keys) => r.throttle.fail(keys.slice(0, 1)) },
    }),
  ),

  broken("clears keys by prefix", "clears the failures of exactly the keys named by a success", () => (r) => ({
    throttle: { pass: (keys) => r.throttle.pass(keys, ["a", "b", "c"]) },
  })),

  broken("clears keys during a delay", "clears nothing with a success during the delay of a key", () => (r) => ({
    throttle: {
      pass: async (keys, forget) => {
        await r.throttle.pass([], forget);
        await r.throttle.pass(keys, []);
      },
    },
  })),

  broken("counts a reserved attempt as a failure", "does not count a reserved attempt as a failure", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.reserved) await r.throttle.fail(keys);
        return attempt;
      },
    },
  })),

  broken(
    "ignores the expected model generation",
    [
      "refuses a change of another generation than the current one",
      "accepts one of several concurrent changes of the same generation",
    ],
    () => (r) => ({
      model: {
        change: async (delta) => {
          let outcome: "ok" | "stale" = "stale";
          while (outcome === "stale") outcome = await r.model.change(delta, (await r.model.load()).generation);
          return outcome;
        },
      },
    }),
  ),

  broken("merges the attributes of a class", "replaces the whole definition of a class", () => (r) => ({
    model: {
      change: async ({ put }, generation) => {
        const { classes } = await r.model.load();
        const merged = put.map((each) => {
          const old = classes.find(({ name }) => name === each.name);
          return { ...each, attributes: [...(old?.attributes ?? []), ...each.attributes] };
        });
        return r.model.change({ put: merged }, generation);
      },
    },
  })),

  broken("returns the newest event first", "stores events unchanged and in order", () => (r) => ({
    audit: { read: async (after, limit) => (await r.audit.read(after, limit)).toReversed() },
  })),

  broken("returns the last event again", "continues reading after the last read event", () => (r) => ({
    audit: { read: (after, limit) => r.audit.read(after - 1, limit) },
  })),

  broken("loses concurrent events", "keeps every concurrently appended event", () => {
    let busy = false;
    return (r) => ({
      audit: {
        append: async (event) => {
          if (busy) return;
          busy = true;
          await r.audit.append(event);
          busy = false;
        },
      },
    });
  }),

  broken(
    "returns all classes but the last",
    ["starts with the built-in classes", "adds a class and keeps the others unchanged"],
    () => (r) => ({
      model: {
        load: async () => {
          const { generation, classes } = await r.model.load();
          return { generation, classes: classes.slice(0, -1) };
        },
      },
    }),
  ),

  broken("applies one class of each change", "changes several classes in one call", () => (r) => ({
    model: { change: ({ put }, generation) => r.model.change({ put: put.slice(0, 1) }, generation) },
  })),

  broken("sorts attributes by name", "stores definitions unchanged, with the order of their attributes", () => (r) => ({
    model: {
      change: ({ put }, generation) => {
        const byName = put.map((each) => ({
          ...each,
          attributes: each.attributes.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        }));
        return r.model.change({ put: byName }, generation);
      },
    },
  })),

  broken(
    "adds defaults to a definition",
    "stores definitions unchanged, with the order of their attributes",
    () => (r) => ({
      model: {
        change: ({ put }, generation) => {
          const full = put.map((each) => ({
            ...each,
            attributes: each.attributes.map((one) => ({ mandatory: false, indexed: false, ...one })),
          }));
          return r.model.change({ put: full }, generation);
        },
      },
    }),
  ),

  broken("compares class names case-insensitively in the model", "distinguishes class names by case", () => (r) => ({
    model: {
      change: ({ put }, generation) => {
        const byName = new Map(put.map((each) => [each.name.toLowerCase(), each]));
        return r.model.change({ put: [...byName.values()] }, generation);
      },
    },
  })),

  broken(
    "never removes classes",
    ["removes classes and keeps their objects", "puts and removes classes in one call"],
    () => (r) => ({ model: { change: ({ put }, generation) => r.model.change({ put }, generation) } }),
  ),

  broken(
    "ignores the model generation when it removes classes",
    "keeps the classes that a stale change would remove",
    () => (r) => ({
      model: {
        change: async (delta, generation) => {
          const current = await r.model.load();
          const { removed = [] } = delta;
          if (current.generation !== generation) await r.model.change({ put: [], removed }, current.generation);
          return r.model.change(delta, generation);
        },
      },
    }),
  ),

  broken("fails on an unknown class to remove", "ignores the removal of an unknown class", () => (r) => ({
    model: {
      change: async (delta, generation) => {
        const known = new Set((await r.model.load()).classes.map(({ name }) => name));
        if (delta.removed?.some((name) => !known.has(name))) throw new ServiceError(304);
        return r.model.change(delta, generation);
      },
    },
  })),

  broken("hides objects of undefined classes", "keeps the objects of a changed class unchanged", () => (r) => ({
    objects: {
      get: async (ids, visibility) => {
        const { classes } = await r.model.load();
        return (await r.objects.get(ids, visibility)).map((object) => {
          const names = classes.find(({ name }) => name === object.className)?.attributes.map(({ name }) => name) ?? [];
          return {
            ...object,
            attributes: Object.fromEntries(Object.entries(object.attributes).filter(([name]) => names.includes(name))),
          };
        });
      },
    },
  })),

  broken("never doubles a delay", "returns a delay after a failure that grows up to the maximum", () => (r) => ({
    throttle: {
      fail: async (keys) => Math.min(await r.throttle.fail(keys), ...keys.map(({ policy }) => policy.initialDelay)),
    },
  })),

  broken(
    "does not count failures during a delay",
    "counts failures during a delay and restarts the delay",
    () => (r) => ({
      throttle: { fail: async (keys) => (await r.throttle.attempt(keys)).wait || r.throttle.fail(keys) },
    }),
  ),

  broken("forgets failures too early", "keeps failures as long as others follow", () => (r) => ({
    throttle: {
      fail: (keys) =>
        r.throttle.fail(
          keys.map(({ key, policy }) => ({ key, policy: { ...policy, resetAfter: policy.resetAfter / 2 } })),
        ),
    },
  })),

  broken(
    "compares throttle keys case-insensitively",
    "accepts any text of up to 100 characters as a key",
    () => (r) => ({
      throttle: {
        fail: (keys) => r.throttle.fail(keys.map(({ key, policy }) => ({ key: key.toLowerCase(), policy }))),
        attempt: (keys) => r.throttle.attempt(keys.map(({ key, policy }) => ({ key: key.toLowerCase(), policy }))),
      },
    }),
  ),

  broken("returns the shortest wait", "returns the longest wait of several keys", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait === 0) return attempt;
        const each = await Promise.all(keys.map((key) => r.throttle.attempt([key])));
        return { wait: Math.min(...each.map(({ wait }) => wait)), reserved: false };
      },
    },
  })),
];
