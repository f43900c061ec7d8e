import { ServiceError } from "../errors/service-error.ts";
import type { HookedSave } from "../hooks/hooked-save.ts";
import type { SaveHooks } from "../hooks/save-hooks.ts";
import type { ModelClass } from "../model/model.ts";
import { inTransaction } from "../request/in-transaction.ts";
import type { SessionContext } from "../request/request-context.ts";
import type { Writing } from "./object-change.ts";
import type { ObjectId } from "./object-id.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import type { Sight } from "./serialization-source.ts";
import type { StoredObject } from "./stored-object.ts";
import type { GivenAttributes } from "./values/accept-attributes.ts";
import type { ResolvedAttributes } from "./values/resolve-links.ts";
import { visibleObject } from "./visible-object.ts";
import { writeChange } from "./write-object.ts";

export interface GivenChange {
  readonly given: GivenAttributes;
  readonly expectedVersions: readonly number[] | null;
}

/** Which object is changed, as what, and on whose behalf. */
export interface ToChange {
  readonly id: ObjectId;
  readonly modelClass: ModelClass;
  readonly sight: Sight;
  readonly by: Writing & { readonly className: string };
}

export interface Changed {
  readonly changed: StoredObject;
  /** What it points to, as far as it was read. */
  readonly targets: readonly StoredObject[];
}

/** Changes an object with hooks, in one transaction with what they do. It is held before they are told what it is. */
export function changeWithHooks(
  hooks: SaveHooks,
  context: SessionContext,
  { given, expectedVersions }: GivenChange,
  { id, modelClass, sight, by }: ToChange,
): Promise<Changed> {
  const { className } = by;
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      await inside.r.objects.hold([id]);
      const base = await visibleObject(inside.r, { kind: "id", id }, sight.visibility, 610);
      if (base.className !== className) throw new ServiceError(304);
      if (expectedVersions !== null && !expectedVersions.includes(base.version))
        throw new ServiceError(713, { detail: "The object has another version." });
      const prepared = await prepareAttributes(inside, given, { ...sight, modelClass, whole: false });
      const save: HookedSave = { className, base, returning: false, given, prepared };
      const [{ attributes, links, targets }] = (await hooks.before(inside, [save])) as [ResolvedAttributes];
      // Nobody but hooks can have changed it since its version was asked for.
      const changed = await writeChange(inside, { id, attributes, links, expectedVersions: null }, by, sight.model);
      await hooks.after(inside, [save], [changed]);
      return { changed, targets };
    }),
  );
}
