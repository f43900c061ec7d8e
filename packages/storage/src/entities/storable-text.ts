import { ServiceError } from "../errors/index.ts";

/**
 * Whether a text can be stored. Databases refuse U+0000 and replace a lone surrogate. A look-up with such a text finds
 * nothing.
 */
export function isStorableText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Throws 307 if the data contains a text that is not storable, at any depth or as a member name. */
export function acceptStorable(value: unknown): void {
  if (!isStorable(value))
    throw new ServiceError(307, { detail: "A string contains a null character or an unpaired surrogate." });
}

/** Whether all texts and member names in the data are storable. */
export function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (typeof value !== "object" || value === null) return true;
  for (const [name, member] of Object.entries(value)) if (!isStorableText(name) || !isStorable(member)) return false;
  return true;
}
