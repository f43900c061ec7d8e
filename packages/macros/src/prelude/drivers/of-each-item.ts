import type { Caller } from "../../authoring/caller.ts";
import { servicesFor } from "../services.ts";
import { ChangeList, type PackedChanges } from "./change-list.ts";
import { type Definition, functionOf } from "./driver.ts";
import { Watch } from "./watch.ts";

interface Argument {
  readonly items: readonly { readonly object: Record<string, unknown> }[];
  readonly caller: Caller;
}

/** A hook that is told of each object in turn, and gives nothing. */
export async function tellOfEach(definition: Definition, { items, caller }: Argument): Promise<void> {
  const run = functionOf(definition, "run");
  const context = servicesFor(caller);
  for (const item of items) await run(item, context);
}

/** A hook that may change each object in turn: what it changed, one entry per object. */
export async function changeEach(definition: Definition, { items, caller }: Argument): Promise<PackedChanges> {
  const run = functionOf(definition, "run");
  const context = servicesFor(caller);
  const changes = new ChangeList();
  for (const item of items) {
    const watched = new Watch(item.object);
    await run({ ...item, object: watched.object }, context);
    watched.tell(changes);
    changes.next();
  }
  return changes.packed();
}
