import { explanationLines, printable, terminalStyle } from "@sallyport/client/terminal";
import { CommandError } from "../failures.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { done, listed, type Outcome } from "../outcome.ts";

/** `sallyport why <request-id>`, without a noun. */
export const whyCommand: AdminCommand = {
  name: "why",
  description: "explain why a request was refused, and what to do",
  arguments: [["<request-id>", "X-Request-Id of the response; the audit has it too"]],
  call: async (input) => {
    const explanation = await input.admin.refusals.explain(input.word(0));
    return done(explanationLines(explanation, terminalStyle(process.stdout).strong).join("\n"), explanation);
  },
};

/** `sallyport doctor`, without a noun. */
export const doctorCommand: AdminCommand = {
  name: "doctor",
  description: "examine the database; changes nothing, and exits with 1 if it finds an error",
  call: async ({ admin }) => {
    const findings = await admin.examination.run();
    const lines = findings.map(({ check, level, finding, fix }) => {
      const line = printable(`${level.padEnd(7)}  ${check}: ${finding}`);
      return fix === null ? line : `${line}\n         Fix: ${printable(fix)}`;
    });
    return { data: findings, text: lines.join("\n"), isFailure: findings.some(({ level }) => level === "error") };
  },
};

function textOf(name: string, value: number): string {
  if (value > 0) return String(value);
  return name.endsWith(".burst") ? "perMinute" : "off";
}

/** A setting such as `sessions.limit=500` or `rates.address.perMinute=10/s`. */
function settingIn(word: string): readonly [string, number] {
  const [, name = "", text = ""] = /^([^=]+)=(.*)$/.exec(word) ?? [];
  if (text === "off") return [name, 0];
  const [, digits, unit] = /^(\d{1,9})(\/s|\/min)?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new CommandError(`A setting has the form sessions.limit=500, rates.address.perMinute=10/s or …=off.`);
  return [name, Number(digits) * (unit === "/s" ? 60 : 1)];
}

async function changeLimits(
  { admin }: CommandInput,
  values: readonly (readonly [string, number | null])[],
): Promise<Outcome> {
  const ifMatch = await admin.limits.get();
  const unknown = values.find(([name]) => ifMatch.items.every((each) => each.name !== name));
  if (unknown !== undefined)
    throw new CommandError(`There is no limit "${unknown[0]}". See "sallyport limits show".`, "refused");
  const changed = await admin.limits.change(Object.fromEntries(values), { ifMatch });
  const names = values.map(([name]) => name).join(", ");
  return done(`Changed ${names}.`, changed);
}

export const limitNoun: Noun = {
  name: "limits",
  description: "show and change limits of sessions and request rates",
  examples: [
    ["Slow down every address", "sallyport limits set rates.address.perMinute=120"],
    ["Return to the configuration", "sallyport limits unset rates.address.perMinute"],
  ],
  commands: [
    {
      name: "limits show",
      description: "show the limits of sessions and request rates",
      call: async ({ admin }) =>
        listed("limits", (await admin.limits.get()).items, {
          LIMIT: ({ name }) => name,
          VALUE: ({ name, value }) => textOf(name, value),
          CONFIGURATION: (limit) => textOf(limit.name, limit.default),
          OVERRIDDEN: ({ overridden }) => (overridden ? "yes" : "no"),
        }),
    },
    {
      name: "limits set",
      description: "override limits of the configuration; takes effect with the next request",
      arguments: [["<limit=value...>", "such as sessions.limit=500 or rates.address.perMinute=10/s"]],
      call: (input) => changeLimits(input, input.rest(0).map(settingIn)),
    },
    {
      name: "limits unset",
      description: "return to the limits of the configuration; takes effect with the next request",
      arguments: [["<limit...>", "names of limits"]],
      call: (input) =>
        changeLimits(
          input,
          input.rest(0).map((name) => [name, null]),
        ),
    },
  ],
};
