import {
  canonicalJson,
  type Digests,
  type JsonValue,
  type RecordKind,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import { inTransaction } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";

/** Serializes the replacements of one resource. The records expire, and their values mean nothing. */
const replacements: RecordKind<true> = "replacement";

const lifetime = 60_000;

/**
 * The version of a resource for `If-Match`: a number from 1 to 2^32 that depends on the contents alone. Resources of
 * several tables, such as a user with account and object, have no counter of their own.
 */
export function contentVersion(content: unknown, digests: Digests): number {
  return Number.parseInt(digests.sha256(canonicalJson(content as JsonValue)).slice(0, 8), 16) + 1;
}

/** A resource as shown, with its version. */
export interface Versioned<Content> {
  readonly content: Content;
  readonly version: number;
}

export interface Replacement<Context, Content> {
  /** Names the resource: kind and id. */
  readonly resource: string;
  /** The versions that the caller knows. */
  readonly expectedVersions: readonly number[];
  /** Reads the resource as it is shown. */
  readonly read: (r: Repositories) => Promise<Content>;
  /** Runs inside the transaction of the replacement. */
  readonly write: (context: Context, current: Content) => Promise<unknown>;
}

/**
 * Replaces a resource if it still has an expected version; else 713. Of concurrent callers with the same version, one
 * succeeds. Returns the new content.
 */
export function replaceIfMatch<Context extends AdministratorContext, Content>(
  context: Context,
  { resource, expectedVersions, read, write }: Replacement<Context, Content>,
): Promise<Versioned<Content>> {
  const { digests } = context.database;
  return inTransaction(context, async (inside) => {
    await serialize(inside.r, digests.sha256(resource));
    const current = await read(inside.r);
    if (!expectedVersions.includes(contentVersion(current, digests)))
      throw new ServiceError(713, { detail: "Another request changed the resource." });
    await write(inside, current);
    const content = await read(inside.r);
    return { content, version: contentVersion(content, digests) };
  });
}

/** Makes transactions with the same key wait for one another. */
export async function serialize({ records }: Pick<Repositories, "records">, key: string): Promise<void> {
  await records.put(replacements, key, true, { lifetime });
}
