import type { ClassStructure } from "@sallyport/client";
import type { ViewData } from "@sallyport/contract";
import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { stepsOf } from "./attribute-path.ts";
import { listColumnsOf } from "./columns.ts";
import { conditionsOf, filterOf, parseFilter, withoutConditions } from "./filter/filter-tree.ts";
import type { ListState } from "./list-state.ts";

export const viewsKey = (className: string): readonly string[] => ["objects", className, "views"];

/** The saved views of a class: those of the person, and the shared ones of others. */
export function useViews(className: string) {
  const connection = useConnection();
  return useQuery({
    queryKey: viewsKey(className),
    queryFn: ({ signal }) =>
      connection.work(
        async (client) => (await client.call("GET /v1/views/{className}", { path: { className }, signal })).items,
      ),
    staleTime: 60_000,
  });
}

interface OpenedView {
  readonly state: ListState;
  /** Columns that the class has; `undefined` for those that it usually shows. */
  readonly columns: readonly string[] | undefined;
  /** What the view names and the class no longer has. It is left out. */
  readonly missing: readonly string[];
}

/** What a view shows of the class as it is now. */
export function openedView(view: ViewData, structure: ClassStructure, all: readonly ClassStructure[]): OpenedView {
  const names = new Set(listColumnsOf(structure, all).map(({ name }) => name));
  const missing = new Set<string>();
  const isThere = (path: string, has: boolean): boolean => {
    if (!has) missing.add(path);
    return has;
  };
  const hasPath = (path: string) => {
    const steps = stepsOf(path, structure, all);
    return isThere(path, steps.length === path.split(".").length && steps.every(({ column }) => column !== undefined));
  };
  const columns = view.columns?.filter((name) => isThere(name, names.has(name)));
  const sort = view.sort?.filter((key) => hasPath(key.replace(/^-/, "")));
  const state = { view: view.id, search: view.search, sort: sort?.join(",") || undefined };
  const filter = view.where === undefined ? undefined : knownFilter(view.where, hasPath);
  return { state: { ...state, filter }, columns: columns?.length === 0 ? undefined : columns, missing: [...missing] };
}

/** The filter without conditions on what the class does not have. A filter of another form stays. */
function knownFilter(where: object, hasPath: (path: string) => boolean): string | undefined {
  try {
    const known = withoutConditions(parseFilter(where), ({ path }) => !hasPath(path));
    return conditionsOf(known).length === 0 ? undefined : JSON.stringify(filterOf(known));
  } catch {
    return JSON.stringify(where);
  }
}
