import { type ObjectChange, type Repositories, seesAll, type StoredObject, type Writing } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const given = "have other readers when these are given, and else those of before";
const seen = "are seen by their new readers at once, and by no one else";
const counted = "are counted rightly while readers come and go, at once and in transactions that are taken back";
const refused = "keep their readers when the change is refused, all or nothing";

/** An update that makes something else of changes of readers, or of the one who writes. */
function narrowing(
  change: (change: ObjectChange) => Partial<ObjectChange>,
  writer: (by: Writing) => Writing = (by) => by,
) {
  return () => (r: Repositories) => ({
    objects: {
      update: (changes: readonly ObjectChange[], by: Writing) => {
        const changed = changes.map((each) => (each.readers === undefined ? each : { ...each, ...change(each) }));
        return r.objects.update(changed, changes.some(({ readers }) => readers !== undefined) ? writer(by) : by);
      },
    },
  });
}

/** Remembers what a call gave first. */
function remembering<Given extends readonly unknown[], Result>(
  call: (...given: Given) => Promise<Result>,
  known: Map<string, Promise<Result>>,
) {
  return (...asked: Given): Promise<Result> => {
    const key = JSON.stringify(asked, (_name, value: unknown) => (value instanceof Set ? [...value] : value));
    const result = known.get(key) ?? call(...asked);
    known.set(key, result);
    return result;
  };
}

/** Faults in changes of readers. */
export const brokenReaders: readonly BrokenAdapter[] = [
  broken(
    "takes an emptied list of readers for none",
    given,
    narrowing(({ readers = null }) => ({ readers: readers?.length === 0 ? null : readers })),
  ),
  broken("adds readers to those of before", given, () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const before = new Map(
          (
            await r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            )
          ).map((object) => [object.id, object.readers]),
        );
        const merged = changes.map((each) =>
          each.readers == null
            ? each
            : { ...each, readers: [...new Set([...(before.get(each.id) ?? []), ...each.readers])] },
        );
        return r.objects.update(merged, by);
      },
    },
  })),
  broken("gives everybody back what has no readers given", given, () => (r) => ({
    objects: {
      update: (changes, by) =>
        r.objects.update(
          changes.map((each) => ({ readers: null, ...each })),
          by,
        ),
    },
  })),
  broken("gives all objects of a call the readers of one", given, () => (r) => ({
    objects: {
      update: (changes, by) => {
        const first = changes.find(({ readers }) => readers !== undefined);
        return r.objects.update(
          first === undefined ? changes : changes.map((each) => ({ ...each, readers: first.readers ?? null })),
          by,
        );
      },
    },
  })),
  broken("does not see readers that came later", seen, () => {
    const known = new Map<string, Promise<StoredObject[]>>();
    return (r) => ({
      objects: { get: remembering((...asked: Parameters<typeof r.objects.get>) => r.objects.get(...asked), known) },
    });
  }),
  broken("counts for good", [seen, counted], () => {
    const known = new Map<string, Promise<number>>();
    return (r) => ({
      objects: {
        count: remembering((...asked: Parameters<typeof r.objects.count>) => r.objects.count(...asked), known),
      },
    });
  }),
  broken(
    "changes readers in any version",
    refused,
    narrowing(() => ({ expectedVersions: null })),
  ),
  broken(
    "changes readers of what is not visible",
    refused,
    narrowing(
      () => ({}),
      ({ visibility: _any, ...by }) => by,
    ),
  ),
  broken(
    "changes readers of any class",
    refused,
    narrowing(
      () => ({}),
      ({ className: _any, ...by }) => by,
    ),
  ),
  broken(
    "changes readers under any model",
    refused,
    narrowing(
      () => ({}),
      ({ modelGeneration: _any, ...by }) => by,
    ),
  ),
  broken("changes readers whoever has locked the object", refused, () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const locks = await Promise.all(
          changes.map(({ id, readers }) => (readers === undefined ? null : r.locks.state(id))),
        );
        return r.objects.update(changes, {
          ...by,
          session: locks.find((lock) => lock !== null)?.session ?? by.session,
        });
      },
    },
  })),
  broken("tells nothing of changes of readers", "move up when only the readers of an object change", () => {
    const silent = new Set<string>();
    return (r) => ({
      objects: {
        update: (changes, by) => {
          for (const { id, readers } of changes) if (readers !== undefined) silent.add(id);
          return r.objects.update(changes, by);
        },
      },
      changes: { read: async (...asked) => (await r.changes.read(...asked)).filter(({ id }) => !silent.has(id)) },
    });
  }),
];
