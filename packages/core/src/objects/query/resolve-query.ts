import { type Model, readableSubtree } from "../../model/index.ts";
import type { Filter, ObjectQuery, ObjectRepository, SortKey, VisibleRead } from "@sallyport/storage";
import type { FindRequest } from "../hooks/active-hooks.ts";
import type { NamedFindResult, RunFindHooks } from "../hooks/run-find-hooks.ts";
import { onBehalfOf } from "../hooks/hook-caller.ts";
import { objectsFilter, fault } from "./parsing/fault.ts";
import { resolveLinkOperands } from "./parsing/operand.ts";
import { followedReferences, type PathSource, sortKeys } from "./parsing/resolve-path.ts";
import { allOf, parseWhere } from "./parsing/where-parser.ts";

/** A client query: `where`, `sort`, `oids`, `macro`. */
export type QueryRequest = Readonly<Record<string, unknown>>;

export interface QuerySource {
  readonly model: Model;
  readonly objects: ObjectRepository;
  readonly visibility: VisibleRead;
  /** Class of the queried objects, including subclasses. */
  readonly className: string;
  /** Find hooks, including the one named by `macro`; none by default. */
  readonly runFindHooks?: RunFindHooks | null;
  /** Receives the choices of the hooks. */
  readonly hookResults?: NamedFindResult[];
}

/** Maximum number of references that one query follows per object. */
const maxReferences = 50;

const memberNames: ReadonlySet<string> = new Set(["where", "sort", "oids", "macro"]);

/**
 * Converts a client query to a storage query. 307 with the place for unknown names, wrong types and exceeded limits.
 * Classes and objects that the caller cannot read reveal nothing: their values are missing.
 */
export async function resolveQuery(
  request: QueryRequest,
  { model, objects, visibility, className, runFindHooks = null, hookResults = [] }: QuerySource,
): Promise<ObjectQuery> {
  const classes = readableSubtree(model, className, visibility);
  const source = { model, visibility, classes };
  for (const name of Object.keys(request))
    if (!memberNames.has(name)) throw fault(["query", name], "Unknown member of a query.");
  const { where, sort, oids, macro } = request;
  if (macro !== undefined && runFindHooks === null)
    throw fault(["query", "macro"], "There is no hook with this name for the class.");
  const filters: Filter[] = [];
  if (where !== undefined) filters.push(parseWhere({ source, conditions: 0 }, where, ["query", "where"]));
  if (oids !== undefined) filters.push(objectsFilter(oids, ["query", "oids"]));
  let keys = sort === undefined ? [] : sortKeys(sort, ["query", "sort"], source);
  if (runFindHooks !== null) {
    hookResults.push(...(await runFindHooks({ className, where, sort, oids } as FindRequest)));
    for (const hookResult of hookResults) {
      const parsed = await onBehalfOf(hookResult.hook, () => parseChoice(hookResult, source));
      filters.push(...parsed.filters);
      keys = parsed.keys ?? keys;
    }
  }
  const restricting = filters.filter((filter) => filter.kind !== "all" || filter.filters.length > 0);
  const requestedFilter = allOf(restricting);
  if (followedReferences(requestedFilter, keys) > maxReferences)
    throw fault(["query"], `All paths of a query can follow at most ${maxReferences} references.`);
  const filter = await resolveLinkOperands(requestedFilter, { model, objects, visibility });
  return {
    classes: classes.map(({ definition }) => definition.name),
    ...(restricting.length === 0 ? {} : { filter }),
    sort: keys,
  };
}

/** Parses the choice of a hook, with the rights of the caller. */
function parseChoice(
  { request: { where, sort, oids } }: NamedFindResult,
  source: PathSource,
): { readonly filters: readonly Filter[]; readonly keys: SortKey[] | null } {
  const parsing = { source, conditions: 0 };
  const filters = where.map((each) => parseWhere(parsing, each, ["where"]));
  return {
    filters: [...filters, ...oids.map((each) => objectsFilter(each, ["oids"]))],
    keys: sort === undefined ? null : sortKeys(sort, ["sort"], source),
  };
}
