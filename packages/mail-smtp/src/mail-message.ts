import { domainToASCII } from "node:url";
import { type Mail, mailAddress } from "@sallyport/core";
import type { SendMailOptions } from "nodemailer";

/** Who writes. */
export interface Sender {
  /** One address, as `mailAddress` of core takes it. */
  readonly address: string;
  readonly name: string;
}

/** The mail as nodemailer takes it; `null` when it is not addressed to one address. Every part is a value here, none is parsed. */
export function mailMessage({ to, subject, text, html, reference }: Mail, sender: Sender): SendMailOptions | null {
  const address = mailAddress(to);
  const recipient = address === null ? null : withAsciiDomain(address);
  const from = withAsciiDomain(sender.address);
  if (recipient === null || from === null) return null;
  return {
    envelope: { from, to: [recipient] },
    from: { name: headerText(sender.name), address: from },
    to: { name: "", address: recipient },
    subject: headerText(subject),
    text,
    html,
    messageId: `<${reference}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    // Nobody answers, and no absence is to be told to nobody.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    textEncoding: "quoted-printable",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The address with its domain as the name service spells it; `null` if that has no such name. */
function withAsciiDomain(address: string): string | null {
  const at = address.lastIndexOf("@");
  const host = domainToASCII(address.slice(at + 1));
  return host === "" ? null : `${address.slice(0, at)}@${host}`;
}

/** What would end a header or hide in one: controls, line separators, and signs that turn the direction of what follows. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

const longest = 200;

/** A text as it can stand in a header: in one line, not too long. */
function headerText(text: string): string {
  const line = text.replaceAll(unprintable, " ").replaceAll(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}
