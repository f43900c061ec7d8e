import { createHmac } from "node:crypto";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LicenceReceiver } from "@sallyport/core";

/** Milliseconds for one message. A log-in waits that long if the receiver must accept its message. */
export const licenceTimeout = 5_000;

interface ReceiverSettings {
  readonly url: string;
  /** Secret. */
  readonly secret: string;
  /** Milliseconds for one message. */
  readonly timeout: number;
}

const keepAlive = { keepAlive: true, maxSockets: 64, maxFreeSockets: 8, timeout: 10_000 };

/** Prefix of a base64 secret in Standard Webhooks. */
const secretPrefix = "whsec_";

/** The key of a secret: the decoded bytes after `whsec_`, else the bytes of the text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(secretPrefix)
    ? Buffer.from(secret.slice(secretPrefix.length), "base64")
    : Buffer.from(secret, "utf8");
}

/**
 * Posts licence messages, signed as in Standard Webhooks. Only a 2xx status accepts a message. It follows no redirects
 * and reads no bodies.
 */
export class HttpLicenceReceiver implements LicenceReceiver {
  private readonly url: URL;
  private readonly key: Buffer;
  private readonly agents = { http: new HttpAgent(keepAlive), https: new HttpsAgent(keepAlive) };

  constructor(private readonly settings: ReceiverSettings) {
    this.url = new URL(settings.url);
    this.key = keyOf(settings.secret);
  }

  async send({ id, body }: { readonly id: string; readonly body: string }): Promise<void> {
    const timestamp = `${Math.floor(Date.now() / 1_000)}`;
    const signature = createHmac("sha256", this.key).update(`${id}.${timestamp}.${body}`).digest("base64");
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "sallyport",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
    const signal = AbortSignal.timeout(this.settings.timeout);
    let status: number | undefined;
    try {
      status = (await this.post(headers, body, signal)).statusCode;
    } catch (error) {
      if (signal.aborted) throw new Error("The licence server did not answer in time.", { cause: error });
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(`The licence server cannot be reached${code === undefined ? "" : ` (${code})`}.`, {
        cause: error,
      });
    }
    if (status === undefined || status < 200 || status > 299)
      throw new Error(`The licence server answered with status ${status}.`);
  }

  /** Waits for messages in progress only: their number and time are limited. */
  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private post(
    headers: Readonly<Record<string, string | number>>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const isSecure = this.url.protocol === "https:";
    const options = { method: "POST", signal, headers, agent: isSecure ? this.agents.https : this.agents.http };
    const attempt = (isRetry: boolean): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const outgoing = (isSecure ? requestHttps : requestHttp)(this.url, options, (answer) => {
          discard(answer);
          resolve(answer);
        });
        outgoing.on("error", (error: NodeJS.ErrnoException) => {
          // The receiver closed a kept-alive connection while this request was sent.
          if (error.code === "ECONNRESET" && outgoing.reusedSocket && !isRetry) resolve(attempt(true));
          else reject(error);
        });
        outgoing.end(body);
      });
    return attempt(false);
  }
}

/** A short body is skipped, so that the connection can be used again. A long one closes it. */
const skippedBytes = 65_536;

function discard(answer: IncomingMessage): void {
  let left = skippedBytes;
  answer.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) answer.destroy();
  });
  // The status has decided already.
  answer.on("error", () => {});
}
