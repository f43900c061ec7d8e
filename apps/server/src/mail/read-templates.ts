import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Letter, type MailLanguage, mailLanguages, type ProviderType } from "@sallyport/core";
import { htmlFaults, Template, type TemplateValues } from "./template.ts";

interface LetterTemplate {
  readonly subject: Template;
  readonly text: Template;
  readonly html: Template;
}

/** By kind and language. */
export type LetterTemplates = ReadonlyMap<string, LetterTemplate>;

interface ReadTemplates {
  readonly templates: LetterTemplates;
  /** What is wrong with files of the deployment, each with the name of its file. */
  readonly faults: readonly string[];
}

/** Those that come with this package, for copying and changing. */
export const ownTemplates: string = fileURLToPath(new URL("../../mail", import.meta.url));

const subjectLine = /^\uFEFF?Subject:[ \t]*(.+?)[ \t]*\r?\n(?:[ \t]*\r?\n)?/;

export function templateKey(kind: Letter["kind"], language: MailLanguage): string {
  return `${kind} ${language}`;
}

/** Reads the templates; a file of the folder goes before the one of the same name that comes with this package. */
export function readTemplates(folder: string | undefined): ReadTemplates {
  const faults: string[] = [];
  const templates = new Map<string, LetterTemplate>();
  const known = new Set<string>();
  for (const [kind, { file, names, required }] of letterKinds) {
    for (const language of mailLanguages) {
      const stem = `${file}.${language}`;
      const source = (ending: string): string => {
        const name = `${stem}.${ending}`;
        known.add(name);
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
        if (missing.length > 0) faults.push(`${stem}.${ending} does not show ${missing.join(" and ")}`);
      }
      templates.set(templateKey(kind, language), template);
    }
  }
  if (folder !== undefined) {
    const foreign = readdirSync(folder).filter((name) => !name.startsWith(".") && !known.has(name));
    faults.push(...foreign.map((name) => `${name} is the name of no template`));
  }
  return { templates, faults: [...new Set(faults)] };
}

/** What each kind of letter can show, and what it must, in one of the ways given. */
const letterKinds: ReadonlyMap<
  Letter["kind"],
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

/** As providers call themselves. */
const providerNames: Readonly<Record<ProviderType, string>> = {
  google: "Google",
  facebook: "Facebook",
  microsoft: "Microsoft",
  apple: "Apple",
};

export interface LetterFrame {
  /** How the service calls itself. */
  readonly service: string;
  /** The configured link with `{token}` and `{alias}` in it; `null`: there is none. */
  readonly resetLink: string | null;
}

/** What the places of a template are filled with. */
export function letterValues(letter: Letter, alias: string, { service, resetLink }: LetterFrame): TemplateValues {
  const common: [string, string | null][] = [
    ["service", inOneLine(service)],
    ["name", inOneLine(letter.name)],
  ];
  if (letter.kind === "passwordChanged") return new Map(common);
  if (letter.kind === "accountLinked") return new Map([...common, ["provider", providerNames[letter.provider]]]);
  const minutes: [string, string] = ["minutes", String(letter.minutes)];
  if (letter.kind === "confirmationCode") return new Map([...common, minutes, ["code", inOneLine(letter.code)]]);
  const { token } = letter;
  const parts: ReadonlyMap<string, string> = new Map([
    ["{token}", token],
    ["{alias}", alias],
  ]);
  const link =
    resetLink?.replaceAll(/\{token\}|\{alias\}/g, (place) => encodeURIComponent(parts.get(place) ?? "")) ?? null;
  return new Map([...common, minutes, ["token", token], ["link", link]]);
}

/** Names come from elsewhere: no line of theirs is to look like one of the letter, and nothing in them is to hide. */
function inOneLine(text: string): string {
  const characters = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim()];
  return characters.length <= 100 ? characters.join("") : `${characters.slice(0, 99).join("")}…`;
}
