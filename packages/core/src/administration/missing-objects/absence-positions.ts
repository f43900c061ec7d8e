import { type ChangePosition, type Repositories, ServiceError } from "@sallyport/storage";
import {
  type GenerationPart,
  movedParts,
  parseSyncVersion,
  type SchemaView,
  type SyncVersion,
} from "../../sync/index.ts";
import { type AbsenceCheck, cause, ok } from "./absence-check.ts";

export interface PositionInput {
  /** Of the object; `null` if no object is known. */
  readonly className: string | null;
  readonly uuid: string;
  /** The version of the device; `null` if it is unknown. */
  readonly syncVersion: string | null;
}

/** Maximum number of changes that are searched for one object. */
const maxSearched = 100_000;
const pageSize = 5_000;

const startsOver = "The next pull gets 330, and the device starts over.";
const synchronize = "Let the device synchronize.";

/** Texts about the parts of a generation that have changed. */
const moves: Readonly<Record<Exclude<GenerationPart, "query">, string>> = {
  database: "the database was restored, or is another one",
  schema: "the schema was changed",
  caller: "the groups or rights of the user, or the classes, were changed, or the device belongs to another user",
};

/** Whether the version of the device is usable, and where the object is in the order of changes. */
export async function positionFindings(
  r: Repositories,
  view: SchemaView,
  input: PositionInput,
): Promise<AbsenceCheck[]> {
  const { syncVersion } = input;
  if (syncVersion === null) {
    const fix = "Pass the version of the device to see whether it has received the object.";
    return [{ check: "version", level: "unknown", finding: "The version of the device is not given.", fix }];
  }
  const version = versionIn(syncVersion);
  if (version === "unreadable")
    return [cause("version", "The text is not a version of this server: the device gets 330.", synchronize)];
  if (version === null) {
    const finding = "The device has not synchronized, or starts over: it gets all objects with its next pull.";
    return [cause("version", finding, synchronize)];
  }
  const watermark = await r.objects.watermark();
  const { swept } = await r.objects.changes({ classes: [], after: after(version.stamp), upTo: watermark, limit: 1 });
  const moved = movedParts(version.generation, view.generation);
  const reasons = moved.flatMap((part) => (part === "query" ? [] : [moves[part]]));
  if (reasons.length > 0)
    return [cause("version", `Since the version, ${reasons.join("; and ")}. ${startsOver}`, synchronize)];
  if (version.stamp > watermark)
    return [cause("version", `The version is higher than the latest of the database. ${startsOver}`, synchronize)];
  if (version.stamp < swept) {
    const finding = `The device was away longer than the database keeps tombstones. ${startsOver}`;
    return [cause("version", finding, "Let devices synchronize more often, or set sync.tombstones to a longer time.")];
  }
  const versionCheck = ok("version", "The version of the device is up to date with schema, rights and tombstones.");
  const findings = moved.includes("query") ? [versionCheck, queryCheck] : [versionCheck];
  if (input.className === null || !view.classes.includes(input.className)) return findings;
  return [...findings, await orderCheck(r, { ...input, className: input.className }, version.stamp, watermark)];
}

const queryCheck: AbsenceCheck = {
  check: "query",
  level: "unknown",
  finding: "The device restricts its pulls by a query of its own, or did so when its version began.",
  fix: "Check whether the query of the application admits the object.",
};

function versionIn(text: string): SyncVersion | null | "unreadable" {
  try {
    return parseSyncVersion(text);
  } catch (error) {
    if (error instanceof ServiceError) return "unreadable";
    throw error;
  }
}

function after(stamp: number): ChangePosition {
  return { stamp, id: null };
}

/** Whether the latest change of the object is behind the version of the device, or even behind the watermark. */
async function orderCheck(
  { objects }: Repositories,
  { className, uuid }: PositionInput & { readonly className: string },
  stamp: number,
  watermark: number,
): Promise<AbsenceCheck> {
  const lowerCaseUuid = uuid.toLowerCase();
  let position = after(stamp);
  for (let count = 0; count < maxSearched; count += pageSize) {
    const { changes } = await objects.changes({
      classes: [className],
      after: position,
      upTo: Number.MAX_SAFE_INTEGER,
      limit: pageSize,
    });
    const index = changes.findIndex((change) => change.uuid === lowerCaseUuid && change.kind !== "superseded");
    if ((changes[index]?.stamp ?? 0) > watermark) {
      const finding = "The last change of the object waits for a transaction that began before it and is still open.";
      return cause("order", finding, "Pulls contain the change when that transaction has ended.");
    }
    if (index >= 0) {
      const finding = `The last change of the object is later than the version of the device. ${count + index} changes of its class come before it.`;
      return cause("order", `${finding} The next pull contains it.`, synchronize);
    }
    const last = changes.at(-1);
    if (last === undefined || changes.length < pageSize) {
      const finding = "The version of the device includes the last change of the object.";
      return { ...ok("order", finding), fix: "If the device lacks the object, let it start over at version 0." };
    }
    position = { stamp: last.stamp, id: last.id };
  }
  const finding = `More than ${maxSearched} changes of the class are later than the version of the device.`;
  return { check: "order", level: "unknown", finding, fix: synchronize };
}
