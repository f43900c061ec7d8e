import {
  faultAt,
  jsonPointer,
  type JsonValue,
  objectReference,
  ServiceError,
  type SingleReference,
} from "@sallyport/storage";
import type { ListedObjects, ListObjectsInput, Serialization } from "../objects/index.ts";

/** Arguments of a host call. Untrusted: any macro can forge them. */
export interface HostArguments<Name extends string> {
  readonly values: Readonly<Partial<Record<Name, JsonValue>>>;
  /** 307 at a member. */
  fault(name: Name, reason: string): ServiceError;
  text(name: Name): string;
  flag(name: Name): boolean;
}

/** Parses an argument object. 307 if it is not an object or has an unknown member. */
export function argumentsOf<Name extends string>(
  call: string,
  argument: JsonValue | undefined,
  ...names: readonly Name[]
): HostArguments<Name> {
  const fault = (path: readonly string[], reason: string) => faultAt(jsonPointer([call, ...path]), reason);
  if (typeof argument !== "object" || argument === null || Array.isArray(argument))
    throw fault([], "An object is expected.");
  const expected: ReadonlySet<string> = new Set(names);
  const values = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(argument)) {
    if (!expected.has(name)) throw fault([name], "Unknown argument.");
    values.set(name, value as JsonValue);
  }
  return {
    values: Object.fromEntries(values) as Partial<Record<Name, JsonValue>>,
    fault: (name, reason) => fault([name], reason),
    text: (name) => {
      const value = values.get(name);
      if (typeof value !== "string") throw fault([name], "A string is expected.");
      return value;
    },
    flag: (name) => {
      const value = values.get(name) ?? false;
      if (typeof value !== "boolean") throw fault([name], "true or false is expected.");
      return value;
    },
  };
}

/** The object named by the argument `id`, an id or a UUID. 304 for an invalid text. */
export function namedObject(args: HostArguments<"id">): SingleReference {
  const reference = objectReference(args.text("id"));
  if (reference === null || reference.kind === "class") throw new ServiceError(304);
  return reference;
}

export type ListForm = Omit<ListObjectsInput, "className">;

/** Port: parses arguments of modules and formats lists by the rules of client requests. */
export interface RequestForms {
  /** 307 beyond the limits of a request body: depth, width and names. */
  checkJson(value: JsonValue): void;
  /** 307 for an invalid serialization. */
  serialization(value: JsonValue | undefined): Serialization | undefined;
  /** The parameters of a list; 307 if invalid. */
  list(form: Readonly<Record<string, JsonValue | undefined>>): ListForm;
  listed(objects: ListedObjects): JsonValue;
}
