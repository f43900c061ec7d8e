import {
  type Attributes,
  type JsonValue,
  type NewObject,
  objectNumber,
  type ObjectPage,
  type Repositories,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { gettingByIds } from "./selector-faults.ts";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** An insertion that stores altered objects. */
function inserting(change: (object: NewObject) => NewObject) {
  return () => (r: Repositories) => ({
    objects: { insert: (objects: readonly NewObject[]) => r.objects.insert(objects.map(change)) },
  });
}

function withValues(change: (name: string, value: JsonValue) => JsonValue | undefined) {
  return inserting((object) => ({
    ...object,
    attributes: JSON.parse(JSON.stringify(object.attributes), (name, value: JsonValue) =>
      change(name, value),
    ) as Attributes,
  }));
}

function byText(objects: readonly StoredObject[]): StoredObject[] {
  return objects.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function reordered(
  { objects, last }: ObjectPage,
  order: (objects: readonly StoredObject[]) => readonly StoredObject[],
): ObjectPage {
  return { objects: order(objects), last };
}

/** Faults in objects. */
export const brokenObjects: readonly BrokenAdapter[] = [
  broken("ignores readers in counts", "counts visible objects", () => (r) => ({
    objects: {
      count: (query, visibility, atMost) => r.objects.count(query, { ...visibility, principals: null }, atMost),
    },
  })),

  broken("counts one object too few", "counts visible objects", () => (r) => ({
    objects: { count: async (...asked) => Math.max(0, (await r.objects.count(...asked)) - 1) },
  })),

  broken("ignores readers in lists", "lists visible objects", () => (r) => ({
    objects: { find: (query, visibility, page) => r.objects.find(query, { ...visibility, principals: null }, page) },
  })),

  broken("ignores classes in reads by ID", "returns visible objects by ID", () => (r) => ({
    objects: { get: (ids, visibility) => r.objects.get(ids, { ...visibility, classes: null }) },
  })),

  broken("ignores readers in outlines", "returns outlines of visible objects by ID, each once", () => (r) => ({
    objects: { outlines: (ids, visibility) => r.objects.outlines(ids, { ...visibility, principals: null }) },
  })),

  broken(
    "returns an outline for each repeated ID",
    "returns outlines of visible objects by ID, each once",
    () => (r) => ({
      objects: {
        outlines: async (ids, visibility) => {
          const outlines = new Map((await r.objects.outlines(ids, visibility)).map((outline) => [outline.id, outline]));
          return ids.flatMap((id) => outlines.get(id) ?? []);
        },
      },
    }),
  ),

  broken(
    "treats an empty list of readers as public",
    "reads objects as created",
    inserting((object) => ({
      ...object,
      readers: object.readers?.length === 0 ? null : (object.readers ?? null),
    })),
  ),

  broken("cuts pages before it filters by readers", "fills pages with visible objects only", () => (r) => ({
    objects: {
      find: async (query, visibility, page) => {
        const { objects, last } = await r.objects.find(query, { ...visibility, principals: null }, page);
        const seen = await r.objects.get(
          objects.map(({ id }) => id),
          visibility,
        );
        return { objects: objects.filter(({ id }) => seen.some((object) => object.id === id)), last };
      },
    },
  })),

  broken("begins later pages one object too late", "lists objects in pages without gaps or duplicates", () => (r) => ({
    objects: {
      find: (query, visibility, page, ...more) =>
        r.objects.find(
          query,
          visibility,
          "offset" in page && page.offset > 0 ? { ...page, offset: page.offset + 1 } : page,
          ...more,
        ),
    },
  })),

  broken(
    "treats a limit of zero as no limit",
    "returns an empty page beyond the end and for a limit of zero",
    () => (r) => ({
      objects: {
        find: (query, visibility, page) => r.objects.find(query, visibility, { ...page, limit: page.limit || 1_000 }),
      },
    }),
  ),

  broken("orders objects by their IDs as text", "lists objects in numeric order of their IDs", () => (r) => ({
    objects: {
      find: async (query, visibility, page) => reordered(await r.objects.find(query, visibility, page), byText),
    },
  })),

  broken("lists objects in an unstable order", "keeps the pages of a list stable while objects are created", () => {
    let calls = 0;
    return (r) => ({
      objects: {
        find: async (query, visibility, page) => {
          const found = await r.objects.find(query, visibility, page);
          calls += 1;
          return reordered(found, (objects) => (calls % 2 === 0 ? objects : objects.toReversed()));
        },
      },
    });
  }),

  broken(
    "lists a class twice for a repeated name",
    "lists objects once if their class is requested twice",
    () => (r) => ({
      objects: {
        find: async ({ classes }, visibility, page) => {
          const pages = await Promise.all(classes.map((each) => r.objects.find({ classes: [each] }, visibility, page)));
          const objects = pages
            .flatMap((each) => each.objects)
            .toSorted((a, b) => objectNumber(a.id) - objectNumber(b.id));
          return { objects, last: null };
        },
      },
    }),
  ),

  broken("throws the driver error", "refuses a duplicate UUID with 307, all or nothing", () => (r) => ({
    objects: {
      insert: (objects) =>
        r.objects
          .insert(objects)
          .catch(() => Promise.reject(Object.assign(new Error("duplicate key value"), { code: "23505" }))),
    },
  })),

  broken("answers a used UUID with another code", "refuses the same UUID twice in one call with 307", () => (r) => ({
    objects: {
      insert: (objects) =>
        r.objects.insert(objects).catch((cause: unknown) => Promise.reject(new ServiceError(799, { cause }))),
    },
  })),

  broken(
    "answers a used UUID like any other invalid value",
    "refuses the same UUID twice in one call with 307",
    () => (r) => ({
      objects: {
        insert: (objects) =>
          r.objects.insert(objects).catch((cause: unknown) => Promise.reject(new ServiceError(307, { cause }))),
      },
    }),
  ),

  broken("creates objects one by one", "refuses a duplicate UUID with 307, all or nothing", () => (r) => ({
    objects: {
      insert: async (objects) => {
        const created: StoredObject[] = [];
        for (const object of objects) created.push(...(await r.objects.insert([object])));
        return created;
      },
    },
  })),

  broken(
    "ignores a used UUID without an error",
    "creates one object when concurrent calls use the same UUID",
    () => (r) => ({
      objects: { insert: (objects) => r.objects.insert(objects).catch(() => []) },
    }),
  ),

  broken(
    "returns created objects in another order",
    "returns created objects in the given order with ascending IDs",
    () => (r) => ({
      objects: { insert: async (objects) => (await r.objects.insert(objects)).toReversed() },
    }),
  ),

  broken(
    "creates objects in another order",
    "returns created objects in the given order with ascending IDs",
    () => (r) => ({
      objects: { insert: async (objects) => (await r.objects.insert(objects.toReversed())).toReversed() },
    }),
  ),

  broken(
    "stores null as absent",
    "distinguishes empty, null and absent values",
    withValues((_name, value) => value ?? undefined),
  ),
  broken(
    "stores an empty text as null",
    "distinguishes empty, null and absent values",
    withValues((_name, value) => (value === "" ? null : value)),
  ),
  broken(
    "rounds numbers",
    "stores numbers without loss of precision",
    withValues((_name, value) => (typeof value === "number" ? Math.fround(value) : value)),
  ),
  broken(
    "normalizes texts",
    "stores texts in every script",
    withValues((_name, value) => (typeof value === "string" ? value.normalize("NFC") : value)),
  ),
  broken(
    "truncates long texts",
    "stores large values completely",
    withValues((_name, value) => (typeof value === "string" ? value.slice(0, 65_535) : value)),
  ),

  broken(
    "converts texts that look like dates",
    "distinguishes values from texts that look like them",
    withValues((_name, value) =>
      typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value).toISOString() : value,
    ),
  ),

  broken(
    "doubles backslashes",
    "stores hostile texts as values and as names",
    withValues((_name, value) => (typeof value === "string" ? value.replaceAll("\\", "\\\\") : value)),
  ),

  broken("returns its internal values", "copies stored values on read", () => {
    const internal = new Map<string, StoredObject>();
    return (r) => ({
      objects: {
        insert: async (objects) => {
          const created = JSON.parse(JSON.stringify(await r.objects.insert(objects))) as StoredObject[];
          for (const object of created) internal.set(object.id, object);
          return created;
        },
        get: gettingByIds(r, async (ids) => ids.flatMap((id) => internal.get(id) ?? [])),
      },
    });
  }),

  broken("refuses to create no objects", "creates no objects for an empty list", () => (r) => ({
    objects: {
      insert: async (objects) => {
        if (objects.length === 0) throw new ServiceError(307);
        return r.objects.insert(objects);
      },
    },
  })),

  broken("compares class names case-insensitively", "compares class names exactly in lists", () => (r) => ({
    objects: {
      find: (query, visibility, page) =>
        r.objects.find(
          {
            ...query,
            classes: query.classes.map((name) => name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase()),
          },
          visibility,
          page,
        ),
    },
  })),

  broken(
    "flattens lists",
    "stores nested values",
    withValues((_name, value) => (Array.isArray(value) ? (value.flat() as JsonValue) : value)),
  ),

  broken("stores given values without a copy", "copies given values on write", () => (r) => ({
    objects: {
      insert: async (objects) => {
        await pause();
        return r.objects.insert(objects);
      },
    },
  })),
];
