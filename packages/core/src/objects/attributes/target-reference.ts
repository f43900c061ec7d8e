import { isObjectId, isUuid, type JsonValue, type ObjectId } from "@sallyport/storage";

/** A link target of a request: an id or a UUID, or both. */
export interface TargetReference {
  readonly id: ObjectId | null;
  /** Lower case. */
  readonly uuid: string | null;
  readonly className: string | null;
}

/** Description of valid references, for error messages. */
export const targetReferenceForms = "An id, a UUID, or an object with ~ObjectID or ~UUID and no attributes";

const metaFields: ReadonlySet<string> = new Set(["~ObjectID", "~UUID", "~ClassName", "~StoreTime"]);

/** Parses a reference or a member of a collection; `null` if invalid. */
export function targetReference(value: JsonValue): TargetReference | null {
  if (typeof value === "string") {
    if (isObjectId(value)) return { id: value, uuid: null, className: null };
    return isUuid(value) ? { id: null, uuid: value.toLowerCase(), className: null } : null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return fromMetaFields(new Map(Object.entries(value)));
}

function fromMetaFields(members: ReadonlyMap<string, JsonValue>): TargetReference | null {
  const [id = null, uuid = null, className = null] = ["~ObjectID", "~UUID", "~ClassName"].map((name) =>
    members.get(name),
  );
  if ([...members.keys()].some((name) => !metaFields.has(name)) || (id === null && uuid === null)) return null;
  if (id !== null && (typeof id !== "string" || !isObjectId(id))) return null;
  if (uuid !== null && (typeof uuid !== "string" || !isUuid(uuid))) return null;
  if (className !== null && typeof className !== "string") return null;
  return { id, uuid: uuid?.toLowerCase() ?? null, className };
}
