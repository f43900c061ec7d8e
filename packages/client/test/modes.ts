import { type ClientOptions, type LogInMode, type LogInOptions, SallyportClient } from "@sallyport/client";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import { FakeServer } from "./fake-server.ts";

export const modes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** The log-in path of each mode. */
export const logInPaths: Readonly<Record<LogInMode, string>> = {
  session: "/v1/login",
  token: "/v2/login",
  encrypted: "/v2/login",
  secure: "/v2/login/secure",
};

export const demo = { user: "demo", password: "demo", appNames: ["demo-app"] };

const keyPair = await storedKeyPair();

export function logInOptions(mode: LogInMode, more: Partial<LogInOptions> = {}): LogInOptions {
  const keys = mode === "encrypted" || mode === "secure" ? { keyPair } : {};
  return { ...demo, mode, ...keys, ...more } as LogInOptions;
}

/** A client and the server that it calls. */
export function connected(options: Partial<ClientOptions> = {}): { server: FakeServer; client: SallyportClient } {
  const server = new FakeServer();
  return {
    server,
    client: new SallyportClient({ baseUrl: "https://db.example", appKey: "key", fetch: server.fetch, ...options }),
  };
}

export async function loggedIn(
  mode: LogInMode,
  options: Partial<ClientOptions> = {},
): Promise<ReturnType<typeof connected>> {
  const parts = connected(options);
  await parts.client.logIn(logInOptions(mode));
  return parts;
}

/** A promise to be settled by hand. */
export function latch(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
