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
    host: optionalField(hostName, { env: "SMTP_HOST", doc: "The relay that takes mail by SMTP." }),
    port: optionalField(wholeNumber(1, 65_535), {
      env: "SMTP_PORT",
      doc: "Its port; unless given 465 for `tls`, 25 for `none`, else 587.",
    }),
    security: optionalField(choice("tls", "startTls", "none"), { env: "SMTP_SECURITY", doc: securityDoc }),
    user: optionalField(text(), { env: "SMTP_USER", doc: "Whom the relay knows this server as, if it asks." }),
    password: optionalField(text(), { env: "SMTP_PASSWORD", secret: true, doc: "The password of `user`." }),
    caFile: optionalField(path(), {
      env: "SMTP_CA_FILE",
      doc: "PEM of the authorities that vouch for the relay; those that Node knows unless given.",
    }),
    timeout: field(duration("100ms", "1m"), {
      env: "SMTP_TIMEOUT",
      default: "10s",
      doc: "How long the relay may take for a connection or an answer.",
    }),
  }),
  folder: optionalField(path(), {
    env: "MAIL_FOLDER",
    doc: "Folder that mail is written into instead, one `.eml` file each: for trying out. The demo has one unless mail is configured.",
  }),
  from: optionalField(address, { env: "MAIL_FROM", doc: "The address that mail comes from; required with a relay." }),
  fromName: optionalField(oneLine, {
    env: "MAIL_FROM_NAME",
    doc: "The name beside it; `applicationName` unless given.",
  }),
  language: field(choice("en", "de"), {
    env: "MAIL_LANGUAGE",
    default: "en",
    doc: "The language of mail to those who ask for no other.",
  }),
  templates: optionalField(path(), {
    env: "MAIL_TEMPLATES",
    doc: "Folder with templates that go before those of the same names that come with the server; see the guide on mail.",
  }),
  outboxLimit: field(wholeNumber(1, 1_000_000), {
    env: "MAIL_OUTBOX_LIMIT",
    default: 10_000,
    doc: "How many mails may wait in one database; what comes then is refused with 706.",
  }),
  unusableAfter: field(duration("0s", "7d"), {
    env: "MAIL_UNUSABLE_AFTER",
    default: "15m",
    doc: "How long no mail can be handed over before what needs mail is refused with 712.",
  }),
  interval: field(duration("100ms", "10m"), {
    env: "MAIL_INTERVAL",
    default: "5s",
    doc: "How often the outboxes are looked into. Notices and codes leave at once, requests for a new password with the next look.",
  }),
});
