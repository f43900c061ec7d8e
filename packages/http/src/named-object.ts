import { objectReference } from "@sallyport/storage";

/** The object or class that a request is about, as far as it is known. For the log. */
export interface NamedObject {
  readonly className?: string | undefined;
  /** The object id, or the UUID that the path contains. */
  readonly objectId?: string | undefined;
}

const objectParameters = ["idOrClass", "idOrUuid", "className", "uuid", "id"];

interface Path {
  readonly pattern: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The class or object in a path of objects. Its other segments, such as names of macros, are not references. */
export function objectOfPath({ pattern, parameters }: Path): NamedObject {
  if (!pattern.startsWith("/v1/")) return {};
  for (const name of objectParameters) {
    const text = parameters.get(name);
    if (text === undefined) continue;
    const reference = objectReference(text);
    if (reference === null) return {};
    if (reference.kind === "class") return { className: reference.className };
    return { objectId: reference.kind === "id" ? reference.id : reference.uuid };
  }
  return {};
}

/** The object in the answer of a route: it was read or written. */
export function objectOfAnswer(data: unknown): NamedObject {
  if (typeof data !== "object" || data === null) return {};
  const { "~ClassName": className, "~ObjectID": objectId } = data as Readonly<Record<string, unknown>>;
  return {
    ...(typeof className === "string" ? { className } : {}),
    ...(typeof objectId === "string" ? { objectId } : {}),
  };
}
