import type { FailureCode } from "../errors.ts";
import type { Fields } from "./object-state.ts";

interface OfObject {
  readonly uuid: string;
  readonly className: string;
}

/** Both the device and the server have changed a field. */
export interface FieldConflict extends OfObject {
  readonly field: string;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The value of the object: `macro` and `custom` are values that the policy or `onConflict` have made. */
  readonly kept: "mine" | "theirs" | "macro" | "custom";
}

/** `fields` of the edit that the server had changed, too: those in conflict, and those with the same value on both sides. */
export interface MergedEdit extends OfObject {
  readonly fields: readonly string[];
}

/** The server refused an edit permanently. The device has dropped it. */
export interface RefusedEdit extends OfObject {
  readonly op: "put" | "delete";
  /** 334: the object is not in the schema or no longer visible; 610: it is deleted; 404: no write access. */
  readonly code: FailureCode;
  readonly message: string;
  /** The values that the server does not have. Of a deletion: those of earlier edits that it replaced. */
  readonly fields: Fields;
}

/** An acknowledged edit that a restore of the server's database has lost. */
export interface TakenBackEdit extends OfObject {
  readonly op: "put" | "delete";
  readonly fields: Fields;
  /** The values of the server. `null`: it has no such object. */
  readonly theirs: Fields | null;
  /** Whether the device pushes the edit again, unless `onConflict` decides otherwise. */
  readonly isQueued: boolean;
}

/** The fate of edits of this device. */
export interface Notices {
  readonly conflicts: readonly FieldConflict[];
  readonly merged: readonly MergedEdit[];
  readonly refused: readonly RefusedEdit[];
  readonly takenBack: readonly TakenBackEdit[];
}

/** The fate of edits that the store keeps until the application confirms it. */
export interface PendingNotices extends Notices {
  /** Forgets these notices. Until then, each report of the store contains them. */
  readonly confirm: () => Promise<void>;
}

export type Notice = {
  readonly [Kind in keyof Notices]: readonly [kind: Kind, notice: Notices[Kind][number]];
}[keyof Notices];

export function groupedNotices(notices: readonly Notice[]): Notices {
  const of = <Kind extends keyof Notices>(ofKind: Kind) =>
    notices.filter(([kind]) => kind === ofKind).map(([, notice]) => notice) as unknown as Notices[Kind];
  return { conflicts: of("conflicts"), merged: of("merged"), refused: of("refused"), takenBack: of("takenBack") };
}
