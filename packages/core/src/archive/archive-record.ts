import type { Account } from "../accounts/account.ts";
import type { AppKey } from "../appkeys/app-key.ts";
import type { Application } from "../appkeys/application.ts";
import type { RecordedAuditEvent } from "../audit/audit-event.ts";
import type { CustomAccount } from "../custom-users/custom-account.ts";
import type { Digest } from "../digests/digest.ts";
import type { IdentityLink } from "../identities/identity-link.ts";
import type { ProviderEntry } from "../identities/provider-entry.ts";
import type { StoredKey } from "../keys/stored-key.ts";
import type { MacroVersion } from "../macros/macro-version.ts";
import type { ClassDefinition } from "../model/class-definition.ts";
import type { Links } from "../objects/links.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { SecondFactor } from "../second-factors/second-factor.ts";

/** Stands first. */
export interface ArchivedSettings {
  readonly section: "settings";
  readonly maintenance: boolean;
  readonly modelGeneration: number;
  readonly macroGeneration: number;
  /** How many objects follow. */
  readonly objects: number;
  /** The highest object number that was ever given; 0: none. */
  readonly lastObject: number;
  /** The highest sequence of an audit event that was ever given; 0: none. */
  readonly lastAudit: number;
}

/** In the order of the model. */
export interface ArchivedClass {
  readonly section: "classes";
  readonly definition: ClassDefinition;
}

/** Of macros that are there and of those that are gone, in the order in which they were changed. */
export type ArchivedMacro = MacroVersion & { readonly section: "macros" };

/** By name. Names are ordered by code points, here and below. */
export type ArchivedApplication = Application & { readonly section: "applications" };

/** By name. */
export type ArchivedAppKey = AppKey & { readonly section: "appKeys"; readonly digest: Digest };

/** By object number. */
export interface ArchivedObject extends Omit<StoredObject, "attributes"> {
  readonly section: "objects";
  /** Of its last change: a positive whole number. Others are compared with it, and nothing else is known of it. */
  readonly stamp: number;
  /** As the JSON text that `canonicalJson` gives, in exports of every storage. Nobody who passes an object on has to look into it. */
  readonly attributes: string;
}

/**
 * Which ids the attributes of a live object hold, by object number; objects whose attributes hold none are not among them, nor recycled
 * ones. Names are ordered by code points, and ids by their numbers, each once: the order in a collection is that of its value.
 */
export interface ArchivedLinks {
  readonly section: "links";
  readonly id: ObjectId;
  readonly links: Links;
}

/** What is left of an object, by object number. `storedAt` is when it went, `version` that of its departure. */
export interface ArchivedDeparture extends Omit<ArchivedObject, "section" | "attributes"> {
  readonly section: "departures";
  /** The object that it went together with. */
  readonly leader: ObjectId;
  /** Who recycled it; `null` if that is unknown, or if it cannot return. */
  readonly deletedBy: ObjectId | null;
  /** `null` if it cannot return. */
  readonly attributes: string | null;
}

/** By the number of the user object. */
export type ArchivedAccount = Account & { readonly section: "accounts"; readonly confusableKey: string };

/** By login name. A password that waits to be confirmed is not in it. */
export type ArchivedCustomAccount = CustomAccount & {
  readonly section: "customAccounts";
  readonly confusableKey: string;
};

/** By type. */
export type ArchivedProvider = ProviderEntry & { readonly section: "identityProviders" };

/** By id. */
export type ArchivedIdentityLink = IdentityLink & { readonly section: "identityLinks" };

/** By subject, then by app name. */
export type ArchivedSecondFactor = SecondFactor & { readonly section: "secondFactors" };

/** By subject. */
export interface ArchivedPasswordHistory {
  readonly section: "passwordHistory";
  readonly subject: string;
  /** The latest last. */
  readonly secrets: readonly string[];
}

/** In the order in which they became current; the wrapped private half is empty when it was swept away. */
export type ArchivedKey = StoredKey & { readonly section: "keys" };

/** By sequence. */
export type ArchivedAuditEvent = RecordedAuditEvent & { readonly section: "audit" };

/** Attempts that have yet to become an event, by key. */
export type ArchivedTally = Omit<RecordedAuditEvent, "sequence"> & {
  readonly section: "tallies";
  readonly key: string;
};

/**
 * One thing that a database keeps. Whatever ends by itself is not in an archive: sessions with their channels and locks, the
 * blocks of secure log-ins, failed attempts, secrets that are good once, and passwords that wait to be confirmed.
 */
export type ArchiveRecord =
  | ArchivedSettings
  | ArchivedClass
  | ArchivedMacro
  | ArchivedApplication
  | ArchivedAppKey
  | ArchivedObject
  | ArchivedLinks
  | ArchivedDeparture
  | ArchivedAccount
  | ArchivedCustomAccount
  | ArchivedProvider
  | ArchivedIdentityLink
  | ArchivedSecondFactor
  | ArchivedPasswordHistory
  | ArchivedKey
  | ArchivedAuditEvent
  | ArchivedTally;

export type ArchiveSection = ArchiveRecord["section"];

/** The records of one section. */
export type RecordOf<Section extends ArchiveSection> = Extract<ArchiveRecord, { readonly section: Section }>;

/** The order of the sections; those without records are simply not there. */
export const archiveSections = [
  "settings",
  "classes",
  "macros",
  "applications",
  "appKeys",
  "objects",
  "links",
  "departures",
  "accounts",
  "customAccounts",
  "identityProviders",
  "identityLinks",
  "secondFactors",
  "passwordHistory",
  "keys",
  "audit",
  "tallies",
] as const satisfies readonly ArchiveSection[];
