import type { LogInMode } from "@sallyport/client";
import type { TestService } from "../service/test-service.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import { logInModes } from "../modes.ts";

type Describe = (name: string, body: () => void) => unknown;

/** Creates an agent in the mode of the suite. */
export type AgentOf = (service: TestService, user: string, options?: Omit<AgentOptions, "mode">) => Agent;

export interface EachModeOptions {
  /** Default: all. */
  readonly modes?: readonly LogInMode[];
  /** Default: the global one of Jest or Vitest, else that of `node:test`. */
  readonly describe?: Describe;
}

/** Defines a suite once for each mode. */
export function describeEachMode(
  name: string,
  body: (agentOf: AgentOf, mode: LogInMode) => void,
  { modes = logInModes, describe = usualDescribe() }: EachModeOptions = {},
): void {
  for (const mode of modes)
    describe(`${name} (${mode})`, () => {
      body((service, user, options) => service.as(user, { ...options, mode }), mode);
    });
}

interface Globals {
  readonly describe?: Describe;
  readonly __vitest_worker__?: unknown;
}

function usualDescribe(): Describe {
  const { describe, __vitest_worker__: vitest } = globalThis as Globals;
  if (describe !== undefined) return describe;
  if (vitest !== undefined)
    throw new TypeError("Without globals of Vitest, pass its `describe`: describeEachMode(name, body, { describe }).");
  return process.getBuiltinModule("node:test").describe;
}
