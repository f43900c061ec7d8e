import { callSecurely, logInSecurely, sendMessage } from "./secure-client.ts";
import { credentialsOf, goodFields, hybridBody, openHybridAnswer, secureBody } from "./credentials.ts";
import { post, type Reply, send, type SentHeaders } from "./send.ts";
import { client, stranger, storedServerKeys } from "./stored-keys.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const verdict = ({ headers, code }: Reply) => (headers["encrypted"] === "v=1" ? "accepted" : String(code));

/** Tokens and secure sessions on every engine; the server must have the stored keys and the demo's data. */
onEngines(
  "tokens and secure sessions",
  (subject) => {
    const secure = (body: object) => post(`${subject().url}/v2/login/secure`, body).then(verdict);
    const hybrid = (body: object) => post(`${subject().url}/v2/login`, body).then(verdict);
    const check = (headers: SentHeaders) =>
      send(`${subject().url}/_CheckSession`, { headers }).then(({ code }) => code);

    test("a token is valid until the log-out", async () => {
      const { data } = JSON.parse((await post(`${subject().url}/v2/login`, goodFields)).text);
      const headers = { authorization: `Bearer ${data.token}` };
      expect(await check(headers)).toBe("0");
      expect((await send(`${subject().url}/v1/logout`, { method: "POST", headers })).code).toBe("0");
      expect(await check(headers)).toBe("203");
    });

    test("an encrypted log-in returns a session id and a token", async () => {
      const { data } = openHybridAnswer((await post(`${subject().url}/v2/login`, hybridBody())).text);
      expect([await check({ sessionid: data.sessionId }), await check({ authorization: data.token })]).toEqual([
        "0",
        "0",
      ]);
    });

    test("a secure session accepts each message once, and answers encrypted until its end", async () => {
      const session = await logInSecurely(subject());
      const codes = [];
      for (const number of [0n, 0n, 5n, 1n, 1_030n, 6n, 7n, 2n ** 64n - 1n])
        codes.push((await sendMessage(subject(), session, number)).code);
      expect(codes).toEqual(["0", "312", "0", "0", "0", "312", "0", "0"]);
      const list = await callSecurely(subject(), session, "/v1/objects/Customer?perPage=2");
      expect(list).toMatchObject({
        code: "0",
        body: { data: { "~Elements": [expect.any(Object), expect.any(Object)] } },
      });
      const blocks = await Promise.all(
        Array.from({ length: 150 }, async () =>
          (await callSecurely(subject(), session, "/_CheckSession")).iv?.toString("hex"),
        ),
      );
      expect(new Set(blocks).size).toBe(150);
      expect(await callSecurely(subject(), session, "/v1/logout", { method: "POST" })).toMatchObject({
        code: "0",
        iv: expect.any(Buffer),
      });
      expect(await callSecurely(subject(), session, "/_CheckSession")).toMatchObject({ code: "203", iv: null });
    });

    test.each<[string, (body: object) => Promise<string>, () => object]>([
      ["secure", secure, () => secureBody()],
      ["encrypted", hybrid, () => hybridBody()],
    ])(
      "refuses a captured %s log-in from others, and accepts it three times from its owner",
      async (_title, log, make) => {
        const body = make();
        expect(await log(body)).toBe("accepted");
        expect(await log({ ...body, publicKey: stranger.text })).toBe("310");
        expect([await log(body), await log(body), await log(body)]).toEqual(["accepted", "accepted", "310"]);
        const raced = make();
        const verdicts = await Promise.all([client, stranger].map(({ text }) => log({ ...raced, publicKey: text })));
        expect(verdicts.toSorted()).toEqual(["310", "accepted"]);
      },
    );

    test("a secure log-in reports invalid fields in clear text", async () => {
      const good = secureBody();
      const bodies = [
        {},
        { publicKey: "x" },
        { ...good, publicKey: "x" },
        { ...good, credentials: "x" },
        secureBody({}),
        secureBody({ ...goodFields, appNames: ["x"] }),
      ];
      const codes = [];
      for (const body of bodies) codes.push(await secure(body));
      expect(codes).toEqual(["205", "206", "309", "310", "301", "208"]);
      expect(await secure({ publicKey: client.text, credentials: credentialsOf() })).toBe("accepted");
    });
  },
  { environment: { ...storedServerKeys, ...withoutLockout } },
);
