import { limitNames, readLimits, setLimits, type ShownLimit } from "@sallyport/core";
import { didYouMean } from "@sallyport/client/terminal";
import { CommandError } from "../command-error.ts";
import { type JsonOptions, printList } from "../list-command.ts";
import type { ServerCommand, Work } from "../server-command.ts";

/** `limits show|set|unset`. */
export function defineLimits(group: ServerCommand): void {
  group
    .command("show")
    .description("show the limits of sessions and request rates")
    .option("--json", "print JSON")
    .onDatabase((options: JsonOptions) => async ({ administration }) => {
      printList(await readLimits(administration), shown, options);
    });
  group
    .command("set")
    .description("override limits of the configuration; takes effect with the next request")
    .argument(
      "<limit=value...>",
      "such as sessions.limit=500, rates.address.perMinute=600 or rates.session.perMinute=10/s",
    )
    .addHelpText("after", `\nLimits: ${limitNames.join(", ")}`)
    .onDatabase(set);
  group
    .command("unset")
    .description("return to the limits of the configuration; takes effect with the next request")
    .argument("<limit...>", "names of limits")
    .addHelpText("after", `\nLimits: ${limitNames.join(", ")}`)
    .onDatabase(unset);
}

const shown = {
  json: ({ name, value, default: configured, overridden }: ShownLimit) => ({
    name,
    value,
    default: configured,
    overridden,
  }),
  columns: {
    LIMIT: ({ name }: ShownLimit) => name,
    VALUE: ({ name, value }: ShownLimit) => textOf(name, value),
    CONFIGURATION: ({ name, default: configured }: ShownLimit) => textOf(name, configured),
    OVERRIDDEN: ({ overridden }: ShownLimit) => (overridden ? "yes" : "no"),
  },
};

function textOf(name: string, value: number): string {
  if (value > 0) return String(value);
  return name.endsWith(".burst") ? "perMinute" : "off";
}

function set(settings: readonly string[]): Work {
  const changes = new Map(settings.map(settingOf));
  return async ({ administration }) => {
    await setLimits(administration, changes);
    for (const [name, value] of changes) console.log(`Set ${name} to ${textOf(name, value)}.`);
  };
}

function settingOf(setting: string): readonly [string, number] {
  const [, name, text] = /^([^=]+)=(.*)$/.exec(setting) ?? [];
  if (name === undefined || text === undefined)
    throw new CommandError(`A setting has the form limit=value, not "${setting}".`);
  requireLimit(name);
  return [name, valueOf(name, text)];
}

/** Reads an integer, `off`, or, for a rate, a number per second or minute. */
function valueOf(name: string, text: string): number {
  if (text === "off" && !name.endsWith(".perDevice")) return 0;
  const [, digits, unit] = /^(\d{1,9})(\/s|\/min)?$/.exec(text) ?? [];
  if (digits !== undefined && (unit === undefined || name.endsWith(".perMinute")))
    return Number(digits) * (unit === "/s" ? 60 : 1);
  const form = name.endsWith(".perMinute") ? "a number per minute, such as 600, 600/min, 10/s or off" : "an integer";
  throw new CommandError(`The value of ${name} must be ${form}, not "${text}".`);
}

function unset(names: readonly string[]): Work {
  for (const name of names) requireLimit(name);
  return async ({ administration }) => {
    await setLimits(administration, new Map(names.map((name) => [name, null])));
    for (const name of names) console.log(`${name} is as configured.`);
  };
}

function requireLimit(name: string): void {
  if (limitNames.some((each) => each === name)) return;
  const meant = didYouMean(name, limitNames);
  throw new CommandError(
    `There is no limit "${name}". ${meant === undefined ? `Limits: ${limitNames.join(", ")}.` : `Did you mean "${meant}"?`}`,
  );
}
