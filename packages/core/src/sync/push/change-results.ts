import {
  canonicalJson,
  type ErrorCode,
  type JsonValue,
  type ObjectId,
  type RecordKind,
  refusedAs,
  ServiceError,
} from "@sallyport/storage";
import { namedObjects } from "../../objects/index.ts";
import { type StoredResult, storedError, storedResult } from "../../repetition/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { SchemaView } from "../schema-view.ts";
import { syncFailure } from "../sync-failure.ts";
import type { SyncConflict, SyncDeleteOutcome, SyncPutOutcome, DeviceChange } from "./device-change.ts";

/** A change of a push. */
export interface PushedChange {
  /** Chosen by the client, unique for the user and the device. */
  readonly id: string;
  readonly uuid: string;
  /** The change, or what is wrong with it. */
  readonly change: DeviceChange | ServiceError;
}

/** The final result of a change. */
export interface ChangeResult {
  readonly uuid: string;
  /** `null` for a success. */
  readonly error: ServiceError | null;
  /** Of a success, and of a refused conflict. */
  readonly outcome: SyncPutOutcome | SyncDeleteOutcome | null;
}

/** Results of changes, by the digest of user, device and change id. */
export const changeResultKind: RecordKind<StoredResult> = "syncOperation";

/** A deletion by a client, by the UUID of the object. */
export interface SyncDeletion {
  readonly schema: string;
  readonly userId: ObjectId;
  readonly deviceId: string | null;
  /** Version of the tombstone. */
  readonly version: number;
}

export const syncDeletionKind: RecordKind<SyncDeletion> = "syncDeletion";

const codes = new WeakMap<object, ErrorCode>();

/** Notes the code of a failure of this call. A transaction needs the original error. */
export async function failingAs<T>(code: ErrorCode, call: Promise<T>): Promise<T> {
  try {
    return await refusedAs(code, call);
  } catch (error) {
    if (typeof error === "object" && error !== null) codes.set(error, code);
    throw error;
  }
}

/** The error of a transaction, under the code that was noted. */
export function noted(error: unknown): unknown {
  const code = typeof error === "object" && error !== null ? codes.get(error) : undefined;
  return code === undefined ? error : syncFailure(code, error);
}

/** Another request has applied the same change at the same time. */
export class RepeatedChangeError extends Error {}

type Caller = Pick<SessionContext, "r" | "session" | "database" | "principal">;

/** The results of the changes of one user on one device. */
export class ChangeResults {
  private readonly ids = new Map<PushedChange, string>();
  private readonly owner: string;

  constructor(
    private readonly caller: Caller,
    private readonly view: Pick<SchemaView, "model" | "visibility">,
  ) {
    const { principal, session } = caller;
    this.owner = caller.database.digests.sha256(JSON.stringify([principal.userId, session.deviceId]));
  }

  /**
   * The stored results, by change. 332 if another change had the id. Conflicts lack the server's values that the
   * caller cannot read any more.
   */
  async find(changes: readonly PushedChange[]): Promise<Map<PushedChange, ChangeResult>> {
    const stored = await this.caller.r.records.get(
      changeResultKind,
      changes.map((each) => this.idOf(each)),
    );
    const byId = new Map(stored.map(({ id, value }) => [id, value]));
    const results = new Map<PushedChange, ChangeResult>();
    for (const each of changes) {
      const value = byId.get(this.idOf(each));
      if (value !== undefined) results.set(each, this.resultOf(each, value));
    }
    return this.readable(results);
  }

  private async readable(results: Map<PushedChange, ChangeResult>): Promise<Map<PushedChange, ChangeResult>> {
    const conflicting = [...results].flatMap(([change, result]) => {
      const { outcome } = result;
      return outcome === null || !("conflicts" in outcome) || outcome.conflicts.length === 0
        ? []
        : [{ change, result, outcome }];
    });
    if (conflicting.length === 0) return results;
    const theirs = conflicting.flatMap(({ outcome }) => outcome.conflicts.map((conflict) => conflict.theirs ?? null));
    const keys = {
      ids: conflicting.map(({ outcome }) => outcome.objectId),
      uuids: [...new Set(theirs.flatMap((value) => [value].flat()).flatMap((value) => linkedUuid(value) ?? []))],
    };
    const { model, visibility } = this.view;
    const visible = await namedObjects(keys, { model, objects: this.caller.r.objects, visibility });
    const [ids, uuids] = [new Set(visible.map(({ id }) => id)), new Set(visible.map(({ uuid }) => uuid))];
    const isShown = (value: JsonValue): boolean => {
      const uuid = linkedUuid(value);
      return uuid === null || uuids.has(uuid);
    };
    for (const { change, result, outcome } of conflicting) {
      const conflicts = outcome.conflicts.map(({ theirs: value = null, ...conflict }): SyncConflict => {
        if (!ids.has(outcome.objectId)) return conflict;
        if (Array.isArray(value)) return { ...conflict, theirs: value.filter(isShown) };
        return { ...conflict, theirs: isShown(value) ? value : null };
      });
      results.set(change, { ...result, outcome: { ...outcome, conflicts } });
    }
    return results;
  }

  /**
   * Stores a result in the transaction of its change. `RepeatedChangeError` if it has one already. A failure of
   * storage is 719 for a deletion, else 714; see `failingAs`.
   */
  async store({ records }: Caller["r"], change: PushedChange, result: ChangeResult): Promise<void> {
    const { error, outcome } = result;
    const value = storedResult(this.contentsOf(change), error, outcome as unknown as JsonValue);
    const options = { owner: this.owner, ifVersion: "none" } as const;
    const isDeletion = !(change.change instanceof ServiceError) && change.change.op === "delete";
    const putting = records.put(changeResultKind, this.idOf(change), value, options);
    if ((await failingAs(isDeletion ? 719 : 714, putting)) !== "stored")
      throw new RepeatedChangeError("The change was applied at the same time.");
  }

  private resultOf(change: PushedChange, stored: StoredResult): ChangeResult {
    const { uuid } = change;
    if (stored.contents !== this.contentsOf(change)) {
      const error = new ServiceError(332, { detail: "The id was used for another change." });
      return { uuid, error, outcome: null };
    }
    return { uuid, error: storedError(stored), outcome: stored.outcome as unknown as ChangeResult["outcome"] };
  }

  private idOf(change: PushedChange): string {
    const cached = this.ids.get(change);
    if (cached !== undefined) return cached;
    const id = this.caller.database.digests.sha256(`${this.owner} ${change.id}`);
    this.ids.set(change, id);
    return id;
  }

  private contentsOf({ change }: PushedChange): string {
    const contents = change instanceof ServiceError ? change.code : { ...change };
    return this.caller.database.digests.sha256(canonicalJson(contents as unknown as JsonValue));
  }
}

/** The UUID of a link in the form of an answer; `null` for any other value. */
function linkedUuid(value: JsonValue): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { "~UUID": uuid, ...others } = value as Readonly<Record<string, JsonValue>>;
  return typeof uuid === "string" && Object.keys(others).length === 0 ? uuid : null;
}

/** Whether a repetition would be refused as well, so that the refusal is final. */
export function isFinal({ status, code }: ServiceError): boolean {
  return status < 500 && code !== 699 && code !== 800;
}
