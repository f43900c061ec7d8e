import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type Message, MessageReader } from "./message-reader.ts";

/**
 * `before`: the database never receives the statement; `during`: it executes it, and the answer is lost; `after`: the
 * answer arrives.
 */
export type Moment = "before" | "during" | "after";

interface Cut {
  readonly statement: RegExp;
  readonly moment: Moment;
  readonly done: () => void;
}

/** A relay between the server and its Postgres that cuts a connection at one statement. */
export class StatementRelay {
  private readonly sockets = new Set<Socket>();
  private cut: Cut | undefined;
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly target: URL) {}

  /** The URL of the target, through the relay. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = "127.0.0.1";
    url.port = String(this.port);
    return url.href;
  }

  async listen(): Promise<void> {
    const server = createServer((client) => this.relay(client)).listen(0, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server?.close();
  }

  /** Cuts the connection that next sends a statement of this name; resolves when the server has noticed. */
  cutAt(statement: RegExp, moment: Moment): Promise<void> {
    return new Promise((done) => {
      this.cut = { statement, moment, done };
    });
  }

  private relay(client: Socket): void {
    const database = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const socket of [client, database]) {
      // With Nagle's algorithm, every small piece would wait 40 ms for an acknowledgement.
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.sockets.delete(socket));
    }
    client.on("close", () => database.destroy());
    const [asked, answered] = [new MessageReader(true), new MessageReader(false)];
    // The earlier messages of the connection, first of all the log-in.
    let open = 1;
    let cut: Cut | undefined;
    let statement = "";
    let buffered: Buffer[] = [];
    const end = (last: Buffer[]): void => {
      client.end(Buffer.concat(last));
      database.destroy();
    };
    database.on("close", () => (cut === undefined ? client.destroy() : undefined));

    client.on("data", (piece: Buffer) => {
      for (const message of asked.read(piece)) {
        if (cut !== undefined) return;
        statement = statementOf(message) ?? statement;
        const isLast = message.type === "S" || message.type === "Q";
        buffered.push(message.bytes);
        if (!isLast && message.type !== "" && message.type !== "X" && message.type !== "p") continue;
        if (isLast && this.cut?.statement.test(statement) === true) {
          cut = this.cut;
          this.cut = undefined;
          client.once("close", cut.done);
          if (cut.moment === "before") return end([]);
        }
        if (isLast) open += 1;
        for (const bytes of buffered) database.write(bytes);
        buffered = [];
      }
    });

    const unheard: Buffer[] = [];
    database.on("data", (piece: Buffer) => {
      for (const message of answered.read(piece)) {
        if (message.type === "Z") open -= 1;
        if (cut === undefined) client.write(message.bytes);
        else unheard.push(message.bytes);
        if (cut !== undefined && message.type === "Z" && open === 0) return end(cut.moment === "after" ? unheard : []);
      }
    });
  }
}

/** The name of a prepared statement, or the text of another one. */
function statementOf({ type, body }: Message): string | undefined {
  if (type === "Q") return body.toString("latin1");
  if (type !== "B") return undefined;
  const portal = body.indexOf(0);
  return body.toString("latin1", portal + 1, body.indexOf(0, portal + 1));
}
