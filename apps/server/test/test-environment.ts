/** Cheap hashing, silence and any free port: what every server under test has in common. */
export const testEnvironment: Readonly<Record<string, string>> = {
  PORT: "0",
  LOG_LEVEL: "silent",
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
};
