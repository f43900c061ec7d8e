import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type ReproductionWorld, reproductionModule } from "./reproduction-module.ts";
import { simulate } from "./simulate.ts";
import { type World, worldAt } from "./world.ts";

export const usage = `Usage: sync-simulator (--url <address> --admin-key <key> | --world <module>) [options]

Simulate devices that synchronize with a server over an unreliable network while an
administrator changes objects, readers, groups, rights and the schema, and check that
devices lose nothing and receive only what their users can read. It creates classes,
users, groups and a schema of its own, and deletes its objects. Use a test database.

Server:
  --url <address>     address of a server; repeat it for servers on the same database
  --alias <alias>     alias of the database
  --admin-key <key>   app key of scope "admin"
  --user <name>       an administrator (default: admin)
  --password <text>   the administrator's password (default: admin)
  --world <module>    module whose default export is a World, which can also end servers and
                      restore the database

Options:
  --seeds <n>         number of scenarios (default: 100)
  --seed <s>          first seed, an integer (default: 1)
  --devices <n>       devices of a scenario (default: 3)
  --steps <n>         steps of a scenario (default: 16)
  --help              display help

Exit code: 0 without a failure, 1 with a failure, which is printed as a module,
2 if the command cannot run.
`;

export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

class UsageError extends Error {}

/** Runs the command `sync-simulator` and returns its exit code. */
export async function runCommand(args: readonly string[], { stdout, stderr }: Terminal): Promise<0 | 1 | 2> {
  let world: World | undefined;
  try {
    const options = optionsOf(args);
    if (options === null) {
      stdout.write(usage);
      return 0;
    }
    world = await options.open();
    for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1) {
      const { devices, steps } = options;
      const failure = await simulate({ world, seed, devices, steps });
      if (failure === null) continue;
      for (const { kind, message } of failure.violations) stdout.write(`${kind}: ${message}\n`);
      stdout.write(`\n${reproductionModule(failure, options.reproduction)}\n`);
      stdout.write(
        `The scenario of seed ${seed} fails. It is shrunk to ${failure.scenario.steps.length} steps above.\n`,
      );
      return 1;
    }
    stdout.write(`${options.seeds} scenarios, no failure.\n`);
    return 0;
  } catch (error) {
    const hint = error instanceof UsageError ? "\n(see --help)" : "";
    stderr.write(`error: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return 2;
  } finally {
    await world?.close?.();
  }
}

interface CommandOptions {
  readonly open: () => Promise<World>;
  readonly reproduction: ReproductionWorld;
  readonly seeds: number;
  readonly seed: number;
  readonly devices: number;
  readonly steps: number;
}

/** `null` for `--help`. */
function optionsOf(args: readonly string[]): CommandOptions | null {
  const values = parsed(args);
  if (values.help === true) return null;
  const numbers = {
    seeds: wholeNumber("seeds", values.seeds, 100),
    seed: wholeNumber("seed", values.seed, 1),
    devices: wholeNumber("devices", values.devices, 3),
    steps: wholeNumber("steps", values.steps, 16),
  };
  if (values.world !== undefined) {
    const file = resolve(values.world);
    const reproduction = { imports: [`import opened from ${JSON.stringify(file)};`], expression: "opened" };
    return { ...numbers, open: () => loadWorld(file), reproduction };
  }
  const { url: urls = [], "admin-key": adminKey, alias = "", user = "admin", password = "admin" } = values;
  if (urls.length === 0 || adminKey === undefined)
    throw new UsageError("--url and --admin-key are required, or --world.");
  const shown = `urls: ${JSON.stringify(urls)}, alias: ${JSON.stringify(alias)}, user: ${JSON.stringify(user)}`;
  return {
    ...numbers,
    open: () => Promise.resolve(worldAt({ urls, alias, adminKey, user, password })),
    // Secrets stay out of the output.
    reproduction: {
      imports: [],
      expression: `worldAt({ ${shown}, adminKey: process.argv[2], password: process.argv[3] })`,
    },
  };
}

async function loadWorld(file: string): Promise<World> {
  const module = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${String(error)}`, { cause: error });
  })) as { readonly default?: World };
  if (module.default?.servers === undefined) throw new UsageError(`The default export of ${file} is not a World.`);
  return module.default;
}

function wholeNumber(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${option} must be an integer from 1 to 999999999.`);
  return Number(text);
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    url: { type: "string", multiple: true },
    alias: text,
    "admin-key": text,
    user: text,
    password: text,
    world: text,
    seeds: text,
    seed: text,
    devices: text,
    steps: text,
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
