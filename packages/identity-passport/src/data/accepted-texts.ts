import { misconfigured } from "../http/provider-failure.ts";

export interface TextRule {
  readonly pattern: RegExp;
  readonly isOptional?: boolean;
}

/** An id that a provider gave out. */
export const idRule: TextRule = { pattern: /^[\x21-\x7E]{1,255}$/ };

export const secretRule: TextRule = { pattern: /^[\x21-\x7E]{1,1024}$/ };

/** Additional data of exactly these members, without the white space around them that comes with copying; 608 names what is wrong. */
export function acceptedTexts<Name extends string>(
  data: unknown,
  rules: Readonly<Record<Name, TextRule>>,
): Readonly<Record<Name, string>> {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw misconfigured("the additional data are no object");
  const given = new Map<string, unknown>(Object.entries(data));
  const accepted = new Map<string, string>();
  for (const [name, { pattern, isOptional = false }] of Object.entries<TextRule>(rules)) {
    const value = given.get(name);
    if (value === undefined && isOptional) continue;
    if (typeof value !== "string" || value.trim() === "")
      throw misconfigured(`${name} is missing in the additional data`);
    if (!pattern.test(value.trim()))
      throw misconfigured(`${name} of the additional data has characters that it cannot have`);
    accepted.set(name, value.trim());
  }
  return Object.fromEntries(accepted) as Readonly<Record<Name, string>>;
}
