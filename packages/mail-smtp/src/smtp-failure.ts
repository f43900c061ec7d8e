import { type MailerTrouble, MailerUnusable, type MailOutcome } from "@sallyport/core";

/** What nodemailer says of a failure. */
interface Failure {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

/** Replies that are about the connection or about who is connected, whatever they answer: shutting down, and wanting a log-in. */
const aboutTheConnection: ReadonlySet<number> = new Set([421, 454, 530, 534, 535, 538]);

const troubles: ReadonlyMap<unknown, MailerTrouble> = new Map<unknown, MailerTrouble>([
  ["ETLS", "tls"],
  ["EAUTH", "authentication"],
  ["ENOAUTH", "authentication"],
  ["ETIMEDOUT", "timeout"],
  ["EPROTOCOL", "answer"],
]);

const words: ReadonlyMap<MailerTrouble, string> = new Map([
  ["away", "The relay cannot be reached, or broke off."],
  ["timeout", "The relay did not answer in time."],
  ["tls", "The connection could not be encrypted, or the relay is not the one that its certificate names."],
  ["authentication", "The relay does not let this server in."],
  ["sender", "The relay does not take mail from this sender."],
  ["answer", "The relay does not speak SMTP, or broke off in the middle of a mail."],
]);

/** What a failed attempt means: the outcome of this mail, or that no mail can be handed over, which is thrown. */
export function outcomeOf(error: unknown): MailOutcome {
  const failure: Failure = typeof error === "object" && error !== null ? error : {};
  const { code, command, responseCode } = failure;
  const aboutAll = typeof responseCode !== "number" || aboutTheConnection.has(responseCode);
  if (!aboutAll && command === "MAIL FROM") throw unusable(failure, "sender");
  if (aboutAll || (command !== "RCPT TO" && command !== "DATA")) throw unusable(failure, troubleOf(code, failure));
  return { kind: responseCode >= 500 ? "refused" : "later", reply: replyOf(failure) };
}

function troubleOf(code: unknown, { originalCode, responseCode }: Failure): MailerTrouble {
  if (responseCode === 421) return "away";
  if (originalCode === "ETIMEDOUT") return "timeout";
  // A handshake that fails on an encrypted port is an error of the socket to nodemailer.
  if (
    typeof originalCode === "string" &&
    /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(originalCode)
  )
    return "tls";
  if (typeof responseCode === "number" && responseCode >= 530 && aboutTheConnection.has(responseCode))
    return "authentication";
  return troubles.get(code) ?? "away";
}

function unusable(failure: Failure, trouble: MailerTrouble): MailerUnusable {
  const reason = [failure.originalCode ?? failure.code, replyOf(failure)]
    .filter((part) => typeof part === "string" && part !== "")
    .join(", ");
  return new MailerUnusable(trouble, `${words.get(trouble) ?? ""}${reason === "" ? "" : ` (${reason})`}`);
}

/** The code of a reply and its extension, without its text: that repeats addresses, and relays write there what they like. */
function replyOf({ response, responseCode }: Failure): string {
  const known = typeof response === "string" ? /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})(?: |$))?/.exec(response) : null;
  if (known !== null)
    return known
      .slice(1)
      .filter((part) => part !== undefined)
      .join(" ");
  return typeof responseCode === "number" ? String(responseCode) : "";
}
