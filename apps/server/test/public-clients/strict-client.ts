import { type IncomingHttpHeaders, request } from "node:http";
import type { Json } from "@sallyport/testing/acceptance";

/** HTTP status and message of each code, as built into public clients; written independently. */
const catalogue: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["100", [400, "App key is missing"]],
  ["101", [401, "App key is invalid"]],
  ["200", [400, "Session is missing"]],
  ["201", [401, "Session is invalid"]],
  ["202", [400, "Token is missing"]],
  ["203", [401, "Token is invalid"]],
  ["204", [400, "Token or session is missing"]],
  ["205", [400, "Public key is missing"]],
  ["206", [400, "Credentials are missing"]],
  ["207", [406, "Content type is missing or is invalid"]],
  ["208", [400, "App names are invalid"]],
  ["209", [400, "App names are missing"]],
  ["210", [400, "Duplicated app names"]],
  ["300", [400, "Body is missing"]],
  ["301", [400, "User and password are missing"]],
  ["302", [403, "User and password are invalid"]],
  ["304", [404, "Invalid path"]],
  ["305", [405, "Invalid method"]],
  ["307", [400, "Request is invalid"]],
  ["308", [400, "Payload is not a valid JSON"]],
  ["309", [400, "Public key is invalid"]],
  ["310", [400, "Credentials data are invalid"]],
  ["311", [400, "Body is not a valid JSON"]],
  ["312", [400, "Body JSON or symmetric key are invalid"]],
  ["329", [400, "Query is not an object"]],
  ["340", [401, "Two-factor token is required"]],
  ["341", [401, "Two-factor token is missing"]],
  ["342", [401, "Two-factor token is invalid"]],
  ["400", [400, "Macro name is invalid"]],
  ["401", [403, "Macro is inaccessible"]],
  ["402", [403, "Macro is inaccessible - cannot skip checker"]],
  ["404", [403, "No write access to the object"]],
  ["601", [400, "UploadId is missing"]],
  ["602", [400, "UploadId pattern is invalid"]],
  ["603", [404, "UploadId is invalid"]],
  ["604", [400, "No file was sent"]],
  ["609", [410, "Object already deleted"]],
  ["610", [400, "Unable to update - object has been deleted"]],
  ["699", [400, "Unknown client error"]],
  ["710", [500, "Unable to execute macro"]],
  ["713", [500, "Unable to update object in the database"]],
  ["801", [413, "Payload is too large"]],
]);

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface Message {
  readonly method?: string;
  /** Without the alias, exactly as in the request line. */
  readonly path: string;
  readonly headers?: Headers;
  /** A text is sent unchanged. */
  readonly body?: unknown;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends requests byte for byte like a client, and parses answers equally strictly. */
export class StrictClient {
  constructor(
    private readonly url: string,
    /** Sent with every request, in addition to its own headers. */
    private readonly headers: Headers = {},
    private readonly alias = "",
  ) {}

  with(headers: Headers): StrictClient {
    return new StrictClient(this.url, { ...this.headers, ...headers }, this.alias);
  }

  send({ method = "GET", path, headers, body }: Message): Promise<Received> {
    const { hostname, port } = new URL(this.url);
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const length: Headers = bytes === undefined ? {} : { "Content-Length": String(bytes.length) };
    const all = { ...this.headers, ...length, ...headers } as Record<string, string | string[]>;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          hostname,
          port,
          method,
          path: (this.alias === "" ? "" : `/${this.alias}`) + path,
          headers: all,
          agent: false,
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => parts.push(part));
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  /** `data` of an answer that must be a success. */
  async ok(message: Message, statusMessage = "ok"): Promise<Json> {
    const received = await this.send(message);
    return readEnvelope(received, "0", statusMessage).data;
  }

  /** Passes if the answer is exactly this failure. */
  async fails(message: Message, code: number): Promise<Received> {
    const received = await this.send(message);
    readEnvelope(received, String(code));
    return received;
  }

  /** The code of a well-formed answer. */
  async codeOf(message: Message): Promise<string> {
    const received = await this.send(message);
    const { internalStatus } = JSON.parse(received.text).status;
    readEnvelope(received, internalStatus);
    return internalStatus;
  }
}

/** Parses an envelope; throws unless it matches the clients' models in every respect. */
export function readEnvelope({ status, headers, text }: Received, code: string, statusMessage = "ok"): Json {
  const [wantedStatus, wantedMessage] = code === "0" ? [200, statusMessage] : (catalogue.get(code) ?? []);
  expect({ status, text: status === wantedStatus ? "" : text }).toEqual({ status: wantedStatus, text: "" });
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  expect(headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(headers["content-encoding"]).toBeUndefined();
  const envelope = JSON.parse(text);
  checkEnvelope(envelope, code, wantedMessage as string);
  expect(JSON.stringify(envelope)).toBe(text);
  return envelope;
}

/** The members of an envelope, at any position. */
export function checkEnvelope(envelope: Json, code: string, message: string = catalogue.get(code)?.[1] ?? "ok"): void {
  expect(Object.keys(envelope)).toEqual(code === "0" ? ["status", "data"] : ["status"]);
  expect(Object.keys(envelope.status)).toEqual(["internalStatus", "statusMessage"]);
  expect(envelope.status).toEqual({ internalStatus: code, statusMessage: message });
  expect(envelope.status.internalStatus).toMatch(/^\d+$/);
  if (code === "0") expect(envelope.data).toEqual(expect.any(Object));
}

/** The HTTP status of a code. */
export const statusOf = (code: string): number => (code === "0" ? 200 : (catalogue.get(code)?.[0] ?? 0));
