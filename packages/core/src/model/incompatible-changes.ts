import {
  type AttributeDefinition,
  type Filter,
  isSingleLink,
  type ObjectQuery,
  type ObjectRepository,
  seesAll,
} from "@sallyport/storage";
import { DefinitionFault } from "./class-request.ts";
import { type Model, type ModelClass, targetClass } from "./model.ts";

/** A model change that would invalidate or lose stored values. */
interface IncompatibleChange {
  /** The part of the definition that causes it. */
  readonly pointer: string;
  readonly query: ObjectQuery;
  /** Description of the affected objects. */
  readonly fault: string;
  /** Check `query` only if such objects exist. */
  readonly condition?: ObjectQuery;
}

/** Incompatible changes of one class between two models. */
export function incompatibleChangesOf(name: string, before: Model, after: Model): IncompatibleChange[] {
  return [...ofValues(name, before, after), ...ofTargets(before, after)];
}

/** Values that would be lost or missing, in the class and its subclasses. */
function ofValues(name: string, before: Model, after: Model): IncompatibleChange[] {
  const entries = new Map<
    string,
    { incompatible: Omit<IncompatibleChange, "query">; filter: Filter; classes: string[] }
  >();
  const note = (className: string, change: Omit<IncompatibleChange, "query">, filter: Filter) => {
    const key = `${change.pointer} ${change.fault}`;
    const entry = entries.get(key) ?? { incompatible: change, filter, classes: [] };
    entries.set(key, entry);
    entry.classes.push(className);
  };
  const pointers = new Map(
    after.find(name)?.definition.attributes.map((attribute, index) => [attribute.name, `/attributes/${index}`]),
  );
  const own = new Set(before.find(name)?.definition.attributes.map((attribute) => attribute.name));
  const pointerTo = (attribute: string, member: string) =>
    pointers.has(attribute) ? `${pointers.get(attribute)}/${member}` : own.has(attribute) ? "/attributes" : "/base";

  for (const member of after.find(name)?.subtree ?? []) {
    const old = before.find(member);
    // A new class has no objects.
    if (old === undefined) continue;
    const next = after.find(member) as ModelClass;
    for (const attribute of old.attributes.values()) {
      const lost = lossOf(attribute, next.attributes.get(attribute.name), before, after);
      if (lost !== null)
        note(
          member,
          { pointer: pointerTo(attribute.name, lost), fault: `have a value of ${attribute.name}` },
          hasValue(attribute.name),
        );
    }
    for (const { name: attribute, type, mandatory } of next.attributes.values()) {
      if (mandatory !== true || old.attributes.get(attribute)?.mandatory === true) continue;
      note(
        member,
        { pointer: pointerTo(attribute, "mandatory"), fault: `have no value of ${attribute}` },
        { kind: "empty", path: { hops: [], leaf: attribute, type } },
      );
    }
  }
  return [...entries.values()].map(({ incompatible: change, filter, classes }) => ({
    ...change,
    query: { classes, filter },
  }));
}

/** The definition member that invalidates values of the attribute; `null` if none does. */
function lossOf(
  old: AttributeDefinition,
  next: AttributeDefinition | undefined,
  before: Model,
  after: Model,
): "name" | "type" | "target" | null {
  if (next === undefined) return "name";
  if (next.type !== old.type) return "type";
  if (next.target === old.target || old.target === undefined || next.target === undefined) return null;
  const wider = after.find(next.target)?.subtree ?? [];
  return before.find(old.target)?.subtree.every((each) => wider.includes(each)) === true ? null : "target";
}

/** Links to classes that leave the target subtree of the link. */
function ofTargets(before: Model, after: Model): IncompatibleChange[] {
  const incompatible: IncompatibleChange[] = [];
  for (const { definition, links } of after.all()) {
    for (const link of links) {
      const target = targetClass(link) ?? "";
      const left = after.find(target)?.subtree ?? [];
      const lost = before.find(target)?.subtree.filter((each) => !left.includes(each)) ?? [];
      if (lost.length === 0 || before.find(definition.name)?.attributes.has(link.name) !== true) continue;
      const classes = [definition.name];
      const fault = `of ${definition.name} reference or may reference such objects in ${link.name}`;
      const filter: Filter = isSingleLink(link.type)
        ? {
            kind: "oneOf",
            path: { hops: [{ reference: link.name, classes: lost }], leaf: "~ClassName", type: "class" },
            values: lost,
          }
        : {
            kind: "all",
            filters: [
              hasValue(link.name),
              { kind: "not", filter: { kind: "oneOf", path: raw(link.name), values: [[]] } },
            ],
          };
      incompatible.push({ pointer: "/base", fault, query: { classes, filter }, condition: { classes: lost } });
    }
  }
  return incompatible;
}

/** The stored value, whether or not its target exists. */
function raw(attribute: string) {
  return { hops: [], leaf: attribute, type: "json" } as const;
}

function hasValue(attribute: string): Filter {
  return { kind: "not", filter: { kind: "empty", path: raw(attribute) } };
}

/** 307 if stored objects prevent the change, with their number. */
export async function acceptIncompatibleChanges(
  incompatible: readonly IncompatibleChange[],
  objects: Pick<ObjectRepository, "count">,
): Promise<void> {
  for (const { pointer, query, fault, condition } of incompatible) {
    if (condition !== undefined && (await objects.count(condition, seesAll, 1)) === 0) continue;
    const count = await objects.count(query, seesAll);
    if (count > 0) throw new DefinitionFault(pointer, `${count} objects ${fault}.`);
  }
}
