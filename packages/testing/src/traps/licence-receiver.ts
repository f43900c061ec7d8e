import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A message about licence seats, as the service sends it. */
export interface LicenceMessage {
  /** The same for each attempt. */
  readonly id: string;
  readonly type: "session.opened" | "session.ended" | "seats.reserved" | "seats.released" | "seats.counted";
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

/** The response to a message: an HTTP status, or `null` for no response. */
export type Answering = (message: LicenceMessage) => number | null | Promise<number | null>;

export interface LicenceReceiverOptions {
  /** Seconds between the timestamp of a message and the time of this machine. Default: any, for services with a clock of their own. */
  readonly tolerance?: number;
}

const path = "/seats";

/** A licence server. It records the messages of services and checks their signatures. */
export class LicenceReceiver {
  readonly accepted: LicenceMessage[] = [];
  readonly refused: LicenceMessage[] = [];
  /** Requests that are not a signed message. */
  readonly faults: string[] = [];
  /** Answers the next messages. Default: with 204. */
  answering: Answering = () => 204;
  private readonly listeners = new Set<() => void>();
  private readonly secret = randomBytes(32);

  private constructor(
    private readonly server: Server,
    private readonly tolerance: number,
  ) {
    server.on("request", (request, response) => void this.receive(request, response));
  }

  static async open({ tolerance = Number.POSITIVE_INFINITY }: LicenceReceiverOptions = {}): Promise<LicenceReceiver> {
    const server = createServer();
    server.listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    return new LicenceReceiver(server, tolerance);
  }

  /** The section `licences` of the configuration of a service that reports here. */
  get configuration() {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
    return { statistics: { url, secret: `whsec_${this.secret.toString("base64")}` } };
  }

  /** The environment of a server in another process that reports here. */
  get environment(): Readonly<Record<string, string>> {
    const { url, secret } = this.configuration.statistics;
    return {
      LICENCES_STATISTICS_URL: url,
      LICENCES_STATISTICS_SECRET: secret,
    };
  }

  /** Accepted messages about an app name, without counts. */
  about(appName: string): LicenceMessage[] {
    return this.accepted.filter(
      ({ type, data }) => type !== "seats.counted" && data.seats.some((each) => each.appName === appName),
    );
  }

  /** Calls a function after each message. Returns a function that ends this. */
  onMessage(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves to the first result of `find` that is not `undefined`. Looks again after each message, without a time limit. */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        end();
        resolve(found);
      };
      const end = this.onMessage(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const fault = request.url === path ? this.faultOf(request.headers, body) : "is not a path of the receiver";
    if (fault !== null) {
      this.faults.push(`${request.method} ${request.url} ${fault}`);
      response.writeHead(401).end();
      return;
    }
    const message = { ...JSON.parse(body), id: String(request.headers["webhook-id"]) } as LicenceMessage;
    const status = await this.answering(message);
    const isAccepted = status !== null && status >= 200 && status < 300;
    (isAccepted ? this.accepted : this.refused).push(message);
    // A service must neither follow a redirect nor read a long answer.
    if (status !== null)
      response.writeHead(status, { location: "/elsewhere" }).end("x".repeat(status === 204 ? 0 : 100_000));
    for (const listener of this.listeners) listener();
  }

  private faultOf(headers: IncomingHttpHeaders, body: string): string | null {
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = headers;
    const signed = createHmac("sha256", this.secret)
      .update(`${String(id)}.${String(time)}.${body}`)
      .digest("base64");
    const [expected, received] = [Buffer.from(`v1,${signed}`), Buffer.from(String(signature))];
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return "has no valid signature";
    return Math.abs(Date.now() / 1_000 - Number(time)) <= this.tolerance ? null : `has the timestamp ${String(time)}`;
  }
}
