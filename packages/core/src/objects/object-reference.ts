import { isClassName } from "../model/class-name.ts";
import { isObjectId, type ObjectId } from "./object-id.ts";
import { isUuid } from "./uuid.ts";

/** What the last part of `/v1/object/…` names. */
export type ObjectReference =
  | { readonly kind: "id"; readonly id: ObjectId }
  | { readonly kind: "uuid"; readonly uuid: string }
  | { readonly kind: "class"; readonly className: string };

/** An object by its id or UUID. */
export type SingleReference = Exclude<ObjectReference, { readonly kind: "class" }>;

/** Reads such a name; `null` when it can name nothing. */
export function objectReference(text: string): ObjectReference | null {
  if (isObjectId(text)) return { kind: "id", id: text };
  if (isUuid(text)) return { kind: "uuid", uuid: text.toLowerCase() };
  return isClassName(text) ? { kind: "class", className: text } : null;
}
