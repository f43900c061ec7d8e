import type { ObjectOutline, StoredObject, VisibleRead } from "@sallyport/storage";
import { type BoundedRow, requireObjects, outlineOf, type OutlineRow } from "../../../object-row.ts";
import type { ChangeRow, SelectedChanges } from "../../../sql-changes.ts";
import type { SqlReader, SqlRunner } from "../../../sql-runner.ts";
import { QueryParameters, readableCondition, visibleCondition } from "../query/mariadb-query-scope.ts";
import type { Tables } from "../tables.ts";
import { boundedColumns, isAmongNumbers, objectColumns, parsedObjectOf, outlineColumns } from "../object-row.ts";

const unbounded = Number.POSITIVE_INFINITY;

/** Lookups of objects by number, UUID or class. */
export class ObjectReads {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
  ) {}

  /** Throws `AnswerTooLargeError` if the attributes exceed `bytes` in total. */
  byNumbers(numbers: readonly number[], visibility: VisibleRead, bytes = unbounded): Promise<StoredObject[]> {
    return numbers.length === 0
      ? Promise.resolve([])
      : this.select(isAmongNumbers("o.oid", numbers), visibility, new QueryParameters(), bytes);
  }

  byUuids(uuids: readonly string[], visibility: VisibleRead, bytes = unbounded): Promise<StoredObject[]> {
    const parameters = new QueryParameters();
    const places = uuids.map((uuid) => parameters.add(uuid));
    return places.length === 0
      ? Promise.resolve([])
      : this.select(`o.uuid in (${places.join(", ")})`, visibility, parameters, bytes);
  }

  async outlines(numbers: readonly number[], visibility: VisibleRead): Promise<ObjectOutline[]> {
    if (numbers.length === 0) return [];
    const parameters = new QueryParameters();
    const visible = visibleCondition("o", visibility, parameters);
    const text = `select ${outlineColumns("o")} from ${this.tables.objects} o where ${isAmongNumbers("o.oid", numbers)} and ${visible}`;
    const { rows } = await this.sql.reading(visibility).runOnce<OutlineRow>(text, parameters.values);
    return rows.map(outlineOf);
  }

  /** A page of all visible objects of some classes. The index lists unrestricted objects apart from restricted ones. */
  async list(
    classes: readonly string[],
    visibility: VisibleRead,
    page: { readonly offset: number; readonly limit: number },
    bytes: number,
  ): Promise<StoredObject[]> {
    const parameters = new QueryParameters();
    const places = classes.map((name) => parameters.add(name));
    const readable = readableCondition("o", visibility, parameters);
    const parts = places.flatMap((place) =>
      ["o.restricted = 0", `o.restricted = 1 and ${readable}`].map(
        (part) =>
          `(select o.oid from ${this.tables.objects} o where o.class = ${place} and ${part} order by o.oid limit ${page.offset + page.limit})`,
      ),
    );
    const text = `select straight_join ${boundedColumns("o", bytes)}
      from (${parts.join(" union all ")} order by oid limit ${page.limit} offset ${page.offset}) page
      join ${this.tables.objects} o on o.oid = page.oid order by o.oid`;
    const { rows } = await this.sql.reading(visibility).runOnce<BoundedRow>(text, parameters.values);
    return requireObjects(rows, parsedObjectOf);
  }

  /** The number of visible objects of some classes. Unrestricted ones are counted in advance. */
  async count(classes: readonly string[], visibility: VisibleRead): Promise<number> {
    const { objectCounts, objects } = this.tables;
    const parameters = new QueryParameters();
    const places = classes.map((name) => parameters.add(name)).join(", ");
    const readable = readableCondition("o", visibility, parameters);
    const text = `select (select coalesce(sum(objects), 0) from ${objectCounts} where class in (${places}))
      + (select count(*) from ${objects} o where o.class in (${places}) and o.restricted = 1 and ${readable}) as count`;
    const { rows } = await this.sql.reading(visibility).runOnce<{ count: number }>(text, parameters.values);
    return Number(rows[0]?.count);
  }

  /** The number of visible recycled objects of some classes. */
  async countRecycled(classes: readonly string[], visibility: VisibleRead): Promise<number> {
    const parameters = new QueryParameters();
    const visible = visibleCondition("d", { ...visibility, classes: new Set(classes) }, parameters);
    const { rows } = await this.sql
      .reading(visibility)
      .runOnce<{ count: number }>(
        `select count(*) as count from ${this.tables.tombstones} d where ${visible} and d.recycled = 1`,
        parameters.values,
      );
    return Number(rows[0]?.count);
  }

  private async select(
    selection: string,
    visibility: VisibleRead,
    parameters: QueryParameters,
    bytes: number,
  ): Promise<StoredObject[]> {
    const visible = visibleCondition("o", visibility, parameters);
    const columns = bytes === unbounded ? objectColumns("o") : boundedColumns("o", bytes);
    const { rows } = await this.sql
      .reading(visibility)
      .runOnce<BoundedRow>(
        `select ${columns} from ${this.tables.objects} o where ${selection} and ${visible}`,
        parameters.values,
      );
    return requireObjects(rows, parsedObjectOf);
  }
}

/** Reads a page of changes: its places from the index of each class alone, then their rows by number. */
export async function readChanges(
  sql: SqlReader,
  { formerReaders, objects, settings, tombstones }: Tables,
  { classes, after: [stamp, number], upTo, limit }: SelectedChanges,
): Promise<readonly ChangeRow[]> {
  const parameters = new QueryParameters();
  const behind = `(stamp > ${stamp} or (stamp = ${stamp} and oid > ${number})) and stamp <= ${upTo}`;
  const heads = classes.flatMap((name) => {
    const place = parameters.add(name);
    return [objects, tombstones, formerReaders].map(
      (table) =>
        `(select stamp, oid from ${table} where class = ${place} and ${behind} order by stamp, oid limit ${limit})`,
    );
  });
  // A part without rows for an empty list of classes.
  const places = heads.length === 0 ? "select 0 as stamp, 0 as oid from dual where false" : heads.join(" union ");
  const { rows } = await sql.runOnce<ChangeRow>(
    `select swept_stamp as swept, p.stamp, p.oid, coalesce(o.uuid, d.uuid) as uuid, coalesce(o.class, d.class) as class,
      coalesce(o.version, d.version) as version, if(o.oid is null, d.readers, o.readers) as readers,
      case when coalesce(o.stamp, d.stamp) > p.stamp then 'superseded' when o.oid is not null then 'stored'
        when d.recycled = 1 then 'recycled' else 'deleted' end as kind,
      case when coalesce(o.created_stamp, d.created_stamp) = p.stamp then '[]' when f.oid is not null then f.readers
        when o.oid is null then d.readers else o.readers end as readers_before,
      f.oid is not null as reveals
    from ${settings} h
      left join (select stamp, oid from (${places}) place order by stamp, oid limit ${limit}) p on true
      left join ${objects} o on o.oid = p.oid
      left join ${tombstones} d on d.oid = p.oid
      left join ${formerReaders} f on f.oid = p.oid and f.stamp = p.stamp
    order by p.stamp, p.oid`,
    parameters.values,
  );
  return rows;
}
