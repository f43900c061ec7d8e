import type { Change, ChangePosition, ChangeQuery } from "../entities/change.ts";
import { type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { ObjectRepository } from "../ports/object-repository.ts";
import { currentNumber } from "./numbers.ts";
import { formerReadersTable, type ObjectRow, objectTable, type TombstoneRow, tombstoneTable } from "./tables.ts";

/** The feed of changes. */
export const changeReads = (access: Access): Pick<ObjectRepository, "watermark" | "changes"> => ({
  watermark: () => access.read((rows) => rows.watermark()),

  changes: (query) =>
    access.read(async (rows) => {
      const places = new Map<string, Place>();
      for (const className of new Set(query.classes))
        for (const place of await placesOf(rows, className, query)) places.set(`${place.stamp} ${place.id}`, place);
      const page = [...places.values()].toSorted(inOrder).slice(0, query.limit);
      const changes: Change[] = [];
      for (const place of page) changes.push(await changeAt(rows, place));
      return { changes, swept: await currentNumber(rows, "sweptStamp") };
    }),
});

/** The position of a change. */
interface Place {
  readonly stamp: number;
  readonly id: ObjectId;
}

/** The first changes of a class behind the position of a query: of objects, tombstones and former readers. */
async function placesOf(rows: RowReader, className: string, query: ChangeQuery): Promise<Place[]> {
  const { after, upTo, limit } = query;
  // It is right for former readers as well: their key, too, begins with the number of the object.
  const span = { index: "byChange", of: [className], ...behind(after), through: [upTo] } as const;
  const objects = await rows.list(objectTable, span, limit);
  const tombstones = await rows.list(tombstoneTable, span, limit);
  const former = await rows.list(formerReadersTable, span, limit);
  return [
    ...[...objects, ...tombstones].map(({ object: { id }, stamp }) => ({ id, stamp })),
    ...former.map(({ id, stamp }) => ({ id, stamp })),
  ];
}

function behind({ stamp, id }: ChangePosition): { readonly after: readonly number[] } {
  return { after: id === null ? [stamp] : [stamp, objectNumber(id)] };
}

function inOrder(one: Place, other: Place): number {
  return one.stamp - other.stamp || objectNumber(one.id) - objectNumber(other.id);
}

async function changeAt(rows: RowReader, { id, stamp }: Place): Promise<Change> {
  const number = objectNumber(id);
  const live = await rows.get(objectTable, number);
  const last = (live ?? (await rows.get(tombstoneTable, number))) as ObjectRow | TombstoneRow;
  const { uuid, className, version, readers } = last.object;
  // A restoration has an entry as well.
  const former = await rows.get(formerReadersTable, number, stamp);
  const isCreation = last.createdStamp === stamp;
  const kind = last.object.attributes === undefined ? "deleted" : live === undefined ? "recycled" : "stored";
  return {
    stamp,
    id,
    uuid,
    className,
    version,
    kind: stamp === last.stamp ? kind : "superseded",
    readers,
    readersBefore: isCreation ? [] : former === undefined ? readers : former.readers,
    reveals: former !== undefined,
  };
}
