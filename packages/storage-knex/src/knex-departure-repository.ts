import {
  type Departure,
  type DepartureRepository,
  type HeldObject,
  isObjectId,
  isStorableText,
  isUuid,
  type Leaving,
  type LinkTarget,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecycledRoot,
  type RecyclerQuery,
  type Referrer,
  type ReferrerQuery,
  type Restoration,
  type SingleReference,
  type StoredObject,
  type Visibility,
  type Writing,
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

type Model = Pick<Writing, "modelGeneration">;

export class KnexDepartureRepository implements DepartureRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: DepartureStatements,
    private readonly offset: () => number,
  ) {}

  async hold(ids: readonly ObjectId[], by: Model = {}): Promise<HeldObject[]> {
    const numbers = objectNumbers(ids);
    const { rows } = await this.afterHolding<OutlineRow & { readonly locked_by: string | null }>(
      [this.statements.hold, [numbers, by.modelGeneration ?? null]],
      [this.statements.held, [numbers, this.offset()]],
    );
    return rows.map((row) => ({ object: outlineOf(row), lockedBy: row.locked_by }));
  }

  async referrers(ids: readonly ObjectId[], { attributes, limit }: ReferrerQuery): Promise<Referrer[]> {
    const named =
      attributes === null
        ? null
        : JSON.stringify(attributes.map(({ className, attribute }) => ({ className, attribute })));
    const { rows } = await this.sql.run<ReferrerRow>(this.statements.referrers, [objectNumbers(ids), named, limit]);
    return rows.map(referrerOf);
  }

  async clear(links: readonly Referrer[]): Promise<void> {
    const asked = links.map(({ id, attribute, target }) => ({
      source: objectNumber(id),
      attribute,
      target: objectNumber(target),
      id: target,
    }));
    await this.sql.run(this.statements.clear, [JSON.stringify(asked), this.offset()]);
  }

  async depart(
    ids: readonly ObjectId[],
    { recycled, leader, deletedBy = null, quota = 0 }: Leaving,
  ): Promise<"departed" | "full"> {
    const user = deletedBy === null ? null : objectNumber(deletedBy);
    const limit = recycled && user !== null ? quota : 0;
    const values = [objectNumbers(ids), recycled, objectNumber(leader), this.offset(), user, limit];
    const depart = (sql: SqlRunner) => sql.run<{ fits: boolean }>(this.statements.depart, values);
    // What is counted is read after the lock was taken, by a statement of its own.
    const counted = () =>
      this.sql.atomically(
        async (sql) => (await Promise.all([sql.run(this.statements.holdQuota, [user]), depart(sql)]))[1],
      );
    const { rows } = await (limit === 0 ? depart(this.sql) : counted());
    return rows[0]?.fits === false ? "full" : "departed";
  }

  async find(reference: SingleReference, visibility: Visibility): Promise<Departure | null> {
    const number = reference.kind === "id" && isObjectId(reference.id) ? objectNumber(reference.id) : null;
    const uuid = reference.kind === "uuid" && isUuid(reference.uuid) ? reference.uuid : null;
    const { rows } = await this.sql.run<DepartureRow>(this.statements.find, [
      number,
      uuid,
      ...visibilityParameters(visibility),
    ]);
    return rows[0] === undefined ? null : departureOf(rows[0]);
  }

  async recycledWith(id: ObjectId, by: Model = {}): Promise<StoredObject[]> {
    if (!isObjectId(id)) return [];
    const { rows } = await this.afterHolding<ObjectRow>(
      [this.statements.holdGroup, [objectNumber(id), by.modelGeneration ?? null]],
      [this.statements.group, [objectNumber(id)]],
    );
    return rows.map(objectOf);
  }

  async targets(ids: readonly ObjectId[]): Promise<LinkTarget[]> {
    const numbers = objectNumbers(ids);
    const { rows } = await this.afterHolding<TargetRow>(
      [this.statements.holdTargets, [numbers]],
      [this.statements.targets, [numbers]],
    );
    return rows.map(targetOf);
  }

  async listRecycled({ deletedBy, visibility, after, limit }: RecyclerQuery): Promise<RecycledRoot[]> {
    const behind = after === null ? [null, null] : [after.departedAt, objectNumber(after.id)];
    const values = [...behind, limit, ...visibilityParameters(visibility)];
    const { listRecycled, listRecycledBy } = this.statements;
    const { rows } = await (deletedBy === null
      ? this.sql.run<RecycledRow>(listRecycled, values)
      : this.sql.run<RecycledRow>(listRecycledBy, [...values, objectNumber(deletedBy)]));
    return rows.map(recycledRootOf);
  }

  async purge(ids: readonly ObjectId[]): Promise<void> {
    await this.sql.run(this.statements.purge, [objectNumbers(ids), this.offset()]);
  }

  async countRecycled(classes: readonly string[]): Promise<number> {
    const { rows } = await this.sql.run<{ count: string }>(this.statements.countRecycled, [
      classes.filter(isStorableText),
    ]);
    return Number(rows[0]?.count);
  }

  async restore(objects: readonly Restoration[]): Promise<StoredObject[]> {
    const asked = objects.map(({ id, attributes }) => ({ oid: objectNumber(id), attributes }));
    const [linked] = linkParameters(objects.map(({ id, links }) => ({ source: { source: objectNumber(id) }, links })));
    const { rows } = await this.sql.run<ObjectRow>(this.statements.restore, [
      JSON.stringify(asked),
      linked,
      this.offset(),
    ]);
    const restored = new Map(rows.map((row) => [objectIdOf(Number(row.oid)), objectOf(row)]));
    return objects.flatMap(({ id }) => restored.get(id) ?? []);
  }

  /** Reads in a statement of its own, which sees what those have left who were waited for. */
  private async afterHolding<Row>(
    hold: Parameters<SqlRunner["run"]>,
    read: [DepartureStatements["held"], readonly SqlValue[]],
  ) {
    const [, result] = await this.sql.atomically((sql) => Promise.all([sql.run(...hold), sql.run<Row>(...read)]));
    return result;
  }
}
