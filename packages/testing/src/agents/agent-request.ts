import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import type { ClientSession } from "@sallyport/client";
import supertest, { type Response } from "supertest";
import { describeResponse } from "../matchers/describe-response.ts";
import { refusalRecorded } from "../matchers/recorded-refusals.ts";

type Callback = (error: unknown, response?: Response) => void;

/** The part of Supertest's request that the types leave out. */
interface RequestInside {
  url: string;
  readonly header: Readonly<Record<string, unknown>>;
  _data: unknown;
  _formData: FormStream | null | undefined;
  set(name: string, value: string): this;
  buffer(whole: boolean): this;
  parse(parser: (response: IncomingMessage, done: (error: unknown, body: unknown) => void) => unknown): this;
  end(callback?: Callback): this;
  assert(error: unknown, response: Response | undefined, callback: Callback | undefined): void;
}

/** A form of several parts. */
interface FormStream {
  getHeaders(): Readonly<Record<string, string>>;
  pipe(target: PassThrough): PassThrough;
}

const SupertestRequest = (supertest as unknown as { readonly Test: unknown }).Test as new (
  app: string,
  method: string,
  path: string,
) => RequestInside;

interface Prepared {
  readonly url: string;
  /** `null` for a request without a session. */
  readonly session: ClientSession | null;
  /** The app key, unless the request has it already. */
  readonly appKey: string | null;
}

/** The agent behind a request. */
export interface Sender {
  /** Called when the request is sent, with the names of its headers in lower case. */
  readonly prepare: (headers: readonly string[]) => Promise<Prepared>;
  /** Called with each response, before the expectations. `duration` in milliseconds. */
  readonly answered: (content: SentContent, response: Response, duration: number) => void;
}

/** A request before its encryption. */
export interface SentContent {
  /** With the query. */
  readonly path: string;
  readonly body: unknown;
}

/** A Supertest request that adds the credential of a session, and encrypts and decrypts the content in secure mode. */
export class AgentRequest extends SupertestRequest {
  readonly #sender: Sender;
  readonly #path: string;
  #session: ClientSession | null = null;
  #base = "";
  #body: unknown;
  #sentAt = 0;

  constructor(sender: Sender, method: string, path: string) {
    super("http://127.0.0.1", method, path);
    this.#sender = sender;
    this.#path = path;
  }

  override end(callback?: Callback): this {
    void this.#send(callback);
    return this;
  }

  /** Supertest calls it with the response, before the expectations. */
  override assert(error: unknown, response: Response | undefined, callback: Callback | undefined): void {
    void this.#check(error, response, callback);
  }

  async #send(callback: Callback | undefined): Promise<void> {
    const failure = await failureOf(this.#seal());
    if (failure === null) super.end(callback);
    else callback?.(failure);
  }

  async #check(error: unknown, response: Response | undefined, callback: Callback | undefined): Promise<void> {
    const failure = response === undefined ? null : await failureOf(this.#open(response));
    if (response !== undefined && failure === null) this.#tell(response);
    await refusalRecorded(response?.headers["x-request-id"] as string | undefined);
    if (failure !== null) callback?.(failure);
    else if (response === undefined) super.assert(error, response, callback);
    else super.assert(error, response, (problem, received) => callback?.(explained(problem, response), received));
  }

  #tell(response: Response): void {
    const content = { path: this.url.slice(this.#base.length), body: this.#body };
    this.#sender.answered(content, response, performance.now() - this.#sentAt);
  }

  async #seal(): Promise<void> {
    const names = Object.keys(this.header).map((name) => name.toLowerCase());
    const { url, session, appKey } = await this.#sender.prepare(names);
    if (appKey !== null && !names.includes("appkey")) this.set("appkey", appKey);
    this.#base = url;
    this.url = url + this.#path;
    this.#body = this._data;
    this.#sentAt = performance.now();
    if (session === null) return;
    this.#session = session;
    const isSecure = session.mode === "secure";
    const { type, body } = isSecure ? await contentOf(this) : { type: undefined, body: undefined };
    const sealed = await session.seal({ headers: type === undefined ? {} : { "content-type": type }, body });
    for (const [name, value] of Object.entries(sealed.headers)) this.set(name, value);
    if (!isSecure) return;
    if (sealed.body !== undefined) {
      this._formData = undefined;
      this._data = typeof sealed.body === "string" ? sealed.body : Buffer.from(sealed.body);
    }
    this.buffer(true).parse(readBytes);
  }

  async #open(response: Response): Promise<void> {
    const session = this.#session;
    if (session?.mode !== "secure" || !Buffer.isBuffer(response.body)) return;
    const bytes: Buffer = response.body;
    const headers: Record<string, string> = response.headers;
    const { body } =
      bytes.length === 0
        ? { body: bytes }
        : await session.open({
            status: response.status,
            headers: { get: (name) => headers[name.toLowerCase()] ?? null },
            body: bytes,
          });
    if (/^application\/text\b/.test(headers["content-type"] ?? "")) headers["content-type"] = jsonType;
    const isJson = (headers["content-type"] ?? "").startsWith("application/json");
    const text = Buffer.from(body).toString();
    Object.assign(response, {
      type: (headers["content-type"] ?? "").split(";", 1)[0],
      text,
      body: isJson ? JSON.parse(text) : Buffer.from(body),
    });
  }
}

/** The failed expectation of a request with what a matcher says about the response. */
function explained(problem: unknown, response: Response): unknown {
  if (!(problem instanceof Error)) return problem;
  const { message, stack = "" } = problem;
  const explanation = `${message}\n\n${describeResponse(response)}`;
  return Object.assign(problem, { message: explanation, stack: stack.replace(message, () => explanation) });
}

const jsonType = "application/json; charset=utf-8";

/** The content that Supertest would send. */
async function contentOf({
  header,
  _data: data,
  _formData: form,
}: RequestInside): Promise<{ readonly type: string | undefined; readonly body: string | Uint8Array | undefined }> {
  if (form !== undefined && form !== null)
    return { type: form.getHeaders()["content-type"], body: await bytesOf(form.pipe(new PassThrough())) };
  const entry = Object.entries(header).find(([name]) => name.toLowerCase() === "content-type");
  const type = entry === undefined ? undefined : String(entry[1]);
  if (data === undefined || data === null) return { type, body: undefined };
  if (typeof data === "string" || Buffer.isBuffer(data)) return { type: type ?? jsonType, body: data };
  return { type: type ?? jsonType, body: JSON.stringify(data) };
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readBytes(response: IncomingMessage, done: (error: unknown, body: unknown) => void): Promise<void> {
  let bytes: Buffer | undefined;
  const failure = await failureOf(bytesOf(response).then((read) => (bytes = read)));
  done(failure, bytes);
}

/** Resolves to the reason of a rejection; `null` without one. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (error) {
    return error;
  }
}
