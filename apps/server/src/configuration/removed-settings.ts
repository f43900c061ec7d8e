import type { Fault } from "./configuration-error.ts";
import { millisecondsOf } from "./field-kinds.ts";
import type { Environment } from "./read-sources.ts";

/** A setting of former versions. Its value is a constant now. */
export interface RemovedSetting {
  /** As in the file; each database could override one with `inDatabases`. */
  readonly path: string;
  readonly variable: string;
  /** The constant, as in the file; `null` if the server derives it from the machine. */
  readonly value: string | number | null;
  /** The variable that serves the same need; `null` if there is none. */
  readonly successor: string | null;
  readonly inDatabases?: true;
}

function removed(path: string, variable: string, value: string | number | null, successor: string | null = null) {
  return { path, variable, value, successor };
}

function removedInDatabases(...args: Parameters<typeof removed>): RemovedSetting {
  return { ...removed(...args), inDatabases: true };
}

/** All settings that were removed, in the order of the file. */
export const removedSettings: readonly RemovedSetting[] = [
  removed("server.shedding.delay", "SHEDDING_DELAY", "1s", "MAX_REQUESTS_IN_FLIGHT"),
  removed("server.shedding.resume", "SHEDDING_RESUME", "250ms"),
  removed("server.maxPipelinedRequests", "MAX_PIPELINED_REQUESTS", 32),
  removed("server.maxIncompleteBodies.perIp", "MAX_INCOMPLETE_BODIES_PER_IP", 100, "MAX_CONNECTIONS_PER_IP"),
  removed("server.maxIncompleteBodies.total", "MAX_INCOMPLETE_BODIES", 1_000, "MAX_CONNECTIONS"),
  removed("server.maxTransfers.perIp", "MAX_TRANSFERS_PER_IP", 300, "MAX_CONNECTIONS_PER_IP"),
  removed("server.maxTransfers.total", "MAX_TRANSFERS", 1_000, "MAX_REQUESTS_IN_FLIGHT"),
  removed("server.maxSendBufferBytes.perIp", "MAX_SEND_BUFFER_BYTES_PER_IP", null, "MAX_RESPONSE_BYTES"),
  removed("server.maxSendBufferBytes.total", "MAX_SEND_BUFFER_BYTES", null, "MAX_RESPONSE_BYTES"),
  removed("server.timeouts.headers", "HEADERS_TIMEOUT", "10s", "REQUEST_TIMEOUT"),
  removed("server.timeouts.upload", "UPLOAD_TIMEOUT", "30s", "MIN_TRANSFER_RATE"),
  removed("cleanup.interval", "CLEANUP_INTERVAL", "1m"),
  removedInDatabases("devices.perUser", "DEVICES_PER_USER", 50),
  removedInDatabases("throttle.user.initialDelay", "THROTTLE_USER_INITIAL_DELAY", "1s", "THROTTLE_USER_MAX_DELAY"),
  removedInDatabases("throttle.user.resetAfter", "THROTTLE_USER_RESET_AFTER", "1h", "THROTTLE_USER_MAX_DELAY"),
  removedInDatabases("throttle.ip.initialDelay", "THROTTLE_IP_INITIAL_DELAY", "1s", "THROTTLE_IP_MAX_FAILURES"),
  removedInDatabases("throttle.ip.maxDelay", "THROTTLE_IP_MAX_DELAY", "15m", "THROTTLE_IP_MAX_FAILURES"),
  removedInDatabases("throttle.ip.resetAfter", "THROTTLE_IP_RESET_AFTER", "1h", "THROTTLE_IP_MAX_FAILURES"),
  removedInDatabases("explanations.perNetwork", "EXPLANATIONS_PER_NETWORK", 200, "EXPLANATIONS_RETENTION"),
  removed("explanations.perSecond", "EXPLANATIONS_PER_SECOND", 20, "EXPLANATIONS_RETENTION"),
  removed("passwords.argon2.parallelism", "ARGON2_PARALLELISM", 1, "ARGON2_TIME_COST"),
  removed("passwords.hashConcurrency", "PASSWORD_HASH_CONCURRENCY", null, "WORKERS"),
  removed("passwords.hashQueueLimit", "PASSWORD_HASH_QUEUE_LIMIT", 256, "WORKERS"),
  removed("providers.timeout", "PROVIDERS_TIMEOUT", "5s"),
  removed(
    "providers.maxPendingLogins.total",
    "PROVIDERS_MAX_PENDING_LOGINS",
    20_000,
    "PROVIDERS_MAX_PENDING_LOGINS_PER_IP",
  ),
  removed("files.maxOpenUploads", "FILES_MAX_OPEN_UPLOADS", 100),
  removed("files.uploadLifetime", "FILES_UPLOAD_LIFETIME", "1d"),
  removed("macros.threadPriority", "MACRO_THREAD_PRIORITY", 10, "MACRO_THREADS"),
  removed("macros.queueLimit", "MACRO_QUEUE_LIMIT", 200, "MACRO_THREADS"),
  removed("macros.queueTimeout", "MACRO_QUEUE_TIMEOUT", "2s", "MACRO_THREADS"),
  removed("macros.resultBytes", "MACRO_RESULT_BYTES", 1_048_576),
  removed("mail.smtp.timeout", "SMTP_TIMEOUT", "10s"),
  removed("mail.outboxLimit", "MAIL_OUTBOX_LIMIT", 10_000),
  removed("mail.unavailableAfter", "MAIL_UNAVAILABLE_AFTER", "15m"),
  removed("mail.pollInterval", "MAIL_POLL_INTERVAL", "5s"),
  removed("licences.statistics.timeout", "LICENCES_STATISTICS_TIMEOUT", "5s"),
  removed("licences.statistics.lifetime", "LICENCES_STATISTICS_LIFETIME", "7d"),
  removed("licences.statistics.queueLimit", "LICENCES_STATISTICS_QUEUE_LIMIT", 100_000),
  removed("licences.statistics.pollInterval", "LICENCES_STATISTICS_POLL_INTERVAL", "5s"),
  removed("licences.statistics.countInterval", "LICENCES_STATISTICS_COUNT_INTERVAL", "1m"),
];

/** The removed settings that a configuration still has. */
interface RemainingSettings {
  /** For those with the value that the server uses anyway. */
  readonly warnings: readonly string[];
  /** For the others. */
  readonly faults: readonly Fault[];
}

/** Takes the removed settings out of the unparsed document. */
export function takeRemovedSettings(raw: Record<string, unknown>, environment: Environment): RemainingSettings {
  const warnings: string[] = [];
  const faults: Fault[] = [];
  const databases = Array.isArray(raw["databases"]) ? raw["databases"] : [];
  for (const setting of removedSettings) {
    const { path, variable, value, inDatabases } = setting;
    const note = (name: string, other: unknown): void => {
      if (value !== null && meaningOf(other) === meaningOf(value))
        warnings.push(`${name} is not used any more: the server always uses ${value}. Remove it.`);
      else faults.push({ path: "", reason: `${name} is not used any more: ${whatToDo(setting)}` });
    };
    const text = environment[variable] || undefined;
    if (text !== undefined) note(variable, text);
    const steps = path.split(".");
    const found = take(raw, steps);
    if (found !== undefined) note(path, found);
    for (const [index, database] of inDatabases === true ? databases.entries() : []) {
      const own = take(database, steps);
      if (own !== undefined) note(`databases[${index}].${path}`, own);
    }
  }
  return { warnings, faults };
}

function whatToDo({ value, successor }: RemovedSetting): string {
  const now = value === null ? "the server adapts it to the machine" : `the server always uses ${value}`;
  return `${now}. Remove it${successor === null ? "" : `; ${successor} serves the same need`}.`;
}

/** Removes a member and the section that it leaves empty. */
function take(document: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof document !== "object" || document === null) return undefined;
  const section = document as Record<string, unknown>;
  const member = section[name];
  const found = rest.length === 0 ? member : take(member, rest);
  if (found !== undefined && (rest.length === 0 || Object.keys(member as object).length === 0)) delete section[name];
  return found;
}

/** Equal for equal values: a number, a duration in milliseconds, or another text. */
function meaningOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^\d+$/.test(value)) return Number(value);
  const milliseconds = millisecondsOf(value);
  return Number.isNaN(milliseconds) ? value : milliseconds;
}
