import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Letter, type MailLanguage, mailLanguages } from "@sallyport/core";
import { htmlFaults } from "./html-faults.ts";
import { letterKinds } from "./letter-values.ts";
import { Template } from "./template.ts";

export interface LetterTemplate {
  readonly subject: Template;
  readonly text: Template;
  readonly html: Template;
}

/** By kind and language. */
export type LetterTemplates = ReadonlyMap<string, LetterTemplate>;

export interface ReadTemplates {
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
