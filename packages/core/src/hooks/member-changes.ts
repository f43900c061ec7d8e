import type { JsonValue } from "../objects/stored-object.ts";

/** The members of an object as JSON. */
export type Members = Readonly<Record<string, JsonValue>>;

/** What a hook did to the members of an object that it was given. */
export interface MemberChanges {
  readonly set: Members;
  readonly removed: readonly string[];
}

/** The members that it may set. The others are the server's. */
export function isOpenMember(name: string): boolean {
  return !name.startsWith("~") && name !== "__proto__";
}

/** Changes members as a hook did. Meta-fields stay as they are, whatever it did to them. */
export function changeMembers(members: Record<string, unknown>, { set, removed }: MemberChanges): void {
  for (const name of removed) if (isOpenMember(name)) delete members[name];
  for (const name of Object.keys(set)) if (isOpenMember(name)) members[name] = set[name];
}
