import {
  faultAt,
  type ObjectPage,
  type ObjectQuery,
  type Page,
  type PageUse,
  type ReadPosition,
  type SerializedCollection,
  type StoredObject,
  type Visibility,
  type VisibleRead,
} from "@sallyport/storage";
import { visibilityOf } from "../model/index.ts";
import { requestModel, type SessionContext } from "../request/index.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { type NamedFindResult, findHookRunner } from "./hooks/run-find-hooks.ts";
import { planSerialization } from "./object-plan.ts";
import { ObjectSerializer } from "./object-serializer.ts";
import { type Cursor, cursorBehind, positionOf } from "./query/cursor.ts";
import { type QueryRequest, resolveQuery } from "./query/resolve-query.ts";
import { unindexedAttributes } from "./query/slow-queries.ts";
import type { Serialization } from "./serialization.ts";
import { missingClass } from "./object-findings.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";

export interface ListObjectsInput {
  readonly className: string;
  /** Default: all objects. */
  readonly query: QueryRequest | undefined;
  /** Starts at 0. */
  readonly page: number;
  readonly perPage: number;
  /** Start after this position, instead of at a page. */
  readonly cursor: string | undefined;
  /** Whether counting stops at 5,000. */
  readonly capped: boolean;
  readonly serialization: Serialization | undefined;
  /** The list may show any state from this one on. Default: the current state. */
  readonly position?: ReadPosition | undefined;
}

export interface ObjectList extends SerializedCollection {
  /** Whether counting stops at 5,000. A count of 5,000 then means at least 5,000. */
  readonly "~CountCapped"?: true;
}

export interface ListedObjects {
  readonly list: ObjectList;
  /** Cursor of the next page; `null` if this page is not full. */
  readonly next: string | null;
  /** Versions of the elements, in order. */
  readonly versions: readonly number[];
}

const cap = 5_000;

/** Lists the objects of a class and its subclasses. 304 for an unknown or unreadable class. */
export async function listObjects(context: ObjectContext, input: ListObjectsInput): Promise<ListedObjects> {
  const { serializer, objects, counts, next } = await readList(context, input);
  const elements = await serializer.write(objects);
  return {
    list: { ...counts, "~Elements": elements },
    next: await next(),
    versions: objects.map(({ version }) => version),
  };
}

/** Like `listObjects`, as pieces of JSON with the cursor. Objects that only the client looks into are not parsed. */
export async function writeList(context: ObjectContext, input: ListObjectsInput): Promise<readonly string[]> {
  const { serializer, objects, counts, next } = await readList(context, input, { unparsed: true });
  const elements = await serializer.writeText(objects);
  const cursor = await next();
  const before = JSON.stringify(cursor === null ? counts : { ...counts, "~Cursor": cursor });
  return [`${before.slice(0, -1)},"~Elements":`, ...elements, "}"];
}

interface ReadList {
  readonly serializer: ObjectSerializer;
  readonly objects: readonly StoredObject[];
  readonly counts: Omit<ObjectList, "~Elements">;
  readonly next: () => Promise<string | null>;
}

async function readList(
  context: ObjectContext,
  input: ListObjectsInput,
  use: Pick<PageUse, "unparsed"> = {},
): Promise<ReadList> {
  const { className, perPage, capped, serialization, position } = input;
  const { r, database, principal } = context;
  const model = (await requestModel(context)).as(principal);
  const rights = visibilityOf(principal, model);
  if (model.find(className) === undefined || rights.classes?.has(className) === false)
    throw missingClass(model, className);
  const plan = planSerialization(serialization, { model, visibility: rights, className });
  const requestedQuery = input.query ?? {};
  const hookResults: NamedFindResult[] = [];
  const runFindHooks = await findHookRunner(context, {
    className,
    macro: requestedQuery["macro"],
    model,
  });
  // A find hook, or a model that is newer than the admission, has read the current state.
  const visibility =
    position === undefined || runFindHooks !== null || model.generation !== context.modelGeneration
      ? rights
      : { ...rights, position };
  const query = await resolveQuery(requestedQuery, {
    model,
    objects: r.objects,
    visibility,
    className,
    runFindHooks,
    hookResults,
  });
  // Includes the choices of hooks: a cursor is valid only for the same choices.
  const digest = context.database.digests
    .sha256(JSON.stringify([className, requestedQuery, ...hookResults]))
    .slice(0, 16);
  const cursor =
    input.cursor === undefined ? undefined : await context.services.cursorSealing.open(context, input.cursor);
  const page = pageOf({ ...input, cursor }, digest, query);

  const started = Date.now();
  const serializer = new ObjectSerializer(hookedSource(context, { model, visibility }), plan);
  const { objectPage, count, unfilteredCount } = await database.inOneTurn(async () => {
    let read: PageAndCounts;
    try {
      read = await readPage(context, query, visibility, page, { capped, ...use });
    } finally {
      context.services.slowQueries.took({
        requestId: context.requestId,
        alias: database.alias,
        className,
        milliseconds: Date.now() - started,
        unindexed: () => unindexedAttributes(query, className, model),
      });
    }
    await serializer.load(read.objectPage.objects);
    return read;
  });
  const next =
    objectPage.last === null || objectPage.objects.length < perPage ? null : cursorBehind(objectPage.last, digest);
  return {
    serializer,
    objects: objectPage.objects,
    counts: { "~Count": count, "~UnfilteredCount": unfilteredCount, ...(capped ? { "~CountCapped": true } : {}) },
    next: async () => (next === null ? null : context.services.cursorSealing.seal(context, next)),
  };
}

interface PageAndCounts {
  readonly objectPage: ObjectPage;
  readonly count: number;
  readonly unfilteredCount: number;
}

/** Reads a page of the objects and the counts that it does not tell. */
async function readPage(
  { r: { objects }, unit, database }: SessionContext,
  query: ObjectQuery,
  visibility: VisibleRead,
  page: Page,
  { capped, unparsed }: { readonly capped: boolean } & Pick<PageUse, "unparsed">,
): Promise<PageAndCounts> {
  const { classes, filter } = query;
  const { answerBytes } = database;
  const most = capped ? cap : Number.POSITIVE_INFINITY;
  const counted = () => objects.count({ classes }, visibility);
  // A transaction sees its own changes.
  const all = () => (unit.joined ? counted() : database.counts.get(countKey(classes, visibility), counted));
  if (filter === undefined) {
    const objectPage = await objects.find(query, visibility, page, answerBytes, { unparsed });
    const count = countFrom(objectPage, page) ?? (await all());
    return { objectPage, count: Math.min(count, most), unfilteredCount: count };
  }
  const countTo = capped ? cap : undefined;
  const use = { unparsed, countTo };
  const [objectPage, unfilteredCount] = await Promise.all([
    objects.find(query, visibility, page, answerBytes, use),
    all(),
  ]);
  const count =
    countFrom(objectPage, page) ?? objectPage.count ?? (await objects.count({ classes, filter }, visibility, countTo));
  return { objectPage, count: Math.min(count, most), unfilteredCount };
}

function pageOf(
  { page, perPage, cursor }: Pick<ListObjectsInput, "page" | "perPage"> & { readonly cursor: Cursor | undefined },
  digest: string,
  { sort = [] }: ObjectQuery,
): Page {
  if (cursor === undefined) return { offset: page * perPage, limit: perPage };
  if (page > 0) throw faultAt("/page", "page cannot be combined with cursor.");
  return { after: positionOf(cursor, digest, sort), limit: perPage };
}

/** The total count if the page ends the list; else `undefined`. */
function countFrom({ objects: { length } }: ObjectPage, page: Page): number | undefined {
  if ("after" in page || length === page.limit || (length === 0 && page.offset > 0)) return undefined;
  return page.offset + length;
}

function countKey(classes: readonly string[], { principals }: Visibility): string {
  return JSON.stringify([classes, principals === null ? null : [...principals].toSorted()]);
}
