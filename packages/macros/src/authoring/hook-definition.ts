import type { Services } from "./macro-definition.ts";
import type { Json, ObjectJson } from "./objects.ts";

/** What hooks are given as their last argument. */
export type HookContext = Services;

/** What a client asked for in a list, and what a find hook makes of it. */
export interface ObjectSet {
  readonly className: string;
  /** What the client asked for. */
  readonly where: Json | undefined;
  readonly sort: readonly string[] | undefined;
  readonly oids: readonly string[] | undefined;
  /** Only objects that match this as well, in the words of `query.where`. */
  narrow(where: Json): void;
  /** Replaces the order. */
  order(sort: readonly string[]): void;
  /** Only those of these objects. */
  only(oids: readonly string[]): void;
}

/** What of a written object concerns a save hook. */
export interface SavedObject {
  /** The object as it will be, or is, written. `beforeSave` may change its attributes in place. */
  readonly object: { [attribute: string]: any }; // oxlint-disable-line typescript/no-explicit-any
  /** The object before, `null` when it is new. */
  readonly previous: ObjectJson | null;
  /** What the client gave; nothing of what comes back from the recycler. */
  readonly given: { readonly [attribute: string]: unknown };
}

interface OfClasses {
  readonly classes: readonly string[];
}

/** Fills or changes what is written of objects of these classes. Meta-fields stay what they are. */
export interface SerializationHook extends OfClasses {
  readonly on: "xRestApi_BuildSerialization";
  readonly run: (object: ObjectJson, json: { [attribute: string]: any }, context: HookContext) => unknown; // oxlint-disable-line typescript/no-explicit-any
}

/** Narrows or orders lists; anything but `true` refuses the request with 307. */
export interface FindHook extends OfClasses {
  readonly on: "xRestApi_FindObjects";
  /** For every list of the classes, not only for those that name the hook in `query.macro`. */
  readonly byDefault?: boolean;
  readonly run: (objectSet: ObjectSet, context: HookContext) => unknown;
}

/** Takes part in every write, in its transaction. What it throws, or refuses, keeps the write from happening. */
export interface SaveHook extends OfClasses {
  readonly on: "beforeSave" | "afterSave";
  readonly run: (saved: SavedObject, context: HookContext) => unknown;
}

/** Takes part in every removal, in its transaction. */
export interface DeleteHook extends OfClasses {
  readonly on: "beforeDelete" | "afterDelete";
  readonly run: (deleted: { readonly object: ObjectJson }, context: HookContext) => unknown;
}

/**
 * Decides about a user who comes from an identity provider for the first time. `0` accepts, a positive number accepts
 * and says that the hook has assigned the user, a negative one refuses with 324.
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

/** Whom a custom user is. */
export interface AuthenticatedUser {
  /** `~ObjectID` of the user as whom he works; that user must be able to log in. */
  readonly userId: string;
  /** The name by which the service knows him from now on; without one, the name with which he logs in. Two who get one name are one. */
  readonly name?: string;
  /** Where mail for him goes; without one, nowhere. */
  readonly email?: string;
}

/**
 * Decides who custom users are, in the place of the accounts of the database: a file named `xRestApi_Authenticate`. It reads, with the
 * rights of an administrator, and writes nothing. `null` refuses like a wrong password; anything else than a user fails the log-in with 710.
 */
export interface AuthenticationHook {
  readonly on: "xRestApi_Authenticate";
  readonly run: (
    user: string,
    /** As the client sent it: mostly the MD5 of the password in lowercase hex digits. */
    pass: string,
    appNames: readonly string[],
    context: HookContext,
  ) => AuthenticatedUser | null | Promise<AuthenticatedUser | null>;
}

/** A hook. A file that is named after one of the specification's hooks is that hook without `on`. */
export type HookDefinition =
  | AuthenticationHook
  | SerializationHook
  | FindHook
  | SaveHook
  | DeleteHook
  | UserProviderHook;

/** Says that a module is a hook: `export default defineHook({ on: "beforeSave", classes: ["Invoice"], … })`. */
export function defineHook<Hook extends HookDefinition>(definition: Hook): Hook {
  return definition;
}
