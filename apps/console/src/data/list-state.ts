import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** In the address of a new object, in place of its id. Ids have no lowercase letters. */
export const newObject = "new";

/** What a list shows, as it stands in the address. */
export interface ListState {
  /** Text of the quick search. */
  readonly search?: string | undefined;
  /** `where` of the query, as JSON. */
  readonly filter?: string | undefined;
  /** Keys of the order, separated by commas. */
  readonly sort?: string | undefined;
  /** Number of the first row that shows. */
  readonly row?: string | undefined;
  /** Id of the saved view that the list began with. */
  readonly view?: string | undefined;
  /** Id of the saved view to open, in place of all others. */
  readonly open?: string | undefined;
}

/** State of the list in the address. A change of the place replaces the entry of the history; other changes add one. */
export function useListState() {
  const navigate = useNavigate();
  const state = useSearch({ strict: false }) as ListState;
  const change = useCallback(
    (changed: ListState) => {
      const isPlace = Object.keys(changed).every((name) => name === "row");
      const place = isPlace ? {} : { row: undefined };
      void navigate({
        to: ".",
        search: (current: object) => ({ ...current, ...place, ...changed }) as never,
        replace: isPlace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const sort = useMemo(() => (state.sort ?? "").split(",").filter((key) => key !== ""), [state.sort]);
  return { state, sort, change };
}

/** The next order after a click on a column: ascending, descending, none. `isAdded` keeps the other keys. */
export function toggledSort(sort: readonly string[], key: string, isAdded: boolean): readonly string[] {
  const others = isAdded ? sort.filter((each) => each.replace(/^-/, "") !== key) : [];
  const place = isAdded ? sort.findIndex((each) => each.replace(/^-/, "") === key) : 0;
  const next = sort.includes(key) ? [`-${key}`] : sort.includes(`-${key}`) ? [] : [key];
  return place < 0 ? [...others, ...next] : others.toSpliced(place, 0, ...next);
}
