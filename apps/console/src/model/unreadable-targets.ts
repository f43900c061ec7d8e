import { allUsers, chainOf, type ClassState, type Definition, effectiveAttributes, grantsOf } from "./model-edits.ts";

/** A link that a group sees empty. */
export interface UnreadableTarget {
  readonly group: string;
  readonly attribute: string;
  /** Name of the class that the group cannot read. */
  readonly target: string;
}

/** Links of a class that are empty for the groups to which the edits give the right to read it. */
export function unreadableTargets(
  states: ReadonlyMap<string, ClassState>,
  { name, stored, edited }: ClassState,
): readonly UnreadableTarget[] {
  const readers = (edited?.rights ?? [])
    .map(({ group }) => group)
    .filter((group) => isReadBy(edited, group) && !isReadBy(stored, group));
  const attributes = [...effectiveAttributes(states, name, "edited").values()];
  return readers.flatMap((group) =>
    attributes.flatMap(({ name: attribute, type, target = type === "file" ? "File" : undefined, read }) => {
      const isHidden = read !== undefined && !read.includes(group);
      if (target === undefined || isHidden || isReadable(states, target, group)) return [];
      return [{ group, attribute, target }];
    }),
  );
}

const isReadBy = (definition: Definition | null, group: string): boolean =>
  grantsOf(definition, group).includes("read");

/** Whether a group, or all users, can read objects of a class or of one below it. */
const isReadable = (states: ReadonlyMap<string, ClassState>, className: string, group: string): boolean =>
  [...states.values()].some(
    ({ name, edited }) =>
      (isReadBy(edited, group) || isReadBy(edited, allUsers)) && chainOf(states, name, "edited").includes(className),
  );
