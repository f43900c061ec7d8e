import { accountRepository } from "./account-repository.js";
import { admissionRepository } from "./admission-repository.js";
import { appKeyRepository } from "./app-key-repository.js";
import { auditRepository } from "./audit-repository.js";
import { changeRepository } from "./change-repository.js";
import { channelRepository } from "./channel-repository.js";
import { deletionRepository } from "./deletion-repository.js";
import { lockRepository } from "./lock-repository.js";
import { modelRepository } from "./model-repository.js";
import { objectRepository } from "./object-repository.js";
import { recordRepository } from "./record-repository.js";
import { sessionRepository } from "./session-repository.js";
import { settingsRepository } from "./settings-repository.js";
import { throttleRepository } from "./throttle-repository.js";

/**
 * Creates all repositories over one database access.
 *
 * @param {import("../access.js").Access} access
 * @returns {import("@sallyport/storage").Repositories}
 */
export function repositoriesOver(access) {
  return {
    admission: copying(admissionRepository(access)),
    accounts: copying(accountRepository(access)),
    appKeys: copying(appKeyRepository(access)),
    audit: copying(auditRepository(access)),
    changes: copying(changeRepository(access)),
    channels: copying(channelRepository(access)),
    deletion: copying(deletionRepository(access)),
    locks: copying(lockRepository(access)),
    model: copying(modelRepository(access)),
    objects: copying(objectRepository(access)),
    records: copying(recordRepository(access)),
    sessions: copying(sessionRepository(access)),
    settings: copying(settingsRepository(access)),
    throttle: copying(throttleRepository(access)),
  };
}

/**
 * Copies the arguments: a call can wait, and the caller can change them meanwhile. Functions stay as they are.
 *
 * @template {object} Repository
 * @param {Repository} repository
 * @returns {Repository}
 */
function copying(repository) {
  const methods = Object.entries(repository).map(([name, method]) => [
    name,
    async (/** @type {unknown[]} */ ...given) => method.apply(repository, given.map(copyOf)),
  ]);
  return Object.fromEntries(methods);
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function copyOf(value) {
  if (typeof value === "function") return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (Object.prototype.toString.call(value) !== "[object Object]") return structuredClone(value);
  return Object.fromEntries(
    Object.entries(/** @type {object} */ (value)).map(([name, member]) => [name, copyOf(member)]),
  );
}
