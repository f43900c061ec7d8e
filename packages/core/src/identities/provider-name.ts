import { type ProviderType, providerTypes } from "./identity-link.ts";

const aliases: ReadonlyMap<string, ProviderType> = new Map<string, ProviderType>([
  ...providerTypes.map((type) => [type, type] as const),
  ["windowslive", "microsoft"],
  ["appleid", "apple"],
]);

/** The provider that a name in any case means; `null` for a name of none. */
export function providerTypeOf(name: string): ProviderType | null {
  return aliases.get(name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())) ?? null;
}
