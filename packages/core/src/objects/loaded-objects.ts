import { idsOf } from "./links-of.ts";
import type { ObjectId } from "./object-id.ts";
import type { ObjectOutline } from "./object-outline.ts";
import type { PlannedLink } from "./serialization/object-plan.ts";
import type { StoredObject } from "./stored-object.ts";

/** The targets of a link that are written. */
export interface ShownTargets {
  readonly ids: readonly ObjectId[];
  /** Of a collection of which a page is written: how many members the caller may see. */
  readonly count?: number;
}

/** What an answer is written from, as far as the caller may see it: what is not here is not there. */
export class LoadedObjects {
  private readonly whole = new Map<ObjectId, StoredObject>();
  /** Of those of which the meta-fields are written, or not even these: most members of collections of which a page is. */
  private readonly outlines = new Map<ObjectId, ObjectOutline>();

  keep(objects: readonly StoredObject[]): void {
    for (const object of objects) this.whole.set(object.id, object);
  }

  keepOutlines(outlines: readonly ObjectOutline[]): void {
    for (const outline of outlines) this.outlines.set(outline.id, outline);
  }

  find(id: ObjectId): StoredObject | undefined {
    return this.whole.get(id);
  }

  isKnown(id: ObjectId): boolean {
    return this.whole.has(id) || this.outlines.has(id);
  }

  shown(object: StoredObject, { name, page }: PlannedLink): ShownTargets {
    const targets = idsOf(object.attributes, name);
    if (page === null) return { ids: targets };
    const members = targets.filter((id) => this.isKnown(id));
    return { ids: members.slice(page.offset, page.offset + page.limit), count: members.length };
  }

  /** Those of the targets that are there, as much of them as is written. */
  targets(ids: readonly ObjectId[], { target }: PlannedLink): (StoredObject | ObjectOutline)[] {
    return ids.flatMap((id) => this.whole.get(id) ?? (target.attributes ? [] : (this.outlines.get(id) ?? [])));
  }
}
