import {
  type AttributeIndex,
  type AttributeType,
  isClassName,
  type ObjectQuery,
  type Repositories,
  type Storage,
  type ValuePath,
} from "@sallyport/storage";
import type { Check } from "../../check.ts";
import type { Subject } from "../../subject.ts";

/** Types of attributes that have value indexes. */
const types: ReadonlySet<string> = new Set(["string", "number", "boolean", "date", "reference", "file"]);

/** The calls that take a query. */
const queries: ReadonlySet<string> = new Set(["find", "count", "match"]);

/** The checks again, with a value index on each attribute that a query names: it changes no result. */
export function withValueIndexes(checks: readonly Check[]): readonly Check[] {
  return checks.map((check) => ({
    ...check,
    name: `${check.name}, with value indexes`,
    run: (subject) => check.run({ ...subject, r: indexing(subject) }),
  }));
}

/** Repositories that build the indexes of a query before they run it. */
function indexing({ storage, r }: Pick<Subject, "storage" | "r">): Repositories {
  const declared = new Map<string, AttributeIndex>();
  const objects = replaced(r.objects, (name, call) =>
    queries.has(name)
      ? async (query: ObjectQuery, ...more: readonly unknown[]) => {
          await build(storage, declared, query);
          return call(hinted(query), ...more);
        }
      : undefined,
  );
  return replaced(r, (name) => (name === "objects" ? objects : undefined));
}

type Call = (...args: readonly unknown[]) => unknown;

/** An object with some of its members replaced. */
function replaced<T extends object>(original: T, replacement: (name: string, call: Call) => unknown): T {
  return new Proxy(original, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      const call = typeof member === "function" ? (member.bind(target) as Call) : undefined;
      return replacement(String(name), call as Call) ?? call ?? member;
    },
  });
}

async function build(storage: Storage, declared: Map<string, AttributeIndex>, query: ObjectQuery): Promise<void> {
  const before = declared.size;
  for (const { leaf, type } of ownPaths(query))
    for (const className of query.classes.filter(isClassName))
      declared.set(JSON.stringify([className, leaf, type]), {
        className,
        attribute: leaf,
        type: type as AttributeType,
      });
  if (declared.size > before) await storage.alignIndexes([...declared.values()]);
}

/** The paths of a query to indexable attributes of the objects themselves. */
function ownPaths(value: unknown): readonly ValuePath[] {
  if (typeof value !== "object" || value === null) return [];
  if (!("leaf" in value)) return Object.values(value).flatMap(ownPaths);
  const path = value as ValuePath;
  return path.hops.length === 0 && !path.leaf.startsWith("~") && types.has(path.type) ? [path] : [];
}

/** The query with the hint that its own paths are indexed. */
function hinted<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(hinted) as T;
  if ("leaf" in value) return ownPaths(value).length > 0 ? { ...value, indexed: true } : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hinted(member as unknown)])) as T;
}
