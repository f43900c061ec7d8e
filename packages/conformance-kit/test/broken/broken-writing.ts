import {
  type ObjectChange,
  OutdatedModelError,
  type Repositories,
  seesAll,
  ServiceError,
  type Writing,
} from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";
import { sideBySide, soundly } from "./side-by-side.ts";

/** An update that alters the changes, or the writer. */
function updating(change: (changes: readonly ObjectChange[], by: Writing) => [readonly ObjectChange[], Writing]) {
  return () => (r: Repositories) => ({
    objects: { update: (changes: readonly ObjectChange[], by: Writing) => r.objects.update(...change(changes, by)) },
  });
}

function each(change: (change: ObjectChange) => Partial<ObjectChange>) {
  return updating((changes, by) => [changes.map((one) => ({ ...one, ...change(one) })), by]);
}

const withoutNull = each(({ attributes }) => ({
  attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null)),
}));

/** Faults in writing objects. */
export const brokenWriting: readonly BrokenAdapter[] = [
  {
    fault: "locks no rows",
    caughtBy: [
      "locks rows for a transaction against concurrent updates",
      "locks the same rows in several transactions without a deadlock",
    ],
    create: (options) => sideBySide(options, soundly),
  },

  broken("treats null as not set", "changes exactly the given attributes", withoutNull),

  broken("merges nested values", "changes exactly the given attributes", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const before = new Map(
          (
            await r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            )
          ).map((object) => [object.id, object]),
        );
        const merged = changes.map((change) => {
          const { Tags: old } = before.get(change.id)?.attributes ?? {};
          const { Tags: next } = change.attributes;
          return next === undefined
            ? change
            : { ...change, attributes: { ...change.attributes, Tags: Object.assign({}, old, next) } };
        });
        return r.objects.update(merged, by);
      },
    },
  })),

  broken("ignores an empty update", "increases the version with every update, also an empty one", () => (r) => ({
    objects: {
      update: (changes, by) =>
        changes.every(({ attributes }) => Object.keys(attributes).length === 0)
          ? r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            )
          : r.objects.update(changes, by),
    },
  })),

  broken(
    "returns objects in the order of their IDs",
    "updates several objects and returns them in the given order",
    () => (r) => ({
      objects: {
        update: async (changes, by) => (await r.objects.update(changes, by)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      },
    }),
  ),

  broken(
    "updates objects one by one",
    [
      "refuses to update an unknown object with 304, all or nothing",
      "refuses to update another version than expected with 713, all or nothing",
      "refuses writes to locked objects without the right session with 713, all or nothing",
    ],
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          const changed = [];
          for (const change of changes) changed.push(...(await r.objects.update([change], by)));
          return changed;
        },
      },
    }),
  ),

  broken("skips unknown objects", "refuses to update an unknown object with 304, all or nothing", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const there = new Set(
          (
            await r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            )
          ).map(({ id }) => id),
        );
        return r.objects.update(
          changes.filter(({ id }) => there.has(id)),
          by,
        );
      },
    },
  })),

  broken(
    "treats an empty list of expected versions as any",
    "refuses to update another version than expected with 713, all or nothing",
    each(({ expectedVersions }) => ({ expectedVersions: expectedVersions?.length === 0 ? null : expectedVersions })),
  ),

  broken(
    "checks the first expected version only",
    "refuses to update another version than expected with 713, all or nothing",
    each(({ expectedVersions }) => ({ expectedVersions: expectedVersions?.slice(0, 1) ?? null })),
  ),

  broken(
    "checks the version before it writes",
    "accepts one of several concurrent updates of the same version",
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          const found = await r.objects.get(
            changes.map(({ id }) => id),
            seesAll,
          );
          for (const { id, version } of found) {
            const expected = changes.find((change) => change.id === id)?.expectedVersions ?? null;
            if (expected !== null && !expected.includes(version)) throw new ServiceError(713);
          }
          await pause();
          return r.objects.update(
            changes.map((change) => ({ ...change, expectedVersions: null })),
            by,
          );
        },
      },
    }),
  ),

  broken("writes back all read attributes", "keeps all concurrent updates of different attributes", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const before = new Map(
          (
            await r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            )
          ).map((object) => [object.id, object]),
        );
        await pause();
        const missing = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`by${index}`, null]));
        const whole = changes.map((change) => ({
          ...change,
          attributes: { ...missing, ...before.get(change.id)?.attributes, ...change.attributes },
        }));
        return r.objects.update(whole, by);
      },
    },
  })),

  broken("ignores the model generation", "refuses writes under an outdated or future model generation", () => (r) => ({
    objects: {
      insert: (objects) => r.objects.insert(objects),
      update: (changes, { session }) => r.objects.update(changes, { session }),
    },
  })),

  broken(
    "accepts a future model generation",
    "refuses writes under an outdated or future model generation",
    () => (r) => ({
      objects: {
        insert: async (objects, by) => {
          const { generation } = await r.model.load();
          if (by?.modelGeneration !== undefined && by.modelGeneration < generation) throw new OutdatedModelError();
          return r.objects.insert(objects);
        },
      },
    }),
  ),

  broken(
    "throws another error for an outdated model",
    "refuses writes under an outdated or future model generation",
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          try {
            return await r.objects.update(changes, by);
          } catch (error) {
            throw error instanceof OutdatedModelError ? new ServiceError(706) : error;
          }
        },
      },
    }),
  ),

  broken(
    "ignores unknown link targets in insertions",
    "refuses links to unknown objects with 307, all or nothing",
    () => (r) => ({
      objects: {
        insert: (objects, by) =>
          r.objects.insert(
            objects.map(({ links: _links, ...object }) => object),
            by,
          ),
      },
    }),
  ),

  broken(
    "ignores unknown link targets in updates",
    "refuses links to unknown objects with 307, all or nothing",
    each(() => ({ links: {} })),
  ),

  broken(
    "checks the first link of an attribute only",
    "refuses links to unknown objects with 307, all or nothing",
    each(({ links }) => ({
      links: Object.fromEntries(Object.entries(links).map(([name, ids]) => [name, ids.slice(0, 1)])),
    })),
  ),

  broken(
    "accepts any text as a value",
    "refuses unstorable texts in updates with 307",
    each(({ attributes }) => ({
      attributes: JSON.parse(
        JSON.stringify(attributes).replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/g, "?"),
      ) as ObjectChange["attributes"],
    })),
  ),
];
