import {
  type DeletionRepository,
  isObjectId,
  isUuid,
  objectIdOf,
  objectNumber,
  objectNumbers,
} from "@sallyport/storage";
import type { DeletionStatements } from "./statements/deletion-statements.ts";
import {
  tombstoneOf,
  type TombstoneRow,
  linkParameters,
  objectOf,
  type ObjectRow,
  outlineOf,
  type OutlineRow,
  recycledRootOf,
  type RecycledRow,
  referrerOf,
  type ReferrerRow,
  targetOf,
  type TargetRow,
  visibilityParameters,
} from "../../object-row.ts";
import type { SqlRunner, SqlValue } from "../../sql-runner.ts";

export function postgresDeletionRepository(
  sql: SqlRunner,
  statements: DeletionStatements,
  offset: () => number,
): DeletionRepository {
  return {
    async lock(ids, by = {}) {
      const numbers = objectNumbers(ids);
      const { rows } = await afterLocking<OutlineRow & { readonly locked_by: string | null }>(
        [statements.lock, [numbers, by.modelGeneration ?? null]],
        [statements.lockedRows, [numbers, offset()]],
      );
      return rows.map((row) => ({ object: outlineOf(row), lockedBy: row.locked_by }));
    },

    async referrers(ids, { attributes, limit }) {
      const named =
        attributes === null
          ? null
          : JSON.stringify(attributes.map(({ className, attribute }) => ({ className, attribute })));
      const { rows } = await sql.run<ReferrerRow>(statements.referrers, [objectNumbers(ids), named, limit]);
      return rows.map(referrerOf);
    },

    async clear(links) {
      const requested = links.map(({ id, attribute, target }) => ({
        source: objectNumber(id),
        attribute,
        target: objectNumber(target),
        id: target,
      }));
      await sql.run(statements.clear, [JSON.stringify(requested), offset()]);
    },

    async delete(ids, { recycled, root, deletedBy = null, quota = 0 }) {
      const user = deletedBy === null ? null : objectNumber(deletedBy);
      const limit = recycled && user !== null ? quota : 0;
      const values = [objectNumbers(ids), recycled, objectNumber(root), offset(), user, limit];
      const deleteAll = (runner: SqlRunner) => runner.run<{ fits: boolean }>(statements.delete, values);
      // The count runs in a separate statement after the lock.
      const counted = () =>
        sql.atomically(
          async (transaction) =>
            (await Promise.all([transaction.run(statements.lockQuota, [user]), deleteAll(transaction)]))[1],
        );
      const { rows } = await (limit === 0 ? deleteAll(sql) : counted());
      return rows[0]?.fits === false ? "full" : "deleted";
    },

    async find(reference, visibility) {
      const number = reference.kind === "id" && isObjectId(reference.id) ? objectNumber(reference.id) : null;
      const uuid = reference.kind === "uuid" && isUuid(reference.uuid) ? reference.uuid : null;
      const { rows } = await sql
        .reading(visibility)
        .run<TombstoneRow>(statements.find, [number, uuid, ...visibilityParameters(visibility)]);
      return rows[0] === undefined ? null : tombstoneOf(rows[0]);
    },

    async recycledWith(id, by = {}) {
      if (!isObjectId(id)) return [];
      const { rows } = await afterLocking<ObjectRow>(
        [statements.lockGroup, [objectNumber(id), by.modelGeneration ?? null]],
        [statements.group, [objectNumber(id)]],
      );
      return rows.map(objectOf);
    },

    async targets(ids) {
      const numbers = objectNumbers(ids);
      const { rows } = await afterLocking<TargetRow>(
        [statements.lockTargets, [numbers]],
        [statements.targets, [numbers]],
      );
      return rows.map(targetOf);
    },

    async listRecycled({ deletedBy, visibility, after, limit }, options = {}) {
      const behind = after === null ? [null, null] : [after.deletedAt, objectNumber(after.id)];
      const values = [...behind, limit, ...visibilityParameters(visibility)];
      const { listRecycled, listRecycledBy } = statements;
      const reader = sql.reading(options);
      const { rows } = await (deletedBy === null
        ? reader.run<RecycledRow>(listRecycled, values)
        : reader.run<RecycledRow>(listRecycledBy, [...values, objectNumber(deletedBy)]));
      return rows.map(recycledRootOf);
    },

    async purge(ids) {
      await sql.run(statements.purge, [objectNumbers(ids), offset()]);
    },

    async restore(objects) {
      const requested = objects.map(({ id, attributes }) => ({ oid: objectNumber(id), attributes }));
      const [linked] = linkParameters(
        objects.map(({ id, links }) => ({ source: { source: objectNumber(id) }, links })),
      );
      const { rows } = await sql.run<ObjectRow>(statements.restore, [JSON.stringify(requested), linked, offset()]);
      const restored = new Map(rows.map((row) => [objectIdOf(Number(row.oid)), objectOf(row)]));
      return objects.flatMap(({ id }) => restored.get(id) ?? []);
    },

    async sweep(age, limit) {
      const { rows } = await sql.run<{ count: string }>(statements.sweep, [age, limit, offset()]);
      return Number(rows[0]?.count);
    },
  };

  /** Locks first. A separate statement then sees what was committed while the lock waited. */
  async function afterLocking<Row>(
    lock: Parameters<SqlRunner["run"]>,
    read: [DeletionStatements["lockedRows"], readonly SqlValue[]],
  ) {
    const [, result] = await sql.atomically((transaction) =>
      Promise.all([transaction.run(...lock), transaction.run<Row>(...read)]),
    );
    return result;
  }
}
