import { entry } from "./0001-entry.ts";
import { objects } from "./0002-objects.ts";
import { macros } from "./0003-macros.ts";
import { objectNumbers } from "./0004-object-numbers.ts";
import { identities } from "./0005-identities.ts";
import { entrances } from "./0006-entrances.ts";
import { providerUsers } from "./0007-provider-users.ts";
import { belongings } from "./0008-belongings.ts";
import { failures } from "./0009-failures.ts";
import { returns } from "./0010-returns.ts";
import { oneTimeRoom } from "./0011-one-time-room.ts";
import { recycledBy } from "./0012-recycled-by.ts";
import { sessionsPerDevice } from "./0013-sessions-per-device.ts";
import { exemptions } from "./0015-exemptions.ts";
import { returnAddresses } from "./0016-return-addresses.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order. */
export const migrations: readonly Migration[] = [
  entry,
  objects,
  macros,
  objectNumbers,
  identities,
  entrances,
  providerUsers,
  belongings,
  failures,
  returns,
  oneTimeRoom,
  recycledBy,
  sessionsPerDevice,
  exemptions,
  returnAddresses,
];
