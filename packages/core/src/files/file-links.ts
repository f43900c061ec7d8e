import { AcceptedTokenKeys, admitGrant, type Grant, sessionGrant, userGrant } from "../access/index.ts";
import { explained, type ObjectId, ServiceError, type SingleReference } from "@sallyport/storage";
import { type KeyRings, type KeyWrapping, openJson, sealJson, type ServerKeyPair } from "../keys/index.ts";
import type { Database, UnadmittedContext, Uses, SessionContext } from "../request/index.ts";
import { type OpenedFile, openFile } from "./open-file.ts";

/** Services of links to files. */
export interface LinkServices {
  readonly fileLinks: FileLinks;
}

/** The content of a link. */
interface LinkedFile {
  readonly object: ObjectId;
  /** Entity tag of the bytes. */
  readonly etag: string;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly expiresAt: number;
  readonly grant: Grant;
}

export interface FileLinkParts {
  readonly keyRings: KeyRings;
  /** Key wrapping under a key that only the holder of the pair can derive. */
  readonly wrappingBy: (pair: ServerKeyPair) => KeyWrapping;
  /** The process's clock, in milliseconds. Used for durations only. */
  readonly now: () => number;
}

/**
 * The signatures of links: the id of a token key, and what the link stands for, sealed under that key and bound to the alias.
 * A rotation of the token key ends links when it ends the tokens.
 */
export class FileLinks {
  private readonly keys: AcceptedTokenKeys;

  constructor(private readonly parts: FileLinkParts) {
    this.keys = new AcceptedTokenKeys(parts.keyRings, parts.now);
  }

  async sign(database: Database, linked: LinkedFile): Promise<string> {
    const pair = await this.parts.keyRings.current("jwt", database);
    return `${pair.keyId}.${sealJson(this.parts.wrappingBy(pair), linked, purposeOf(database))}`;
  }

  /** The content of a signature of this database; `null` for any other text. */
  async read(database: Database, text: string): Promise<LinkedFile | null> {
    const [, keyId = "", sealed = ""] = signature.exec(text) ?? [];
    if (sealed === "" || !this.parts.keyRings.usable) return null;
    const pair = (await this.keys.including(keyId, database)).get(keyId);
    const opened = pair && openJson(this.parts.wrappingBy(pair), sealed, purposeOf(database));
    return opened === undefined ? null : (opened as unknown as LinkedFile);
  }
}

const signature = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,8000})$/;

function purposeOf({ alias }: Database) {
  return `file link|${alias}` as const;
}

export interface CreatedLink {
  readonly signature: string;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly expiresAt: number;
}

/**
 * Creates a link to the present bytes of a file, for everyone who has it. Throws as `OpenFile`, and 307 in a secure
 * session that may not create links. `lifetime` is in milliseconds. With `endsWithSession`, and in a session of a console, the link
 * ends with the session.
 */
export async function createFileLink(
  context: SessionContext & Uses<LinkServices>,
  reference: SingleReference,
  { lifetime, endsWithSession }: { readonly lifetime: number; readonly endsWithSession: boolean },
): Promise<CreatedLink> {
  const { database, session, unit } = context;
  if (session.mode === "secure" && !database.policy.files.linksOfSecureSessions)
    throw new ServiceError(307, { detail: "A secure session cannot create links: their bytes are not encrypted." });
  const { id, etag } = await openFile(context, reference);
  const expiresAt = (await database.clock.now(unit)) + lifetime;
  // Nothing outlives the log-in on which a session rests.
  const grant = endsWithSession || (context.basis ?? null) !== null ? sessionGrant(context) : await userGrant(context);
  return {
    signature: await context.services.fileLinks.sign(database, { object: id, etag, expiresAt, grant }),
    expiresAt,
  };
}

/**
 * Opens the file of a link, under the present rights of its creator. Every refusal is 304: a signature that is forged, over or
 * of another database, other bytes, a grant that has ended.
 */
export async function openFileLink(
  context: UnadmittedContext & Uses<LinkServices>,
  signed: string,
): Promise<OpenedFile> {
  const { database, unit } = context;
  const linked = await context.services.fileLinks.read(database, signed);
  if (linked === null) throw refusal("No: the signature is not of this database, or its key is no longer accepted.");
  if (linked.expiresAt <= (await database.clock.now(unit))) throw refusal("No: it has expired.");
  const granted = await admitGrant(context, linked.grant);
  if (granted === null) throw refusal("No: the session of its creator has ended, or the creator can no longer log in.");
  try {
    const file = await openFile(granted, { kind: "id", id: linked.object });
    if (file.etag === linked.etag) return { ...file, isReadable: (now) => mayStillRead(now, linked.grant, file) };
  } catch (error) {
    if (!(error instanceof ServiceError && isAbsence(error))) throw error;
  }
  throw refusal("No: the file was replaced or deleted, or its creator can no longer read it.");
}

async function mayStillRead(now: UnadmittedContext, grant: Grant, file: OpenedFile): Promise<boolean> {
  const granted = await admitGrant(now, grant);
  return granted !== null && file.isReadable(granted);
}

function isAbsence({ code }: ServiceError): boolean {
  return code === 304 || code === 609;
}

function refusal(found: string): ServiceError {
  return explained(new ServiceError(304), { asked: "Is the link valid?", found });
}
