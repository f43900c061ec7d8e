import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { serverVariable } from "../service/open-test-service.ts";
import { shapeChanges } from "./compare-shapes.ts";
import { readShapes, type ResponseShape, shapesVariable } from "./response-shapes.ts";

interface DiffOptions {
  /** Files with options of `connectTestService`. */
  readonly before: string;
  readonly after: string;
  /** Command of the suite, with its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the report. */
  readonly write: (text: string) => void;
}

/** Runs a suite against two servers, and writes what changed. Returns whether something did. */
export async function runDiff({ before, after, command, env, write }: DiffOptions): Promise<boolean> {
  const [old, now] = [await shapesOf(before, command, env, write), await shapesOf(after, command, env, write)];
  const changes = shapeChanges(old, now);
  const answers = `${old.length} responses of the old server, ${now.length} of the new one`;
  write(changes.length === 0 ? `No change in ${answers}.\n` : `Changes in ${answers}:\n${changes.join("\n")}\n`);
  return changes.length > 0;
}

/** Throws an `Error` for a command that cannot be started, or that sends no request. */
async function shapesOf(
  server: string,
  [name = "", ...args]: DiffOptions["command"],
  env: DiffOptions["env"],
  write: DiffOptions["write"],
): Promise<ResponseShape[]> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-shapes-"));
  try {
    const variables = { ...env, [serverVariable]: resolve(server), [shapesVariable]: folder };
    const child = spawn(name, args, { env: variables, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) write(`The command exits with ${code ?? "a signal"} for ${server}.\n`);
    const shapes = readShapes(folder);
    if (shapes.length > 0) return shapes;
    throw new Error(
      `The command has sent no request to the server of ${server}. Its tests open it with \`openTestService\`.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
