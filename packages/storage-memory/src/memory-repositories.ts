import type { Repositories } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { memoryAccountRepository } from "./memory-account-repository.ts";
import { memoryAdmissionRepository } from "./memory-admission-repository.ts";
import { memoryAppKeyRepository } from "./memory-app-key-repository.ts";
import { memoryAuditRepository } from "./memory-audit-repository.ts";
import { memoryChangeRepository } from "./memory-change-repository.ts";
import { memoryChannelRepository } from "./memory-channel-repository.ts";
import { memoryDeletionRepository } from "./memory-deletion-repository.ts";
import { memoryLockRepository } from "./memory-lock-repository.ts";
import { memoryModelRepository } from "./memory-model-repository.ts";
import { memoryObjectRepository } from "./memory-object-repository.ts";
import { memoryRecordRepository } from "./memory-record-repository.ts";
import { memorySessionRepository } from "./memory-session-repository.ts";
import { memorySettingsRepository } from "./memory-settings-repository.ts";
import { memoryThrottleRepository } from "./memory-throttle-repository.ts";

export function memoryRepositories(access: Access): Repositories {
  return {
    admission: memoryAdmissionRepository(access),
    accounts: memoryAccountRepository(access),
    appKeys: memoryAppKeyRepository(access),
    audit: memoryAuditRepository(access),
    changes: memoryChangeRepository(access),
    channels: memoryChannelRepository(access),
    deletion: memoryDeletionRepository(access),
    locks: memoryLockRepository(access),
    model: memoryModelRepository(access),
    objects: memoryObjectRepository(access),
    records: memoryRecordRepository(access),
    sessions: memorySessionRepository(access),
    settings: memorySettingsRepository(access),
    throttle: memoryThrottleRepository(access),
  };
}
