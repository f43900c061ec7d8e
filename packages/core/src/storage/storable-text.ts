import { ServiceError } from "../errors/index.ts";

/**
 * Whether a text can be stored. A zero character is refused by databases, and half a surrogate pair would come back as
 * another character. Look-ups for such a text find nothing.
 */
export function isStorableText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Refuses to store data with such a text, at whatever depth and also as the name of a member: 307. */
export function acceptStorable(value: unknown): void {
  if (!isStorable(value))
    throw new ServiceError(307, { detail: "A text holds a zero character or half a surrogate pair." });
}

/** Whether data hold no such text. */
export function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorableText(name) && isStorable(member));
}
