import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MacroFault } from "@sallyport/core";
import { Command } from "commander";
import { faultLines } from "../../authoring/fault-lines.ts";
import { judgeOutcome } from "../../authoring/judge-outcome.ts";
import { type MacroTest, readTests } from "../../authoring/test-file.ts";
import type { Trial } from "../../authoring/trial.ts";
import { failureLines } from "../../authoring/trial-report.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { macroFolderOption } from "./macro-folder.ts";
import { type OpenedTrial, type TrialOptions, withTrial } from "./with-trial.ts";

const ending = ".test.json";

/** `macro test`: runs the tests that stand beside macros. */
export function testMacrosCommand(): Command {
  return new Command("test")
    .description(
      "run the tests in <name>.test.json beside each macro; each is taken back, so that none sees what another did",
    )
    .argument("[names...]", "the macros (default: all with tests)")
    .option("--configured", "on the database of the configuration (default: the demo, in memory)")
    .addOption(macroFolderOption(", or the demo's"))
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText("after", "\nExit code 1 if a test fails.")
    .action((names: readonly string[], options: TrialOptions) =>
      withTrial(options, (opened) => testAll(names, opened)),
    );
}

async function testAll(names: readonly string[], { trial, folder }: OpenedTrial): Promise<void> {
  if (folder === null) throw new CommandError("No folder with macros is configured; --directory names one.");
  const all = names.length > 0 ? names : namesIn(folder);
  if (all.length === 0) throw new CommandError(`There are no tests in ${folder}: none of its files ends in ${ending}.`);
  let [passed, failed] = [0, 0];
  // One without tests would be broken without anybody knowing.
  for (const { name, fault } of names.length > 0 ? [] : await trial.broken()) {
    const lines = fault instanceof MacroFault ? faultLines(fault, folder) : [fault.message];
    console.log([name, "  FAIL is a macro or a hook", ...lines.map((line) => `       ${line}`)].join("\n"));
    failed += 1;
  }
  for (const name of all) {
    const tests = await readTests(join(folder, name + ending));
    console.log(name);
    for (const test of tests) {
      const lines = await linesOf(name, test, trial, folder);
      console.log(
        [`  ${lines === null ? "ok  " : "FAIL"} ${test.title}`, ...(lines ?? []).map((line) => `       ${line}`)].join(
          "\n",
        ),
      );
      if (lines === null) passed += 1;
      else failed += 1;
    }
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/** What is wrong, with the reason of a failure that nobody expected; `null` if nothing is. */
async function linesOf(macro: string, test: MacroTest, trial: Trial, folder: string): Promise<string[] | null> {
  const { as: user, apps: appNames, input, skipChecker } = test;
  const outcome = await trial.run({ macro, user, appNames, input, skipChecker, commit: false });
  const fault = judgeOutcome(test, outcome);
  if (fault === null) return null;
  return [fault, ...(outcome.error === undefined ? [] : failureLines(outcome.error, folder))];
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .toSorted();
}
