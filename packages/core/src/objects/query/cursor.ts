import {
  faultAt,
  isObjectId,
  type Position,
  type RandomSource,
  type RecordKind,
  type Scalar,
  ServiceError,
  type SortKey,
} from "@sallyport/storage";
import { type KeyWrapping, openJson, type SealedPurpose, sealJson } from "../../keys/index.ts";
import type { Database, RequestContext } from "../../request/index.ts";
import { operandOf } from "./parsing/operand.ts";

/** Continuation of a list after a position in the order of one query. Clients send it back. */
export interface Cursor {
  /** Identifies the query. */
  readonly query: string;
  readonly position: Position;
}

/** Maximum total length of texts in a position: cursors must fit into a URL. */
const maxText = 1_000;

/** The cursor after a position; `null` if its texts are too long. */
export function cursorBehind(position: Position, query: string): Cursor | null {
  const length = position.values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );
  return length > maxText ? null : { query, position };
}

/** The position in a cursor. 307 for a cursor of another query, or a forged one. */
export function positionOf(cursor: Cursor, query: string, sort: readonly SortKey[]): Position {
  const { values, id } = cursor.position;
  if (cursor.query !== query) throw faultAt("/cursor", "The cursor belongs to another query.");
  if (values.length !== sort.length || !isObjectId(id))
    throw faultAt("/cursor", "The cursor is not valid for this query.");
  return { values: sort.map(({ path: { type } }, index) => valueOf(type, values[index] ?? null)), id };
}

function valueOf(type: SortKey["path"]["type"], value: Scalar | null): Scalar | null {
  if (value === null) return null;
  if (type === "time" || type === "collection") {
    if (type === "time" && Number.isSafeInteger(value)) return value;
    throw faultAt("/cursor", "The cursor is not valid for this query.");
  }
  return operandOf(type, value, ["cursor"]) as Scalar;
}

export interface CursorSealingParts {
  /** `null` without a master key. */
  readonly wrapping: KeyWrapping | null;
  /** The key wrapping under a secret from the random source. */
  readonly wrappingBy: (secret: string) => KeyWrapping;
  readonly random: RandomSource;
}

type CursorContext = Pick<RequestContext, "r" | "database" | "unit">;

/** The cursor key of a database, used without a master key. */
const cursorKeys: RecordKind<string> = "cursorKey";

/** Longer than any database is in use. Records with a lifetime are not archived, and a plain secret must not be. */
const lifetime = 100 * 365 * 86_400_000;

/**
 * Encrypts cursors: they contain attribute values that a hook may have removed from the answer. Without a master key,
 * the key is stored in the database, so cursors are valid on every server.
 */
export class CursorSealing {
  private readonly own = new WeakMap<Database, KeyWrapping>();

  constructor(private readonly parts: CursorSealingParts) {}

  async seal(context: CursorContext, { query, position: { values, id } }: Cursor): Promise<string> {
    return sealJson(await this.wrapping(context), [query, id, ...values], purposeOf(context));
  }

  /** 307 for a text that is not a cursor of this database. */
  async open(context: CursorContext, text: string): Promise<Cursor> {
    const opened = openJson(await this.wrapping(context), text, purposeOf(context));
    if (opened === undefined) throw faultAt("/cursor", "The cursor is invalid.");
    const [query, id, ...values] = opened as [string, string, ...Cursor["position"]["values"]];
    return { query, position: { values, id } };
  }

  private async wrapping(context: CursorContext): Promise<KeyWrapping> {
    if (this.parts.wrapping !== null) return this.parts.wrapping;
    const cached = this.own.get(context.database.whole);
    if (cached !== undefined) return cached;
    const wrapping = this.parts.wrappingBy(await this.storedSecret(context));
    // A key from an open transaction may be rolled back.
    if (!context.unit.joined) this.own.set(context.database.whole, wrapping);
    return wrapping;
  }

  private async storedSecret({ r: { records } }: CursorContext): Promise<string> {
    const stored = async () => (await records.get(cursorKeys, ["cursors"]))[0]?.value;
    const existing = await stored();
    if (existing !== undefined) return existing;
    const own = this.parts.random.secret();
    // Another server can have stored its key first.
    const key =
      (await records.put(cursorKeys, "cursors", own, { lifetime, ifVersion: "none" })) === "stored"
        ? own
        : await stored();
    if (key === undefined) throw new ServiceError(799, { detail: "The cursor key is missing." });
    return key;
  }
}

function purposeOf({ database }: CursorContext): SealedPurpose {
  return `cursor|${database.alias}`;
}
