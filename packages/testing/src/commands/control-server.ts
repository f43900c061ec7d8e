import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestService } from "../service/test-service.ts";
import { type ControlInput, controlList, controls } from "./controls.ts";

/** Bytes of a body. */
const maxBody = 64 * 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly body: object;
  readonly isLast?: boolean;
}

/** Controls a service over HTTP, on loopback and behind a token. */
export class ControlServer {
  readonly token = randomBytes(32).toString("base64url");
  private readonly ending = new AbortController();

  private constructor(
    private readonly service: TestService,
    private readonly server: Server,
  ) {
    server.on("request", (request, response) => {
      void this.reply(request).then(({ status, body, isLast }) => {
        const headers = { "content-type": "application/json", "cache-control": "no-store" };
        response.writeHead(status, headers).end(JSON.stringify(body), () => {
          if (isLast === true) this.ending.abort();
        });
      });
    });
  }

  /** `port`: 0 for any. Rejects if the port is in use. */
  static async start(service: TestService, port: number): Promise<ControlServer> {
    const server = createServer();
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return new ControlServer(service, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Aborted by `POST /close`, after its response. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async reply(request: IncomingMessage): Promise<Reply> {
    if (!this.isAllowed(request.headers.authorization ?? ""))
      return { status: 401, body: { error: "The header `Authorization: Bearer <token>` is missing or wrong." } };
    try {
      const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
      const name = `${request.method} ${pathname}`;
      const control = controls.get(name);
      if (control === undefined)
        return { status: 404, body: { error: `There is no control ${name}. The controls are:\n${controlList()}` } };
      const input = request.method === "GET" ? Object.fromEntries(searchParams) : await inputOf(request);
      const body = ((await control.run(this.service, input)) ?? {}) as object;
      return { status: 200, body, isLast: control.isLast ?? false };
    } catch (error) {
      return { status: 400, body: { error: (error as Error).message } };
    }
  }

  private isAllowed(authorization: string): boolean {
    const [expected, received] = [Buffer.from(`Bearer ${this.token}`), Buffer.from(authorization)];
    return expected.length === received.length && timingSafeEqual(expected, received);
  }
}

/** Throws a `TypeError` unless the body is a JSON object, or empty. */
async function inputOf(request: IncomingMessage): Promise<ControlInput> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBody) throw new TypeError(`The body has more than ${maxBody} bytes.`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as ControlInput;
  throw new TypeError("The body must be a JSON object.");
}
