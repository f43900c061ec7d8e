import {
  type ObjectChange,
  OutdatedModelError,
  type Repositories,
  seesAll,
  ServiceError,
  type Writing,
} from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";
import { sideBySide, soundly } from "./side-by-side.ts";

/** An update that makes something else of the changes, or of the one who writes. */
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
    fault: "holds nothing",
    caughtBy: [
      "are held for a transaction, against whoever would change them",
      "are held by several at once without blocking each other",
    ],
    create: (options) => sideBySide(options, soundly),
  },

  broken("takes null for nothing to set", "are changed in the attributes that are set, and in no other", withoutNull),

  broken(
    "merges what is inside of a value",
    "are changed in the attributes that are set, and in no other",
    () => (r) => ({
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
    }),
  ),

  broken(
    "writes nothing when nothing is set",
    "have the next version after every change, also one that sets nothing",
    () => (r) => ({
      objects: {
        update: (changes, by) =>
          changes.every(({ attributes }) => Object.keys(attributes).length === 0)
            ? r.objects.get(
                changes.map(({ id }) => id),
                seesAll,
              )
            : r.objects.update(changes, by),
      },
    }),
  ),

  broken("answers in the order of ids", "are changed together and come back in the order given", () => (r) => ({
    objects: {
      update: async (changes, by) => (await r.objects.update(changes, by)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    },
  })),

  broken(
    "changes one object after the other",
    [
      "cannot be changed with 304 when nothing has their id, all or nothing",
      "are refused with 713 when they have none of the expected versions, all or nothing",
      "refuse writes of other sessions and of none with 713, all or nothing",
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

  broken(
    "skips what is not there",
    "cannot be changed with 304 when nothing has their id, all or nothing",
    () => (r) => ({
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
    }),
  ),

  broken(
    "takes no expected version for any",
    "are refused with 713 when they have none of the expected versions, all or nothing",
    each(({ expectedVersions }) => ({ expectedVersions: expectedVersions?.length === 0 ? null : expectedVersions })),
  ),

  broken(
    "asks for the first expected version alone",
    "are refused with 713 when they have none of the expected versions, all or nothing",
    each(({ expectedVersions }) => ({ expectedVersions: expectedVersions?.slice(0, 1) ?? null })),
  ),

  broken(
    "looks at the version before it writes",
    "are changed by one of those who expect the same version at once",
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

  broken("writes back what it has read", "lose no change of those who set different attributes at once", () => (r) => ({
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

  broken(
    "does not look at the model",
    "are not written under a model that is no longer current, nor under one that is not yet",
    () => (r) => ({
      objects: {
        insert: (objects) => r.objects.insert(objects),
        update: (changes, { session }) => r.objects.update(changes, { session }),
      },
    }),
  ),

  broken(
    "takes a newer model for current",
    "are not written under a model that is no longer current, nor under one that is not yet",
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
    "says only that it was not possible",
    "are not written under a model that is no longer current, nor under one that is not yet",
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
    "does not look where links lead when it creates",
    "are refused with 307 links to nothing, all or nothing",
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
    "does not look where links lead when it changes",
    "are refused with 307 links to nothing, all or nothing",
    each(() => ({ links: {} })),
  ),

  broken(
    "looks at the first link of an attribute alone",
    "are refused with 307 links to nothing, all or nothing",
    each(({ links }) => ({
      links: Object.fromEntries(Object.entries(links).map(([name, ids]) => [name, ids.slice(0, 1)])),
    })),
  ),

  broken(
    "takes any text for a value",
    "are refused with 307 texts that cannot be stored",
    each(({ attributes }) => ({
      attributes: JSON.parse(
        JSON.stringify(attributes).replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/g, "?"),
      ) as ObjectChange["attributes"],
    })),
  ),
];
