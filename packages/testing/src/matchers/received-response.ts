/** A response as Supertest returns it. Any object with these members is accepted. */
export interface ReceivedResponse {
  readonly status: number;
  /** The parsed body. */
  readonly body?: unknown;
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The sent request, for messages of failures. */
  readonly request?: unknown;
}

interface Status {
  readonly internalStatus: string;
  readonly statusMessage: string;
  readonly debugMessage?: unknown;
}

/** The body of each JSON response of the service. */
export interface Envelope {
  readonly status: Status;
  readonly data?: unknown;
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The envelope in a response; `null` if the body is something else. */
export function envelopeOf({ body, text }: ReceivedResponse): Envelope | null {
  const content = isMembers(body) && Object.keys(body).length > 0 ? body : parsed(text);
  if (!isMembers(content)) return null;
  const { status } = content;
  if (!isMembers(status)) return null;
  const { internalStatus, statusMessage } = status;
  const isEnvelope =
    typeof internalStatus === "string" && /^\d+$/.test(internalStatus) && typeof statusMessage === "string";
  return isEnvelope ? (content as unknown as Envelope) : null;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** A header by its lower-case name. */
export function headerOf({ headers }: ReceivedResponse, name: string): string | null {
  const value = headers?.[name];
  return typeof value === "string" ? value : null;
}
