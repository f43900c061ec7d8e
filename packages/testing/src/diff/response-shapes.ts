import { randomUUID } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { routeOf } from "../coverage/route-of.ts";
import { envelopeOf } from "../matchers/received-response.ts";
import type { AgentExchange } from "../service/agent-observer.ts";

/** The environment variable with the folder that collects the shapes of all processes. */
export const shapesVariable = "SALLYPORT_SHAPES";

/** The parts of a response that clients depend on, without values. */
export interface ResponseShape {
  /** Method and pattern of the route. */
  readonly route: string;
  /** 0 for a success. */
  readonly code: number;
  readonly status: number;
  /** Types of members by their path, such as `data.~Elements[].Title`. */
  readonly members: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: readonly string[];
}

/** Headers of a connection or a body. */
const ofTransport = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

const fileEnding = ".shapes.jsonl";
const fileName = `${process.pid}-${randomUUID()}${fileEnding}`;

/** Writes the shape of a response, if the environment names a folder. */
export function recordShape({ method, path, response }: AgentExchange): void {
  const folder = process.env[shapesVariable] ?? "";
  if (folder === "") return;
  const envelope = envelopeOf(response);
  const members: Record<string, string> = {};
  collect(envelope ?? response.body, "", members);
  const shape: ResponseShape = {
    route: `${method} ${routeOf(method, path) ?? path.split("?", 1)[0]}`,
    code: Number(envelope?.status.internalStatus ?? 0),
    status: response.status,
    members,
    headers: Object.keys(response.headers ?? {}).filter((name) => !ofTransport.has(name)),
  };
  appendFileSync(join(folder, fileName), `${JSON.stringify(shape)}\n`);
}

/** The shapes in a folder. */
export function readShapes(folder: string): ResponseShape[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(fileEnding))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ResponseShape);
}

function collect(value: unknown, path: string, members: Record<string, string>): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, `${path}[]`, members);
    return;
  }
  if (typeof value !== "object" || value === null) {
    if (path !== "") members[path] = value === null ? "null" : typeof value;
    return;
  }
  if (Buffer.isBuffer(value)) return;
  for (const [name, each] of Object.entries(value)) collect(each, path === "" ? name : `${path}.${name}`, members);
}
