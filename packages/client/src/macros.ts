import type { CallOptions, ClientRequests } from "./requests.ts";

export interface ExecuteOptions extends CallOptions {
  /** Leaves out the macro's own check of the execution; needs the right to (402). */
  readonly skipChecker?: boolean | undefined;
}

/** Has the server run a macro; what it returns comes back. */
export async function executeMacro<Data>(
  requests: ClientRequests,
  name: string,
  body: unknown,
  { skipChecker = false, ...limits }: ExecuteOptions,
): Promise<Data> {
  const query = skipChecker ? { skipChecker } : {};
  const { data } = await requests.json<Data>({
    ...limits,
    method: "POST",
    path: `/v1/execute/${encodeURIComponent(name)}`,
    query,
    body,
  });
  return data;
}
