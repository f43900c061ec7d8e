import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { ConfigurationError, type Fault } from "./configuration-error.ts";
import { factsOf, schemaAt, walkFields } from "./fields.ts";
import { whyUnreadable } from "./file-access.ts";
import { configurationSchema } from "./schema/configuration-schema.ts";

/** Content of a configuration file: valid JSON, otherwise unchecked. Its paths become absolute. */
export function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError([{ path: "", reason: `The configuration file ${file} ${whyUnreadable(error)}.` }]);
  }
  return resolvePaths(parse(text, file), configurationSchema, dirname(resolve(file)));
}

/** The error message of the parser would quote the file, including secrets. */
function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const position = /position (\d+)/.exec(String((error as Error).message))?.[1];
    const line = position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
    throw new ConfigurationError([{ path: "", reason: `The configuration file ${file} is not valid JSON${line}.` }]);
  }
}

function resolvePaths(value: unknown, schema: z.ZodType | undefined, folder: string): unknown {
  if (schema === undefined) return value;
  if (typeof value === "string") {
    return value === "" ? value : (factsOf(schema)?.kind.inFolder?.(value, folder) ?? value);
  }
  if (Array.isArray(value)) return value.map((each) => resolvePaths(each, schemaAt(schema, [0]), folder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolvePaths(member, schemaAt(schema, [name]), folder)]),
  );
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentValues {
  /** Values by path of the field. */
  readonly values: ReadonlyMap<
    string,
    { readonly path: readonly string[]; readonly value: unknown; readonly env: string }
  >;
  readonly faults: readonly Fault[];
  /** Files that contain a secret. */
  readonly secretFiles: readonly string[];
}

/** Reads the environment variables of all fields. An empty variable counts as unset. */
export function readEnvironment(environment: Environment): EnvironmentValues {
  const values = new Map<string, { path: readonly string[]; value: unknown; env: string }>();
  const faults: Fault[] = [];
  const secretFiles: string[] = [];
  for (const { path, facts } of walkFields(configurationSchema)) {
    if (facts.env === null) continue;
    const name = path.join(".");
    let env = facts.env;
    let text = environment[env] || undefined;
    const file = facts.secret ? environment[`${env}_FILE`] || undefined : undefined;
    if (file !== undefined && text !== undefined) {
      faults.push({ path: name, env: `${env}_FILE`, reason: `cannot be combined with ${env}` });
      continue;
    }
    if (file !== undefined) {
      env = `${env}_FILE`;
      secretFiles.push(file);
      try {
        text = readFileSync(file, "utf8").trim();
      } catch (error) {
        faults.push({ path: name, env, reason: `the file ${whyUnreadable(error)}` });
      }
    }
    if (text === undefined) continue;
    const value = facts.kind.inFolder?.(text, process.cwd()) ?? facts.kind.fromText(text);
    values.set(name, { path, value, env });
  }
  return { values, faults, secretFiles };
}

/** Whether `LOG_LEVEL` is `debug` or `trace`. Works with an invalid configuration. */
export function isDebugging(): boolean {
  return ["debug", "trace"].includes(process.env["LOG_LEVEL"] ?? "");
}
