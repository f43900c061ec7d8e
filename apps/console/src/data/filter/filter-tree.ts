import type { Filter } from "@sallyport/client";

/** How the members of a group combine. */
export type GroupMode = "all" | "any" | "none";

export const operators = [
  "$eq",
  "$ne",
  "$contains",
  "$like",
  "$gt",
  "$gte",
  "$lt",
  "$lte",
  "$in",
  "$nin",
  "$exists",
] as const;

export type Operator = (typeof operators)[number];

export interface Condition {
  readonly kind: "condition";
  readonly path: string;
  readonly operator: Operator;
  readonly operand: unknown;
}

export interface Group {
  readonly kind: "group";
  readonly mode: GroupMode;
  readonly members: readonly FilterNode[];
}

export type FilterNode = Condition | Group;

type JsonObject = Readonly<Record<string, unknown>>;

/** A text is no filter. The message says where. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name);

/** The groups and conditions of a filter. Throws a `FilterError` for what is none. */
export function parseFilter(filter: unknown): Group {
  const node = nodeOf(filter);
  return node.kind === "group" && node.mode === "all" ? node : { kind: "group", mode: "all", members: [node] };
}

function nodeOf(filter: unknown): FilterNode {
  if (!isObject(filter)) throw new FilterError(JSON.stringify(filter));
  const members = Object.entries(filter).flatMap(([name, value]) => membersOf(name, value));
  const [first] = members;
  return members.length === 1 && first !== undefined ? first : { kind: "group", mode: "all", members };
}

function membersOf(name: string, value: unknown): readonly FilterNode[] {
  if (name === "$and") return [{ kind: "group", mode: "all", members: listOf(value) }];
  if (name === "$or") return [{ kind: "group", mode: "any", members: listOf(value) }];
  if (name === "$not") {
    const negated = nodeOf(value);
    const isAny = negated.kind === "group" && negated.mode === "any";
    return [{ kind: "group", mode: "none", members: isAny ? negated.members : [negated] }];
  }
  if (name.startsWith("$")) throw new FilterError(name);
  const entries = isObject(value) ? Object.entries(value) : [];
  // An object without operators is a value of type json.
  if (entries.length === 0 || !entries.every(([key]) => key.startsWith("$")))
    return [{ kind: "condition", path: name, operator: "$eq", operand: value }];
  return entries.map(([operator, operand]) => {
    if (!isOperator(operator)) throw new FilterError(`${name}: ${operator}`);
    return { kind: "condition", path: name, operator, operand };
  });
}

function listOf(value: unknown): readonly FilterNode[] {
  if (!Array.isArray(value)) throw new FilterError(JSON.stringify(value));
  return value.map(nodeOf);
}

/** The filter of groups and conditions, as short as the query language allows. */
export function filterOf(node: FilterNode): Filter {
  if (node.kind === "condition") {
    const { path, operator, operand } = node;
    const isPlain = operator === "$eq" && !isObject(operand);
    return { [path]: isPlain ? operand : { [operator]: operand } } as Filter;
  }
  const filters = node.members.map(filterOf);
  const [first] = filters;
  if (node.mode === "any") return { $or: filters };
  if (node.mode === "none") return { $not: unwrapped({ $or: filters }) };
  if (filters.length === 1 && first !== undefined) return first;
  return merged(filters) ?? { $and: filters };
}

/** The filter in an alternative of one. */
function unwrapped(filter: Filter): Filter {
  const [only, ...others] = filter.$or ?? [];
  const isAlone = Object.keys(filter).length === 1 && others.length === 0;
  return isAlone && only !== undefined ? unwrapped(only) : filter;
}

/** One object for filters with different members. `null` where two filters have a member of the same name. */
function merged(filters: readonly Filter[]): Filter | null {
  const entries = filters.flatMap((filter) => Object.entries(filter));
  const names = new Set(entries.map(([name]) => name));
  if (names.size < entries.length) return null;
  return Object.fromEntries(entries) as Filter;
}

export const conditionsOf = (node: FilterNode): readonly Condition[] =>
  node.kind === "condition" ? [node] : node.members.flatMap(conditionsOf);

/** The same groups without some conditions, and without groups that become empty. */
export function withoutConditions(group: Group, isLeftOut: (condition: Condition) => boolean): Group {
  const members = group.members.flatMap((member): FilterNode[] => {
    if (member.kind === "condition") return isLeftOut(member) ? [] : [member];
    const rest = withoutConditions(member, isLeftOut);
    return rest.members.length === 0 && member.members.length > 0 ? [] : [rest];
  });
  return { ...group, members };
}

/** The same groups with other operands. */
export function withOperands(node: FilterNode, operandOf: (condition: Condition) => unknown): FilterNode {
  if (node.kind === "condition") return { ...node, operand: operandOf(node) };
  return { ...node, members: node.members.map((member) => withOperands(member, operandOf)) };
}
