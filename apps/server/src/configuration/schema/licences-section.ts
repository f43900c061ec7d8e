import { flag, text } from "../field-kinds.ts";
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
  }),
});
