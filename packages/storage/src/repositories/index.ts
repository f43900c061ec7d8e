import type { Access } from "../kernel/access.ts";
import type { Repositories } from "../ports/repositories.ts";
import { accountRepository } from "./accounts.ts";
import { admissionRepository } from "./admission.ts";
import { appKeyRepository } from "./app-keys.ts";
import { auditRepository } from "./audit.ts";
import { channelRepository } from "./channels.ts";
import { deletionRepository } from "./deletion.ts";
import { lockRepository } from "./locks.ts";
import { modelRepository } from "./model.ts";
import { objectRepository } from "./objects.ts";
import { recordRepository } from "./records.ts";
import { sessionRepository } from "./sessions.ts";
import { settingsRepository } from "./settings.ts";
import { throttleRepository } from "./throttle.ts";

/** The default repositories. */
export function repositoriesOver(access: Access): Repositories {
  return {
    admission: admissionRepository(access),
    accounts: accountRepository(access),
    appKeys: appKeyRepository(access),
    audit: auditRepository(access),
    channels: channelRepository(access),
    deletion: deletionRepository(access),
    locks: lockRepository(access),
    model: modelRepository(access),
    objects: objectRepository(access),
    records: recordRepository(access),
    sessions: sessionRepository(access),
    settings: settingsRepository(access),
    throttle: throttleRepository(access),
  };
}
