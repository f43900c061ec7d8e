import {
  type AttributeDefinition,
  type ClassDefinition,
  type ClassRight,
  definitionOf,
  type ModelStructure,
} from "@sallyport/client";

export type Permission = ClassRight["permissions"][number];

/** The permissions in the order in which the server lists them. */
export const permissions: readonly Permission[] = ["read", "create", "write", "delete"];

/** In place of a group: all users. */
export const allUsers = "*";

export type Definition = ClassDefinition & {
  readonly base: string | null;
  readonly attributes: readonly AttributeDefinition[];
  readonly rights: readonly ClassRight[];
};

/** What a person has changed of a class. Other parts are those of the server, also after the change of another person. */
export interface ClassEdit {
  readonly isRemoved?: boolean;
  readonly base?: string | null;
  /** Path to the value that names an object. Empty: there is none. */
  readonly title?: string;
  /** Definitions by name. `null` removes the attribute. */
  readonly attributes: ReadonlyMap<string, AttributeDefinition | null>;
  /** Permissions by group. Without any, the group has no rights. */
  readonly rights: ReadonlyMap<string, readonly Permission[]>;
}

/** Edits by class. */
export type ModelEdits = ReadonlyMap<string, ClassEdit>;

export const noEdit: ClassEdit = { attributes: new Map(), rights: new Map() };

/** A class as stored, and as the edits make it. `null`: there is none. */
export interface ClassState {
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly stored: Definition | null;
  readonly edited: Definition | null;
}

/** All classes by name: those of the server in its order, then new ones. */
export function classStates({ classes }: ModelStructure, edits: ModelEdits): ReadonlyMap<string, ClassState> {
  const stored = classes.map((structure): ClassState => {
    const { name, builtIn: isBuiltIn } = structure;
    const definition = definitionOf(structure) as Definition;
    return { name, isBuiltIn, stored: definition, edited: withEdit(definition, edits.get(name)) };
  });
  const names = new Set(stored.map(({ name }) => name));
  const created = [...edits].filter(([name]) => !names.has(name));
  const states = created.map(([name, edit]) => ({
    name,
    isBuiltIn: false,
    stored: null,
    edited: withEdit(null, edit),
  }));
  return new Map([...stored, ...states].map((state) => [state.name, state]));
}

function withEdit(stored: Definition | null, edit: ClassEdit | undefined): Definition | null {
  if (edit === undefined) return stored;
  if (edit.isRemoved === true) return null;
  const attributes = new Map((stored?.attributes ?? []).map((attribute) => [attribute.name, attribute]));
  for (const [name, attribute] of edit.attributes) {
    if (attribute === null) attributes.delete(name);
    else attributes.set(name, attribute);
  }
  const rights = new Map((stored?.rights ?? []).map(({ group, permissions: granted }) => [group, granted]));
  for (const [group, granted] of edit.rights) {
    if (granted.length === 0) rights.delete(group);
    else rights.set(group, granted);
  }
  return {
    ...stored,
    base: edit.base === undefined ? (stored?.base ?? null) : edit.base,
    title: (edit.title ?? stored?.title) || undefined,
    attributes: [...attributes.values()],
    rights: Array.from(rights, ([group, granted]) => ({ group, permissions: granted })),
  };
}

/** A part of a class that the edits change. */
export type ClassDifference =
  | { readonly part: "class"; readonly isRemoved: boolean }
  | { readonly part: "base" | "title"; readonly before: string | null; readonly after: string | null }
  | {
      readonly part: "attribute";
      readonly name: string;
      readonly before: AttributeDefinition | undefined;
      readonly after: AttributeDefinition | undefined;
    }
  | {
      readonly part: "right";
      readonly group: string;
      readonly before: readonly Permission[];
      readonly after: readonly Permission[];
    };

/** What the edits change of a class. An edit to the stored value changes nothing. */
export function differencesOf({ stored, edited }: ClassState): readonly ClassDifference[] {
  if (edited === null) return stored === null ? [] : [{ part: "class", isRemoved: true }];
  const before: Definition = stored ?? { base: null, attributes: [], rights: [] };
  const differences: ClassDifference[] = stored === null ? [{ part: "class", isRemoved: false }] : [];
  if (before.base !== edited.base) differences.push({ part: "base", before: before.base, after: edited.base });
  const [titleBefore = null, titleAfter = null] = [before.title, edited.title];
  if (titleBefore !== titleAfter) differences.push({ part: "title", before: titleBefore, after: titleAfter });
  const [attributesBefore, attributesAfter] = [attributesByName(before), attributesByName(edited)];
  for (const name of new Set([...attributesBefore.keys(), ...attributesAfter.keys()])) {
    const [one, other] = [attributesBefore.get(name), attributesAfter.get(name)];
    if (!isSameAttribute(one, other)) differences.push({ part: "attribute", name, before: one, after: other });
  }
  for (const group of new Set([...before.rights, ...edited.rights].map((right) => right.group))) {
    const [one, other] = [grantsOf(before, group), grantsOf(edited, group)];
    if (one.join() !== other.join()) differences.push({ part: "right", group, before: one, after: other });
  }
  return differences;
}

export const attributesByName = ({ attributes }: Pick<Definition, "attributes">) =>
  new Map(attributes.map((attribute) => [attribute.name, attribute]));

/** The permissions of a group, in their order. */
export function grantsOf(definition: Pick<Definition, "rights"> | null, group: string): readonly Permission[] {
  const right = definition?.rights.find((each) => each.group === group);
  return permissions.filter((permission) => right?.permissions.includes(permission));
}

/** Whether an attribute leads to other objects, whose deletion concerns it. */
export const isLink = ({ type }: Pick<AttributeDefinition, "type">): boolean =>
  type === "reference" || type === "collection" || type === "file";

/** What happens to a link whose target is deleted, if its definition does not say. */
export const deleteRuleOf = ({ type, mandatory, onDelete }: AttributeDefinition) =>
  onDelete ?? (mandatory === true && type !== "collection" ? "refuse" : "clear");

/** Whether two definitions mean the same. Members that are absent have their defaults, and groups have no order. */
export function isSameAttribute(one: AttributeDefinition | undefined, other: AttributeDefinition | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalText(one) === canonicalText(other);
}

function canonicalText(attribute: AttributeDefinition): string {
  const { name, type, target = null, mandatory = false, indexed = false, read } = attribute;
  const rule = isLink(attribute) ? deleteRuleOf(attribute) : null;
  return JSON.stringify([name, type, target, mandatory, indexed, rule, read?.toSorted() ?? null]);
}

/** The edit that makes a class what the definition says. */
export function editTo(stored: Definition | null, definition: Definition): ClassEdit {
  const target = { name: "", isBuiltIn: false, stored, edited: definition };
  const differences = differencesOf(target);
  const attributes = differences.flatMap((each) =>
    each.part === "attribute" ? [[each.name, each.after ?? null] as const] : [],
  );
  const rights = differences.flatMap((each) => (each.part === "right" ? [[each.group, each.after] as const] : []));
  return {
    ...(stored?.base === definition.base ? {} : { base: definition.base }),
    title: definition.title ?? "",
    attributes: new Map(attributes),
    rights: new Map(rights),
  };
}

/** The classes that exist after the edits, each with all its attributes, inherited ones first. */
export function effectiveAttributes(
  states: ReadonlyMap<string, ClassState>,
  className: string,
  version: "stored" | "edited",
): ReadonlyMap<string, AttributeDefinition> {
  const chain = chainOf(states, className, version);
  return new Map(chain.toReversed().flatMap((name) => [...attributesByName(states.get(name)?.[version] ?? noParts)]));
}

const noParts = { attributes: [] };

/** The class and its bases, nearest first. A missing or repeated base ends the chain. */
export function chainOf(
  states: ReadonlyMap<string, ClassState>,
  className: string,
  version: "stored" | "edited",
): readonly string[] {
  const chain = new Set<string>();
  let next: string | null | undefined = className;
  while (typeof next === "string" && !chain.has(next) && states.get(next)?.[version] != null) {
    chain.add(next);
    next = states.get(next)?.[version]?.base;
  }
  return [...chain];
}
