import { ServiceError, type ThrottlePolicy, type ThrottleVerdict } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever: Partial<ThrottlePolicy> = { resetAfter: Number.MAX_SAFE_INTEGER };

/** Faults in model, throttle and audit. */
export const brokenRecords: readonly BrokenAdapter[] = [
  broken(
    "lets a claim through for all who ask at once",
    "lets one attempt through of those that come at once when a delay is over",
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

  broken("claims key by key", "claims nothing when one of several keys says wait", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempts: ThrottleVerdict[] = [];
        for (const key of keys) attempts.push(await r.throttle.attempt([key]));
        const wait = Math.max(0, ...attempts.map((attempt) => attempt.wait));
        return { wait, claimed: wait === 0 && attempts.some(({ claimed }) => claimed) };
      },
    },
  })),

  broken("takes an attempt that has to wait for a failure", "makes attempts wait while a delay runs", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait > 0) await r.throttle.fail(keys);
        return attempt;
      },
    },
  })),

  broken("takes failures at once for one", "counts every failure of those that come at once", () => {
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

  broken("never forgets", "forgets failures after a while without another", () => (r) => ({
    throttle: {
      attempt: (keys) =>
        r.throttle.attempt(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
      fail: (keys) => r.throttle.fail(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
    },
  })),

  broken("counts on the first key only", "counts a failure on every key, each by its own policy", () => (r) => ({
    throttle: { fail: (keys) => r.throttle.fail(keys.slice(0, 1)) },
  })),

  broken(
    "clears by the beginning of a key",
    "forgets the failures of the keys that a success clears, and of no other",
    () => (r) => ({
      throttle: { pass: (keys) => r.throttle.pass(keys, ["a", "b", "c"]) },
    }),
  ),

  broken("clears whatever delay runs", "forgets nothing while a delay of one of the keys runs", () => (r) => ({
    throttle: {
      pass: async (keys, forget) => {
        await r.throttle.pass([], forget);
        await r.throttle.pass(keys, []);
      },
    },
  })),

  broken("takes a claim for a failure", "does not take a claim for a failure", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.claimed) await r.throttle.fail(keys);
        return attempt;
      },
    },
  })),

  broken(
    "changes whatever generation there is",
    [
      "refuses a change of another generation than the current one",
      "lets one of those win who change one generation at once",
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

  broken("merges the attributes of a class", "replaces a class whole", () => (r) => ({
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

  broken("shows the newest event first", "keeps events as they were appended, in order", () => (r) => ({
    audit: { read: async (after, limit) => (await r.audit.read(after, limit)).toReversed() },
  })),

  broken("reads the last event again", "reads on from where a reader stopped", () => (r) => ({
    audit: { read: (after, limit) => r.audit.read(after - 1, limit) },
  })),

  broken("loses events that come at once", "keeps every event of those appended at once", () => {
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
    "loads all classes but the last",
    ["starts with the built-in classes", "adds a class and leaves the others alone"],
    () => (r) => ({
      model: {
        load: async () => {
          const { generation, classes } = await r.model.load();
          return { generation, classes: classes.slice(0, -1) };
        },
      },
    }),
  ),

  broken("takes one class for each change", "takes several classes in one change", () => (r) => ({
    model: { change: ({ put }, generation) => r.model.change({ put: put.slice(0, 1) }, generation) },
  })),

  broken("sorts attributes by name", "keeps definitions as they are, in the order of their attributes", () => (r) => ({
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
    "fills in what a definition leaves out",
    "keeps definitions as they are, in the order of their attributes",
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

  broken("does not tell class names apart by case", "tells names apart that differ by case", () => (r) => ({
    model: {
      change: ({ put }, generation) => {
        const byName = new Map(put.map((each) => [each.name.toLowerCase(), each]));
        return r.model.change({ put: [...byName.values()] }, generation);
      },
    },
  })),

  broken(
    "keeps classes for ever",
    ["takes classes away, and nothing else with them", "puts and takes away in one change"],
    () => (r) => ({ model: { change: ({ put }, generation) => r.model.change({ put }, generation) } }),
  ),

  broken(
    "takes classes away whatever the generation",
    "keeps what a change of another generation would take away",
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

  broken(
    "does not know a class to take away",
    "has nothing to take away under a name that no class has",
    () => (r) => ({
      model: {
        change: async (delta, generation) => {
          const known = new Set((await r.model.load()).classes.map(({ name }) => name));
          if (delta.removed?.some((name) => !known.has(name))) throw new ServiceError(304);
          return r.model.change(delta, generation);
        },
      },
    }),
  ),

  broken("hides what the model does not name", "leaves the objects of a changed class alone", () => (r) => ({
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

  broken("never doubles a delay", "answers the delay that follows a failure, growing up to the longest", () => (r) => ({
    throttle: {
      fail: async (keys) => Math.min(await r.throttle.fail(keys), ...keys.map(({ policy }) => policy.initialDelay)),
    },
  })),

  broken(
    "does not count failures while a delay runs",
    "counts failures that come while a delay runs, and starts it again",
    () => (r) => ({
      throttle: { fail: async (keys) => (await r.throttle.attempt(keys)).wait || r.throttle.fail(keys) },
    }),
  ),

  broken("forgets too early", "remembers failures as long as others follow", () => (r) => ({
    throttle: {
      fail: (keys) =>
        r.throttle.fail(
          keys.map(({ key, policy }) => ({ key, policy: { ...policy, resetAfter: policy.resetAfter / 2 } })),
        ),
    },
  })),

  broken("takes keys in any case", "takes any text of up to 100 characters for a key", () => (r) => ({
    throttle: {
      fail: (keys) => r.throttle.fail(keys.map(({ key, policy }) => ({ key: key.toLowerCase(), policy }))),
      attempt: (keys) => r.throttle.attempt(keys.map(({ key, policy }) => ({ key: key.toLowerCase(), policy }))),
    },
  })),

  broken("answers the shortest wait", "answers the longest wait of several keys", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.wait === 0) return attempt;
        const each = await Promise.all(keys.map((key) => r.throttle.attempt([key])));
        return { wait: Math.min(...each.map(({ wait }) => wait)), claimed: false };
      },
    },
  })),
];
