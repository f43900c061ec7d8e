import type { Services } from "./macro-definition.ts";
import type { Json, ObjectJson } from "./objects.ts";

/** The last argument of every hook. */
export type HookContext = Services;

/** The list that a client requested. A find hook adjusts it with the methods. */
export interface ObjectSet {
  readonly className: string;
  /** The condition in the request, `undefined` if it has none. */
  readonly where: Json | undefined;
  readonly sort: readonly string[] | undefined;
  readonly oids: readonly string[] | undefined;
  /** Adds a condition. It uses the syntax of `query.where`; several conditions are combined with AND. */
  narrow(where: Json): void;
  /** Replaces the sort order. */
  order(sort: readonly string[]): void;
  /** Restricts the list to the given object ids. */
  only(oids: readonly string[]): void;
}

/** One written object, as a save hook sees it. */
export interface SavedObject {
  /** The object with its new values. `beforeSave` can change its attributes in place. */
  readonly object: { [attribute: string]: any }; // oxlint-disable-line typescript/no-explicit-any
  /** The object before the write, `null` for a created or restored object. */
  readonly previous: ObjectJson | null;
  /** The attributes that the client sent. Empty when the object is restored from the recycle bin. */
  readonly given: { readonly [attribute: string]: unknown };
}

interface OfClasses {
  readonly classes: readonly string[];
}

/** Adds or changes attributes in the serialized objects of the given classes. Meta-fields cannot be changed. */
export interface SerializationHook extends OfClasses {
  readonly on: "xRestApi_BuildSerialization";
  readonly run: (object: ObjectJson, json: { [attribute: string]: any }, context: HookContext) => unknown; // oxlint-disable-line typescript/no-explicit-any
}

/** Filters or sorts lists. Any result other than `true` refuses the request with 307. */
export interface FindHook extends OfClasses {
  readonly on: "xRestApi_FindObjects";
  /** `true` applies the hook to every list of the classes. Otherwise it applies only if `query.macro` names it. */
  readonly byDefault?: boolean;
  readonly run: (objectSet: ObjectSet, context: HookContext) => unknown;
}

/** Runs inside the transaction of every write. An error or a refusal rolls the write back. */
export interface SaveHook extends OfClasses {
  readonly on: "beforeSave" | "afterSave";
  readonly run: (saved: SavedObject, context: HookContext) => unknown;
}

/** Runs inside the transaction of every deletion. An error or a refusal rolls the deletion back. */
export interface DeleteHook extends OfClasses {
  readonly on: "beforeDelete" | "afterDelete";
  readonly run: (deleted: { readonly object: ObjectJson }, context: HookContext) => unknown;
}

/**
 * Runs at a user's first log-in through an identity provider. `0` accepts the account. A positive number accepts it and
 * states that the hook has set its user. Any other result refuses with 324.
 */
export interface UserProviderHook {
  readonly on: "xRestApi_DBCreateInit_xRestApiUserProvider";
  readonly run: (
    userObject: ObjectJson,
    providerConfig: any, // oxlint-disable-line typescript/no-explicit-any
    userUuid: string,
    name: string,
    surname: string,
    email: string,
    context: HookContext,
  ) => number | Promise<number>;
}

/** The identity of a custom user. */
export interface AuthenticatedUser {
  /** `~ObjectID` of the account whose rights the user gets. That account must be able to log in. */
  readonly userId: string;
  /** Stable name of the custom user. Default: the name used to log in. The same name means the same user. */
  readonly name?: string;
  /** Address for mail. Without one, the user gets no mail. */
  readonly email?: string;
}

/**
 * Authenticates custom users instead of the database accounts. The file is named `xRestApi_Authenticate`. The hook runs
 * with administrator rights and is read-only. `null` refuses like a wrong password; an invalid result fails with 710.
 */
export interface AuthenticationHook {
  readonly on: "xRestApi_Authenticate";
  readonly run: (
    user: string,
    /** The value that the client sent, usually the MD5 of the password in lowercase hexadecimal. */
    pass: string,
    appNames: readonly string[],
    context: HookContext,
  ) => AuthenticatedUser | null | Promise<AuthenticatedUser | null>;
}

/** A hook. `on` can be omitted if the file has the name of a hook in the specification. */
export type HookDefinition =
  | AuthenticationHook
  | SerializationHook
  | FindHook
  | SaveHook
  | DeleteHook
  | UserProviderHook;

/** Declares a module as a hook: `export default defineHook({ on: "beforeSave", classes: ["Invoice"], … })`. */
export function defineHook<Hook extends HookDefinition>(definition: Hook): Hook {
  return definition;
}
