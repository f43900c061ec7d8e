import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type EndedCommand, runInProcess } from "@sallyport/test-kit/commands/run-in-process";
import { runCommandLine } from "../src/run-command-line.ts";

export const root = resolve(import.meta.dirname, "../../..");
export const program = join(root, "apps/cli/bin/sallyport.mjs");
export const serverProgram = join(root, "apps/server/dist/package/dist/main.js");

export const folder = mkdtempSync(join(tmpdir(), "sallyport-cli-"));
export const file = (name: string) => join(folder, name);
export const serverEnvironment = {
  PATH: process.env["PATH"] ?? "",
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
  DATA_DIR: file("data"),
  PORT: "0",
};
export const password = "admin";
export const outputs: string[] = [];
export let lastRequestId: string;
let server: ChildProcess;
/** The output of the server, with the banner. */
export let banner: string;
export let url: string;
export let appKey: string;

export function run(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = "",
): Promise<EndedCommand> {
  return new Promise((done) => {
    const options = { env, cwd: folder, maxBuffer: 1 << 24 };
    const child = execFile(process.execPath, ["--liftoff-only", path, ...args], options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.on("error", () => {}).end(input);
  });
}

/** Runs the command line with a folder of settings of its own, in this process or as a program. */
export async function sallyport(
  line: string | readonly string[],
  input = "",
  { settings = "settings", asProgram = false } = {},
): Promise<EndedCommand> {
  const args = typeof line === "string" ? line.split(" ") : line;
  const environment = { PATH: serverEnvironment.PATH, HOME: folder, XDG_CONFIG_HOME: file(settings) };
  const ended = await (asProgram
    ? run(program, args, environment, input)
    : runInProcess(() => runCommandLine(args), { environment, folder, input }));
  outputs.push(ended.stdout, ended.stderr);
  return ended;
}

/** The output of a command that succeeds. */
export async function output(line: string | readonly string[], input = ""): Promise<string> {
  const { code, stdout, stderr } = await sallyport(line, input);
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: code === 0 ? stderr : "" });
  return stdout;
}

export const json = async (line: string) => JSON.parse(await output(`${line} --json`));

/** A session of an application; the code of the answer instead if it is refused. */
export async function logInApp(user: string, input: object = {}, key = "demo-app-key"): Promise<string> {
  const response = await fetch(`${url}/v1/login`, {
    method: "POST",
    headers: { appkey: key, "content-type": "application/json" },
    body: JSON.stringify({ user, pass: user, appNames: ["demo-seats"], ...input }),
  });
  lastRequestId = String(response.headers.get("x-request-id"));
  return ((await response.json()) as { status: { internalStatus: string } }).status.internalStatus;
}

/** Starts a server with the demo, and creates an app key for administrators. */
export async function startServer(): Promise<void> {
  server = spawn(process.execPath, ["--liftoff-only", serverProgram, "serve"], { env: serverEnvironment, cwd: folder });
  url = await new Promise<string>((found) => {
    let log = "";
    server.stdout?.setEncoding("utf8").on("data", (part: string) => {
      log += part;
      const address = /"address":"(http[^"]+)"/.exec(log)?.[1];
      if (address === undefined) return;
      banner = log;
      found(address);
    });
  });
  const [, demoKey = ""] = /^ {2}admin key +(\S+)$/m.exec(banner) ?? [];
  const prepared = { settings: "prepared" };
  await sallyport(`log-in ${url} --user admin`, `${demoKey}\n${password}\n`, prepared);
  appKey = (await sallyport("app-key create console --scope admin", "", prepared)).stdout.trim();
  await sallyport("log-out", "", prepared);
  writeFileSync(file("key"), `${appKey}\n`);
  outputs.length = 0;
}

/** The same, with an administrator who is logged in. */
export async function startAndLogIn(): Promise<void> {
  await startServer();
  await output(`log-in ${url} --user admin --app-key-file key`, `${password}\n`);
}

export async function stopServer(): Promise<void> {
  server.kill("SIGTERM");
  await once(server, "close");
  rmSync(folder, { recursive: true });
}
