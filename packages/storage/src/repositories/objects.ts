import { AnswerTooLargeError, defaultAnswerBytes } from "../entities/size-limits.ts";
import type { StoredObject } from "../entities/stored-object.ts";
import { isVisible, type Visibility } from "../entities/visibility.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { ObjectKeys, ObjectRepository } from "../ports/object-repository.ts";
import { changeReads } from "./changes.ts";
import { currentNumber } from "./numbers.ts";
import { countMatches, findPage } from "./query/find.ts";
import { writeObjects } from "./row-writer.ts";
import { objectBytes, outlineOf, storedObjects } from "./stored-objects.ts";
import { tombstoneTable, uuidTable } from "./tables.ts";
import { objectWrites } from "./writes/object-writes.ts";

export const objectRepository = (access: Access): ObjectRepository => ({
  get: (which, visibility, bytes = defaultAnswerBytes) =>
    access.read(async (rows) => {
      const requested = "uuids" in which ? which.uuids : which;
      const objects = await visibleObjects(rows, which, visibility);
      return withinBytes(objects, requested.length === 1 ? Number.POSITIVE_INFINITY : bytes);
    }),

  outlines: (ids, visibility) =>
    access.read(async (rows) => (await visibleObjects(rows, ids, visibility)).map(outlineOf)),

  find: (query, visibility, page, bytes = defaultAnswerBytes) =>
    access.read(async (rows) => {
      const { objects, last } = await findPage(rows, query, visibility, page);
      return { objects: withinBytes(objects, bytes), last };
    }),

  match({ classes, filter }, visibility, atMost) {
    const query = filter === undefined ? { classes } : { classes, filter };
    return access.read(async (rows) => {
      const { objects } = await findPage(rows, query, visibility, { offset: 0, limit: atMost });
      return objects.map(outlineOf);
    });
  },

  count: (query, visibility, atMost = Number.POSITIVE_INFINITY) =>
    access.read((rows) =>
      query.recycled === true
        ? countRecycled(rows, query.classes, visibility, atMost)
        : countMatches(rows, query, visibility, atMost),
    ),

  /** Transactions have the outcome of a serial order. */
  lock: () => access.read(async (rows) => void (await currentNumber(rows, "object"))),

  ...objectWrites(writeObjects(access)),

  ...changeReads(access),
});

/** Returns the objects. Throws `AnswerTooLargeError` if they exceed this many bytes in total. */
function withinBytes(objects: StoredObject[], bytes: number): StoredObject[] {
  if (objects.reduce((sum, object) => sum + objectBytes(object), 0) > bytes) throw new AnswerTooLargeError();
  return objects;
}

async function visibleObjects(rows: RowReader, which: ObjectKeys, visibility: Visibility): Promise<StoredObject[]> {
  let ids = which;
  if ("uuids" in ids) {
    const existing = await rows.getAll(
      uuidTable,
      ids.uuids.map((uuid) => [uuid.toLowerCase()]),
    );
    ids = existing.map(({ id }) => id);
  }
  return (await storedObjects(rows, ids)).filter((object) => isVisible(object, visibility));
}

async function countRecycled(
  rows: RowReader,
  classes: readonly string[],
  visibility: Visibility,
  atMost: number,
): Promise<number> {
  let count = 0;
  for (const className of new Set(classes))
    for await (const { object } of rows.each(tombstoneTable, { index: "byClass", of: [className] })) {
      if (count >= atMost) return count;
      if (isVisible(object, visibility)) count += 1;
    }
  return count;
}
