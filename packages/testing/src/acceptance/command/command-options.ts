import type { LogInMode } from "@sallyport/client";
import { logInModes } from "../../modes.ts";
import { parsedArguments, UsageError } from "../../run/command-line.ts";
import { demoTarget } from "../target/readiness.ts";
import type { Target } from "../target/visit.ts";

export const usage = `Usage: sallyport-acceptance <url> [options]

Test a running server over HTTP. Everything that the checks create is removed at the end.

Without an account, the server must have the demo, unchanged. With an account, the command
runs the checks that fit any server, and writes objects of one class.

Account:
  --user <name>        user with the rights to create, write and delete objects of the class
  --password <text>    default: the environment variable ACCEPTANCE_PASSWORD
  --class <name>       class with a text attribute
  --app-key <key>      app key
  --app-name <name>    app name of the log-in
  --alias <alias>      alias of the database (default: none)

Options:
  --admin-key <key>    app key of scope admin, to count live sessions, too: those of the demo are
                       in the files administration.key of its data; the user must be an
                       administrator
  --mode <mode>        session, token, encrypted or secure; repeatable (default: all)
  --section <name>     run only this section; repeatable
  --json <file>        also write the report as JSON
  --list               list the sections and their checks
  --help               display help

Certificates of an own authority, or self-signed ones: name the file in NODE_EXTRA_CA_CERTS.

Exit code: 0 if all applicable checks pass, 1 if a check fails, 2 if the command cannot run,
130 or 143 if SIGINT or SIGTERM ends it. It removes its objects then, too.
`;

export interface CommandOptions {
  /** `null` for `--list` and `--help`. */
  readonly target: Target | null;
  /** An app key of scope `admin`. */
  readonly administrationKey: string | undefined;
  /** Whether the target is the demo. */
  readonly hasDemo: boolean;
  readonly modes: readonly LogInMode[];
  readonly sections: readonly string[];
  readonly json: string | undefined;
  readonly list: boolean;
  readonly help: boolean;
}

const accountOptions = ["user", "password", "class", "app-key", "app-name", "alias"] as const;

/** Parses the command line. Throws a `UsageError` on invalid arguments. */
export function commandOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandOptions {
  const { values, positionals } = parsed(args);
  const [url, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}". Pass one address.`);
  const { mode: modes = logInModes, section: sections = [], json, list = false, help = false } = values;
  for (const mode of modes)
    if (!logInModes.includes(mode as LogInMode))
      throw new UsageError(`There is no mode "${mode}". Modes are ${logInModes.join(", ")}.`);
  if (url === undefined && !list && !help) throw new UsageError("The address of the server is missing.");
  const hasDemo = accountOptions.every((name) => values[name] === undefined);
  const password = values.password ?? environment["ACCEPTANCE_PASSWORD"];
  if (!hasDemo && url !== undefined)
    for (const name of ["user", "class", "app-key", "app-name"] as const)
      if (values[name] === undefined) throw new UsageError(`--${name} is missing. An account needs it.`);
  if (!hasDemo && password === undefined) throw new UsageError("--password or ACCEPTANCE_PASSWORD is missing.");
  const account = {
    alias: values.alias ?? "",
    appKey: values["app-key"] ?? "",
    appName: values["app-name"] ?? "",
    user: values.user ?? "",
    password: password ?? "",
    className: values.class ?? "",
  };
  const target = url === undefined ? null : { url: url.replace(/\/+$/, ""), ...(hasDemo ? demoTarget : account) };
  const administrationKey = values["admin-key"];
  return { target, administrationKey, hasDemo, modes: modes as readonly LogInMode[], sections, json, list, help };
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  return parsedArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      user: text,
      password: text,
      class: text,
      "app-key": text,
      "app-name": text,
      alias: text,
      "admin-key": text,
      mode: { type: "string", multiple: true },
      section: { type: "string", multiple: true },
      json: text,
      list: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}
