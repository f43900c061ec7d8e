import { components } from "../composition/components.ts";
import { type Configuration, ConfigurationError, loadConfiguration } from "../configuration/index.ts";
import { examineServer } from "../doctor/examine-server.ts";
import type { Diagnosis } from "../doctor/diagnosis.ts";
import { type JsonOptions, printJson } from "../command-line/list-command.ts";
import { describeError } from "../command-line/report-failure.ts";
import type { AliasOptions, ServerCommand } from "../command-line/server-command.ts";
import { withOpened } from "../command-line/with-database.ts";
import { listProviders } from "@sallyport/core";

/** `doctor`: examines the server and prints each finding with its fix. */
export function defineDoctor(command: ServerCommand): void {
  command
    .withConfiguration()
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nThe command needs no running server, and works with an invalid configuration. It exits with 1 if a finding is an error.",
    )
    .action(async ({ config, json }: AliasOptions & JsonOptions) => {
      const findings = await examine(config);
      if (json) printJson(findings);
      else console.log(findings.map(linesOf).join("\n"));
      if (findings.some(({ level }) => level === "error")) process.exitCode = 1;
    });
}

async function examine(file: string | undefined): Promise<readonly Diagnosis[]> {
  let configuration: Configuration;
  try {
    configuration = loadConfiguration({ file });
  } catch (error) {
    return invalidConfiguration(error);
  }
  return examineServer({
    configuration,
    withDatabase: (each, work) =>
      withOpened(configuration, each, async ({ database, container }) =>
        work({
          database,
          keyRings: await container.getAsync(components.keyRings),
          listProviders: async (context) =>
            listProviders({ ...context, services: await container.getAsync(components.registration) }),
          facts: async () => (each.storage === null ? null : container.get(components.engines).facts(each.storage)),
        }),
      ),
  });
}

function invalidConfiguration(error: unknown): readonly Diagnosis[] {
  const check = "configuration";
  const fix = 'Correct it, and check it with "sallyport-server check-config".';
  if (!(error instanceof ConfigurationError)) return [{ check, level: "error", finding: describeError(error), fix }];
  return error.faults.map(({ path, env, reason }) => ({
    check,
    level: "error",
    finding: path === "" ? reason : `${path}${env === undefined ? "" : ` (${env})`}: ${reason}`,
    fix,
  }));
}

function linesOf({ check, level, finding, fix }: Diagnosis): string {
  const line = `${level.padEnd(8)}${check}: ${finding}`;
  return fix === null ? line : `${line}\n        ${fix}`;
}
