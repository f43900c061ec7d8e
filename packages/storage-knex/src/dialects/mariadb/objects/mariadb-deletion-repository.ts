import {
  type DeletionRepository,
  deletionWrites,
  isObjectId,
  isUuid,
  objectNumber,
  objectNumbers,
} from "@sallyport/storage";
import {
  recycledRootOf,
  type RecycledRow,
  referrerOf,
  type ReferrerRow,
  tombstoneOf,
  type TombstoneRow,
} from "../../../object-row.ts";
import type { SqlRunner } from "../../../sql-runner.ts";
import { QueryParameters, visibleCondition } from "../query/mariadb-query-scope.ts";
import { isAmongNumbers } from "../object-row.ts";
import { writeObjects } from "./object-writer.ts";
import type { ObjectContext } from "./write-lock.ts";

export const mariadbDeletionRepository = (runner: SqlRunner, context: ObjectContext): DeletionRepository => ({
  ...deletionWrites(writeObjects(runner, context)),

  async referrers(ids, { attributes, limit }) {
    const { links, objects } = context.tables;
    const numbers = objectNumbers(ids);
    if (numbers.length === 0 || attributes?.length === 0) return [];
    const named = attributes?.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(", ");
    const { rows } = await runner.runOnce<ReferrerRow>(
      `select k.source, o.class, k.attribute, k.target from ${links} k join ${objects} o on o.oid = k.source
      where ${isAmongNumbers("k.target", numbers)} and not ${isAmongNumbers("k.source", numbers)}
        ${named === undefined ? "" : `and (o.class, k.attribute) in (${named})`} limit ${limit}`,
      attributes?.flatMap(({ className, attribute }) => [className, attribute]) ?? [],
    );
    return rows.map(referrerOf);
  },

  async find(reference, visibility) {
    const isId = reference.kind === "id";
    if (!(isId ? isObjectId(reference.id) : isUuid(reference.uuid))) return null;
    const parameters = new QueryParameters();
    const key = parameters.add(isId ? objectNumber(reference.id) : reference.uuid.toLowerCase());
    const visible = visibleCondition("d", visibility, parameters);
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.deleted_by, d.recycled from ${context.tables.tombstones} d
      where d.${isId ? "oid" : "uuid"} = ${key} and ${visible}`;
    const { rows } = await runner.reading(visibility).runOnce<TombstoneRow>(text, parameters.values);
    return rows[0] === undefined ? null : tombstoneOf(rows[0]);
  },

  async listRecycled({ deletedBy, visibility, after, limit }, options = {}) {
    const parameters = new QueryParameters();
    const conditions = ["d.recycled = 1", "d.root = d.oid", visibleCondition("d", visibility, parameters)];
    if (deletedBy !== null) conditions.push(`d.deleted_by = ${objectNumber(deletedBy)}`);
    if (after !== null) {
      const time = parameters.add(after.deletedAt);
      conditions.push(`d.deleted_at <= ${time} and (d.deleted_at < ${time} or d.oid < ${objectNumber(after.id)})`);
    }
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.deleted_by from ${context.tables.tombstones} d
      where ${conditions.join(" and ")} order by d.deleted_at desc, d.oid desc limit ${limit}`;
    const { rows } = await runner.reading(options).runOnce<RecycledRow>(text, parameters.values);
    return rows.map(recycledRootOf);
  },
});
