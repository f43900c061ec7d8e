import { confusableKeyOf, loginNameOf } from "../accounts/login-name.ts";

/**
 * Whose failures those of a custom account are. Spellings of a name count together: what decides about custom users may take several of
 * them for one.
 */
export function customUserKey(loginName: string): string {
  return `custom\u0000${confusableKeyOf(loginNameOf(loginName))}`;
}
