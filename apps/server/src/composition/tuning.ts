import { type MailSettings, mailLimits, type PolicyLimits, policyLimits } from "@sallyport/core";
import { type HttpLimits, httpLimits } from "@sallyport/http";
import { licenceTimeout } from "../licences/http-licence-receiver.ts";
import { licenceIntervals } from "../licences/licence-outbox.ts";
import { macroQueue } from "../macros/macro-folders.ts";
import { mailPollInterval } from "../mail/mail-outbox.ts";
import { explanationsPerSecond } from "../monitoring/refusal-writer.ts";
import { cleanupInterval } from "../background/sweeper.ts";

/**
 * Figures that are the same in every deployment and that tests replace, to reach a limit with little work. Times are
 * milliseconds. `undefined` stands for the default of the adapter.
 */
export interface Tuning {
  readonly http: HttpLimits;
  /** Folder of the built console. */
  readonly consoleFolder: string | undefined;
  readonly policy: PolicyLimits;
  readonly cleanupInterval: number;
  readonly explanationsPerSecond: number;
  /** Passwords that are hashed at once, and requests that wait for it. */
  readonly passwords: { readonly concurrency: number | undefined; readonly queueLimit: number };
  readonly providers: { readonly timeout: number | undefined; readonly pendingLogIns: number };
  readonly macros: {
    readonly queue: { readonly limit: number; readonly timeout: number };
    /** Nice value of the threads. */
    readonly threadPriority: number | undefined;
  };
  readonly mail: MailSettings & { readonly pollInterval: number };
  readonly licences: { readonly timeout: number; readonly poll: number; readonly count: number };
}

export const standardTuning: Tuning = {
  http: httpLimits,
  consoleFolder: undefined,
  policy: policyLimits,
  cleanupInterval,
  explanationsPerSecond,
  // A minute of log-ins of one processor: a longer queue only holds requests that clients have given up.
  passwords: { concurrency: undefined, queueLimit: 256 },
  // Ten minutes of 30 log-ins a second that remain unfinished.
  providers: { timeout: undefined, pendingLogIns: 20_000 },
  macros: { queue: macroQueue, threadPriority: undefined },
  mail: { ...mailLimits, pollInterval: mailPollInterval },
  licences: { timeout: licenceTimeout, ...licenceIntervals },
};

/** For a server in the process of its tests: nothing depends on the load of the machine, and fakes answer at once. */
export const tuningInTests: Tuning = {
  ...standardTuning,
  http: { ...httpLimits, shedding: null },
  providers: { ...standardTuning.providers, timeout: 2_000 },
  macros: { queue: { ...macroQueue, timeout: 60_000 }, threadPriority: 0 },
};
