import type { ClassStructure, Filter, ObjectQuery } from "@sallyport/client";
import { stepsOf } from "./attribute-path.ts";
import type { ValueColumn } from "./columns.ts";
import { filterOf, type Group, parseFilter, withOperands } from "./filter/filter-tree.ts";
import { objectIdOf } from "./object-title.ts";
import { resolvedDate } from "./filter/relative-date.ts";

export const noFilter: Group = { kind: "group", mode: "all", members: [] };

/** The filter of the address. `null` if its text is no filter. */
export function filterOfText(filter: string | undefined): Group | null {
  if (filter === undefined) return noFilter;
  try {
    return parseFilter(JSON.parse(filter));
  } catch {
    return null;
  }
}

interface QueryParts {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  readonly columns: readonly ValueColumn[];
  readonly search: string | undefined;
  readonly filter: Group;
  readonly sort: readonly string[];
}

/** What the server is asked for. Relative dates are those of now. */
export function listQuery({ structure, all, columns, search, filter, sort }: QueryParts): ObjectQuery {
  const dated = withOperands(filter, ({ path, operand }) => {
    if (stepsOf(path, structure, all).at(-1)?.column?.type !== "date") return operand;
    return Array.isArray(operand) ? operand.map((each) => resolvedDate(each)) : resolvedDate(operand);
  });
  const filters = [
    ...(filter.members.length > 0 ? [filterOf(dated)] : []),
    ...(search === undefined ? [] : [quickFilter(search, searchedPaths(structure, all, columns))]),
  ];
  const [first] = filters;
  const where: Filter | undefined = filters.length > 1 ? { $and: filters } : first;
  return { ...(where === undefined ? {} : { where }), ...(sort.length > 0 ? { sort } : {}) };
}

/** The paths to the texts of an object, its title among them. */
function searchedPaths(
  structure: ClassStructure,
  all: readonly ClassStructure[],
  columns: readonly ValueColumn[],
): readonly string[] {
  return columns.flatMap(({ name, type, targetTitle }) => {
    const path = type === "title" ? (targetTitle ?? "") : name;
    const leaf = type === "title" ? stepsOf(path, structure, all).at(-1)?.column?.type : type;
    return leaf === "string" ? [path] : [];
  });
}

/** The filter of the quick search: one of the texts contains the searched one, or the id is it. */
function quickFilter(text: string, paths: readonly string[]): Filter {
  const texts = paths.map((path) => ({ [path]: { $contains: text } }));
  const id = objectIdOf(text);
  return { $or: [...texts, ...(id === null ? [] : [{ "~ObjectID": id }])] };
}
