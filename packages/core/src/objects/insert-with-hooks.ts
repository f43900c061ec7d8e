import type { SaveHooks } from "../hooks/save-hooks.ts";
import type { HookedSave } from "../hooks/hooked-save.ts";
import { inTransaction } from "../request/in-transaction.ts";
import type { SessionContext } from "../request/request-context.ts";
import { type PreparedFor, prepareAttributes } from "./prepare-attributes.ts";
import type { StoredObject } from "./stored-object.ts";
import { type GivenAttributes, requireMandatory } from "./values/accept-attributes.ts";
import type { ResolvedAttributes } from "./values/resolve-links.ts";
import { writeNew } from "./write-object.ts";

export interface Created {
  readonly created: StoredObject;
  /** What it points to, as far as it was read. */
  readonly targets: readonly StoredObject[];
}

/** Creates an object with hooks, in one transaction with what they do. What is mandatory may come from them. */
export function insertWithHooks(
  hooks: SaveHooks,
  context: SessionContext,
  given: GivenAttributes,
  to: Omit<PreparedFor, "whole">,
): Promise<Created> {
  const { model, modelClass } = to;
  const className = modelClass.definition.name;
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const prepared = await prepareAttributes(inside, given, { ...to, whole: false });
      const save: HookedSave = { className, base: null, returning: false, given, prepared };
      const [{ attributes, links, targets }] = (await hooks.before(inside, [save])) as [ResolvedAttributes];
      requireMandatory(attributes, modelClass);
      const by = { session: inside.sessionDigest, modelGeneration: model.generation };
      const created = await writeNew(inside, { className, attributes, links }, by, model);
      await hooks.after(inside, [save], [created]);
      return { created, targets };
    }),
  );
}
