import { mailAddress } from "@sallyport/core";
import { choice, duration, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isHost } from "./network-texts.ts";

const address = text({
  wanted: "one bare e-mail address, such as no-reply@example.com",
  fits: (value) => mailAddress(value) !== null,
});
const hostName = text({ wanted: "a host name or an IP address", fits: isHost });
const oneLine = text({
  wanted: "a text of one line",
  fits: (value) => value.trim() !== "" && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
});

const securityDoc =
  "`tls`: encrypted from the first byte; `startTls`: encrypted before anything is said, or no mail is sent; `none`: readable on the way, for a relay on this machine only. Unless given: `tls` on port 465, `none` for a loopback address, else `startTls`.";

/** How mail is sent: by a relay, or into a folder. Without either there is no mail. */
export const mailSection = section({
  smtp: section({
    host: optionalField("SMTP_HOST", hostName, { doc: "The relay that takes mail by SMTP." }),
    port: optionalField("SMTP_PORT", wholeNumber(1, 65_535), {
      doc: "Its port; unless given 465 for `tls`, 25 for `none`, else 587.",
    }),
    security: optionalField("SMTP_SECURITY", choice("tls", "startTls", "none"), { doc: securityDoc }),
    user: optionalField("SMTP_USER", text(), { doc: "Whom the relay knows this server as, if it asks." }),
    password: optionalField("SMTP_PASSWORD", text(), { secret: true, doc: "The password of `user`." }),
    caFile: optionalField("SMTP_CA_FILE", path(), {
      doc: "PEM of the authorities that vouch for the relay; those that Node knows unless given.",
    }),
    timeout: field("SMTP_TIMEOUT", duration("100ms", "1m"), "10s", {
      doc: "How long the relay may take for a connection or an answer.",
    }),
  }),
  folder: optionalField("MAIL_FOLDER", path(), {
    doc: "Folder that mail is written into instead, one `.eml` file each: for trying out. The demo has one unless mail is configured.",
  }),
  from: optionalField("MAIL_FROM", address, { doc: "The address that mail comes from; required with a relay." }),
  fromName: optionalField("MAIL_FROM_NAME", oneLine, { doc: "The name beside it; `applicationName` unless given." }),
  language: field("MAIL_LANGUAGE", choice("en", "de"), "en", {
    doc: "The language of mail to those who ask for no other.",
  }),
  templates: optionalField("MAIL_TEMPLATES", path(), {
    doc: "Folder with templates that go before those of the same names that come with the server; see the guide on mail.",
  }),
  outboxLimit: field("MAIL_OUTBOX_LIMIT", wholeNumber(1, 1_000_000), 10_000, {
    doc: "How many mails may wait in one database; what comes then is refused with 706.",
  }),
  unusableAfter: field("MAIL_UNUSABLE_AFTER", duration("0s", "7d"), "15m", {
    doc: "How long no mail can be handed over before what needs mail is refused with 712.",
  }),
  interval: field("MAIL_INTERVAL", duration("100ms", "10m"), "5s", {
    doc: "How often the outboxes are looked into. Notices and codes leave at once, requests for a new password with the next look.",
  }),
});
