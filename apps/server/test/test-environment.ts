/** Whether suites run on every engine and in every log-in mode (`npm run test:full`), and not on one and in one of each. */
export const isFullRun: boolean = process.env["TEST_SCOPE"] === "full";

/** Locks of one session: more than tests need by the way, and few enough to reach. */
export const locksPerSession = 12;

/** Cheap hashing, silence and any free port: what every server under test has in common. */
export const testEnvironment: Readonly<Record<string, string>> = {
  PORT: "0",
  LOG_LEVEL: "silent",
  // On in the demo otherwise; tests compare whole answers.
  DEBUG_MESSAGES: "false",
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
  LOCKS_PER_SESSION: `${locksPerSession}`,
  // Next to the tests themselves, macros would hardly ever have their turn.
  MACRO_THREAD_PRIORITY: "0",
};
