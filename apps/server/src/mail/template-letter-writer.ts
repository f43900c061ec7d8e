import type { Letter, LetterWriter, Mail } from "@sallyport/core";
import { type LetterFrame, type LetterTemplates, letterValues, templateKey } from "./read-templates.ts";

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Words letters by templates. */
export class TemplateLetterWriter implements LetterWriter {
  constructor(
    private readonly templates: LetterTemplates,
    private readonly frame: LetterFrame,
  ) {}

  write(letter: Letter, alias: string): Pick<Mail, "subject" | "text" | "html"> {
    const template = this.templates.get(templateKey(letter.kind, letter.language));
    if (template === undefined) throw new Error("There is no template for this letter.");
    const values = letterValues(letter, alias, this.frame);
    return {
      subject: template.subject.render(values, asItIs),
      text: template.text.render(values, asItIs),
      html: template.html.render(values, (value) => value.replaceAll(/[&<>"']/g, (sign) => entities.get(sign) ?? "")),
    };
  }
}

const asItIs = (value: string): string => value;
