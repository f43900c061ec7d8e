import type { Repositories } from "@sallyport/core";
import type { Access } from "./access.ts";
import { MemoryAccountRepository } from "./memory-account-repository.ts";
import { MemoryAdmissionRepository } from "./memory-admission-repository.ts";
import { MemoryAppKeyRepository } from "./memory-app-key-repository.ts";
import { MemoryApplicationRepository } from "./memory-application-repository.ts";
import { MemoryAuditRepository } from "./memory-audit-repository.ts";
import { MemoryChangeRepository } from "./memory-change-repository.ts";
import { MemoryChannelRepository } from "./memory-channel-repository.ts";
import { MemoryCustomAccountRepository } from "./memory-custom-account-repository.ts";
import { MemoryDatabaseContents, MemoryMaintenanceSwitch } from "./memory-database-contents.ts";
import { MemoryDepartureRepository } from "./memory-departure-repository.ts";
import { MemoryIdentityLinkRepository } from "./memory-identity-link-repository.ts";
import { MemoryKeyRepository } from "./memory-key-repository.ts";
import { MemoryLockRepository } from "./memory-lock-repository.ts";
import { MemoryMacroRepository } from "./memory-macro-repository.ts";
import { MemoryModelRepository } from "./memory-model-repository.ts";
import { MemoryObjectRepository } from "./memory-object-repository.ts";
import { MemoryOneTimeRepository } from "./memory-one-time-repository.ts";
import { MemoryOutboxRepository } from "./memory-outbox-repository.ts";
import { MemoryPasswordHistoryRepository } from "./memory-password-history-repository.ts";
import { MemoryProviderRepository } from "./memory-provider-repository.ts";
import { MemorySecondFactorRepository } from "./memory-second-factor-repository.ts";
import { MemorySessionRepository } from "./memory-session-repository.ts";
import { MemoryThrottleRepository } from "./memory-throttle-repository.ts";

export function memoryRepositories(access: Access): Repositories {
  return {
    admission: new MemoryAdmissionRepository(access),
    accounts: new MemoryAccountRepository(access),
    appKeys: new MemoryAppKeyRepository(access),
    applications: new MemoryApplicationRepository(access),
    audit: new MemoryAuditRepository(access),
    changes: new MemoryChangeRepository(access),
    channels: new MemoryChannelRepository(access),
    contents: new MemoryDatabaseContents(access),
    customAccounts: new MemoryCustomAccountRepository(access),
    departures: new MemoryDepartureRepository(access),
    identityLinks: new MemoryIdentityLinkRepository(access),
    identityProviders: new MemoryProviderRepository(access),
    keys: new MemoryKeyRepository(access),
    locks: new MemoryLockRepository(access),
    macros: new MemoryMacroRepository(access),
    maintenance: new MemoryMaintenanceSwitch(access),
    model: new MemoryModelRepository(access),
    objects: new MemoryObjectRepository(access),
    oneTime: new MemoryOneTimeRepository(access),
    outbox: new MemoryOutboxRepository(access),
    passwordHistory: new MemoryPasswordHistoryRepository(access),
    secondFactors: new MemorySecondFactorRepository(access),
    sessions: new MemorySessionRepository(access),
    throttle: new MemoryThrottleRepository(access),
  };
}
