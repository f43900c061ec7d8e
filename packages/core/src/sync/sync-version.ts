import { type Digests, ServiceError } from "@sallyport/storage";

/** The position of a client: it has the changes up to a stamp, in one generation. */
export interface SyncVersion {
  /** 32 digits: eight for each of `generationParts`. */
  readonly generation: string;
  readonly stamp: number;
}

/** The version of a client that has never synchronized. */
export const neverSynchronized = "0";

/**
 * The parts of a generation. If one changes, clients start over. `caller` is the user with groups and rights, and the
 * classes and fields that this shows.
 */
export const generationParts = ["database", "schema", "caller", "query"] as const;

export type GenerationPart = (typeof generationParts)[number];

const partDigits = 8;
const generationDigits = partDigits * generationParts.length;
const stampDigits = 16;

/** The digits of a generation, from what each part depends on. */
export function generationOf(
  parts: Readonly<Record<GenerationPart, unknown>>,
  digests: Pick<Digests, "sha256">,
): string {
  return generationParts.map((part) => digitsOf(parts[part], digests)).join("");
}

/** The same generation with another query. */
export function queriedGeneration(generation: string, query: unknown, digests: Pick<Digests, "sha256">): string {
  return `${generation.slice(0, -partDigits)}${digitsOf(query, digests)}`;
}

function digitsOf(part: unknown, digests: Pick<Digests, "sha256">): string {
  const digest = digests.sha256(JSON.stringify(part));
  const smallest = 10n ** BigInt(partDigits - 1);
  return String(smallest + (BigInt(`0x${digest.slice(0, 32)}`) % (9n * smallest)));
}

/** The parts in which two generations differ. */
export function movedParts(one: string, other: string): GenerationPart[] {
  return generationParts.filter((part) => partOf(one, part) !== partOf(other, part));
}

/** The digits of one part. */
export function partOf(generation: string, part: GenerationPart): string {
  const from = generationParts.indexOf(part) * partDigits;
  return generation.slice(from, from + partDigits);
}

/** A version as text. It rises with the stamp. */
export function syncVersionText({ generation, stamp }: SyncVersion): string {
  return `${generation}${String(stamp).padStart(stampDigits, "0")}`;
}

/**
 * Reads a version; `null` for `"0"`. 338 if it is absent, 330 if it is not an integer as text. 330 with a restart for an
 * integer that no database gave.
 */
export function parseSyncVersion(value: unknown): SyncVersion | null {
  if (value === undefined) throw new ServiceError(338);
  if (typeof value !== "string" || !/^(?:0|[1-9]\d{0,63})$/.test(value))
    throw new ServiceError(330, { detail: "`syncVersion` must be an integer as text." });
  if (value === neverSynchronized) return null;
  const stamp = Number(value.slice(generationDigits));
  if (value.length !== generationDigits + stampDigits || !Number.isSafeInteger(stamp))
    throw restart("`syncVersion` is of another database.");
  return { generation: value.slice(0, generationDigits), stamp };
}

/** 330: the client must start over at version 0. */
export function restart(detail: string): ServiceError {
  return new ServiceError(330, { detail, restartsSync: true });
}
