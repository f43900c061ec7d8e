import {
  type DepartureRepository,
  isObjectId,
  isStorableText,
  isUuid,
  objectIdOf,
  objectNumber,
} from "@sallyport/core";
import type { DepartureStatements } from "./dialects/postgres/statements/departure-statements.ts";
import {
  departureOf,
  type DepartureRow,
  linkParameters,
  objectNumbers,
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
} from "./object-row.ts";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";

export function knexDepartureRepository(
  sql: SqlRunner,
  statements: DepartureStatements,
  offset: () => number,
): DepartureRepository {
  return {
    async hold(ids, by = {}) {
      const numbers = objectNumbers(ids);
      const { rows } = await afterHolding<OutlineRow & { readonly locked_by: string | null }>(
        [statements.hold, [numbers, by.modelGeneration ?? null]],
        [statements.held, [numbers, offset()]],
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
      const asked = links.map(({ id, attribute, target }) => ({
        source: objectNumber(id),
        attribute,
        target: objectNumber(target),
        id: target,
      }));
      await sql.run(statements.clear, [JSON.stringify(asked), offset()]);
    },

    async depart(ids, { recycled, leader, deletedBy = null, quota = 0 }) {
      const user = deletedBy === null ? null : objectNumber(deletedBy);
      const limit = recycled && user !== null ? quota : 0;
      const values = [objectNumbers(ids), recycled, objectNumber(leader), offset(), user, limit];
      const depart = (runner: SqlRunner) => runner.run<{ fits: boolean }>(statements.depart, values);
      // What is counted is read after the lock was taken, by a statement of its own.
      const counted = () =>
        sql.atomically(
          async (transaction) =>
            (await Promise.all([transaction.run(statements.holdQuota, [user]), depart(transaction)]))[1],
        );
      const { rows } = await (limit === 0 ? depart(sql) : counted());
      return rows[0]?.fits === false ? "full" : "departed";
    },

    async find(reference, visibility) {
      const number = reference.kind === "id" && isObjectId(reference.id) ? objectNumber(reference.id) : null;
      const uuid = reference.kind === "uuid" && isUuid(reference.uuid) ? reference.uuid : null;
      const { rows } = await sql.run<DepartureRow>(statements.find, [
        number,
        uuid,
        ...visibilityParameters(visibility),
      ]);
      return rows[0] === undefined ? null : departureOf(rows[0]);
    },

    async recycledWith(id, by = {}) {
      if (!isObjectId(id)) return [];
      const { rows } = await afterHolding<ObjectRow>(
        [statements.holdGroup, [objectNumber(id), by.modelGeneration ?? null]],
        [statements.group, [objectNumber(id)]],
      );
      return rows.map(objectOf);
    },

    async targets(ids) {
      const numbers = objectNumbers(ids);
      const { rows } = await afterHolding<TargetRow>(
        [statements.holdTargets, [numbers]],
        [statements.targets, [numbers]],
      );
      return rows.map(targetOf);
    },

    async listRecycled({ deletedBy, visibility, after, limit }) {
      const behind = after === null ? [null, null] : [after.departedAt, objectNumber(after.id)];
      const values = [...behind, limit, ...visibilityParameters(visibility)];
      const { listRecycled, listRecycledBy } = statements;
      const { rows } = await (deletedBy === null
        ? sql.run<RecycledRow>(listRecycled, values)
        : sql.run<RecycledRow>(listRecycledBy, [...values, objectNumber(deletedBy)]));
      return rows.map(recycledRootOf);
    },

    async purge(ids) {
      await sql.run(statements.purge, [objectNumbers(ids), offset()]);
    },

    async countRecycled(classes) {
      const { rows } = await sql.run<{ count: string }>(statements.countRecycled, [classes.filter(isStorableText)]);
      return Number(rows[0]?.count);
    },

    async restore(objects) {
      const asked = objects.map(({ id, attributes }) => ({ oid: objectNumber(id), attributes }));
      const [linked] = linkParameters(
        objects.map(({ id, links }) => ({ source: { source: objectNumber(id) }, links })),
      );
      const { rows } = await sql.run<ObjectRow>(statements.restore, [JSON.stringify(asked), linked, offset()]);
      const restored = new Map(rows.map((row) => [objectIdOf(Number(row.oid)), objectOf(row)]));
      return objects.flatMap(({ id }) => restored.get(id) ?? []);
    },
  };

  /** Reads in a statement of its own, which sees what those have left who were waited for. */
  async function afterHolding<Row>(
    hold: Parameters<SqlRunner["run"]>,
    read: [DepartureStatements["held"], readonly SqlValue[]],
  ) {
    const [, result] = await sql.atomically((transaction) =>
      Promise.all([transaction.run(...hold), transaction.run<Row>(...read)]),
    );
    return result;
  }
}
