import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProviderType } from "@sallyport/storage";
import { type MailMessage, type MailLanguage, mailLanguages } from "@sallyport/core";

interface MessageTemplate {
  readonly subject: Template;
  readonly text: Template;
  readonly html: Template;
}

/** By kind and language. */
export type MessageTemplates = ReadonlyMap<string, MessageTemplate>;

interface ReadTemplates {
  readonly templates: MessageTemplates;
  /** Errors of custom templates, each with its file name. */
  readonly faults: readonly string[];
}

/** Directory of the built-in templates. */
export const ownTemplates: string = fileURLToPath(new URL("../../mail", import.meta.url));

const subjectLine = /^\uFEFF?Subject:[ \t]*(.+?)[ \t]*\r?\n(?:[ \t]*\r?\n)?/;

export function templateKey(kind: MailMessage["kind"], language: MailLanguage): string {
  return `${kind} ${language}`;
}

/** Reads the templates. A custom file replaces the built-in one of the same name. */
export function readTemplates(folder: string | undefined): ReadTemplates {
  const faults: string[] = [];
  const templates = new Map<string, MessageTemplate>();
  const ownNames = new Set<string>();
  for (const [kind, { file, names, required }] of messageKinds) {
    for (const language of mailLanguages) {
      const stem = `${file}.${language}`;
      const source = (ending: string): string => {
        const name = `${stem}.${ending}`;
        ownNames.add(name);
        const own = folder === undefined ? "" : join(folder, name);
        return readFileSync(folder !== undefined && existsSync(own) ? own : join(ownTemplates, name), "utf8");
      };
      const read = (ending: string, text: string): Template => {
        const template = Template.read(text, new Set(names));
        if (!(template instanceof Template)) {
          faults.push(...template.map((fault) => `${stem}.${ending} ${fault}`));
          return Template.read("", new Set()) as Template;
        }
        return template;
      };
      const [plain, html] = [source("txt"), source("html")];
      const [head, subject] = subjectLine.exec(plain) ?? ["", undefined];
      if (subject === undefined) faults.push(`${stem}.txt must begin with a line "Subject: …"`);
      faults.push(...htmlFaults(html).map((fault) => `${stem}.html ${fault}`));
      const template = {
        subject: read("txt", subject ?? ""),
        text: read("txt", plain.slice(head.length)),
        html: read("html", html),
      };
      for (const [ending, { shown }] of [
        ["txt", template.text],
        ["html", template.html],
      ] as const) {
        const missing = required.flat().filter((name) => !shown.has(name));
        if (missing.length > 0) faults.push(`${stem}.${ending} does not contain ${missing.join(" and ")}`);
      }
      templates.set(templateKey(kind, language), template);
    }
  }
  if (folder !== undefined) {
    const foreign = readdirSync(folder).filter((name) => !name.startsWith(".") && !ownNames.has(name));
    faults.push(...foreign.map((name) => `${name} is not the name of a template`));
  }
  return { templates, faults: [...new Set(faults)] };
}

/** Values per kind of message. `names`: all available values. Each template must contain all of `required`. */
const messageKinds: ReadonlyMap<
  MailMessage["kind"],
  { readonly file: string; readonly names: readonly string[]; readonly required: readonly (readonly string[])[] }
> = new Map([
  [
    "passwordReset",
    { file: "password-reset", names: ["service", "name", "link", "token", "minutes"], required: [["link"], ["token"]] },
  ],
  ["passwordChanged", { file: "password-changed", names: ["service", "name"], required: [] }],
  ["accountLinked", { file: "account-linked", names: ["service", "name", "provider"], required: [] }],
  [
    "confirmationCode",
    { file: "confirmation-code", names: ["service", "name", "code", "minutes"], required: [["code"]] },
  ],
]);

/** Display names of the providers. */
const providerNames: Readonly<Record<ProviderType, string>> = {
  google: "Google",
  facebook: "Facebook",
  microsoft: "Microsoft",
  apple: "Apple",
};

export interface MessageFrame {
  /** Display name of the service. */
  readonly service: string;
  /** The configured link with the placeholders `{token}` and `{alias}`; `null` without one. */
  readonly resetLink: string | null;
}

/** Values of the template placeholders. */
export function messageValues(
  message: MailMessage,
  alias: string,
  { service, resetLink }: MessageFrame,
): TemplateValues {
  const common: [string, string | null][] = [
    ["service", inOneLine(service)],
    ["name", inOneLine(message.name)],
  ];
  if (message.kind === "passwordChanged") return new Map(common);
  if (message.kind === "accountLinked") return new Map([...common, ["provider", providerNames[message.provider]]]);
  const minutes: [string, string] = ["minutes", String(message.minutes)];
  if (message.kind === "confirmationCode") return new Map([...common, minutes, ["code", inOneLine(message.code)]]);
  const { token } = message;
  const parts: ReadonlyMap<string, string> = new Map([
    ["{token}", token],
    ["{alias}", alias],
  ]);
  const link =
    resetLink?.replaceAll(/\{token\}|\{alias\}/g, (place) => encodeURIComponent(parts.get(place) ?? "")) ?? null;
  return new Map([...common, minutes, ["token", token], ["link", link]]);
}

/** Names are user input. They must not forge lines of the message or hide characters. */
function inOneLine(text: string): string {
  const characters = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim()];
  return characters.length <= 100 ? characters.join("") : `${characters.slice(0, 99).join("")}…`;
}

/** Part of a template: literal text, a value, or a section that depends on the presence of a value. */
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "section"; readonly name: string; readonly ifSet: boolean; readonly parts: readonly Part[] };

/** Values by name; `null` for an absent value. */
type TemplateValues = ReadonlyMap<string, string | null>;

const tag = /(?<!\{)\{\{(?<sign>[#^/]?)(?<name>[a-z]+)\}\}(?!\})/g;

/** A line that contains only a section tag produces no output. */
const loneTag = /^[ \t]*(\{\{[#^/][a-z]+\}\})[ \t]*\r?\n/gm;

/**
 * A template with `{{name}}`, `{{#link}}…{{/link}}` (if the value is present) and `{{^link}}…{{/link}}` (if it is
 * absent). There are no expressions and no unescaped values.
 */
export class Template {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Parses a template with these names. Returns the errors if it is invalid. */
  static read(source: string, names: ReadonlySet<string>): Template | readonly string[] {
    const faults: string[] = [];
    const top: Part[] = [];
    let open: { readonly name: string; readonly ifSet: boolean; readonly parts: Part[] } | null = null;
    let end = 0;
    const text = source.replaceAll(loneTag, "$1");
    const add = (part: Part) => (open?.parts ?? top).push(part);
    const addText = (to: number) => {
      const between = text.slice(end, to);
      if (/\{\{|\}\}/.test(between))
        faults.push(
          `has braces outside a placeholder: ${JSON.stringify(between.slice(Math.max(0, between.search(/\{\{|\}\}/))).slice(0, 30))}`,
        );
      if (between !== "") add({ kind: "text", text: between });
    };
    for (const { 0: whole, index, groups } of text.matchAll(tag)) {
      addText(index);
      end = index + whole.length;
      const { sign = "", name = "" } = groups ?? {};
      if (!names.has(name))
        faults.push(`has the unknown placeholder ${whole}; known names are ${[...names].join(", ")}`);
      if (sign === "") add({ kind: "value", name });
      else if (sign === "/") {
        if (open?.name !== name) faults.push(`has ${whole} without its start`);
        else top.push({ kind: "section", ...open });
        open = null;
      } else {
        if (open !== null) faults.push(`has ${whole} inside another section`);
        open = { name, ifSet: sign === "#", parts: [] };
      }
    }
    if (open !== null) faults.push(`does not close the section ${(open as { name: string }).name}`);
    addText(text.length);
    return faults.length > 0 ? faults : new Template(top);
  }

  /** Names of the values that the template contains. */
  get shown(): ReadonlySet<string> {
    return new Set(
      this.parts
        .flatMap((part) => (part.kind === "section" ? part.parts : [part]))
        .flatMap((part) => (part.kind === "value" ? [part.name] : [])),
    );
  }

  render(values: TemplateValues, escape: (value: string) => string): string {
    return filled(this.parts, values, escape);
  }
}

function filled(parts: readonly Part[], values: TemplateValues, escape: (value: string) => string): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      const value = values.get(part.name) ?? null;
      if (part.kind === "value") return escape(value ?? "");
      return (value !== null) === part.ifSet ? filled(part.parts, values, escape) : "";
    })
    .join("");
}

/** Active or remote content. It would track recipients or trigger spam filters. */
const refused: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /<\s*(?:script|iframe|object|embed|link|form|base)\b/i,
    "has a forbidden element (script, iframe, object, embed, link, form, base)",
  ],
  [/\son[a-z]+\s*=/i, "has an event attribute"],
  [/\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?!data:|cid:|["'\s>])/i, "loads a remote resource"],
  [/url\(\s*["']?\s*(?!data:)/i, "loads a remote resource in a style"],
  [/@import/i, "imports a stylesheet"],
  [/<meta\s[^>]*http-equiv\s*=\s*["']?\s*refresh/i, "redirects to another page"],
  [/\bhref\s*=\s*["']?\s*(?:javascript|data|vbscript):/i, "has a link that executes code"],
  [/=\s*(?:\{\{|[^"'\s>{]*\{\{)/, "has a placeholder in an attribute without quotation marks"],
];

/** Forbidden content of an HTML template. */
function htmlFaults(source: string): string[] {
  return refused.flatMap(([pattern, what]) => (pattern.test(source) ? [what] : []));
}
