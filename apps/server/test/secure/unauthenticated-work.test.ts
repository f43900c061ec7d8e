import { goodFields, openAnswer, secureBody } from "./credentials.ts";
import { type Reply, send } from "./send.ts";
import { client, storedServerKeys, stranger } from "./stored-keys.ts";
import { onEngines } from "../engines.ts";

/** The smallest budget: 600 ms of a processor for each kind of work. */
const unauthenticatedWorkEnvironment = {
  ...storedServerKeys,
  UNAUTHENTICATED_CPU_PERCENT: "1",
  TRUSTED_PROXIES: "127.0.0.1",
};

/** Floods of clients of which nothing is known yet, beside a client that is known in their network. */
onEngines(
  "clients that are not authenticated",
  (server) => {
    const [attacked, quiet] = ["192.0.2.1", "198.51.100.1"];
    const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });
    const post = (path: string, body: object | string, address = attacked): Promise<Reply> =>
      send(server().url + path, {
        method: "POST",
        headers: { ...from(address), "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    const check = async (headers: Record<string, string>, address = attacked) =>
      (await send(`${server().url}/_CheckSession`, { headers: { ...from(address), ...headers } })).code;
    const logInSecurely = async (keys = client, address = attacked) => {
      const { code, text } = await post("/v2/login/secure", secureBody(goodFields, "OAEP-SHA-256", keys), address);
      return code ?? (openAnswer(text, "OAEP-SHA-256", keys).status.internalStatus as string);
    };
    /** Repeats a request until it is refused. Returns the refusal, and the codes before it. */
    const flood = async (request: () => Promise<Reply>) => {
      const codes = new Set<string | null>();
      for (;;) {
        const reply = await request();
        if (reply.code === "706") return { refusal: reply, codes: [...codes] };
        codes.add(reply.code);
      }
    };
    const long = JSON.stringify({ user: "demo", more: Array.from({ length: 7_000 }, () => ({ a: 1 })) });
    const longBody = () => post("/v1/login", long);
    let token: string;
    let forged: string;
    beforeAll(async () => {
      token = JSON.parse((await post("/v2/login", goodFields)).text).data.token;
      const [head, payload, signature] = token.split(".") as [string, string, string];
      const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), jti: "another" };
      forged = [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
      expect(await logInSecurely()).toBe("0");
    });

    test("long bodies and invalid tokens have a budget, which valid tokens and usual log-ins do not need", async () => {
      expect(await check({ authorization: forged })).toBe("203");
      const { refusal, codes } = await flood(longBody);
      expect(codes).toEqual(["301"]);
      expect(refusal.status).toBe(503);
      expect(Number(refusal.headers["retry-after"])).toBeGreaterThan(0);
      // The rest of the budget can suffice for one more a moment later.
      while ((await check({ authorization: forged })) !== "706") await flood(longBody);
      expect(await check({ authorization: forged }, quiet)).toBe("203");
      expect(await check({ authorization: token })).toBe("0");
      expect((await post("/v1/login", goodFields)).code).toBe("0");
      const next = JSON.parse((await post("/v2/login", goodFields)).text).data.token as string;
      expect(await check({ authorization: next })).toBe("0");
      expect([await logInSecurely(), await logInSecurely(stranger, quiet)]).toEqual(["0", "0"]);
    });

    test("encrypted log-ins have a budget of their own, which a known client key does not need", async () => {
      const filler = "x".repeat(2_800);
      const failing = secureBody({ user: "demo", filler }, "OAEP-SHA-256", stranger);
      const attack = () => flood(() => post("/v2/login/secure", failing));
      const { refusal, codes } = await attack();
      expect(codes).toEqual(["301"]);
      expect(Number(refusal.headers["retry-after"])).toBeGreaterThan(0);
      while ((await logInSecurely(stranger)) !== "706") await attack();
      expect(await logInSecurely()).toBe("0");
      expect(await check({ authorization: token })).toBe("0");
      expect(await logInSecurely(stranger, quiet)).toBe("0");
    });
  },
  { environment: unauthenticatedWorkEnvironment },
);
