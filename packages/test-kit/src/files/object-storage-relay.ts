import { once } from "node:events";
import { createServer, type IncomingMessage, request as startRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers a request in the place of the object storage, or returns `false`. */
export type Interception = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A relay to an object storage. It can answer in its place, break answers, and change their texts. Without a target it refuses
 * what nothing answers.
 */
export class ObjectStorageRelay {
  /** Method, path and query of all requests. */
  readonly requests: string[] = [];
  intercept: Interception = () => false;
  /** Bytes of an answer after which its connection breaks. */
  breakAfter: (request: IncomingMessage) => number = () => Number.POSITIVE_INFINITY;
  /** Changes a listing. */
  changeText: (text: string) => string = (text) => text;
  private readonly server = createServer((request, response) => this.answer(request, response));

  constructor(private readonly target: URL | null) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`);
    request.on("error", () => {});
    if (this.intercept(request, response)) return;
    if (this.target === null) {
      response.writeHead(501).end();
      return;
    }
    const { hostname, port } = this.target;
    const { method, url: path, headers } = request;
    const forwarded = startRequest({ hostname, port, method, path, headers }, (answer) => {
      void this.pass(answer, response, this.breakAfter(request)).catch(() => response.destroy());
    });
    forwarded.on("error", () => response.destroy());
    request.on("aborted", () => forwarded.destroy());
    request.pipe(forwarded);
  }

  /** Passes an answer, or this many bytes of it; 0: not even its head. */
  private async pass(answer: IncomingMessage, response: ServerResponse, limit: number): Promise<void> {
    if (answer.headers["content-type"] === "application/xml") {
      const text = this.changeText((await answer.setEncoding("utf8").toArray()).join(""));
      const { "content-length": _length, "transfer-encoding": _encoding, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 0, headers).end(text);
      return;
    }
    response.on("close", () => answer.destroy());
    if (limit === 0) {
      response.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    let passed = 0;
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      if (passed + bytes.length >= limit) {
        response.write(bytes.subarray(0, limit - passed), () => response.destroy());
        return;
      }
      passed += bytes.length;
      if (!response.write(bytes)) await once(response, "drain");
    }
    response.end();
  }
}
