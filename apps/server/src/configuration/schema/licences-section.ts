import { duration, flag, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isHttpUrl, isLoopbackUrl, withoutPath } from "./network-texts.ts";

const receiverUrl = text({
  expected: "an https URL without a query, or an http URL on this machine",
  fits: (value) => isLoopbackUrl(value) || (isHttpUrl(value) && new URL(value).protocol === "https:"),
  // Receivers of webhooks have secrets in their paths.
  toFile: withoutPath,
});

/** Bytes of a base64 secret, as in Standard Webhooks. */
const [minSecretBytes, maxSecretBytes] = [24, 64];

const signingSecret = text({
  expected: "`whsec_` and the base64 of 24 to 64 bytes, or another text of 16 to 200 characters",
  fits: (value) => {
    if (!value.startsWith("whsec_")) return value.length >= 16 && value.length <= 200;
    const bytes = Buffer.from(value.slice("whsec_".length), "base64");
    const isBase64 = bytes.toString("base64") === value.slice("whsec_".length);
    return isBase64 && bytes.length >= minSecretBytes && bytes.length <= maxSecretBytes;
  },
});

/** Messages about licence seats. Without a URL, none are queued. */
export const licencesSection = section({
  statistics: section({
    url: optionalField("LICENCES_STATISTICS_URL", receiverUrl, {
      doc: "URL that receives a signed message for each change of licence seats.",
    }),
    secret: optionalField("LICENCES_STATISTICS_SECRET", signingSecret, {
      secret: true,
      doc: "Secret that signs the messages: `whsec_` and the base64 of 24 to 64 random bytes, or another text of 16 to 200 characters. Required with `url`.",
    }),
    required: field("LICENCES_STATISTICS_REQUIRED", flag(), false, {
      doc: "Refuses log-ins, reservations and releases with 711 unless `url` accepts their messages.",
    }),
    timeout: field("LICENCES_STATISTICS_TIMEOUT", duration("100ms", "1m"), "5s", {
      doc: "Maximum time to send one message. With `required`, a request waits that long.",
    }),
    lifetime: field("LICENCES_STATISTICS_LIFETIME", duration("1m", "30d"), "7d", {
      doc: "Time after which the server gives up a message that was not accepted.",
    }),
    queueLimit: field("LICENCES_STATISTICS_QUEUE_LIMIT", wholeNumber(1, 10_000_000), 100_000, {
      doc: "Approximate maximum number of waiting messages per database. Further changes are not reported.",
    }),
    pollInterval: field("LICENCES_STATISTICS_POLL_INTERVAL", duration("100ms", "10m"), "5s", {
      doc: "Interval at which the server looks for waiting messages. New messages are sent at once.",
    }),
    countInterval: field("LICENCES_STATISTICS_COUNT_INTERVAL", duration("1s", "1d"), "1m", {
      doc: "Interval at which the taken seats are counted. Changed numbers are sent.",
    }),
  }),
});
