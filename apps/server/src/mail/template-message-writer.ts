import type { MailMessage, MessageWriter, Mail } from "@sallyport/core";
import { type MessageFrame, type MessageTemplates, messageValues, templateKey } from "./read-templates.ts";

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Writes messages from templates. */
export class TemplateMessageWriter implements MessageWriter {
  constructor(
    private readonly templates: MessageTemplates,
    private readonly frame: MessageFrame,
  ) {}

  write(message: MailMessage, alias: string): Pick<Mail, "subject" | "text" | "html"> {
    const template = this.templates.get(templateKey(message.kind, message.language));
    if (template === undefined) throw new Error("There is no template for this message.");
    const values = messageValues(message, alias, this.frame);
    return {
      subject: template.subject.render(values, asItIs),
      text: template.text.render(values, asItIs),
      html: template.html.render(values, (value) => value.replaceAll(/[&<>"']/g, (sign) => entities.get(sign) ?? "")),
    };
  }
}

const asItIs = (value: string): string => value;
