import { insertFunctions } from "../functions/insert-objects.ts";
import { lockFunctions, lockObjectsFunction } from "../functions/locks.ts";
import { keepReadersFunction, objectCountFunctions, objectIdFunctions } from "../functions/objects.ts";
import { openOnBasisFunctions, openSecureSessionFunction, openSessionFunction } from "../functions/open-session.ts";
import { removeAccountsFunction } from "../functions/accounts.ts";
import { attemptThrottleFunction, passThrottleFunction } from "../functions/throttle.ts";
import { putRecordFunction } from "../functions/put-record.ts";
import { updateObjectsFunction } from "../functions/update-objects.ts";
import { stampFunctions, stampSequence } from "../stamps.ts";
import { access } from "./0001-access.ts";
import { objects as objectTables } from "./0002-objects.ts";
import type { Functions, Migration } from "../migrator.ts";

/**
 * Changes by class, readers of before, and forgotten objects. Each table is changed in a transaction of its own, which
 * takes its strongest lock first: a lock of two tables, or one that becomes stronger, could deadlock with writers. The
 * index by class replaces the one over all classes, so that a write maintains no more indexes.
 */
const changes: readonly Migration[] = [
  {
    name: "0003-change-index",
    statements: ({ objects }) => [`create index objects_changes on ${objects} (class, stamp, oid)`],
  },
  {
    name: "0004-former-readers",
    statements: ({ formerReaders, keepReaders, objects, schema }) => [
      // Found by object, in the order of changes, and by age.
      `create table ${formerReaders} (
        oid bigint not null,
        stamp bigint not null,
        class text collate "C" not null,
        readers bigint[],
        changed_at timestamptz(3) not null,
        primary key (oid, stamp)
      )`,
      `create index former_readers_changes on ${formerReaders} (class, stamp, oid)`,
      `create index former_readers_age on ${formerReaders} (changed_at, stamp, oid)`,
      // Keeps nothing until it is installed: servers of the previous version still change readers.
      `create function ${keepReaders} () returns trigger language plpgsql as $$ begin return null; end $$`,
      `alter table ${objects} add column created_stamp bigint`,
      `alter table ${objects} alter column created_stamp set default "${schema}"."stamp_offset"() + txid_current()`,
      `drop index "${schema}".objects_stamp`,
      `create trigger readers_kept after update of readers on ${objects} for each row
        when (old.readers is distinct from new.readers) execute function ${keepReaders}()`,
    ],
  },
  {
    name: "0005-swept-objects",
    statements: ({ sweptObjects, tombstones }) => [
      `create table ${sweptObjects} (oid bigint primary key, uuid uuid not null unique)`,
      `alter table ${tombstones} add column created_stamp bigint`,
      `create index tombstones_changes on ${tombstones} (class, stamp, oid)`,
      `create index tombstones_age on ${tombstones} (deleted_at, oid) where attributes is null`,
    ],
  },
  {
    name: "0006-swept-stamp",
    statements: ({ settings }) => [`alter table ${settings} add column swept_stamp bigint not null default 0`],
  },
];

/** The address of the client at the log-in. Servers of an earlier version open sessions without one. */
const sessionAddress: Migration = {
  name: "0007-session-address",
  statements: ({ sessions }) => [`alter table ${sessions} add column address text`],
};

/** The timeline that servers have accepted, see the guard of timelines. Null until the first one has looked. */
const timeline: Migration = {
  name: "0008-timeline",
  statements: ({ settings }) => [`alter table ${settings} add column timeline jsonb`],
};

/**
 * The changes that an event tells, with the order of their members. Servers of an earlier version write events without
 * them. Each table is changed in a transaction of its own, as one could wait for a writer that waits for the other.
 */
const auditChanges: readonly Migration[] = [
  {
    name: "0010-audit-changes",
    statements: ({ audit }) => [`alter table ${audit} add column changes json not null default '[]'`],
  },
  {
    name: "0011-tally-changes",
    statements: ({ auditTallies }) => [`alter table ${auditTallies} add column changes json not null default '[]'`],
  },
];

/** All functions. */
const functions: readonly Functions[] = [
  attemptThrottleFunction,
  keepReadersFunction,
  lockObjectsFunction,
  insertFunctions,
  lockFunctions,
  objectCountFunctions,
  objectIdFunctions,
  openSessionFunction,
  openSecureSessionFunction,
  openOnBasisFunctions,
  passThrottleFunction,
  putRecordFunction,
  removeAccountsFunction,
  stampFunctions,
  updateObjectsFunction,
];

/** All migrations, in order. Functions come last because they depend on the tables of all migrations. */
export const migrations: readonly Migration[] = [
  access,
  objectTables,
  ...changes,
  sessionAddress,
  timeline,
  stampSequence,
  ...auditChanges,
  ...functions,
];
