import {
  type Departure,
  type DepartureRepository,
  type HeldObject,
  isObjectId,
  isStorableText,
  isUuid,
  type JsonValue,
  type Leaving,
  type LinkTarget,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type ObjectOutline,
  type RecycledRoot,
  type RecyclerQuery,
  type Referrer,
  type ReferrerQuery,
  type Restoration,
  seesAll,
  type SingleReference,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import { DepartedObjects } from "./departed-objects.ts";
import { isAmongNumbers, objectNumbers } from "./object-row.ts";
import { ObjectReads } from "./object-reads.ts";
import { ObjectWrites, type WrittenObject } from "./object-writes.ts";
import { type ObjectContext, WritersTurn } from "./writers-turn.ts";

type Model = Pick<Writing, "modelGeneration">;

/** Whoever holds something has the turn to write, so that nothing that is read of objects changes until the transaction ends. */
export class MariadbDepartureRepository implements DepartureRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly context: ObjectContext,
  ) {}

  hold(ids: readonly ObjectId[], by: Model = {}): Promise<HeldObject[]> {
    return this.inTurn(async ({ sql }) => {
      const reads = new ObjectReads(sql, this.context.tables);
      const numbers = objectNumbers(ids);
      const objects = await reads.outlines(numbers, seesAll);
      const lockedBy = await reads.locks(numbers, this.context.offset());
      return inOrder(objects).map((object) => ({ object, lockedBy: lockedBy.get(object.id) ?? null }));
    }, by);
  }

  async referrers(ids: readonly ObjectId[], { attributes, limit }: ReferrerQuery): Promise<Referrer[]> {
    const { links, objects } = this.context.tables;
    const numbers = objectNumbers(ids);
    if (numbers.length === 0 || attributes?.length === 0) return [];
    const named = attributes?.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(", ");
    const { rows } = await this.sql.runOnce<{ source: number; class: string; attribute: string; target: number }>(
      `select k.source, o.class, k.attribute, k.target from ${links} k join ${objects} o on o.oid = k.source
      where ${isAmongNumbers("k.target", numbers)} and not ${isAmongNumbers("k.source", numbers)}
        ${named === undefined ? "" : `and (o.class, k.attribute) in (${named})`} limit ${limit}`,
      attributes?.flatMap(({ className, attribute }) => [className, attribute]) ?? [],
    );
    return rows.map(({ source, class: className, attribute, target }) => {
      return { id: objectIdOf(Number(source)), className, attribute, target: objectIdOf(Number(target)) };
    });
  }

  clear(links: readonly Referrer[]): Promise<void> {
    return this.inTurn(async ({ sql, turn, writes }) => {
      const ids = objectNumbers(links.map(({ id }) => id));
      const objects = await new ObjectReads(sql, this.context.tables).byNumbers(ids, seesAll);
      const written = objects.map((object) =>
        cleared(
          object,
          links.filter(({ id }) => id === object.id),
          turn.now,
        ),
      );
      await writes.replace(written, await turn.stamp());
      for (const { attribute, target, id } of links) {
        await sql.runOnce(
          `delete from ${this.context.tables.links} where target = $1 and source = $2 and attribute = $3`,
          [objectNumber(target), objectNumber(id), attribute],
        );
      }
    });
  }

  depart(
    ids: readonly ObjectId[],
    { recycled, leader, deletedBy = null, quota = 0 }: Leaving,
  ): Promise<"departed" | "full"> {
    return this.inTurn(async ({ sql, turn, writes }) => {
      const objects = await new ObjectReads(sql, this.context.tables).byNumbers(objectNumbers(ids), seesAll);
      if (objects.length === 0) return "departed";
      const departing = new DepartedObjects(sql, this.context.tables);
      const user = deletedBy === null ? null : objectNumber(deletedBy);
      if (recycled && user !== null && quota > 0 && (await departing.countOf(user)) + objects.length > quota)
        return "full";
      await writes.remove(objects);
      const departed = objects.map((object) => ({ ...object, version: object.version + 1, storedAt: turn.now }));
      await departing.add(departed, {
        recycled,
        leader: objectNumber(leader),
        deletedBy: user,
        stamp: await turn.stamp(),
      });
      return "departed";
    });
  }

  async find(reference: SingleReference, visibility: Visibility): Promise<Departure | null> {
    const departed = new DepartedObjects(this.sql, this.context.tables);
    if (reference.kind === "id")
      return isObjectId(reference.id) ? departed.find("oid", objectNumber(reference.id), visibility) : null;
    return isUuid(reference.uuid) ? departed.find("uuid", reference.uuid.toLowerCase(), visibility) : null;
  }

  recycledWith(id: ObjectId, by: Model = {}): Promise<StoredObject[]> {
    return this.inTurn(
      async ({ sql }) =>
        isObjectId(id) ? new DepartedObjects(sql, this.context.tables).recycledWith(objectNumber(id)) : [],
      by,
    );
  }

  targets(ids: readonly ObjectId[]): Promise<LinkTarget[]> {
    return this.inTurn(({ sql }) => new DepartedObjects(sql, this.context.tables).targets(objectNumbers(ids)));
  }

  listRecycled(page: RecyclerQuery): Promise<RecycledRoot[]> {
    return new DepartedObjects(this.sql, this.context.tables).listRecycled(page);
  }

  purge(ids: readonly ObjectId[]): Promise<void> {
    return this.inTurn(async ({ sql, turn }) => {
      const numbers = objectNumbers(ids);
      if (numbers.length > 0)
        await new DepartedObjects(sql, this.context.tables).purge(numbers, {
          now: turn.now,
          stamp: await turn.stamp(),
        });
    });
  }

  countRecycled(classes: readonly string[]): Promise<number> {
    return new DepartedObjects(this.sql, this.context.tables).count(classes.filter(isStorableText));
  }

  restore(objects: readonly Restoration[]): Promise<StoredObject[]> {
    return this.inTurn(async ({ sql, turn, writes }) => {
      const departed = new DepartedObjects(sql, this.context.tables);
      const found = new Map(
        (await departed.recycled(objectNumbers(objects.map(({ id }) => id)))).map((object) => [object.id, object]),
      );
      const written = objects.flatMap(({ id, attributes, links }): WrittenObject[] => {
        const object = found.get(id);
        if (object === undefined) return [];
        return [
          {
            object: {
              ...object,
              attributes: { ...object.attributes, ...attributes },
              version: object.version + 1,
              storedAt: turn.now,
            },
            links,
          },
        ];
      });
      if (written.length === 0) return [];
      await departed.forget(objectNumbers(found.keys()));
      await writes.add(written, await turn.stamp());
      return written.map(({ object }) => object);
    });
  }

  private inTurn<T>(
    work: (at: { readonly sql: SqlRunner; readonly turn: WritersTurn; readonly writes: ObjectWrites }) => Promise<T>,
    by: Model = {},
  ): Promise<T> {
    return this.sql.atomically(async (sql) => {
      const turn = await WritersTurn.take(sql, this.context.statements, this.context.offset(), by);
      return work({ sql, turn, writes: new ObjectWrites(sql, this.context.tables) });
    });
  }
}

function inOrder(objects: readonly ObjectOutline[]): ObjectOutline[] {
  return objects.toSorted((one, other) => objectNumber(one.id) - objectNumber(other.id));
}

/** The object without the targets that it loses: a reference is null then, a collection has the others in their order. */
function cleared(object: StoredObject, lost: readonly Referrer[], storedAt: number): WrittenObject {
  const attributes = new Map(Object.entries(object.attributes));
  for (const { attribute, target } of lost) {
    const value: JsonValue = attributes.get(attribute) ?? null;
    attributes.set(
      attribute,
      Array.isArray(value) ? value.filter((member) => member !== target) : value === target ? null : value,
    );
  }
  return {
    object: { ...object, attributes: Object.fromEntries(attributes), version: object.version + 1, storedAt },
    links: {},
  };
}
