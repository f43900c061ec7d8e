import type { Model } from "../../model/model.ts";
import { readableFamily, type Visibility } from "../../rights/index.ts";
import { customPlan } from "./custom-plan.ts";
import { defaultDepth, fullPlan } from "./full-plan.ts";
import { hooksOnly, idOnly, metaFieldsOnly, type ObjectPlan, withUuid } from "./object-plan.ts";
import { requestedFields } from "./requested-field.ts";
import type { Serialization } from "./serialization.ts";

/** What an answer is made of. */
export interface PlannedAnswer {
  readonly model: Model;
  readonly visibility: Visibility;
  /** The class whose objects, and those of the classes below it, are the roots of the answer. */
  readonly className: string;
}

/** How the objects of an answer are written; the default unless the request says something. Fields that cannot be written: 307. */
export function planSerialization(
  serialization: Serialization | undefined,
  { model, visibility, className }: PlannedAnswer,
): ObjectPlan {
  const { type = "full", depth = defaultDepth, fields = [] } = serialization ?? {};
  switch (type) {
    case "full":
      return withUuid(fullPlan(model, depth));
    case "empty":
      return withUuid(metaFieldsOnly);
    case "oid":
      return idOnly;
    case "macro":
      return withUuid(hooksOnly);
    case "custom": {
      const requested = requestedFields(fields, "/serialization/fields");
      return withUuid(
        customPlan(requested, readableFamily(model, className, visibility), { model, visibility, depth }),
      );
    }
  }
}
