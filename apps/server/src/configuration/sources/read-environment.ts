import { readFileSync } from "node:fs";
import type { Fault } from "../configuration-error.ts";
import { walkFields } from "../fields/index.ts";
import { configurationSchema } from "../schema/configuration-schema.ts";
import { readReason } from "./read-reason.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentValues {
  /** What the variables say, by path of the field. */
  readonly values: ReadonlyMap<
    string,
    { readonly path: readonly string[]; readonly value: unknown; readonly env: string }
  >;
  readonly faults: readonly Fault[];
}

/** Reads every variable that a field names. An empty variable counts as none. */
export function readEnvironment(environment: Environment): EnvironmentValues {
  const values = new Map<string, { path: readonly string[]; value: unknown; env: string }>();
  const faults: Fault[] = [];
  for (const { path, facts } of walkFields(configurationSchema)) {
    if (facts.env === null) continue;
    const name = path.join(".");
    let env = facts.env;
    let text = environment[env] || undefined;
    const file = facts.secret ? environment[`${env}_FILE`] || undefined : undefined;
    if (file !== undefined && text !== undefined) {
      faults.push({ path: name, env: `${env}_FILE`, reason: `contradicts ${env}: set one of them` });
      continue;
    }
    if (file !== undefined) {
      env = `${env}_FILE`;
      try {
        text = readFileSync(file, "utf8").trim();
      } catch (error) {
        faults.push({ path: name, env, reason: `names a file that ${readReason(error)}` });
      }
    }
    if (text === undefined) continue;
    const value = facts.kind.inFolder?.(text, process.cwd()) ?? facts.kind.fromText(text);
    values.set(name, { path, value, env });
  }
  return { values, faults };
}
