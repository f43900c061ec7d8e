import { join } from "node:path";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";
import { standardTuning, type Tuning } from "../src/composition/tuning.ts";

type Figures<T> = T extends object ? { readonly [Name in keyof T]?: Figures<T[Name]> } : T;

const prefix = "tuning.";

/** Figures of the server that a test replaces, beside the variables of its environment. They merge with others by name. */
export function tuned(figures: Figures<Tuning>): Readonly<Record<string, string>> {
  return Object.fromEntries(leavesOf(figures, prefix));
}

function leavesOf(value: unknown, name: string): [string, string][] {
  if (typeof value !== "object" || value === null) return [[name, JSON.stringify(value)]];
  const at = name.endsWith(".") ? name : `${name}.`;
  return Object.entries(value).flatMap(([member, each]) => leavesOf(each, `${at}${member}`));
}

/** The figures of a server with this environment. */
export function tuningOf(environment: Readonly<Record<string, string>>): Tuning {
  const tuning = structuredClone(standardTuning);
  for (const [name, value] of Object.entries({ ...testEnvironment, ...environment })) {
    if (!name.startsWith(prefix)) continue;
    const steps = name.slice(prefix.length).split(".");
    const last = steps.pop() as string;
    let holder = tuning as unknown as Record<string, Record<string, never> | null>;
    for (const step of steps) holder = holder[step] ??= {};
    holder[last] = JSON.parse(value);
  }
  return tuning;
}

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
  // Servers share the event loop with their tests, which delay it. Beside the tests themselves, macros would rarely get
  // processor time.
  ...tuned({ http: { shedding: null }, macros: { threadPriority: 0 } }),
  ...withoutBudgets,
};
