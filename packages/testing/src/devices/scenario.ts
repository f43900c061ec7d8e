/** Devices and what happens to them, as JSON. Objects, devices, users and groups are named by number, from 0. */
export interface Scenario {
  /** The user of each device. */
  readonly devices: readonly number[];
  readonly steps: readonly Step[];
}

export type Step = DeviceStep | SyncStep | TogetherStep | OperatorStep;

/** A user edits the local copy of a device, which sends nothing. */
export interface DeviceStep {
  readonly kind: "edit";
  readonly device: number;
  readonly edit: Edit;
}

/** A device synchronizes once. */
export interface SyncStep {
  readonly kind: "sync";
  readonly device: number;
  /** Default: the first server. */
  readonly server?: number;
  /** The fault of each request, in order. Later requests have none. */
  readonly faults?: readonly Fault[];
  /** The application ends at this call of its store, from 0: after the call with `stored`, otherwise before it. */
  readonly crash?: { readonly call: number; readonly stored: boolean };
  readonly during?: readonly Interruption[];
}

/**
 * A step during a synchronization: between the response of the server to a request, from 0, and its arrival at the
 * device, or before a call of the store, from 0.
 */
export type Interruption =
  | { readonly request: number; readonly step: DeviceStep | OperatorStep }
  | { readonly call: number; readonly step: DeviceStep };

/** Devices synchronize at the same time. */
export interface TogetherStep {
  readonly kind: "together";
  readonly syncs: readonly SyncStep[];
}

/**
 * `lost`: the request does not arrive. `late`: it arrives after the device has given up. `unanswered`: the response is
 * lost. `twice`: it arrives twice, and the second response is returned. `cut`: half of the response arrives. `slow`:
 * requests of other devices overtake it. `killed`: the server ends while it processes the request.
 */
export type Fault = "none" | "lost" | "late" | "unanswered" | "twice" | "cut" | "slow" | "killed";

export type Edit =
  | { readonly kind: "create"; readonly object: number; readonly className: ClassName; readonly fields: Fields }
  | { readonly kind: "change"; readonly object: number; readonly fields: Fields }
  | { readonly kind: "remove"; readonly object: number };

export type ClassName = "Customer" | "KeyCustomer" | "Invoice";

/** Values of attributes. The text `#3` in a reference stands for object 3, a list of them is a collection. */
export type Fields = Readonly<Record<string, FieldValue>>;

export type FieldValue = string | number | null | readonly string[];

/** Steps of an administrator, over the network but without faults. Steps that the server refuses change nothing. */
export type OperatorStep =
  | { readonly kind: "write"; readonly edit: Edit }
  | { readonly kind: "recycle" | "restoreObject"; readonly object: number }
  | { readonly kind: "readers"; readonly object: number; readonly readers: readonly Reader[] | null }
  | { readonly kind: "member"; readonly user: number; readonly group: number; readonly member: boolean }
  | {
      readonly kind: "rights";
      readonly className: ClassName;
      readonly group: number;
      readonly permissions: readonly Permission[];
    }
  | { readonly kind: "attribute"; readonly attribute: string; readonly groups: readonly number[] | null }
  | { readonly kind: "schema"; readonly change: SchemaChange }
  | { readonly kind: "switch"; readonly enabled: boolean }
  | { readonly kind: "kill"; readonly server: number }
  | { readonly kind: "backUp" | "restore" }
  | { readonly kind: "clock"; readonly device: number; readonly milliseconds: number };

/** A user or a group, as `user 0` or `group 1`. */
export type Reader = `user ${number}` | `group ${number}`;

export type Permission = "read" | "create" | "write" | "delete";

/** Members of the schema to replace. */
export interface SchemaChange {
  readonly classes?: readonly ClassName[];
  /** Fields of customers; `null` for all. */
  readonly fields?: readonly string[] | null;
  /** Objects with this city are outside the schema; `null` for no filter. */
  readonly without?: string | null;
  readonly conflicts?: "client" | "server" | "reject";
  readonly pageSize?: number;
}

/** All steps, also those within others. */
export function* allSteps(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.kind === "together") yield* allSteps(step.syncs);
    if (step.kind === "sync") yield* allSteps((step.during ?? []).map(({ step: inner }) => inner));
  }
}
