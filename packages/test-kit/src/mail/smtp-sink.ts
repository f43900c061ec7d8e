import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { type ReceivedMail, receivedMail } from "./received-mail.ts";

export interface SmtpSink {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  readonly connections: number;
  close(): Promise<void>;
}

/** An SMTP error reply, for a callback of the server. */
export function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

interface SmtpSinkOptions extends SMTPServerOptions {
  /** Is called with each received mail. */
  readonly take?: (mail: ReceivedMail) => void;
}

/** An SMTP server on the loopback interface. It stores received mail, unless the options replace its handlers. */
export async function startSmtpSink({ take, ...options }: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        const mail = receivedMail(Buffer.concat(chunks).toString("utf8"), from, to);
        received.push(mail);
        take?.(mail);
        callback(null);
      });
    },
    ...options,
  });
  // Some tests disconnect in the middle of a session.
  server.on("error", () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
