import {
  type Attributes,
  type JsonValue,
  type NewObject,
  objectNumber,
  type ObjectPage,
  type Repositories,
  ServiceError,
  type StoredObject,
} from "@sallyport/core";
import { gettingByIds } from "./selector-faults.ts";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** An insertion that stores something else than it was given. */
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
  broken("does not look at readers when it counts", "are counted as far as they are visible", () => (r) => ({
    objects: {
      count: (query, visibility, atMost) => r.objects.count(query, { ...visibility, principals: null }, atMost),
    },
  })),

  broken("counts one less", "are counted as far as they are visible", () => (r) => ({
    objects: { count: async (...asked) => Math.max(0, (await r.objects.count(...asked)) - 1) },
  })),

  broken("does not look at readers when it lists", "are listed as far as they are visible", () => (r) => ({
    objects: { find: (query, visibility, page) => r.objects.find(query, { ...visibility, principals: null }, page) },
  })),

  broken("does not look at classes when it finds by id", "are found by id as far as they are visible", () => (r) => ({
    objects: { get: (ids, visibility) => r.objects.get(ids, { ...visibility, classes: null }) },
  })),

  broken(
    "does not look at readers when it outlines",
    "are outlined, each once, if they can be found by their ids",
    () => (r) => ({
      objects: { outlines: (ids, visibility) => r.objects.outlines(ids, { ...visibility, principals: null }) },
    }),
  ),

  broken(
    "outlines an object as often as it is asked for",
    "are outlined, each once, if they can be found by their ids",
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
    "takes no readers for everybody",
    "are read as they were created",
    inserting((object) => ({
      ...object,
      readers: object.readers?.length === 0 ? null : (object.readers ?? null),
    })),
  ),

  broken("cuts pages before it looks at readers", "leave no gaps in pages where they are not visible", () => (r) => ({
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

  broken(
    "begins later pages one too late",
    "are listed in pages that fit together without gap or overlap",
    () => (r) => ({
      objects: {
        find: (query, visibility, page, ...more) =>
          r.objects.find(
            query,
            visibility,
            "offset" in page && page.offset > 0 ? { ...page, offset: page.offset + 1 } : page,
            ...more,
          ),
      },
    }),
  ),

  broken(
    "takes a limit of nothing for no limit",
    "are none on a page beyond the end or without a length",
    () => (r) => ({
      objects: {
        find: (query, visibility, page) => r.objects.find(query, visibility, { ...page, limit: page.limit || 1_000 }),
      },
    }),
  ),

  broken("orders by the text of ids", "are listed by ascending number, not by the text of their ids", () => (r) => ({
    objects: {
      find: async (query, visibility, page) => reordered(await r.objects.find(query, visibility, page), byText),
    },
  })),

  broken(
    "lists in whatever order",
    "are listed in the same pages again and again, whatever is created meanwhile",
    () => {
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
    },
  ),

  broken(
    "lists a class twice that is asked for twice",
    "are listed once though their class is asked for twice",
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

  broken(
    "lets the driver's error out",
    "are refused with 307 when their UUID is in use, all or nothing",
    () => (r) => ({
      objects: {
        insert: (objects) =>
          r.objects
            .insert(objects)
            .catch(() => Promise.reject(Object.assign(new Error("duplicate key value"), { code: "23505" }))),
      },
    }),
  ),

  broken(
    "answers a UUID in use with another code",
    "are refused with 307 when two of them want one UUID",
    () => (r) => ({
      objects: {
        insert: (objects) =>
          r.objects.insert(objects).catch((cause: unknown) => Promise.reject(new ServiceError(799, { cause }))),
      },
    }),
  ),

  broken(
    "creates one after the other",
    "are refused with 307 when their UUID is in use, all or nothing",
    () => (r) => ({
      objects: {
        insert: async (objects) => {
          const created: StoredObject[] = [];
          for (const object of objects) created.push(...(await r.objects.insert([object])));
          return created;
        },
      },
    }),
  ),

  broken(
    "keeps the UUID in use and creates nothing, silently",
    "are created once when several with one UUID are created at once",
    () => (r) => ({
      objects: { insert: (objects) => r.objects.insert(objects).catch(() => []) },
    }),
  ),

  broken(
    "gives back what it created in another order",
    "come back from their creation in the order given, with ascending ids",
    () => (r) => ({
      objects: { insert: async (objects) => (await r.objects.insert(objects)).toReversed() },
    }),
  ),

  broken(
    "creates in another order",
    "come back from their creation in the order given, with ascending ids",
    () => (r) => ({
      objects: { insert: async (objects) => (await r.objects.insert(objects.toReversed())).toReversed() },
    }),
  ),

  broken(
    "takes null for absent",
    "tell empty, null and absent apart",
    withValues((_name, value) => value ?? undefined),
  ),
  broken(
    "takes an empty text for null",
    "tell empty, null and absent apart",
    withValues((_name, value) => (value === "" ? null : value)),
  ),
  broken(
    "rounds numbers",
    "keep numbers to the last digit",
    withValues((_name, value) => (typeof value === "number" ? Math.fround(value) : value)),
  ),
  broken(
    "composes texts",
    "keep texts in every script",
    withValues((_name, value) => (typeof value === "string" ? value.normalize("NFC") : value)),
  ),
  broken(
    "cuts long texts",
    "keep large values whole",
    withValues((_name, value) => (typeof value === "string" ? value.slice(0, 65_535) : value)),
  ),

  broken(
    "reads texts that look like dates",
    "tell values from texts that look like them",
    withValues((_name, value) =>
      typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value).toISOString() : value,
    ),
  ),

  broken(
    "doubles backslashes",
    "keep hostile texts, as values and as names",
    withValues((_name, value) => (typeof value === "string" ? value.replaceAll("\\", "\\\\") : value)),
  ),

  broken("gives out what it holds", "are apart from what the caller got", () => {
    const held = new Map<string, StoredObject>();
    return (r) => ({
      objects: {
        insert: async (objects) => {
          const created = JSON.parse(JSON.stringify(await r.objects.insert(objects))) as StoredObject[];
          for (const object of created) held.set(object.id, object);
          return created;
        },
        get: gettingByIds(r, async (ids) => ids.flatMap((id) => held.get(id) ?? [])),
      },
    });
  }),

  broken("refuses to create nothing", "are none when none are created", () => (r) => ({
    objects: {
      insert: async (objects) => {
        if (objects.length === 0) throw new ServiceError(307);
        return r.objects.insert(objects);
      },
    },
  })),

  broken("finds classes in any case", "are listed by class names compared exactly", () => (r) => ({
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
    "keep values inside values",
    withValues((_name, value) => (Array.isArray(value) ? (value.flat() as JsonValue) : value)),
  ),

  broken("looks later at what it was given", "are apart from what the caller passed in", () => (r) => ({
    objects: {
      insert: async (objects) => {
        await pause();
        return r.objects.insert(objects);
      },
    },
  })),
];
