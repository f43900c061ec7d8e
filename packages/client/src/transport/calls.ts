import type { QueryValues } from "./service-address.ts";
import type { Method, Target } from "./transport.ts";

/** The arguments of a call after its name: optional if the operation needs no input. */
export type CallArguments<Input, Options> = object extends Input
  ? [options?: Input & Options]
  : [options: Input & Options];

/** The input of any call. */
export interface SentCall {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: QueryValues | undefined;
  readonly body?: unknown;
  /** Sends the request without a session. */
  readonly anonymous?: true | undefined;
}

/** Method and path of a call such as `GET /v1/object/{idOrClass}`. */
export function targetOf(operation: string, parameters: SentCall["path"] = {}): Pick<Target, "method" | "path"> {
  const [method, path = ""] = operation.split(" ");
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] as string));
  return { method: method as Method, path: filled };
}
