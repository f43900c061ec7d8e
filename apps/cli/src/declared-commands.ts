import { readFileSync } from "node:fs";
import type { Page, PageOptions } from "@sallyport/client/admin";
import { type AdminCommand, type CommandInput, jsonIn, type Noun } from "./admin-command.ts";
import { CommandError } from "./failures.ts";
import { findItem } from "./find.ts";
import { done, everyItem, listed, type Outcome, shown, timeText } from "./outcome.ts";

/** An argument or an option of a declared command. */
interface Parameter {
  readonly in: "path" | "query" | "body";
  readonly name: string;
  /** As commander writes it, such as `--name <name>`. */
  readonly flags: string;
  readonly description: string;
  readonly kind: "text" | "number" | "choice" | "truth" | "flag" | "list" | "json";
  /** The values of a choice. */
  readonly values: readonly string[];
  /** Whether an empty text stands for `null`. */
  readonly isEmptied?: boolean;
  /** The operation whose items have names beside this id. */
  readonly list?: { readonly call: string; readonly noun: string };
}

interface Column {
  readonly name: string;
  readonly label: string;
  readonly kind: "state" | "time" | "address" | "boolean" | "array" | "string" | "integer" | "number";
}

/** A command that follows from the declaration of its operation; `make-declared-commands.mjs` writes them. */
export interface DeclaredCommand {
  readonly name: string;
  readonly help: string;
  /** Description of a noun that no other command has. */
  readonly topic: string;
  /** Method and path of the operation. */
  readonly call: string;
  /** The operation that reads the version for `If-Match`. */
  readonly read: string | null;
  /** Whether absent members stay as they are. */
  readonly isChange: boolean;
  readonly plural: string;
  readonly isList: boolean;
  readonly isPaged: boolean;
  readonly columns: readonly Column[];
  readonly done: string | null;
  readonly arguments: readonly Parameter[];
  readonly options: readonly Parameter[];
}

type Members = Readonly<Record<string, unknown>>;

/** The nouns with the declared commands among theirs. */
export function withDeclared(nouns: readonly Noun[], declared = declaredCommands()): Noun[] {
  const all = new Map(nouns.map((noun) => [noun.name, noun]));
  for (const each of declared) {
    const [name = ""] = each.name.split(" ");
    const noun = all.get(name) ?? { name, description: inSentence(each.topic), examples: [], commands: [] };
    all.set(name, { ...noun, commands: [...noun.commands, commandOf(each)] });
  }
  return [...all.values()];
}

function declaredCommands(): readonly DeclaredCommand[] {
  // The build writes it. Sources and built files are in folders beside one another.
  const file = new URL("../dist/declared-commands.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as readonly DeclaredCommand[];
}

function inSentence(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, "")}`;
}

function commandOf(declared: DeclaredCommand): AdminCommand {
  const described = ({ flags, description }: Parameter) => [flags, description] as const;
  return {
    name: declared.name,
    description: declared.help,
    arguments: declared.arguments.map(described),
    options: declared.options.map(described),
    call: (input) => execute(declared, input),
  };
}

async function execute(declared: DeclaredCommand, input: CommandInput): Promise<Outcome> {
  const parts = await partsOf(declared, input);
  const { isChange, options, call, read } = declared;
  if (isChange && Object.keys(parts.body).length === 0)
    throw new CommandError(`Pass ${options.map(({ flags }) => flags.split(" ")[0]).join(" or ")}.`);
  if (declared.isList) return listItems(declared, input, parts);
  const ifMatch = read === null ? {} : { ifMatch: await send(input, read, { path: parts.path }) };
  const hasBody = Object.keys(parts.body).length > 0;
  const { body, ...others } = parts;
  const data = await send(input, call, { ...others, ...(hasBody ? { body } : {}), ...ifMatch });
  return declared.done === null
    ? showItem(declared, data)
    : done(filled(declared.done, { ...parts.path, ...data }), data);
}

/** Calls an operation whose types are not known here. The server validates the input. */
function send({ admin }: CommandInput, operation: string, options: object): Promise<Members> {
  const call = admin.call.bind(admin) as unknown as (operation: string, options: object) => Promise<Members>;
  return call(operation, options);
}

interface Parts {
  readonly path: Members;
  readonly query: Members;
  readonly body: Members;
}

async function partsOf(declared: DeclaredCommand, input: CommandInput): Promise<Parts> {
  const parts = { path: {}, query: {}, body: {} } as Record<Parameter["in"], Record<string, unknown>>;
  for (const [index, parameter] of declared.arguments.entries()) {
    const label = `The ${parameter.name}`;
    parts[parameter.in][parameter.name] = await argumentOf(
      parameter,
      input,
      valueOf(parameter, input, label, input.word(index)),
    );
  }
  for (const parameter of declared.options) {
    const value = optionOf(parameter, input);
    if (value !== undefined) parts[parameter.in][parameter.name] = value;
  }
  return parts;
}

/** The value, or the id of the item that it names. */
async function argumentOf({ name, list }: Parameter, input: CommandInput, value: unknown): Promise<unknown> {
  if (list === undefined) return value;
  const read = (page: PageOptions) =>
    send(input, list.call, { query: page }) as unknown as Promise<Page<Members & { readonly name: string }>>;
  const item = await findItem(list.noun, String(value), read, (each) => String(each[name]));
  return item[name];
}

function optionOf(parameter: Parameter, input: CommandInput): unknown {
  const { name, kind, flags } = parameter;
  if (kind === "flag") return input.flag(name) ? true : undefined;
  if (kind === "list") return input.texts(name);
  const text = input.text(name);
  return text === undefined ? undefined : valueOf(parameter, input, flags.split(" ")[0] ?? flags, text);
}

function valueOf({ kind, values, isEmptied }: Parameter, input: CommandInput, label: string, text: string): unknown {
  switch (kind) {
    case "number":
      if (!/^-?\d{1,15}$/.test(text)) throw new CommandError(`${label} must be an integer.`);
      return Number(text);
    case "choice":
      return input.choice(label, text, values);
    case "truth":
      return input.choice(label, text, values) === "yes";
    case "json":
      return jsonIn(text, label);
    default:
      return isEmptied === true && text === "" ? null : text;
  }
}

async function listItems(declared: DeclaredCommand, input: CommandInput, { path, query }: Parts): Promise<Outcome> {
  const { plural, call, isPaged, columns } = declared;
  const read = (page: PageOptions) =>
    send(input, call, { path, query: { ...query, ...page } }) as unknown as Promise<Page<Members>>;
  const items = isPaged ? await everyItem(plural, read) : (await read({})).items;
  const cells = columns.map((column) => {
    const cell = (item: Members) => textOf(column, item[column.name]);
    const isWhole = column.kind === "time" || column.kind === "address";
    return [column.label.toUpperCase(), isWhole ? { whole: cell } : cell] as const;
  });
  return listed(plural, items, Object.fromEntries(cells));
}

function showItem({ columns }: DeclaredCommand, data: Members): Outcome {
  return shown(
    data,
    columns.map((column) => [column.label, textOf(column, data[column.name])]),
  );
}

function textOf({ kind }: Column, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (kind === "state") return value === true ? "enabled" : "disabled";
  if (kind === "time") return timeText(String(value));
  if (Array.isArray(value)) return value.join(", ") || "none";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value as string | number);
}

function filled(sentence: string, values: Members): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] as string | number));
}
