import { accountRepository } from "./account-repository.js";
import { admissionRepository } from "./admission-repository.js";
import { appKeyRepository } from "./app-key-repository.js";
import { applicationRepository } from "./application-repository.js";
import { auditRepository } from "./audit-repository.js";
import { changeRepository } from "./change-repository.js";
import { channelRepository } from "./channel-repository.js";
import { databaseContents } from "./database-contents.js";
import { departureRepository } from "./departure-repository.js";
import { keyRepository } from "./key-repository.js";
import { lockRepository } from "./lock-repository.js";
import { maintenanceSwitch } from "./maintenance-switch.js";
import { modelRepository } from "./model-repository.js";
import { objectRepository } from "./object-repository.js";
import { sessionRepository } from "./session-repository.js";
import { throttleRepository } from "./throttle-repository.js";

/**
 * All repositories over one way to the database.
 *
 * @param {import("../access.js").Access} access
 * @returns {import("@sallyport/core").Repositories}
 */
export function repositoriesOver(access) {
  return {
    admission: admissionRepository(access),
    accounts: accountRepository(access),
    appKeys: appKeyRepository(access),
    applications: applicationRepository(access),
    audit: auditRepository(access),
    changes: changeRepository(access),
    channels: channelRepository(access),
    contents: databaseContents(access),
    departures: departureRepository(access),
    keys: keyRepository(access),
    locks: lockRepository(access),
    maintenance: maintenanceSwitch(access),
    model: modelRepository(access),
    objects: objectRepository(access),
    sessions: sessionRepository(access),
    throttle: throttleRepository(access),
  };
}
