import { randomUUID } from "node:crypto";
import {
  acceptChanges,
  acceptStorable,
  isObjectId,
  isStorableText,
  isUuid,
  type NewObject,
  type ObjectChange,
  type ObjectId,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  objectIdOf,
  objectNumber,
  type Page,
  type Scalar,
  seesAll,
  ServiceError,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/core";
import { objectOf } from "./object-of.ts";
import { countText, findText } from "./dialects/postgres/query/object-query-text.ts";
import { positionFrom } from "./dialects/postgres/query/order.ts";
import type { ObjectStatements } from "./dialects/postgres/statements/object-statements.ts";
import type { Tables } from "./dialects/postgres/tables.ts";
import { objectNumbers } from "./object-numbers.ts";
import type { ObjectRow } from "./object-row.ts";
import type { SqlRunner } from "./sql-runner.ts";
import { principalsOf, visibilityParameters } from "./visibility-parameters.ts";
import { linkParameters } from "./write-parameters.ts";

/** Objects before a page that may be read for nothing. */
const nearEnough = 1_000;

export class KnexObjectRepository implements ObjectRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ObjectStatements,
    private readonly tables: Tables,
    private readonly offset: () => number,
  ) {}

  async get(ids: readonly ObjectId[], visibility: Visibility): Promise<StoredObject[]> {
    const [id] = ids;
    if (id === undefined || (ids.length === 1 && !isObjectId(id))) return [];
    const { rows } =
      ids.length === 1
        ? await this.sql.run<ObjectRow>(this.statements.getOne, [objectNumber(id), ...visibilityParameters(visibility)])
        : await this.sql.run<ObjectRow>(this.statements.getSeveral, [objectNumbers(ids), ...visibilityParameters(visibility)]);
    return rows.map(objectOf);
  }

  async getByUuid(uuid: string, visibility: Visibility): Promise<StoredObject | null> {
    if (!isUuid(uuid)) return null;
    const { rows } = await this.sql.run<ObjectRow>(this.statements.getByUuid, [uuid, ...visibilityParameters(visibility)]);
    return rows[0] === undefined ? null : objectOf(rows[0]);
  }

  async visible(ids: readonly ObjectId[], visibility: Visibility): Promise<ObjectId[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.sql.run<Pick<ObjectRow, "oid">>(this.statements.visible, [objectNumbers(ids), ...visibilityParameters(visibility)]);
    return rows.map(({ oid }) => objectIdOf(Number(oid)));
  }

  async find(query: ObjectQuery, visibility: Visibility, page: Page): Promise<ObjectPage> {
    const classes = seenOf(query.classes, visibility);
    if (classes.length === 0 || page.limit === 0) return { objects: [], last: null };
    return isPlain(query) && "offset" in page
      ? this.list(classes, visibility, page.offset, page.limit)
      : this.query({ ...query, classes }, visibility, page);
  }

  async getByUuids(uuids: readonly string[], visibility: Visibility): Promise<StoredObject[]> {
    const wanted = uuids.filter(isUuid);
    if (wanted.length === 0) return [];
    const { rows } = await this.sql.run<ObjectRow>(this.statements.getByUuids, [wanted, ...visibilityParameters(visibility)]);
    return rows.map(objectOf);
  }

  async count(query: ObjectQuery, visibility: Visibility, atMost?: number): Promise<number> {
    const classes = seenOf(query.classes, visibility);
    if (classes.length === 0) return 0;
    if (query.filter === undefined) {
      const { rows } = await this.sql.run<{ count: string }>(this.statements.count, [classes, principalsOf(visibility)]);
      return Math.min(Number(rows[0]?.count), atMost ?? Number.POSITIVE_INFINITY);
    }
    const { text, values } = countText(this.tables, { ...query, classes }, visibility, atMost);
    const { rows } = await this.sql.runOnce<{ count: string }>(text, values);
    return Number(rows[0]?.count);
  }

  async hold(ids: readonly ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    const { shareModel, hold } = this.statements;
    await this.sql.atomically((sql) => Promise.all([sql.run(shareModel, []), sql.run(hold, [objectNumbers(ids)])]));
  }

  async insert(objects: readonly NewObject[], by?: Writing): Promise<StoredObject[]> {
    if (objects.length === 0) return [];
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const wanted = objects.map(({ className, attributes, uuid, readers }) => ({
      uuid: uuid?.toLowerCase() ?? randomUUID(),
      className,
      attributes,
      readers: readers ?? null,
    }));
    if (new Set(wanted.map(({ uuid }) => uuid)).size < wanted.length) throw uuidInUse();
    const links = linkParameters(objects.map((object, index) => ({ source: { uuid: wanted[index]?.uuid }, links: object.links })));
    const values = [JSON.stringify(wanted.map(elementOf)), ...links, by?.modelGeneration ?? null, this.offset()];
    const { rows } = await this.sql.run<ObjectRow>(this.statements.insert, values);
    const byUuid = new Map(rows.map((row) => [row.uuid, row]));
    return wanted.map((object) => {
      const { oid, version, stored_at } = byUuid.get(object.uuid) as ObjectRow;
      return { ...object, id: objectIdOf(Number(oid)), version, storedAt: Number(stored_at) };
    });
  }

  async update(changes: readonly ObjectChange[], by: Writing): Promise<StoredObject[]> {
    if (changes.length === 0) return [];
    acceptChanges(changes);
    if (!changes.every(({ id }) => isObjectId(id))) throw new ServiceError(304);
    const asked = changes.map(({ id, attributes, expectedVersions }) => ({ oid: objectNumber(id), attributes, versions: expectedVersions }));
    const links = linkParameters(changes.map((change) => ({ source: { source: objectNumber(change.id) }, links: change.links })));
    const session = by.session === null ? null : Buffer.from(by.session, "hex");
    const values = [JSON.stringify(asked), ...links, session, by.modelGeneration ?? null, by.className ?? null, ...visibilityParameters(by.visibility ?? seesAll), this.offset()];
    const { rows } = await this.sql.run<ObjectRow>(this.statements.update, values);
    const changed = new Map(rows.map((row) => [objectIdOf(Number(row.oid)), row]));
    return changes.map(({ id }) => objectOf(changed.get(id) as ObjectRow));
  }

  private async list(classes: readonly string[], visibility: Visibility, offset: number, limit: number): Promise<ObjectPage> {
    const { findNear, findInOne, findInSeveral } = this.statements;
    const ofOne = offset <= nearEnough ? findNear : findInOne;
    const { rows } = await this.sql.run<ObjectRow>(
      classes.length === 1 ? ofOne : findInSeveral,
      [classes.length === 1 ? (classes[0] as string) : classes, principalsOf(visibility), offset, limit],
    );
    const objects = rows.map(objectOf);
    const last = objects.at(-1);
    return { objects, last: last === undefined ? null : { values: [], id: last.id } };
  }

  private async query(query: ObjectQuery, visibility: Visibility, page: Page): Promise<ObjectPage> {
    const { text, values } = findText(this.tables, query, visibility, page);
    const { rows } = await this.sql.runOnce<ObjectRow & { position: (Scalar | null)[] }>(text, values);
    const last = rows.at(-1);
    return { objects: rows.map(objectOf), last: last === undefined ? null : positionFrom(query.sort ?? [], last.position, last.oid) };
  }
}

/** Whether all objects of the classes are meant, by their numbers: prepared statements serve that. */
function isPlain({ filter, sort }: ObjectQuery): boolean {
  return filter === undefined && (sort === undefined || sort.length === 0);
}

function elementOf({ uuid, className, attributes, readers }: Required<Omit<NewObject, "links">>): object {
  return { uuid, class: className, attributes, readers: readers === null ? null : readers.map(objectNumber) };
}

function uuidInUse(): ServiceError {
  return new ServiceError(307, { detail: "The UUID is in use." });
}

function seenOf(classes: readonly string[], visibility: Visibility): string[] {
  const asked = [...new Set(classes)].filter(isStorableText);
  return asked.filter((name) => visibility.classes === null || visibility.classes.has(name));
}
