import type { Caller } from "../../authoring/caller.ts";
import { type PackedLayout, type Page, unpack } from "../packed-items.ts";
import { servicesFor } from "../services.ts";
import { ChangeList, type PackedChanges } from "./change-list.ts";
import { type Definition, functionOf, type Surroundings } from "./driver.ts";
import { PackedView } from "./packed-view.ts";
import { PackedWatch } from "./packed-watch.ts";

interface Argument {
  readonly items: PackedLayout;
  readonly caller: Caller;
}

/** A hook of serializations, for all objects of a page. */
export async function buildSerialization(
  definition: Definition,
  { items, caller }: Argument,
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
