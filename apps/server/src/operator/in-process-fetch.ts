import { once } from "node:events";
import { createServer, type IncomingMessage, request as sendRequest, type Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { arrayBuffer } from "node:stream/consumers";
import type { Application } from "@sallyport/http";

/**
 * A `fetch` whose requests reach an application of this process. They travel on streams in memory: there is no socket that
 * another process could find, so the application needs no credentials. It takes what the client sends: URLs as text, and
 * bodies that are text or bytes.
 */
export function inProcessFetch({ messages, listener }: Pick<Application, "messages" | "listener">): typeof fetch {
  const server = createServer(messages, listener);
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(url));
    const outgoing = sendRequest({
      createConnection: () => connect(server),
      method,
      path: pathname + search,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal ? { signal } : {}),
    });
    const response = once(outgoing, "response") as Promise<[IncomingMessage]>;
    outgoing.end(body);
    const [answer] = await response;
    const head = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(await arrayBuffer(answer), { status: answer.statusCode ?? 500, headers: head });
  };
}

/** Opens a connection to a server that does not listen. Returns the end of the client. */
function connect(server: Server): Duplex {
  const [ours, theirs] = duplexPair();
  // The server ends connections as sockets.
  server.emit("connection", Object.assign(theirs, { destroySoon: () => theirs.end() }));
  return ours;
}
