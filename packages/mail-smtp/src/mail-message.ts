import { type Mail, mailAddress } from "@sallyport/core";
import type { SendMailOptions } from "nodemailer";
import { withAsciiDomain } from "./ascii-domain.ts";
import { headerText } from "./header-text.ts";
import type { Sender } from "./smtp-options.ts";

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
