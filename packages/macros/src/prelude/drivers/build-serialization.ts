import type { Caller } from "../../authoring/caller.ts";
import { freeze } from "../primordials.ts";
import { servicesFor } from "../services.ts";
import { type Changes, watch } from "./changes.ts";
import { type Definition, functionOf } from "./driver.ts";

interface Argument {
  readonly items: readonly { readonly json: Record<string, unknown>; readonly rest?: object }[];
  readonly caller: Caller;
}

/** A hook of serializations, for all objects of a page. */
export async function buildSerialization(definition: Definition, { items, caller }: Argument): Promise<(Changes | null)[]> {
  const build = functionOf(definition, "run");
  const context = servicesFor(caller);
  const changes: (Changes | null)[] = [];
  for (const { json, rest } of items) {
    const object = freeze({ ...rest, ...json });
    const watched = watch(json);
    const given = build(object, watched.object, context);
    // Most hooks give nothing, and a turn for each object of a page adds up.
    if (given !== undefined) await given;
    changes[changes.length] = watched.changes();
  }
  return changes;
}
