import type { ProviderType } from "@sallyport/core";
import { type GuardedClient, type JsonObject, misconfigured } from "./guarded-client.ts";

interface TextRule {
  readonly pattern: RegExp;
  readonly isOptional?: boolean;
}

/** An id that a provider gave out. */
export const idRule: TextRule = { pattern: /^[\x21-\x7E]{1,255}$/ };

export const secretRule: TextRule = { pattern: /^[\x21-\x7E]{1,1024}$/ };

/** Additional data of exactly these members, trimmed, as copying adds white space. 608 names the member that is wrong. */
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

/** How providers say that an address is its owner's; Apple says it in a text. */
const vouched = new Set<unknown>([undefined, true, "true"]);

/** The e-mail address of an id token; empty if the provider itself does not vouch for it. Not all of them say whether they do. */
export function emailOf({ email, email_verified: verified }: JsonObject): string {
  return vouched.has(verified) ? profileText(email) : "";
}

/** In characters; no name is longer. */
const longest = 255;

/** A text of a profile, as one line that can be stored and shown. Empty if it is no text. */
export function profileText(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = value
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return [...line].slice(0, longest).join("");
}

/** Shared by all providers of a server. */
export interface ProviderSurroundings {
  readonly client: GuardedClient;
  /** Milliseconds that a provider has for all answers to one callback. */
  readonly timeout: number;
  /** The base address of an imitation that stands in for all providers, without a slash at its end. */
  readonly fakeProviders: string | null;
}

/**
 * The issuer of an imitation, wherever it listens. Links to its accounts outlive it, and mean nothing at the provider itself:
 * no name can end in `.invalid`.
 */
export const fakeIssuer = (type: ProviderType): string => `https://${type}.imitation.invalid`;
