import { type ObjectChange, type Repositories, seesAll, type StoredObject, type Writing } from "@sallyport/storage";
import { type BrokenAdapter, broken, withFeed } from "./broken-adapter.ts";

const given = "replaces the readers if they are given and keeps them otherwise";
const seen = "shows an object to its new readers only, immediately";
const counted = "counts objects correctly during concurrent and rolled-back changes of readers";
const refused = "keeps the readers if the change is refused, all or nothing";

/** An update that alters changes of readers, or the writer. */
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

/** Caches the first result of a call. */
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
    "treats an emptied list of readers as unchanged",
    given,
    narrowing(({ readers = null }) => ({ readers: readers?.length === 0 ? null : readers })),
  ),
  broken("adds readers instead of replacing them", given, () => (r) => ({
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
  broken("makes objects public if no readers are given", given, () => (r) => ({
    objects: {
      update: (changes, by) =>
        r.objects.update(
          changes.map((each) => ({ readers: null, ...each })),
          by,
        ),
    },
  })),
  broken("gives all objects of a call the same readers", given, () => (r) => ({
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
  broken("ignores readers added later", seen, () => {
    const known = new Map<string, Promise<StoredObject[]>>();
    return (r) => ({
      objects: { get: remembering((...asked: Parameters<typeof r.objects.get>) => r.objects.get(...asked), known) },
    });
  }),
  broken("caches counts", [seen, counted], () => {
    const known = new Map<string, Promise<number>>();
    return (r) => ({
      objects: {
        count: remembering((...asked: Parameters<typeof r.objects.count>) => r.objects.count(...asked), known),
      },
    });
  }),
  broken(
    "ignores the expected version in changes of readers",
    refused,
    narrowing(() => ({ expectedVersions: null })),
  ),
  broken(
    "ignores visibility in changes of readers",
    refused,
    narrowing(
      () => ({}),
      ({ visibility: _any, ...by }) => by,
    ),
  ),
  broken(
    "ignores the class in changes of readers",
    refused,
    narrowing(
      () => ({}),
      ({ className: _any, ...by }) => by,
    ),
  ),
  broken(
    "ignores the model generation in changes of readers",
    refused,
    narrowing(
      () => ({}),
      ({ modelGeneration: _any, ...by }) => by,
    ),
  ),
  broken("ignores locks in changes of readers", refused, () => (r) => ({
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
  broken("reports no changes of readers", "reports a change if only the readers of an object change", () => {
    const silent = new Set<string>();
    return (r) => ({
      objects: {
        update: (changes, by) => {
          for (const { id, readers } of changes) if (readers !== undefined) silent.add(id);
          return r.objects.update(changes, by);
        },
      },
      ...withFeed(r, (changes) => changes.filter(({ id }) => !silent.has(id))),
    });
  }),
];
