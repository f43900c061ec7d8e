import { demoCredentials } from "./demo-credentials.ts";

export interface ShellExample {
  readonly title: string;
  /** Lines for bash and zsh, to be pasted as they stand. */
  readonly lines: readonly string[];
}

const macroExample: ShellExample = {
  title: "Execute a macro",
  lines: [
    `curl -sS -w '\\n' "$URL/v1/execute/OverdueInvoices" \\`,
    `  -d '{"on":"2026-01-01","most":3}' \\`,
    `  -H "$KEY" -H "sessionId: $SID" -H "$JSON"`,
  ],
};

/**
 * A first session as shell commands, each example building on the ones before it. They need nothing but curl and sed.
 * `address` is where the database is, `customer` the id or UUID of an object to read and to change. `hasMacros` tells whether those of
 * the demo are there.
 */
export function demoSession(address: string, customer: string, hasMacros: boolean): ShellExample[] {
  const [{ name, password }] = demoCredentials.users;
  const body = JSON.stringify({ user: name, pass: password, appNames: [demoCredentials.apps[0].name] });
  return [
    {
      title: "Log in; the lines further down use the session id",
      lines: [
        `URL='${address}' KEY='appkey: ${demoCredentials.appKey}'`,
        `JSON='Content-Type: application/json'`,
        `BODY='${body}'`,
        `ANSWER=$(curl -sS "$URL/v1/login" -H "$KEY" -H "$JSON" -d "$BODY")`,
        `SID=$(printf %s "$ANSWER" | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')`,
        `printf '%s\\n' "$ANSWER"`,
      ],
    },
    {
      title: "Read an object",
      lines: [`curl -sS -w '\\n' "$URL/v1/object/${customer}" \\`, `  -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "List a class, page by page",
      lines: [`curl -sS -w '\\n' "$URL/v1/objects/Invoice?page=0&perPage=5" \\`, `  -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "Change an object",
      lines: [
        `curl -sS -w '\\n' -X PATCH -d '{"CreditLimit":2500}' \\`,
        `  "$URL/v1/object/${customer}" \\`,
        `  -H "$KEY" -H "sessionId: $SID" -H "$JSON"`,
      ],
    },
    ...(hasMacros ? [macroExample] : []),
    {
      title: "Log out",
      lines: [`curl -sS -w '\\n' -X POST "$URL/v1/logout" -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "Or log in with a token, to be sent as Authorization",
      lines: [`curl -sS -w '\\n' "$URL/v2/login" -H "$KEY" -H "$JSON" -d "$BODY"`],
    },
  ];
}
