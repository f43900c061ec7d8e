import { randomUUID } from "node:crypto";
import { appendFileSync, createReadStream, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestService } from "../service/test-service.ts";

/** A kind of request that was answered at least once. */
export interface Exercise {
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  /** 0 for a success. */
  readonly code: number;
  /** Log-in mode; `null` without a credential, `undefined` if the source does not tell. */
  readonly mode?: string | null;
}

/** The environment variable with the folder that collects the exercises of all processes. */
export const folderVariable = "SALLYPORT_COVERAGE";

const fileEnding = ".exercises.jsonl";

/** The file of this process in a folder, and its lines. */
interface Records {
  readonly file: string;
  readonly written: Set<string>;
}

const byFolder = new Map<string, Records>();

/** Records the requests to a service, if the environment names a folder. Each kind is written once per process. */
export function recordExercises(service: Pick<TestService, "onAnswered">): void {
  const folder = process.env[folderVariable] ?? "";
  if (folder === "") return;
  const file = join(folder, `${process.pid}-${randomUUID()}${fileEnding}`);
  const records = byFolder.get(folder) ?? { file, written: new Set<string>() };
  byFolder.set(folder, records);
  const record = (exercise: Exercise) => {
    const line = `${JSON.stringify(exercise)}\n`;
    if (records.written.has(line)) return;
    records.written.add(line);
    mkdirSync(folder, { recursive: true });
    appendFileSync(records.file, line);
  };
  service.onAnswered(({ method, route, code, mode, items = [] }) => {
    if (route !== null) record({ method, route, code, mode });
    for (const item of items)
      if (item.route !== null && item.method !== null)
        record({ method: item.method, route: item.route, code: item.code, mode });
  });
}

/** Reads what was recorded in folders, and the access logs of servers. Throws an `Error` for a missing file. */
export async function readExercises(sources: readonly string[]): Promise<Exercise[]> {
  const files = sources.flatMap((source) => (isFolder(source) ? recordsIn(source) : [source]));
  const found = new Map<string, Exercise>();
  for (const each of files) {
    for await (const line of createInterface({ input: createReadStream(each), crlfDelay: Number.POSITIVE_INFINITY })) {
      const exercise = exerciseIn(line);
      if (exercise !== null) found.set(JSON.stringify(exercise), exercise);
    }
  }
  return [...found.values()];
}

/** Removes what was recorded in folders, and no other file. */
export function removeExercises(sources: readonly string[]): void {
  for (const each of sources.filter(isFolder).flatMap(recordsIn)) rmSync(each, { force: true });
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function recordsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(fileEnding))
    .map((name) => join(folder, name));
}

/** The exercise in a line of a log; `null` for any other line. */
function exerciseIn(line: string): Exercise | null {
  if (!line.startsWith("{")) return null;
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
  const { method, route, code, mode } = parsed;
  if (typeof method !== "string" || typeof route !== "string" || typeof code !== "number") return null;
  return mode === undefined ? { method, route, code } : { method, route, code, mode: mode as string | null };
}
