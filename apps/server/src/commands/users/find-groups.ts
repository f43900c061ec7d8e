import { type ObjectId, type ObjectRepository, seesAll, type StoredObject } from "@sallyport/core";
import { CommandError } from "../command-error.ts";

const pageSize = 500;

/** Ids of the user groups with these names. Those that do not exist are created, or refused. */
export async function findGroups(
  objects: ObjectRepository,
  names: readonly string[],
  create: boolean,
): Promise<ObjectId[]> {
  if (names.length === 0) return [];
  const existing = new Map((await allGroups(objects)).map(({ id, attributes }) => [attributes["Name"], id]));
  const missing = [...new Set(names)].filter((name) => !existing.has(name));
  if (missing.length > 0 && !create) {
    const list = missing.map((name) => `"${name}"`).join(", ");
    throw new CommandError(`There is no user group ${list}. --create-groups creates it.`);
  }
  const made = await objects.insert(missing.map((name) => ({ className: "UserGroup", attributes: { Name: name } })));
  for (const { id, attributes } of made) existing.set(attributes["Name"], id);
  return [...new Set(names)].map((name) => existing.get(name)).filter((id) => id !== undefined);
}

/** The user groups of a database, whoever may see them. */
export async function allGroups(objects: ObjectRepository): Promise<StoredObject[]> {
  const groups: StoredObject[] = [];
  let page: readonly StoredObject[];
  do {
    ({ objects: page } = await objects.find({ classes: ["UserGroup"] }, seesAll, {
      offset: groups.length,
      limit: pageSize,
    }));
    groups.push(...page);
  } while (page.length === pageSize);
  return groups;
}
