import type { ProviderType } from "@sallyport/storage";
import { type GuardedClient, type JsonObject, misconfigured } from "./guarded-client.ts";

interface TextRule {
  readonly pattern: RegExp;
  readonly isOptional?: boolean;
}

/** An id issued by a provider. */
export const idRule: TextRule = { pattern: /^[\x21-\x7E]{1,255}$/ };

export const secretRule: TextRule = { pattern: /^[\x21-\x7E]{1,1024}$/ };

/** Validates additional data against the rules and trims it. 608 names the invalid member. */
export function acceptedTexts<Name extends string>(
  data: unknown,
  rules: Readonly<Record<Name, TextRule>>,
): Readonly<Record<Name, string>> {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw misconfigured("The additional data is not an object.");
  const members = new Map<string, unknown>(Object.entries(data));
  const accepted = new Map<string, string>();
  for (const [name, { pattern, isOptional = false }] of Object.entries<TextRule>(rules)) {
    const value = members.get(name);
    if (value === undefined && isOptional) continue;
    if (typeof value !== "string" || value.trim() === "")
      throw misconfigured(`${name} is missing in the additional data.`);
    if (!pattern.test(value.trim())) throw misconfigured(`${name} of the additional data has invalid characters.`);
    accepted.set(name, value.trim());
  }
  return Object.fromEntries(accepted) as Readonly<Record<Name, string>>;
}

/** Values of `email_verified` that are accepted. Apple sends a string, some providers send nothing. */
const acceptedVerifications = new Set<unknown>([undefined, true, "true"]);

/** The e-mail address of an id token, empty if the provider states that it is unverified. */
export function emailOf({ email, email_verified: verified }: JsonObject): string {
  return acceptedVerifications.has(verified) ? profileText(email) : "";
}

/** Characters. */
const maxLength = 255;

/** A profile text as one line of at most 255 characters. Empty for other types. */
export function profileText(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = value
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return [...line].slice(0, maxLength).join("");
}

/** Shared by all providers of a server. */
export interface ProviderEnvironment {
  readonly client: GuardedClient;
  /** Milliseconds for all provider requests of one callback. */
  readonly timeout: number;
  /** The base address of the fake providers, without a trailing slash. */
  readonly fakeProviders: string | null;
  /** Minimum milliseconds between requests for keys that unknown keys cause. */
  readonly unknownKeyPause: number;
}

/**
 * The issuer of a fake provider, on any address. Stored links stay meaningless at the real provider: `.invalid` is
 * reserved (RFC 2606).
 */
export const fakeIssuer = (type: ProviderType): string => `https://${type}.fake.invalid`;
