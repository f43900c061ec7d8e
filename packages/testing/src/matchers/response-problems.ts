import { catalogue, extensions } from "@sallyport/storage/errors";
import { type Envelope, envelopeOf, type ReceivedResponse } from "./received-response.ts";

const entries = new Map([...catalogue, ...extensions].map((entry) => [entry.code as number, entry]));

/** Why a response is not an envelope as the contract defines it; `null` if it is one. */
export function envelopeProblem(response: ReceivedResponse): string | null {
  const envelope = envelopeOf(response);
  if (envelope === null) return "The body has no `status` with `internalStatus` and `statusMessage`.";
  const code = Number(envelope.status.internalStatus);
  return code === 0 ? problemOfSuccess(response, envelope) : problemOfFailure(response, envelope, code);
}

/** Why a response is not a success; `null` if it is. */
export function successProblem(response: ReceivedResponse): string | null {
  const envelope = envelopeOf(response);
  const { internalStatus, statusMessage } = envelope?.status ?? {};
  if (envelope === null || internalStatus === "0") return envelopeProblem(response);
  return `The response is ${response.status}/${internalStatus} (${statusMessage}), not a success.`;
}

/** Why a response is not the error with this code; `null` if it is. Throws a `TypeError` for an unknown code. */
export function errorProblem(response: ReceivedResponse, code: number): string | null {
  const entry = entries.get(code);
  if (entry === undefined) throw new TypeError(`There is no error ${code} in the catalogue.`);
  const envelope = envelopeOf(response);
  if (envelope === null) return envelopeProblem(response);
  const actual = Number(envelope.status.internalStatus);
  if (actual === code) return envelopeProblem(response);
  const found = actual === 0 ? "a success" : `${response.status}/${actual} (${envelope.status.statusMessage})`;
  return `The response is ${found}, not ${entry.status}/${code} (${entry.name}).`;
}

function problemOfSuccess({ status }: ReceivedResponse, envelope: Envelope): string | null {
  if (status !== 200) return `A success has HTTP status 200, not ${status}.`;
  const { data } = envelope;
  const { statusMessage } = envelope.status;
  if (statusMessage !== "ok") return `A success is called "ok", not "${statusMessage}".`;
  return typeof data === "object" && data !== null ? null : "A success has `data`.";
}

function problemOfFailure({ status }: ReceivedResponse, envelope: Envelope, code: number): string | null {
  const entry = entries.get(code);
  if (entry === undefined) return `There is no error ${code} in the catalogue.`;
  if (status !== entry.status) return `The error ${code} has HTTP status ${entry.status}, not ${status}.`;
  const { statusMessage } = envelope.status;
  if (statusMessage !== entry.name) return `The error ${code} is called "${entry.name}", not "${statusMessage}".`;
  const others = Object.keys(envelope).filter((name) => name !== "status");
  return others.length === 0 ? null : `An error has no \`${others[0]}\`.`;
}
