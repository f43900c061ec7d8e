import type { Filter } from "../filter.ts";

/** True of every object. */
export const always: Filter = { kind: "all", filters: [] };

/** True of none. */
export const never: Filter = { kind: "any", filters: [] };
