import type { SyncObjectData, PushedChangeData } from "@sallyport/contract";
import type { Exchange, JsonObject } from "../network.ts";
import { plainName, references } from "../scene.ts";
import type { AccessModel } from "./access-model.ts";
import { canonical, type History } from "./history.ts";

/** A rule that a server or a device has broken. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
}

/**
 * `leak`: a device received what its user could not read. `lost write`: a confirmed write has no effect. `lost edit`: an
 * value that a user typed was neither confirmed nor given back to the application. `repetition`: a change was
 * executed twice, its final result changed, or a device changed it. `conflict`: a conflict was not reported.
 * `difference`: a device does not have what its user can read. `restless`: devices do not come to rest. `failure`: an
 * unexpected error.
 */
export type ViolationKind =
  | "leak"
  | "lost write"
  | "lost edit"
  | "repetition"
  | "conflict"
  | "difference"
  | "restless"
  | "failure";

/** An answer to a change of a device. */
export interface Answer {
  readonly device: number;
  readonly uuid: string;
  readonly fields: JsonObject;
  readonly code: number;
  /** Fields in conflict. */
  readonly conflicts: readonly string[];
  /** Whether the device received it. */
  readonly arrived: boolean;
  readonly moment: number;
}

interface Page {
  readonly changed?: readonly SyncObjectData[];
  readonly deleted?: readonly { readonly uuid: string }[];
  readonly excluded?: readonly string[];
  readonly results?: readonly Result[];
}

interface Result {
  readonly id: string;
  readonly uuid: string;
  readonly internalStatus: string;
  readonly version?: number;
  readonly conflicts?: readonly { readonly field: string; readonly kept: string }[];
  readonly object?: SyncObjectData;
}

export interface Watched {
  readonly device: number;
  readonly user: number;
  /** The oldest state of access that the request can have met. */
  readonly from: number;
  /** Whether the database was restored. */
  readonly isOutdated: boolean;
  readonly moment: number;
}

/** Reads each exchange of each device. */
export class Witness {
  readonly violations: Violation[] = [];
  readonly answers: Answer[] = [];
  /** Changes by id, and their final results. */
  private readonly changes = new Map<string, string>();
  private readonly results = new Map<string, string>();

  constructor(
    private readonly access: AccessModel,
    private readonly history: History,
    private readonly nameOf: (uuid: string) => string,
  ) {}

  /** A restored database has forgotten changes. */
  restored(): void {
    this.results.clear();
  }

  /** Before a request is sent: its objects can exist from now on. */
  announce({ ops }: JsonObject, watched: Pick<Watched, "device">): void {
    for (const change of changesOf(ops)) {
      const { id, uuid, className } = change;
      if (className !== undefined) this.access.add(uuid, plainName(className));
      const text = JSON.stringify(change);
      const before = this.changes.get(id) ?? text;
      this.changes.set(id, text);
      if (before !== text) this.add("repetition", watched, `sends ${text} under the id of ${before}`);
    }
  }

  note({ request, response, arrived }: Exchange, watched: Watched): void {
    const changes = changesOf(request["ops"]);
    const page = (response?.body["data"] ?? {}) as Page;
    if (response === null || watched.isOutdated)
      for (const { uuid, op, fields = {} } of changes) this.history.addUncertain(uuid, op === "put" ? fields : null);
    const byId = new Map(changes.map((change) => [change.id, change]));
    for (const result of page.results ?? []) {
      const change = byId.get(result.id);
      if (change !== undefined) this.noteResult(change, result, arrived, watched);
      if (result.object !== undefined) this.checkObject(result.object, watched);
    }
    for (const object of page.changed ?? []) this.checkObject(object, watched);
    const gone = [...(page.deleted ?? []).map(({ uuid }) => uuid), ...(page.excluded ?? [])];
    // A device learns at any time how an object ended that it has written itself.
    const own = new Set(changes.map(({ uuid }) => uuid));
    for (const uuid of gone.filter((each) => !own.has(each))) {
      if (request["syncVersion"] === "0")
        this.add("leak", watched, `received the end of ${this.nameOf(uuid)} at the beginning`);
      else if (!this.access.couldRead(watched.user, uuid, { from: 0 }))
        this.add("leak", watched, `received the UUID of ${this.nameOf(uuid)}, which its user could never read`);
    }
  }

  private noteResult(change: PushedChangeData, result: Result, arrived: boolean, watched: Watched): void {
    const { uuid, fields = {} } = change;
    const { version, conflicts = [] } = result;
    const code = Number(result.internalStatus);
    const { device, moment } = watched;
    this.answers.push({ device, uuid, fields, code, conflicts: conflicts.map(({ field }) => field), arrived, moment });
    if (watched.isOutdated) return;
    if (!isPassing(code)) this.compareResult(change, result, watched);
    if (code !== 0 || version === undefined) return;
    const theirs = new Set(conflicts.filter(({ kept }) => kept !== "mine").map(({ field }) => field));
    const written = Object.entries(fields).filter(([name]) => !theirs.has(name));
    // A deletion is before the version that a restored object gets.
    if (change.op === "delete") this.history.add({ uuid, version: version - 0.5, fields: null, device });
    else {
      const { base = null, syncVersion } = change;
      const claimed = {
        assumedVersion: Number(syncVersion),
        fields,
        base,
        conflicts: conflicts.map(({ field }) => field),
      };
      this.history.add({ uuid, version, fields: Object.fromEntries(written), device, change: claimed });
    }
  }

  /** A final result never changes. */
  private compareResult({ id, uuid }: PushedChangeData, result: Result, watched: Watched): void {
    const { version, conflicts = [] } = result;
    const code = Number(result.internalStatus);
    const shown = JSON.stringify({ code, version, conflicts: conflicts.map(({ field, kept }) => [field, kept]) });
    const before = this.results.get(id) ?? shown;
    this.results.set(id, shown);
    if (before !== shown)
      this.add("repetition", watched, `has a change on ${this.nameOf(uuid)} answered by ${before} and ${shown}`);
  }

  private checkObject(object: SyncObjectData, watched: Watched): void {
    const uuid = object["~UUID"];
    const members = Object.entries(object).filter(([name]) => !name.startsWith("~"));
    const targets = members
      .filter(([name]) => references.has(name))
      .flatMap(([, value]) => canonical(value) ?? [])
      .map(String);
    if (this.access.classOf(uuid) === undefined) return this.add("leak", watched, `received an unknown object ${uuid}`);
    const { from, user } = watched;
    const attributes = members.map(([name]) => name);
    if (!this.access.couldRead(user, uuid, { from, attributes, targets }))
      this.add(
        "leak",
        watched,
        `received ${JSON.stringify(object)} as ${this.nameOf(uuid)}, which its user cannot read`,
      );
    return undefined;
  }

  add(kind: ViolationKind, { device }: Pick<Watched, "device">, message: string): void {
    this.report(kind, `Device ${device} ${message}.`);
  }

  report(kind: ViolationKind, message: string): void {
    if (!this.violations.some((violation) => violation.message === message)) this.violations.push({ kind, message });
  }
}

/** Failures of the server, which say nothing about the change. */
function isPassing(code: number): boolean {
  return code >= 699 || code === 607;
}

function changesOf(ops: unknown): readonly PushedChangeData[] {
  return Array.isArray(ops) ? (ops as PushedChangeData[]) : [];
}
