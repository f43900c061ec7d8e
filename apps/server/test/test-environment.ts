import { join } from "node:path";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";

/** Locks of one session: more than other tests need, and few enough to reach. */
export const locksPerSession = 12;

/** Tests log in from one network in all modes, more often than its share of the processor allows. */
export const withoutBudgets = { UNAUTHENTICATED_CPU_PERCENT: "0" } as const;

/** Common settings of servers under test: cheap hashing, no output and any free port. */
export const testEnvironment: Readonly<Record<string, string>> = {
  PORT: "0",
  LOG_LEVEL: "silent",
  // On by default in the demo; tests compare whole answers.
  DEBUG_MESSAGES: "false",
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
  FILES_DIRECTORY: join(runDirectory(), "files"),
  LOCKS_PER_SESSION: `${locksPerSession}`,
  // Tests count calls and compare states. Those of explanations turn them on.
  EXPLANATIONS_RETENTION: "0s",
  // Servers share the event loop with their tests, which delay it.
  SHEDDING_DELAY: "0s",
  // Beside the tests themselves, macros would rarely get processor time.
  MACRO_THREAD_PRIORITY: "0",
  ...withoutBudgets,
};
