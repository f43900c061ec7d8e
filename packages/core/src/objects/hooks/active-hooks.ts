import type { JsonValue } from "../../storage/index.ts";
import type { HookCaller, MemberChanges, Members } from "./hook-caller.ts";

/**
 * What somebody else has to say about objects of some classes. Given several at once, it is asked once for all of them; it answers in the
 * order in which they were given. When it refuses, or fails, it throws a `ServiceError`.
 */
export interface Hook<Given, Answer> {
  /** For the log. Hooks of the same kind run in the order of their names. */
  readonly name: string;
  /** Names of classes; those below them are meant too. */
  readonly classes: readonly string[];
  run(caller: HookCaller, given: Given): Promise<Answer>;
}

/** An object that is part of an answer. */
export interface SerializedItem {
  /** As it is written so far, meta-fields among it. */
  readonly json: Members;
  /** `~UUID`, and the attributes that the caller sees, their references as meta-fields: as far as they are not written. */
  readonly rest: Members;
}

/** A write of an object. References are written as meta-fields, and collections with those members that the caller sees. */
export interface SavedItem {
  /** As it is to be, or has become; without an id as long as it has none. */
  readonly object: Members;
  /** As it was; `null` when it is new, or comes back from the recycler. */
  readonly previous: Members | null;
  /** What the caller gave. */
  readonly given: Members;
}

/** An object that goes, or is gone. One that the caller does not see shows its meta-fields alone. */
export interface DeletedItem {
  readonly object: Members;
}

/** Objects that are asked for, as the client's query says it. */
export interface AskedSet {
  readonly className: string;
  readonly where?: JsonValue;
  readonly sort?: JsonValue;
  readonly oids?: JsonValue;
}

/** What becomes of them. */
export interface ChosenSet {
  /** Otherwise the request is refused. */
  readonly accepted: boolean;
  /** Filters that have to be true besides that of the client. */
  readonly where: readonly JsonValue[];
  readonly sort?: JsonValue;
  /** Ids or UUIDs, to which it is restricted: in each of the lists there must be the object's. */
  readonly oids: readonly JsonValue[];
}

export interface FindHook extends Hook<AskedSet, ChosenSet> {
  /** Whether it is asked about every list of its classes, or only where a query names it. */
  readonly byDefault: boolean;
}

/** A user object of an external provider that is new. */
export interface ProviderUser {
  /** Nobody else writes it meanwhile. */
  readonly userObject: Members;
  /** What is configured of the provider, without secrets. */
  readonly providerConfig: Members;
  /** The user's id with the provider. */
  readonly userUuid: string;
  readonly name: string;
  readonly surname: string;
  readonly email: string;
}

/** Somebody who wants to come in as a custom user. */
export interface AskedLogIn {
  readonly user: string;
  /** As the client sent it. */
  readonly pass: string;
  readonly appNames: readonly string[];
}

/** The hooks of one database, as they are at one moment. */
export interface ActiveHooks {
  readonly buildSerialization: readonly Hook<readonly SerializedItem[], readonly (MemberChanges | null)[]>[];
  readonly findObjects: readonly FindHook[];
  readonly beforeSave: readonly Hook<readonly SavedItem[], readonly (MemberChanges | null)[]>[];
  readonly afterSave: readonly Hook<readonly SavedItem[], void>[];
  readonly beforeDelete: readonly Hook<readonly DeletedItem[], void>[];
  readonly afterDelete: readonly Hook<readonly DeletedItem[], void>[];
  /** Decides who custom users are; `null` where there is none. Gives what the hook gave, unjudged. */
  readonly authenticate: Hook<AskedLogIn, JsonValue | undefined> | null;
  /** Gives what the hook gave, unjudged. */
  readonly createUserProvider: readonly Hook<ProviderUser, JsonValue | undefined>[];

  /**
   * Does work in which hooks may run, with a context under which they do. What they need is made ready before, so that nobody who
   * holds a transaction waits for it. `reads`: the work opens none, so that it may wait behind others.
   */
  prepared<Context extends HookCaller, T>(
    context: Context,
    work: (context: Context) => Promise<T>,
    options?: { readonly reads: boolean },
  ): Promise<T>;
}

/** Port: who has a say when objects are written, found and shown. */
export interface ObjectHooks {
  /** The hooks of now, `null` for none; a promise only if they have to be looked up. */
  current(caller: HookCaller): ActiveHooks | null | Promise<ActiveHooks | null>;
  /** Takes note of a failure that the caller is not told of, because what was asked for is done. */
  ignored(caller: HookCaller, error: Error): void;
}

/** Nobody has. */
export const noHooks: ObjectHooks = { current: () => null, ignored: () => {} };
