import type { Caller } from "../../authoring/caller.ts";
import type { ObjectSet } from "../../authoring/hook-definition.ts";
import type { Json } from "../../authoring/json.ts";
import { servicesFor } from "../services.ts";
import { type Definition, functionOf } from "./driver.ts";

interface Argument {
  readonly className: string;
  readonly where?: Json;
  readonly sort?: readonly string[];
  readonly oids?: readonly string[];
  readonly caller: Caller;
}

/** A hook of lists: what it wants of the query. */
export async function findObjects(
  definition: Definition,
  { className, where, sort, oids, caller }: Argument,
): Promise<object> {
  const narrowed: Json[] = [];
  const only: (readonly string[])[] = [];
  let order: readonly string[] | undefined;
  const objectSet: ObjectSet = {
    className,
    where,
    sort,
    oids,
    narrow: (further) => void (narrowed[narrowed.length] = further),
    order: (chosen) => void (order = chosen),
    only: (chosen) => void (only[only.length] = chosen),
  };
  const accepted = (await functionOf(definition, "run")(objectSet, servicesFor(caller))) === true;
  return { accepted, where: narrowed, ...(order === undefined ? {} : { sort: order }), oids: only };
}
