import type { JsonValue, Principal, Session } from "@sallyport/storage";
import type { MacroExecution } from "../../macros/index.ts";
import type { AppKeyContext, SessionContext, Uses } from "../../request/index.ts";
import type { CursorSealing } from "../query/cursor.ts";
import type { SlowQueries } from "../query/slow-queries.ts";
import type { UserGuard } from "../user-names.ts";

/** Services of objects. A hook can make all calls of objects, so each use case that runs hooks needs all of them. */
export interface ObjectServices {
  readonly objectHooks: ObjectHooks;
  readonly cursorSealing: CursorSealing;
  readonly slowQueries: SlowQueries;
  readonly userGuard: UserGuard;
}

/** Context of a use case that runs hooks. */
export interface ObjectContext extends SessionContext, Uses<ObjectServices> {}

/** Context of a hook: a request with a session, or a log-in before its session. */
export interface HookCaller extends AppKeyContext, Uses<ObjectServices> {
  readonly principal: Principal;
  readonly session?: Session | null;
  readonly execution?: MacroExecution;
  /** Nesting depth of hook calls; absent outside hooks. */
  readonly hookDepth?: number;
}

export type Members = Readonly<Record<string, JsonValue>>;

/** Changes that a hook made to the members of an object. */
export interface MemberChanges {
  readonly set: Members;
  readonly removed: readonly string[];
}

/**
 * Custom code for objects of some classes. One call handles a batch of objects and returns results in the same order.
 * Throws a `ServiceError` to refuse or on failure.
 */
export interface Hook<Input, Answer> {
  /** For the log. Hooks of one kind run in the order of their names. */
  readonly name: string;
  /** Class names. Subclasses are included. */
  readonly classes: readonly string[];
  run(caller: HookCaller, input: Input): Promise<Answer>;
}

/** An object in an answer. */
export interface SerializedItem {
  /** The object as written so far, with meta-fields. */
  readonly json: Members;
  /** `~UUID` and the attributes visible to the caller, as far as `json` lacks them. References are meta-fields. */
  readonly rest: Members;
}

/** A write of an object. References are meta-fields. Collections contain the members visible to the caller. */
export interface SavedItem {
  /** The new state. A new object has no id before the write. */
  readonly object: Members;
  /** The old state; `null` for new and restored objects. */
  readonly previous: Members | null;
  /** The attributes given by the caller. */
  readonly given: Members;
}

/** A deleted object, before or after the deletion. An invisible object shows its meta-fields only. */
export interface DeletedItem {
  readonly object: Members;
}

/** A query for objects, as given by the client. */
export interface FindRequest {
  readonly className: string;
  readonly where?: JsonValue;
  readonly sort?: JsonValue;
  readonly oids?: JsonValue;
}

/** Result of a find hook. */
export interface FindHookResult {
  /** `false` refuses the request. */
  readonly accepted: boolean;
  /** Additional filters; all must match. */
  readonly where: readonly JsonValue[];
  readonly sort?: JsonValue;
  /** Additional lists of ids or UUIDs; each list must contain the object. */
  readonly oids: readonly JsonValue[];
}

export interface FindHook extends Hook<FindRequest, FindHookResult> {
  /** Whether the hook runs for every list of its classes, or only for queries that name it. */
  readonly byDefault: boolean;
}

/** A new user of an identity provider. */
export interface ProviderUser {
  /** Locked against concurrent writes. */
  readonly userObject: Members;
  /** Provider configuration without secrets. */
  readonly providerConfig: Members;
  /** The user's id at the provider. */
  readonly userUuid: string;
  readonly name: string;
  readonly surname: string;
  readonly email: string;
}

/** A log-in of a custom user. */
export interface CustomLogIn {
  readonly user: string;
  /** As sent by the client. */
  readonly pass: string;
  readonly appNames: readonly string[];
}

/** A snapshot of the hooks of one database. */
export interface ActiveHooks {
  readonly buildSerialization: readonly Hook<readonly SerializedItem[], readonly (MemberChanges | null)[]>[];
  readonly findObjects: readonly FindHook[];
  readonly beforeSave: readonly Hook<readonly SavedItem[], readonly (MemberChanges | null)[]>[];
  readonly afterSave: readonly Hook<readonly SavedItem[], void>[];
  readonly beforeDelete: readonly Hook<readonly DeletedItem[], void>[];
  readonly afterDelete: readonly Hook<readonly DeletedItem[], void>[];
  /** Authenticates custom users; `null` if there is none. Returns the unvalidated result of the hook. */
  readonly authenticate: Hook<CustomLogIn, JsonValue | undefined> | null;
  /** Returns the unvalidated result of the hook. */
  readonly createUserProvider: readonly Hook<ProviderUser, JsonValue | undefined>[];

  /**
   * Runs work with a context in which hooks may run. Prepares their resources first, so that no open transaction waits
   * for them. Work that opens no transaction may wait in a queue. By default it opens one.
   */
  prepared<Context extends HookCaller, T>(
    context: Context,
    work: (context: Context) => Promise<T>,
    options?: { readonly opensTransaction: boolean },
  ): Promise<T>;
}

/** Port: hooks on writes, queries and answers. */
export interface ObjectHooks {
  /** The current hooks; `null` if there are none. A promise only if they need loading. */
  current(caller: HookCaller): ActiveHooks | null | Promise<ActiveHooks | null>;
  /** Reports a failure that the caller does not see, because the operation succeeded. */
  ignored(caller: HookCaller, error: Error): void;
}

export const noHooks: ObjectHooks = { current: () => null, ignored: () => {} };
