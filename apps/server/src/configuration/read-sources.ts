import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { ConfigurationError, type Fault } from "./configuration-error.ts";
import { factsOf, schemaAt, walkFields } from "./fields.ts";
import { configurationSchema } from "./schema/configuration-schema.ts";

/** Content of a configuration file: valid JSON, otherwise unchecked. Its paths become absolute. */
export function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError([{ path: "", reason: `The configuration file ${file} ${readReason(error)}.` }]);
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
        faults.push({ path: name, env, reason: `the file ${readReason(error)}` });
      }
    }
    if (text === undefined) continue;
    const value = facts.kind.inFolder?.(text, process.cwd()) ?? facts.kind.fromText(text);
    values.set(name, { path, value, env });
  }
  return { values, faults, secretFiles };
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["EISDIR", "is a directory"],
]);

/** Why a file could not be read: completes "the file …". */
export function readReason(error: unknown): string {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  if (isForbidden(error)) return `is not readable${path === undefined ? "" : because(path)}`;
  return reasons.get(code) ?? `cannot be read${code === "" ? "" : ` (${code})`}`;
}

function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException | null)?.code ?? "");
}

/** Why this process may not use a path: its owner, or that of the nearest parent that can be seen. Empty on Windows. */
export function because(path: string): string {
  const own = process.geteuid?.();
  if (own === undefined) return "";
  const seen = nearest(path);
  const { uid, mode } = statSync(seen);
  return `: ${seen} belongs to user id ${uid} with mode ${modeText(mode)}, and this process has user id ${own}`;
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0");

/** The path, or its nearest parent that can be seen. */
function nearest(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : nearest(dirname(path));
  }
}

/** Why a file cannot be read: completes "the file …"; `null` if it can. */
export function unreadable(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return readReason(error);
  }
}

/** Problem of a directory, as the end of a sentence; `null` if none. `mayBeMissing`: it is created on demand. `written`: files are written into it. */
export function folderProblem(folder: string, { mayBeMissing = false, written = false } = {}): string | null {
  try {
    if (!statSync(folder).isDirectory()) return "is not a directory";
    return written ? writeProblem(folder, "the directory is not writable") : null;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!mayBeMissing || !isMissing) return `the directory ${readReason(error)}`;
    return written ? writeProblem(nearest(resolve(folder)), "the directory cannot be created") : null;
  }
}

function writeProblem(folder: string, problem: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${problem}${isForbidden(error) ? because(folder) : ` (${code})`}`;
  }
}

/** A file with a secret, and its fault: other users can read or change it. */
export interface SecretFileFault {
  readonly fault: string;
  readonly fix: string;
}

/**
 * Faults of files with secrets. Their owner is the user of this process, or root. Only a file of root may be readable by
 * its group: that of the server, or of systemd's credentials. A missing file is not a fault, and neither is one that a container
 * platform mounts: it chooses the mode, and no other user is there. Windows has no such permissions.
 */
export function secretFileFaults(
  files: Iterable<string>,
  own = process.geteuid?.(),
  mounts = "/run/secrets",
): SecretFileFault[] {
  if (own === undefined) return [];
  return Array.from(new Set(files)).flatMap((file): SecretFileFault[] => {
    if (resolve(file).startsWith(join(mounts, "/"))) return [];
    const status = statSync(file, { throwIfNoEntry: false });
    if (status === undefined) return [];
    const { uid, mode } = status;
    if (uid !== own && uid !== 0) {
      const fault = `The key file ${file} belongs to user id ${uid}, who can change it. This process has user id ${own}.`;
      return [{ fault, fix: `chown ${own} ${file}` }];
    }
    if ((mode & (uid === 0 ? 0o037 : 0o077)) === 0) return [];
    const fault = `Other users of this machine can read or write the key file ${file} (mode ${modeText(mode)}).`;
    return [{ fault, fix: `chmod 600 ${file}` }];
  });
}

/** Whether `LOG_LEVEL` is `debug` or `trace`. Works with an invalid configuration. */
export function isDebugging(): boolean {
  return ["debug", "trace"].includes(process.env["LOG_LEVEL"] ?? "");
}
