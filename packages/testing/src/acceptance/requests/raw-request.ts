import { once } from "node:events";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/**
 * Sends bytes unchanged and reads until the server closes the connection or an answer is complete: for requests that
 * no HTTP client would send.
 */
export function rawRequest(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connectTo(url, () => socket.write(bytes));
    const finish = () => {
      socket.destroy();
      resolve(parse(received));
    };
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      received += text;
      if (isWhole(received)) finish();
    });
    socket.on("end", finish);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") finish();
      else reject(error);
    });
  });
}

function connectTo(url: string, connected?: () => void): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  if (protocol !== "https:") return connectPlain(Number(port || 80), host, connected);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port: Number(port || 443), ALPNProtocols: ["http/1.1"], ...servername }, connected);
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  return end !== -1 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length);
}

function parse(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, headers: text.slice(0, Math.max(end, 0)), body: end === -1 ? "" : text.slice(end + 4) };
}

/** A connection with alternating sends and receives. */
export interface RawExchange {
  send(text: string): void;
  /** Resolves once the received text matches. */
  received(pattern: RegExp): Promise<string>;
  /** The received text, once the server has closed the connection. */
  readonly ended: Promise<string>;
  close(): void;
  /** Resets the connection, so that the other side must notice. */
  reset(): void;
}

/** Opens a connection and sends the head of a request; `unread`: never reads a byte of the answer. */
export async function rawExchange(
  url: string,
  lines: readonly string[],
  { unread = false } = {},
): Promise<RawExchange> {
  const socket = connectTo(url);
  let text = "";
  socket.setEncoding("utf8");
  if (!unread) {
    socket.on("data", (more: string) => {
      text += more;
    });
  }
  await once(socket, "connect");
  // After an end by the server, the text received before tells the outcome.
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(text));
  });
  const received = (pattern: RegExp): Promise<string> =>
    new Promise((found, failed) => {
      const check = () => {
        if (pattern.test(text)) found(text);
      };
      socket.on("data", check).on("close", () => failed(new Error(`The connection ended after: ${text}`)));
      check();
    });
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return {
    send: (more) => socket.write(more),
    received,
    ended,
    close: () => socket.destroy(),
    reset: () => socket.resetAndDestroy(),
  };
}
