import type { Repositories } from "@sallyport/core";
import type { Access } from "./access.ts";
import { MemoryAccountRepository } from "./memory-account-repository.ts";
import { MemoryAdmissionRepository } from "./memory-admission-repository.ts";
import { MemoryAppKeyRepository } from "./memory-app-key-repository.ts";
import { MemoryAuditRepository } from "./memory-audit-repository.ts";
import { MemoryChangeRepository } from "./memory-change-repository.ts";
import { MemoryChannelRepository } from "./memory-channel-repository.ts";
import { MemoryDepartureRepository } from "./memory-departure-repository.ts";
import { MemoryLockRepository } from "./memory-lock-repository.ts";
import { MemoryModelRepository } from "./memory-model-repository.ts";
import { MemoryObjectRepository } from "./memory-object-repository.ts";
import { MemoryRecordRepository } from "./memory-record-repository.ts";
import { MemorySessionRepository } from "./memory-session-repository.ts";
import { MemorySettingsRepository } from "./memory-settings-repository.ts";
import { MemoryThrottleRepository } from "./memory-throttle-repository.ts";

export function memoryRepositories(access: Access): Repositories {
  return {
    admission: new MemoryAdmissionRepository(access),
    accounts: new MemoryAccountRepository(access),
    appKeys: new MemoryAppKeyRepository(access),
    audit: new MemoryAuditRepository(access),
    changes: new MemoryChangeRepository(access),
    channels: new MemoryChannelRepository(access),
    departures: new MemoryDepartureRepository(access),
    locks: new MemoryLockRepository(access),
    model: new MemoryModelRepository(access),
    objects: new MemoryObjectRepository(access),
    records: new MemoryRecordRepository(access),
    sessions: new MemorySessionRepository(access),
    settings: new MemorySettingsRepository(access),
    throttle: new MemoryThrottleRepository(access),
  };
}
