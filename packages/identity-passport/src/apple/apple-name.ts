import { profileText } from "../data/profile-text.ts";
import { type JsonObject, strictJsonObject } from "../http/strict-json.ts";

const longest = 4_096;

/**
 * The name in the form that the browser brings the first time somebody comes: nothing that Apple has signed. Whatever else than a name
 * stands there is no name.
 */
export function appleName(user: string | undefined): { readonly name: string; readonly surname: string } {
  const said = user === undefined || user.length > longest ? null : strictJsonObject(user);
  const name = said?.["name"];
  const { firstName, lastName } = typeof name === "object" && name !== null ? (name as JsonObject) : {};
  return { name: profileText(firstName), surname: profileText(lastName) };
}
