import { createHash } from "node:crypto";
import {
  type ArchiveSection,
  archiveSections,
  isObjectId,
  isUuid,
  type JsonValue,
  providerTypes,
} from "@sallyport/storage";
import { type EarlierRecord, earlierSections } from "@sallyport/core";
import * as z from "zod";

/** An archive is invalid or damaged. The message names the line. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";

  constructor(line: number, what: string, options?: ErrorOptions) {
    super(`Line ${line.toLocaleString("en")}: ${what}`, options);
  }
}

/** A section of any format. */
export type Section = ArchiveSection | EarlierRecord["section"] | "files";

/** The sections before readers of before and swept objects were kept. */
const precedingSections = archiveSections.filter((each) => each !== "formerReaders" && each !== "sweptObjects");

/**
 * The sections of each format. Those of the first one are read as records. Additional sections have a format of their
 * own, so that versions without them refuse the archive.
 */
const formats: ReadonlyMap<unknown, readonly Section[]> = new Map<unknown, readonly Section[]>([
  [1, earlierSections],
  [2, precedingSections],
  [3, [...precedingSections, "files"]],
  [4, archiveSections],
  [5, [...archiveSections, "files"]],
]);

const header = z.strictObject({
  sallyport: z.literal("archive"),
  format: z.number(),
  /** Version of the product that wrote the archive. */
  version: z.string(),
  /** Name of the exported database. */
  database: z.string(),
  writtenAt: z.string(),
  /** Optional parts that were left out. */
  without: z.array(z.enum(["credentials", "keys"])),
});

/** The first line: the origin of an archive. Only this line differs between archives of the same content. */
export interface ArchiveHeader extends Omit<z.infer<typeof header>, "sallyport" | "format"> {
  /** Whether the archive contains the bytes of files. */
  readonly files: boolean;
}

export function headerLine({ files, ...fields }: ArchiveHeader): string {
  return `${JSON.stringify({ sallyport: "archive", format: files ? 5 : 4, ...fields })}\n`;
}

/** A header and the sections of its format, in order. */
interface ReadHeader {
  readonly header: ArchiveHeader;
  readonly sections: readonly Section[];
}

/** Parses the header line. Returns a text with the reason if it is invalid or unsupported. */
export function readHeader(line: string): ReadHeader | string {
  const value = jsonOf(line) as { readonly sallyport?: unknown; readonly format?: unknown } | null | undefined;
  if (value?.sallyport !== "archive") return "this is not a Sallyport archive.";
  const sections = formats.get(value.format);
  if (sections === undefined)
    return `the archive has the format ${JSON.stringify(value.format)}. This version reads 1 to 5.`;
  const { data } = header.safeParse(value);
  if (data === undefined) return "the header is damaged.";
  const { sallyport: _sallyport, format: _format, ...fields } = data;
  return { header: { ...fields, files: sections.includes("files") }, sections };
}

/** Parses a line; `undefined` if it is invalid JSON. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

const count = z.int().nonnegative();
const objectId = z.string().refine(isObjectId);
const uuid = z.string().refine((text) => isUuid(text) && text === text.toLowerCase());
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const attributes = z.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
const names = z.array(z.string());

const object = {
  id: objectId,
  uuid,
  stamp: z.int().positive(),
  readers: z.array(objectId).nullable(),
  version: z.int().positive(),
  storedAt: z.int(),
  className: z.string(),
  attributes,
};

const tombstone = { ...object, deletedBy: objectId.nullable().default(null), attributes: attributes.nullable() };

const event = {
  at: z.int(),
  since: z.int(),
  attempts: count,
  type: z.string(),
  requestId: z.string(),
  outcome: count,
  appKeyId: z.string(),
  actorId: objectId.nullable(),
  subjectId: objectId.nullable(),
  address: z.string(),
  appNames: names,
  className: z.string().nullable(),
  macroName: z.string().nullable(),
  providerName: z.string().nullable(),
  // Absent in archives of earlier versions.
  changes: z.array(z.strictObject({ name: z.string(), before: z.json(), after: z.json() })).default([]),
};

/** Events of the first format have one user: the actor, or the target of a command. Commands have no request id. */
function withActor(record: unknown): unknown {
  if (typeof record !== "object" || record === null || !("userId" in record)) return record;
  const { userId, ...rest } = record as {
    userId: unknown;
    requestId?: unknown;
    className?: unknown;
    macroName?: unknown;
  };
  const aboutUser = (rest.className ?? rest.macroName ?? null) === null;
  return { ...rest, actorId: rest.requestId === "" ? null : userId, subjectId: aboutUser ? userId : null };
}

/** Schema of a line per section. The model validates class definitions, so only their outline is checked here. */
const recordSchemas: { readonly [Name in ArchiveSection]: z.ZodType<object> } = {
  settings: z.strictObject({
    maintenance: z.boolean(),
    modelGeneration: count,
    macroGeneration: count,
    objects: count,
    lastObject: count,
    lastAudit: count,
    // Absent in archives of earlier versions.
    sweptStamp: count.default(0),
  }),
  classes: z.strictObject({
    definition: z.looseObject({
      name: z.string(),
      base: z.string().nullable(),
      attributes: z.array(z.looseObject({ name: z.string(), type: z.string() })),
      rights: z.array(z.looseObject({ group: z.string(), permissions: names })),
    }),
  }),
  appKeys: z.strictObject({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    appNames: names.nullable(),
    origins: names,
    // Absent in archives of earlier versions.
    returnAddresses: names.default([]),
    digest,
  }),
  objects: z.strictObject(object),
  links: z.strictObject({ id: objectId, links: z.record(z.string(), z.array(objectId)) }),
  tombstones: z.strictObject({ ...tombstone, root: objectId }),
  formerReaders: z.strictObject({
    id: objectId,
    className: z.string(),
    entries: z.array(
      z.strictObject({ stamp: z.int().positive(), changedAt: z.int(), readers: z.array(objectId).nullable() }),
    ),
  }),
  sweptObjects: z.strictObject({ id: objectId, uuid }),
  accounts: z.strictObject({
    userId: objectId,
    loginName: z.string(),
    confusableKey: z.string(),
    secret: z.string(),
    secretVersion: z.int(),
    administrator: z.boolean(),
    disabled: z.boolean(),
    email: z.string().nullable(),
  }),
  customAccounts: z.strictObject({
    id: uuid,
    loginName: z.string(),
    userId: objectId,
    email: z.string().nullable(),
    secret: z.string(),
    secretVersion: z.int(),
    disabled: z.boolean(),
    confusableKey: z.string(),
  }),
  records: z.strictObject({
    kind: z.string(),
    id: z.string(),
    owner: z.string().nullable(),
    value: z.custom<JsonValue>((value) => value !== null && value !== undefined),
    createdAt: z.int(),
  }),
  audit: z.preprocess(withActor, z.strictObject({ ...event, sequence: z.int().positive() })),
  tallies: z.preprocess(withActor, z.strictObject({ ...event, key: z.string() })),
};

/** Schemas of the sections that exist only in the first format. */
const earlierSchemas: { readonly [Name in EarlierRecord["section"]]: z.ZodType<object> } = {
  macros: z.strictObject({
    name: z.string(),
    version: z.int().positive(),
    text: z.string().nullable(),
    language: z.enum(["js", "ts"]).nullable(),
    changedAt: z.int(),
    changedBy: z.string(),
  }),
  departures: z.strictObject({ ...tombstone, leader: objectId }),
  applications: z.strictObject({
    name: z.string(),
    seats: count.nullable(),
    secondFactor: z.enum(["off", "optional", "forced"]).default("off"),
  }),
  identityProviders: z.strictObject({
    type: z.enum(providerTypes),
    name: z.string(),
    sealedData: z.string(),
    defaultUserId: objectId.nullable(),
    appNames: names,
  }),
  identityLinks: z.strictObject({
    id: uuid,
    provider: z.enum(providerTypes),
    issuer: z.string(),
    subject: z.string(),
    userId: objectId,
    shared: z.boolean(),
    email: z.string().nullable(),
    displayName: z.string().nullable(),
    linkedAt: z.int(),
  }),
  secondFactors: z.strictObject({
    subject: z.string(),
    appName: z.string(),
    sealedSecret: z.string(),
    confirmed: z.boolean(),
    lastStep: z.int().min(-1),
    recoveryCodes: z.array(digest),
  }),
  passwordHistory: z.strictObject({ subject: z.string(), secrets: names }),
  keys: z.strictObject({
    kind: z.enum(["rsa", "jwt"]),
    keyId: z.string(),
    publicKey: z.string(),
    wrappedPrivateKey: z.string(),
    createdAt: z.int(),
    acceptedUntil: z.int().nullable(),
  }),
};

/** Schema of the first line of a file. Lines with its bytes follow. */
const file = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  owner: objectId,
  value: z.strictObject({
    size: z.int().positive(),
    sha256: digest,
    name: z.string(),
    mediaType: z.string().nullable(),
  }),
  createdAt: z.int(),
});

const schemas: Readonly<Record<string, z.ZodType<object>>> = { ...earlierSchemas, ...recordSchemas, files: file };

/** Schema of a line in a section of any format. */
export function schemaOf(section: Section): z.ZodType<object> {
  return schemas[section] as z.ZodType<object>;
}

/** The parsed line of an object, and its attributes as raw JSON. */
interface PartedObject {
  readonly value: object;
  readonly attributes: string;
}

const beforeAttributes = ', "attributes": ';

/**
 * Splits the line of an object where its attributes begin, which avoids serializing them again. Both parts must be
 * valid JSON. Returns `undefined` for any other layout, which a full parse may still accept.
 */
export function partObject(line: string): PartedObject | undefined {
  const place = line.indexOf(beforeAttributes);
  if (place < 0 || !line.endsWith("}")) return undefined;
  // A line with this ending is an object or invalid JSON.
  const value = jsonOf(`${line.slice(0, place)}}`) as { attributes?: unknown } | undefined;
  if (value === undefined || "attributes" in value) return undefined;
  const json = line.slice(place + beforeAttributes.length, -1);
  value.attributes = jsonOf(json);
  return value.attributes === undefined ? undefined : { value, attributes: json };
}

/** SHA-256 of all lines so far. It detects altered and moved lines. */
export class ArchiveChecksum {
  private readonly hash = createHash("sha256");

  add(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Check line of everything added so far. */
  line(): string {
    return `${JSON.stringify({ check: this.hash.copy().digest("hex") })}\n`;
  }
}

/** Check line of these lines alone. */
export function checkLineOf(lines: string): string {
  const checksum = new ArchiveChecksum();
  checksum.add(Buffer.from(lines));
  return checksum.line();
}
