import { Recent } from "../digests/index.ts";
import type { ObjectId, StoredObject } from "../storage/index.ts";

/**
 * Of which class objects are that were seen lately. An object never changes its class, but another database may be put
 * into the place of this one: whoever relies on it has storage check it.
 */
export class KnownClasses {
  private readonly recent = new Recent<ObjectId, string>(10_000);

  of(id: ObjectId): string | undefined {
    return this.recent.get(id);
  }

  learn({ id, className }: Pick<StoredObject, "id" | "className">): void {
    if (this.recent.get(id) !== className) this.recent.set(id, className);
  }
}
