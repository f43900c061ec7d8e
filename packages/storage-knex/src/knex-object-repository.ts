import { randomUUID } from "node:crypto";
import {
  acceptStorable,
  isObjectId,
  isStorableText,
  isUuid,
  type NewObject,
  type ObjectId,
  type ObjectRepository,
  objectIdOf,
  objectNumber,
  type Page,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import { objectOf } from "./object-of.ts";
import type { ObjectRow, ObjectStatements } from "./dialects/postgres/statements/object-statements.ts";
import { objectNumbers } from "./object-numbers.ts";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";

/** Objects before a page that may be read for nothing. */
const nearEnough = 1_000;

export class KnexObjectRepository implements ObjectRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ObjectStatements,
    private readonly offset: () => number,
  ) {}

  async get(ids: readonly ObjectId[], visibility: Visibility): Promise<StoredObject[]> {
    const [id] = ids;
    if (id === undefined || (ids.length === 1 && !isObjectId(id))) return [];
    const { rows } =
      ids.length === 1
        ? await this.sql.run<ObjectRow>(this.statements.getOne, [objectNumber(id), ...visible(visibility)])
        : await this.sql.run<ObjectRow>(this.statements.getSeveral, [objectNumbers(ids), ...visible(visibility)]);
    return rows.map(objectOf);
  }

  async getByUuid(uuid: string, visibility: Visibility): Promise<StoredObject | null> {
    if (!isUuid(uuid)) return null;
    const { rows } = await this.sql.run<ObjectRow>(this.statements.getByUuid, [uuid, ...visible(visibility)]);
    return rows[0] === undefined ? null : objectOf(rows[0]);
  }

  async find(classes: readonly string[], visibility: Visibility, { offset, limit }: Page): Promise<StoredObject[]> {
    const seen = seenOf(classes, visibility);
    const [only] = seen;
    if (only === undefined || limit === 0) return [];
    const { findNear, findInOne, findInSeveral } = this.statements;
    const ofOne = offset <= nearEnough ? findNear : findInOne;
    const { rows } = await this.sql.run<ObjectRow>(
      seen.length === 1 ? ofOne : findInSeveral,
      [seen.length === 1 ? only : seen, principalsOf(visibility), offset, limit],
    );
    return rows.map(objectOf);
  }

  async count(classes: readonly string[], visibility: Visibility): Promise<number> {
    const seen = seenOf(classes, visibility);
    if (seen.length === 0) return 0;
    const { rows } = await this.sql.run<{ count: string }>(this.statements.count, [seen, principalsOf(visibility)]);
    return Number(rows[0]?.count);
  }

  async insert(objects: readonly NewObject[]): Promise<StoredObject[]> {
    if (objects.length === 0) return [];
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const wanted = objects.map(({ className, attributes, uuid, readers }) => ({
      uuid: uuid?.toLowerCase() ?? randomUUID(),
      className,
      attributes,
      readers: readers ?? null,
    }));
    if (new Set(wanted.map(({ uuid }) => uuid)).size < wanted.length) throw uuidInUse();
    const { rows } = await this.sql.run<ObjectRow>(this.statements.insert, [JSON.stringify(wanted.map(elementOf)), this.offset()]);
    if (rows.length < wanted.length) throw uuidInUse();
    const byUuid = new Map(rows.map((row) => [row.uuid, row]));
    return wanted.map((object) => {
      const { oid, version, stored_at } = byUuid.get(object.uuid) as ObjectRow;
      return { ...object, id: objectIdOf(Number(oid)), version, storedAt: Number(stored_at) };
    });
  }
}

function elementOf({ uuid, className, attributes, readers }: Required<NewObject>): object {
  return { uuid, class: className, attributes, readers: readers === null ? null : readers.map(objectNumber) };
}

function uuidInUse(): ServiceError {
  return new ServiceError(307, { detail: "The UUID is in use." });
}

/** The visible classes and the principals, as parameters. */
function visible(visibility: Visibility): [SqlValue, SqlValue] {
  return [visibility.classes === null ? null : [...visibility.classes], principalsOf(visibility)];
}

function principalsOf({ principals }: Visibility): string | null {
  return principals === null ? null : objectNumbers(principals);
}

function seenOf(classes: readonly string[], visibility: Visibility): string[] {
  const asked = [...new Set(classes)].filter(isStorableText);
  return asked.filter((name) => visibility.classes === null || visibility.classes.has(name));
}
