import { readFile } from "node:fs/promises";
import { refuseUnknown } from "@sallyport/server/testing";
import { startTestService, type TestServiceOptions } from "../service/start-test-service.ts";
import { runDiff } from "../diff/run-diff.ts";
import { parsedArguments, runCommandLine, type Terminal, UsageError } from "../run/command-line.ts";
import { ControlServer } from "./control-server.ts";
import { controlList } from "./controls.ts";

const usage = `Usage: npx @sallyport/testing serve [options]
       npx @sallyport/testing diff <old> <new> -- <command>

serve: serve a test service for tests in any language, on this machine only. A second address,
behind a token that is printed, controls it. The service ends with the command, or by POST /close.

diff: run a suite against two servers, and print the codes, members and headers that changed.
<old> and <new> are files with options of connectTestService. Exits with 1 for a change.

Options of serve:
  --options <file>       options of startTestService as JSON; default: the demo in memory
  --port <port>          port of the service; default: any
  --control-port <port>  port of the controls; default: any
  --json                 print the addresses and the token as one line of JSON
  --help                 display help

Controls (Authorization: Bearer <token>):
${controlList()}
`;

/** The surroundings of the command. */
export interface TestingTerminal extends Terminal {
  /** Ends the service. */
  readonly signal: AbortSignal;
}

/** Runs a command of `npx @sallyport/testing` and returns its exit code. */
export function runTesting(args: readonly string[], terminal: TestingTerminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  return runCommandLine(terminal, async () => {
    const { values, positionals } = parsedArguments({
      args: [...args],
      allowPositionals: true,
      options: { options: text, port: text, "control-port": text, json: flag, help: { ...flag, short: "h" } },
    });
    const [command, ...more] = positionals;
    if (values.help !== true && command === "diff") return diff(more, terminal);
    if (values.help === true) {
      stdout.write(usage);
      return 0;
    }
    if (command === undefined) throw new UsageError("The command is missing.");
    refuseUnknown("command", [command], ["serve", "diff"]);
    if (more.length > 0) throw new UsageError(`The command has no argument "${more[0]}".`);
    if (terminal.env["NODE_ENV"] === "production") {
      stderr.write(
        "error: NODE_ENV is production. A test service has known passwords and keys, and is not for production.\n",
      );
      return 1;
    }
    const options: TestServiceOptions = values.options === undefined ? {} : await optionsIn(values.options);
    const ports = { service: portOf(values.port), control: portOf(values["control-port"]) };
    await serve({ ...options, listen: ports.service }, ports.control, values.json === true, terminal);
    return 0;
  });
}

async function diff([before, after, ...command]: readonly string[], { stdout, env }: TestingTerminal): Promise<0 | 1> {
  if (before === undefined || after === undefined) throw new UsageError("Name the files of both servers.");
  if (command.length === 0) throw new UsageError("The command of the suite is missing: diff <old> <new> -- npm test");
  const hasChanges = await runDiff({ before, after, command, env, write: (text) => void stdout.write(text) });
  return hasChanges ? 1 : 0;
}

async function serve(
  options: TestServiceOptions,
  controlPort: number,
  isJson: boolean,
  { stdout, signal }: TestingTerminal,
): Promise<void> {
  const service = await startTestService(options);
  try {
    const controls = await ControlServer.start(service, controlPort);
    const place = {
      url: service.url,
      appKey: service.anonymous().appKey,
      control: controls.url,
      token: controls.token,
    };
    const lines = [
      `Service  ${place.url}`,
      `App key  ${place.appKey}`,
      `Control  ${place.control}`,
      `Token    ${place.token}`,
    ];
    stdout.write(`${isJson ? JSON.stringify(place) : lines.join("\n")}\n`);
    await ended([signal, controls.signal]);
    await controls.close();
  } finally {
    await service.close();
  }
}

/** Resolves when one of the signals says so. Keeps the process alive until then. */
async function ended(signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => {
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
  });
  clearInterval(alive);
}

async function optionsIn(file: string): Promise<TestServiceOptions> {
  const text = await readFile(file, "utf8");
  try {
    return JSON.parse(text) as TestServiceOptions;
  } catch (cause) {
    throw new UsageError(`${file} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? "0");
  if (text === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`"${text}" is not a port.`);
  return port;
}
