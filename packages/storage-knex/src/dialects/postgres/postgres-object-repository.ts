import {
  acceptChanges,
  completed,
  defaultAnswerBytes,
  isObjectId,
  isUuid,
  objectIdOf,
  objectNumber,
  objectNumbers,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  type Page,
  type PageUse,
  seesAll,
  ServiceError,
  type VisibleRead,
} from "@sallyport/storage";
import {
  linkParameters,
  objectOf,
  type ObjectRow,
  objectsOfPage,
  outlineOf,
  type OutlineRow,
  type PageRow,
  principalsOf,
  visibilityParameters,
} from "../../object-row.ts";
import { countText, findText, matchText, maxNearOffset } from "./query/object-query-text.ts";
import { isFullList, type KeyValue, positionFrom, visibleClasses } from "../../query/query-scope.ts";
import type { ObjectStatements } from "./statements/object-statements.ts";
import type { Tables } from "./tables.ts";
import type { SqlRunner } from "../../sql-runner.ts";

export function postgresObjectRepository(
  sql: SqlRunner,
  statements: ObjectStatements,
  tables: Tables,
  offset: () => number,
): Omit<ObjectRepository, "watermark" | "changes"> {
  return {
    async get(which, visibility, bytes = defaultAnswerBytes) {
      const { getOne, getSeveral, getByUuid, getByUuids } = statements;
      const [requested, keys, one, several] =
        "uuids" in which
          ? ([which.uuids, which.uuids.filter(isUuid), getByUuid, getByUuids] as const)
          : ([which, objectNumbers(which), getOne, getSeveral] as const);
      const [key] = keys;
      if (key === undefined) return [];
      const seen = visibilityParameters(visibility);
      if (requested.length === 1)
        return (await sql.reading(visibility).run<ObjectRow>(one, [key, ...seen])).rows.map(objectOf);
      const { rows } = await sql.reading(visibility).run<PageRow>(several, [keys, ...seen, bytes]);
      return objectsOfPage(rows);
    },

    async outlines(ids, visibility) {
      if (ids.length === 0) return [];
      const { rows } = await sql
        .reading(visibility)
        .run<OutlineRow>(statements.outlines, [objectNumbers(ids), ...visibilityParameters(visibility)]);
      return rows.map(outlineOf);
    },

    async find(query, visibility, page, bytes = defaultAnswerBytes, use = {}) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0 || page.limit === 0) return { objects: [], last: null };
      return isFullList(query) && "offset" in page && use.cut === undefined
        ? list(classes, visibility, page, bytes, use)
        : pageOf({ ...query, classes }, visibility, page, bytes, use);
    },

    async match(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return [];
      const { text, values } = matchText(tables, { ...query, classes }, visibility, atMost);
      const { rows } = await sql.reading(visibility).runOnce<OutlineRow>(text, values);
      return rows.map(outlineOf);
    },

    async count(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return 0;
      if (query.filter === undefined || query.recycled === true) {
        const counting = query.recycled === true ? statements.countRecycled : statements.count;
        const { rows } = await sql
          .reading(visibility)
          .run<{ count: string }>(counting, [classes, principalsOf(visibility)]);
        return Math.min(Number(rows[0]?.count), atMost ?? Number.POSITIVE_INFINITY);
      }
      const { text, values } = countText(tables, { ...query, classes }, visibility, atMost);
      const { rows } = await sql.reading(visibility).runOnce<{ count: string }>(text, values);
      return Number(rows[0]?.count);
    },

    async lock(ids) {
      if (ids.length === 0) return;
      const { shareModel, lock } = statements;
      await sql.atomically((transaction) =>
        Promise.all([transaction.run(shareModel), transaction.run(lock, [objectNumbers(ids)])]),
      );
    },

    async insert(objects, by) {
      if (objects.length === 0) return [];
      const complete = completed(objects);
      const links = linkParameters(complete.map(({ uuid, links: own }) => ({ source: { uuid }, links: own })));
      const elements = complete.map(({ uuid, className, attributes, readers }, index) => {
        // A fresh UUID was generated here; a given one can be in use.
        const fresh = objects[index]?.uuid === undefined;
        return { uuid, fresh, class: className, attributes, readers: readers?.map(objectNumber) ?? null };
      });
      const [statement, requested] =
        elements.length === 1 ? [statements.insertOne, elements[0]] : [statements.insert, elements];
      const values = [JSON.stringify(requested), ...links, by?.modelGeneration ?? null, offset()];
      const { rows } = await sql.run<ObjectRow>(statement, values);
      const byUuid = new Map(rows.map((row) => [row.uuid, row]));
      return complete.map(({ links: _links, ...object }) => {
        const { oid, version, stored_at } = byUuid.get(object.uuid) as ObjectRow;
        return { ...object, id: objectIdOf(Number(oid)), version, storedAt: Number(stored_at) };
      });
    },

    async update(changes, by) {
      if (changes.length === 0) return [];
      acceptChanges(changes);
      if (!changes.every(({ id }) => isObjectId(id))) throw new ServiceError(304);
      const requested = changes.map(({ id, attributes, readers, expectedVersions }) => {
        const change = { oid: objectNumber(id), attributes, versions: expectedVersions };
        return readers === undefined
          ? change
          : { ...change, narrows: true, readers: readers?.map(objectNumber) ?? null };
      });
      const links = linkParameters(
        changes.map((change) => ({ source: { source: objectNumber(change.id) }, links: change.links })),
      );
      const conditions = [
        by.session === null ? null : Buffer.from(by.session, "hex"),
        by.modelGeneration ?? null,
        by.className ?? null,
        ...visibilityParameters(by.visibility ?? seesAll),
        offset(),
      ];
      const [only, ...others] = changes;
      const { rows } =
        only !== undefined && others.length === 0 && only.readers === undefined && links[0] === null
          ? await sql.run<ObjectRow>(statements.updateOne, [
              objectNumber(only.id),
              JSON.stringify(only.attributes),
              only.expectedVersions,
              ...conditions,
            ])
          : await sql.run<ObjectRow>(statements.update, [JSON.stringify(requested), ...links, ...conditions]);
      const changed = new Map(rows.map((row) => [objectIdOf(Number(row.oid)), row]));
      return changes.map(({ id }) => objectOf(changed.get(id) as ObjectRow));
    },
  };

  async function list(
    classes: readonly string[],
    visibility: VisibleRead,
    { offset: skipped, limit }: Extract<Page, { offset: number }>,
    bytes: number,
    { unparsed }: PageUse,
  ): Promise<ObjectPage> {
    const { findNear, findInOne, findInSeveral } = statements;
    const ofOne = skipped <= maxNearOffset ? findNear : findInOne;
    const { rows } = await sql
      .reading(visibility)
      .run<PageRow>(classes.length === 1 ? ofOne : findInSeveral, [
        classes.length === 1 ? (classes[0] as string) : classes,
        principalsOf(visibility),
        skipped,
        limit,
        bytes,
      ]);
    const objects = objectsOfPage(rows, unparsed);
    const last = objects.at(-1);
    return { objects, last: last === undefined ? null : { values: [], id: last.id } };
  }

  async function pageOf(
    query: ObjectQuery,
    visibility: VisibleRead,
    page: Page,
    bytes: number,
    use: PageUse,
  ): Promise<ObjectPage> {
    const { text, values } = findText(tables, query, visibility, page, bytes, use);
    const { rows } = await sql.reading(visibility).runOnce<QueriedRow>(text, values);
    const objects = objectsOfPage(rows, use.unparsed);
    const [row, last] = [rows.at(-1), objects.at(-1)];
    if (row === undefined || last === undefined) return { objects, last: null };
    const { count } = row;
    const keys = row.keys === null ? [] : (JSON.parse(row.keys) as KeyValue[]);
    return {
      objects,
      last: positionFrom(query.sort ?? [], keys, { oid: objectNumber(last.id) }),
      ...(count === null ? {} : { count: Number(count) }),
    };
  }
}

/** A row of `findText`. */
interface QueriedRow extends PageRow {
  readonly keys: string | null;
  readonly count: string | number | null;
}
