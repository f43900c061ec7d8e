import { initial } from "./0001-initial.ts";
import { secureSessions } from "./0002-secure-sessions.ts";
import { auditTallies } from "./0003-audit-tallies.ts";
import { entryFunctions } from "./0004-entry-functions.ts";
import { linkedObjects } from "./0005-linked-objects.ts";
import { writing } from "./0006-writing.ts";
import { objectNumber } from "./0007-object-number.ts";
import { changes } from "./0008-changes.ts";
import { departures } from "./0009-departures.ts";
import { auditedClasses } from "./0010-audited-classes.ts";
import { macros } from "./0011-macros.ts";
import { identities } from "./0012-identities.ts";
import { entrances } from "./0013-entrances.ts";
import { providerUsers } from "./0014-provider-users.ts";
import { singleObjects } from "./0015-single-objects.ts";
import { belongings } from "./0016-belongings.ts";
import { freshUuids } from "./0017-fresh-uuids.ts";
import { roomySessions } from "./0018-roomy-sessions.ts";
import { oneTimeRoom } from "./0019-one-time-room.ts";
import { recycledBy } from "./0020-recycled-by.ts";
import { sessionsPerDevice } from "./0021-sessions-per-device.ts";
import { changedReaders } from "./0022-changed-readers.ts";
import { exemptions } from "./0023-exemptions.ts";
import { returnAddresses } from "./0024-return-addresses.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order. */
export const migrations: readonly Migration[] = [
  initial,
  secureSessions,
  auditTallies,
  entryFunctions,
  linkedObjects,
  writing,
  objectNumber,
  changes,
  departures,
  auditedClasses,
  macros,
  identities,
  entrances,
  providerUsers,
  singleObjects,
  belongings,
  freshUuids,
  roomySessions,
  oneTimeRoom,
  recycledBy,
  sessionsPerDevice,
  changedReaders,
  exemptions,
  returnAddresses,
];
