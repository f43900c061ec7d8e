import type { Caller } from "../../authoring/services.ts";
import { type PackedLayout, type Page, unpack } from "../packed-items.ts";
import { servicesFor } from "../services.ts";
import { type Definition, functionOf, type Surroundings } from "./driver.ts";
import { PackedView } from "./packed-view.ts";
import { PackedWatch } from "./packed-watch.ts";
import { ChangeList, type PackedChanges, Watch } from "./watch.ts";

interface PageArgument {
  readonly items: PackedLayout;
  readonly caller: Caller;
}

/** A hook of serializations, for all objects of a page. */
export async function buildSerialization(
  definition: Definition,
  { items, caller }: PageArgument,
  { page }: Surroundings,
): Promise<PackedChanges> {
  const build = functionOf(definition, "run");
  const context = servicesFor(caller);
  const objects = unpack(items, page as Page);
  const changes = new ChangeList();
  for (let index = 0; index < objects.length; index += 1) {
    const packed = objects[index] as (typeof objects)[number];
    const watched = new PackedWatch(packed);
    const given = build(new PackedView(packed).object, watched.object, context);
    // Most hooks give nothing, and a turn for each object of a page adds up.
    if (given !== undefined) await given;
    watched.tell(changes);
    changes.next();
  }
  return changes.packed();
}

interface ItemsArgument {
  readonly items: readonly { readonly object: Record<string, unknown> }[];
  readonly caller: Caller;
}

/** A hook that is told of each object in turn, and gives nothing. */
export async function tellOfEach(definition: Definition, { items, caller }: ItemsArgument): Promise<void> {
  const run = functionOf(definition, "run");
  const context = servicesFor(caller);
  for (const item of items) await run(item, context);
}

/** A hook that may change each object in turn: what it changed, one entry per object. */
export async function changeEach(definition: Definition, { items, caller }: ItemsArgument): Promise<PackedChanges> {
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
