import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A message as received. */
export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly database: string;
    readonly userId?: string;
    readonly session?: string;
    readonly device?: string | null;
    readonly seats: readonly {
      readonly appName: string;
      readonly kind: string;
      readonly limit: number | null;
      readonly taken: number;
    }[];
  };
}

/** How to answer a message: a status, or `null` for no answer. */
export type Answering = (message: ReceivedMessage) => number | null | Promise<number | null>;

/** A licence server that records the messages and checks their signatures. */
export class LicenceReceiver {
  readonly key = randomBytes(32);
  readonly accepted: ReceivedMessage[] = [];
  readonly refused: ReceivedMessage[] = [];
  /** Problems of signatures, and paths other than the configured one. */
  readonly faults: string[] = [];
  answering: Answering = () => 204;
  private readonly watchers = new Set<() => void>();

  private constructor(private readonly server: Server) {
    server.on("request", (request, response) => {
      void text(request).then((body) =>
        this.receive({ path: request.url ?? "", headers: request.headers, body }, response),
      );
    });
  }

  static async open(): Promise<LicenceReceiver> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LicenceReceiver(server);
  }

  /** The settings of a server that reports to it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LICENCES_STATISTICS_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/seats`,
      LICENCES_STATISTICS_SECRET: `whsec_${this.key.toString("base64")}`,
      LICENCES_STATISTICS_POLL_INTERVAL: "100ms",
      LICENCES_STATISTICS_COUNT_INTERVAL: "1s",
    };
  }

  /** Accepted messages about an app name, without counts. */
  about(appName: string): ReceivedMessage[] {
    return this.accepted.filter(
      ({ type, data }) => type !== "seats.counted" && data.seats.some((each) => each.appName === appName),
    );
  }

  /** Resolves to the first result of `find` that is not `undefined`. Looks again after each message. */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        this.watchers.delete(look);
        resolve(found);
      };
      this.watchers.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async receive(
    { path, headers, body }: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string },
    response: ServerResponse,
  ): Promise<void> {
    if (path !== "/seats") this.faults.push(`path ${path}`);
    const [id, time] = [headers["webhook-id"], headers["webhook-timestamp"]];
    const signed = createHmac("sha256", this.key).update(`${id}.${time}.${body}`).digest("base64");
    if (headers["webhook-signature"] !== `v1,${signed}`) this.faults.push("signature");
    if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) this.faults.push("time");
    const message: ReceivedMessage = { ...JSON.parse(body), headers, text: body, id: String(id) };
    const status = await this.answering(message);
    const isAccepted = status !== null && status >= 200 && status < 300;
    (isAccepted ? this.accepted : this.refused).push(message);
    if (status !== null)
      response.writeHead(status, { location: "/elsewhere" }).end("x".repeat(status === 204 ? 0 : 100_000));
    for (const look of this.watchers) look();
  }
}
