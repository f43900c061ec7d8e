import { brokenAppKeyLists, brokenAppKeys } from "./accounts/broken-app-keys.ts";
import type { BrokenAdapter } from "./broken-adapter.ts";
import { brokenAdmissions } from "./broken-admissions.ts";
import { brokenArchives } from "./broken-archives.ts";
import { brokenAudit } from "./broken-audit.ts";
import { brokenCapabilities } from "./broken-capabilities.ts";
import { brokenChanges } from "./broken-changes.ts";
import { brokenChannels } from "./broken-channels.ts";
import { brokenCipherBlocks } from "./broken-cipher-blocks.ts";
import { brokenContents } from "./broken-contents.ts";
import { brokenCustomAccounts } from "./broken-custom-accounts.ts";
import { brokenDevices } from "./broken-devices.ts";
import { brokenAccountRemoval } from "./deletion/broken-account-removal.ts";
import { brokenDeletion, brokenLockedRows } from "./deletion/broken-deleting.ts";
import { brokenRestoring } from "./deletion/broken-restoring.ts";
import { brokenAuthenticationMethods } from "./broken-authentication-methods.ts";
import { brokenExemptions } from "./broken-exemptions.ts";
import { brokenFeeds } from "./broken-feeds.ts";
import { brokenLocks } from "./broken-locks.ts";
import { brokenMembers } from "./broken-members.ts";
import { brokenAccountCreation, brokenAccountNames, brokenAccounts } from "./accounts/broken-accounts.ts";
import { brokenObjectKeys } from "./broken-object-keys.ts";
import { brokenObjects } from "./broken-objects.ts";
import { brokenPartAdapters } from "./broken-savepoints.ts";
import { brokenComparisons } from "./queries/broken-comparisons.ts";
import { brokenConditions } from "./queries/broken-conditions.ts";
import { brokenOrder } from "./queries/broken-order.ts";
import { brokenReferences } from "./queries/broken-references.ts";
import { brokenReadsBesideWriters } from "./broken-reads-beside-writers.ts";
import { brokenRecords } from "./broken-records.ts";
import { brokenRecordClaims } from "./records/broken-record-claims.ts";
import { brokenRecordKeeping } from "./records/broken-record-keeping.ts";
import { brokenRecordRemoving } from "./records/broken-record-removing.ts";
import { brokenRecordSettlements } from "./records/broken-record-settlements.ts";
import { brokenRecordQuotas } from "./records/broken-record-quotas.ts";
import { brokenRequestResults } from "./records/broken-request-results.ts";
import { brokenRecordVersions } from "./records/broken-record-versions.ts";
import { brokenRecycling } from "./broken-recycling.ts";
import { brokenCallbacks } from "./broken-callbacks.ts";
import { brokenSeats } from "./broken-seats.ts";
import { brokenSessionBases } from "./broken-session-bases.ts";
import { brokenSessions } from "./broken-sessions.ts";
import { brokenSizes } from "./broken-sizes.ts";
import { brokenStorages } from "./broken-storages.ts";
import { brokenReaders } from "./broken-readers.ts";
import { brokenWriting } from "./broken-writing.ts";

/** Broken adapters, by the faulty part. */
export const allBrokenAdapters: readonly (readonly [part: string, adapters: readonly BrokenAdapter[]])[] = [
  ["the storage itself", brokenStorages],
  ["nested transactions", brokenPartAdapters],
  ["capabilities", brokenCapabilities],
  ["sessions", brokenSessions],
  ["device sessions", brokenDevices],
  ["the basis of sessions", brokenSessionBases],
  ["seats", brokenSeats],
  ["authentication methods", brokenAuthenticationMethods],
  ["admission", brokenAdmissions],
  ["provider callbacks", brokenCallbacks],
  ["secure channels", brokenChannels],
  ["cipher blocks of log-ins", brokenCipherBlocks],
  ["records", [...brokenRecordKeeping, ...brokenRecordRemoving]],
  ["record versions", brokenRecordVersions],
  ["record quotas", brokenRecordQuotas],
  ["record claims", [...brokenRecordClaims, ...brokenRecordSettlements]],
  ["results of requests", brokenRequestResults],
  ["objects", brokenObjects],
  ["IDs and UUIDs of objects", brokenObjectKeys],
  ["queries", [...brokenConditions, ...brokenComparisons, ...brokenReferences, ...brokenOrder]],
  ["writing objects", brokenWriting],
  ["readers", brokenReaders],
  ["object sizes", brokenSizes],
  ["collection members", brokenMembers],
  ["locks", brokenLocks],
  ["changes", [...brokenChanges, ...brokenFeeds]],
  ["tombstones", [...brokenDeletion, ...brokenRestoring, ...brokenLockedRows, ...brokenAccountRemoval]],
  ["the recycle bin", brokenRecycling],
  [
    "app keys and accounts",
    [...brokenAppKeys, ...brokenAppKeyLists, ...brokenAccounts, ...brokenAccountCreation, ...brokenAccountNames],
  ],
  ["custom accounts", brokenCustomAccounts],
  ["the model, throttling and the audit", brokenRecords],
  ["throttle exemptions", brokenExemptions],
  ["audit tallies and retention", brokenAudit],
  ["the archive", brokenArchives],
  ["stored values and texts", brokenContents],
  ["reads beside writers", brokenReadsBesideWriters],
];
