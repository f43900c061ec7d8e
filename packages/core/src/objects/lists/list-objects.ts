import {
  faultAt,
  type ObjectQuery,
  type Page,
  type PageUse,
  type ReadPosition,
  type SerializedObject,
  type StoredObject,
  type Visibility,
  type VisibleRead,
} from "@sallyport/storage";
import { type Model, visibilityOf } from "../../model/index.ts";
import { requestModel, type SessionContext } from "../../request/index.ts";
import { hookedSource } from "../hooks/answer-hooks.ts";
import { type NamedFindResult, findHookRunner } from "../hooks/run-find-hooks.ts";
import { planSerialization } from "../serialization/object-plan.ts";
import { type Counting, type ListCounts, type PageAndCounts, readPage } from "./object-page.ts";
import { ObjectSerializer } from "../serialization/object-serializer.ts";
import { type Cursor, cursorBehind, positionOf } from "../query/cursor.ts";
import { type QueryRequest, resolveQuery } from "../query/resolve-query.ts";
import { unindexedAttributes } from "../query/slow-queries.ts";
import type { Serialization } from "../serialization/serialization.ts";
import { missingClass } from "../object-findings.ts";
import type { ObjectContext } from "../hooks/active-hooks.ts";

export interface ListObjectsInput {
  readonly className: string;
  /** Default: all objects. */
  readonly query: QueryRequest | undefined;
  /** Starts at 0. */
  readonly page: number;
  readonly perPage: number;
  /** Start after this position, instead of at a page. */
  readonly cursor: string | undefined;
  readonly count?: Counting;
  readonly serialization?: Serialization | undefined;
  /** The list may show any state from this one on. Default: the current state. */
  readonly position?: ReadPosition | undefined;
}

export interface ObjectList extends ListCounts {
  readonly "~Elements": readonly SerializedObject[];
}

export interface ListedObjects {
  readonly list: ObjectList;
  /** Cursor of the next page; `null` if this page is not full. */
  readonly next: string | null;
  /** Versions of the elements, in order. */
  readonly versions: readonly number[];
}

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
  const before = JSON.stringify(cursor === null ? counts : { ...counts, "~Cursor": cursor }).slice(1, -1);
  return [`{${before}${before === "" ? "" : ","}"~Elements":`, ...elements, "}"];
}

interface ReadList {
  readonly serializer: ObjectSerializer;
  readonly objects: readonly StoredObject[];
  readonly counts: ListCounts;
  readonly next: () => Promise<string | null>;
}

async function readList(
  context: ObjectContext,
  input: ListObjectsInput,
  use: Pick<PageUse, "unparsed"> = {},
): Promise<ReadList> {
  const { className, perPage, serialization } = input;
  const { database } = context;
  const scope = await classScope(context, className);
  const { model } = scope;
  const plan = planSerialization(serialization, { ...scope, className });
  const { query, visibility, hookResults } = await selectObjects(context, input, scope);
  // Includes the choices of hooks: a cursor is valid only for the same choices.
  const digest = context.database.digests
    .sha256(JSON.stringify([className, input.query ?? {}, ...hookResults]))
    .slice(0, 16);
  const cursor =
    input.cursor === undefined ? undefined : await context.services.cursorSealing.open(context, input.cursor);
  const page = pageOf({ ...input, cursor }, digest, query);

  const started = Date.now();
  const serializer = new ObjectSerializer(hookedSource(context, { model, visibility }), plan);
  const values = await serializer.formsOfReads();
  const { objectPage, counts } = await database.inOneTurn(async () => {
    let read: PageAndCounts;
    try {
      read = await readPage(context, { query, visibility, page, model }, { count: input.count, values, ...use });
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
    counts,
    next: async () => (next === null ? null : context.services.cursorSealing.seal(context, next)),
  };
}

/** The model and the rights with which the caller reads a class. */
export interface ClassScope {
  readonly model: Model;
  readonly visibility: Visibility;
}

/** 304 for an unknown or unreadable class. */
export async function classScope(context: SessionContext, className: string): Promise<ClassScope> {
  const model = (await requestModel(context)).as(context.principal);
  const visibility = visibilityOf(context.principal, model);
  if (model.find(className) === undefined || visibility.classes?.has(className) === false)
    throw missingClass(model, className);
  return { model, visibility };
}

export interface SelectedObjects {
  readonly query: ObjectQuery;
  readonly visibility: VisibleRead;
  /** What find hooks have chosen. */
  readonly hookResults: readonly NamedFindResult[];
}

/** The query of a request for objects of a class, with the choices of find hooks. */
export async function selectObjects(
  context: ObjectContext,
  { className, query = {}, position }: Pick<ListObjectsInput, "className" | "query" | "position">,
  { model, visibility: rights }: ClassScope,
): Promise<SelectedObjects> {
  const hookResults: NamedFindResult[] = [];
  const runFindHooks = await findHookRunner(context, { className, macro: query["macro"], model });
  // A find hook, or a model that is newer than the admission, has read the current state.
  const visibility =
    position === undefined || runFindHooks !== null || model.generation !== context.modelGeneration
      ? rights
      : { ...rights, position };
  const { objects } = context.r;
  return {
    query: await resolveQuery(query, { model, objects, visibility, className, runFindHooks, hookResults }),
    visibility,
    hookResults,
  };
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
