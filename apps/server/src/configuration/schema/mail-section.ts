import { mailAddress } from "@sallyport/core";
import { choice, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isHost } from "./network-texts.ts";

const address = text({
  expected: "an e-mail address without a display name, such as no-reply@example.com",
  fits: (value) => mailAddress(value) !== null,
});
const hostName = text({ expected: "a host name or an IP address", fits: isHost });
const oneLine = text({
  expected: "a non-empty string of one line",
  fits: (value) => value.trim() !== "" && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
});

/** Mail transport: an SMTP server or a directory. Without either, mail is disabled. */
export const mailSection = section({
  smtp: section({
    host: optionalField("SMTP_HOST", hostName, { doc: "Host name or IP address of the SMTP server." }),
    port: optionalField("SMTP_PORT", wholeNumber(1, 65_535), {
      doc: "Port of the SMTP server. Defaults to 465 for `tls`, 25 for `none` and 587 for `startTls`.",
    }),
    security: optionalField("SMTP_SECURITY", choice("tls", "startTls", "none"), {
      doc: "Transport security: `tls` encrypts from the first byte, `startTls` requires STARTTLS, `none` sends in clear text and is allowed on loopback only. Defaults to `tls` on port 465, `none` for a loopback address and `startTls` otherwise.",
    }),
    user: optionalField("SMTP_USER", text(), { doc: "User name for SMTP authentication." }),
    password: optionalField("SMTP_PASSWORD", text(), { secret: true, doc: "Password of `user`." }),
    caFile: optionalField("SMTP_CA_FILE", path(), {
      doc: "PEM file with the certificate authorities that sign the SMTP server's certificate. Defaults to those of Node.js.",
    }),
  }),
  directory: optionalField("MAIL_DIR", path(), {
    doc: "Directory for outgoing mail, one `.eml` file per message, instead of an SMTP server. Use it for tests. The demo has one unless `mail.smtp` is set.",
  }),
  from: optionalField("MAIL_FROM", address, { doc: "Sender address. Required with `smtp.host`." }),
  fromName: optionalField("MAIL_FROM_NAME", oneLine, { doc: "Sender name. Defaults to `applicationName`." }),
  language: field("MAIL_LANGUAGE", choice("en", "de"), "en", {
    doc: "Language of mail for clients that request none.",
  }),
  templatesDirectory: optionalField("MAIL_TEMPLATES_DIR", path(), {
    doc: "Directory with mail templates. A template replaces the built-in one of the same name.",
  }),
});
